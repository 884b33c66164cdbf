/*
 * Packs arrays: all fixed-size elements, bits and validity in as few calls as
 * possible, then the parts that depend on them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.h"
#include "core/status.h"

#include <string.h>

/* ---------------------------------------------------------------- selections */

winnow_status winnow__arrow_open_level(winnow__arrow_level *level,
                                       winnow__arrow_place *place, uint64_t n,
                                       size_t *selection_bytes_p) {
    *level = (winnow__arrow_level){.place = place, .n = n};
    *selection_bytes_p = 0;
    if (n == 0)
        return WINNOW_OK;
    winnow_status status = winnow_selection_bytes(n, selection_bytes_p);
    /* The count follows the selection. */
    *selection_bytes_p = (*selection_bytes_p + 7) / 8 * 8;
    return status == WINNOW_OK
               ? winnow__arrow_take(place,
                                    *selection_bytes_p + sizeof(uint64_t),
                                    &level->selection)
               : status;
}

winnow_status winnow__arrow_count(winnow__arrow_level *level) {
    winnow__arrow_place *const place = level->place;
    size_t bytes;
    if (level->n == 0)
        return WINNOW_OK;
    WINNOW__TRY(winnow_selection_bytes(level->n, &bytes));
    uint64_t *const d_count =
        (void *)((char *)level->selection + (bytes + 7) / 8 * 8);
    WINNOW__TRY(winnow_selection_count(place->context, level->selection,
                                       level->n, d_count, &place->launch));
    return winnow__arrow_fetch(place, &level->count, d_count, sizeof *d_count);
}

void winnow__arrow_close_level(winnow__arrow_level *level) {
    winnow__arrow_give(level->place, level->selection);
}

/* --------------------------------------------------------------------- moves */

static winnow_status flush(winnow__arrow_level *level) {
    if (level->moves_n == 0)
        return WINNOW_OK;
    const unsigned number = level->moves_n;
    level->moves_n = 0;
    return winnow_compact_columns(level->place->context, level->selection,
                                  level->n, level->moves, number, level->count,
                                  NULL, &level->place->launch);
}

static winnow_status add_move(winnow__arrow_level *level,
                              const winnow_move *move) {
    if (level->count == 0)
        return WINNOW_OK;
    if (level->moves_n == WINNOW__ARROW_MOST_MOVES) {
        winnow_status status = flush(level);
        if (status != WINNOW_OK)
            return status;
    }
    level->moves[level->moves_n++] = *move;
    return WINNOW_OK;
}

static winnow_status move_bits(winnow__arrow_level *level,
                               const winnow__arrow_item *item, const void *from,
                               unsigned buffer) {
    void *to;
    WINNOW__TRY(winnow__arrow_buffer(level->place, item->out, buffer,
                                     (level->count + 7) / 8, &to));
    return add_move(level, &(winnow_move){.d_in = from,
                                          .d_out = to,
                                          .type = WINNOW_BIT,
                                          .in_offset = item->start});
}

static winnow_status check_element(const winnow__arrow_item *item,
                                   uint64_t bytes) {
    return bytes > WINNOW__ARROW_MOST_ELEMENT
               ? winnow__arrow_fail(item->path, WINNOW_ERR_UNSUPPORTED,
                                    "elements have %llu bytes: at most %d are "
                                    "possible",
                                    (unsigned long long)bytes,
                                    WINNOW__ARROW_MOST_ELEMENT)
               : WINNOW_OK;
}

static winnow_status move_elements(winnow__arrow_level *level,
                                   const winnow__arrow_item *item,
                                   unsigned buffer, uint64_t bytes) {
    void *to;
    WINNOW__TRY(check_element(item, bytes));
    WINNOW__TRY(winnow__arrow_buffer(level->place, item->out, buffer,
                                     level->count * bytes, &to));
    if (bytes == 0 || level->n == 0)
        return WINNOW_OK;
    return add_move(
        level, &(winnow_move){.d_in = (const char *)item->in->buffers[buffer] +
                                      item->start * bytes,
                              .d_out = to,
                              .element_bytes = (size_t)bytes});
}

static winnow_status move_lists(winnow__arrow_level *level,
                                const winnow__arrow_item *item) {
    const uint64_t bytes =
        winnow__arrow_list_bytes(&item->type, item->schema, item->in);
    const void *from;
    void *to;
    if (bytes == 0)
        return WINNOW_OK;
    WINNOW__TRY(winnow__arrow_list_elements(level, item, &from, &to));
    return add_move(level, &(winnow_move){.d_in = from,
                                          .d_out = to,
                                          .element_bytes = (size_t)bytes});
}

/* ------------------------------------------------------ arrays of fixed sizes */

static winnow_status lay_out(winnow__arrow_level *level,
                             const winnow__arrow_item *item);
static winnow_status complete(winnow__arrow_level *level,
                              const winnow__arrow_item *item);

/* Called for each child of a struct, or for one array. */
typedef winnow_status step(winnow__arrow_level *level,
                           const winnow__arrow_item *item);

static winnow_status do_array(winnow__arrow_level *level, step *what,
                              const winnow__arrow_path *path,
                              const struct ArrowSchema *schema,
                              struct ArrowArray *in, uint64_t start,
                              struct ArrowArray *out) {
    winnow__arrow_item item = {.path = path,
                               .schema = schema,
                               .in = in,
                               .start = (uint64_t)in->offset + start,
                               .out = out};
    WINNOW__TRY(winnow__arrow_type_of(path, schema, &item.type));
    return what(level, &item);
}

static winnow_status do_children(winnow__arrow_level *level, step *what,
                                 const winnow__arrow_item *item) {
    for (int64_t i = 0; i < item->in->n_children; i++) {
        const winnow__arrow_path path = {
            .parent = item->path, .name = item->schema->children[i]->name};
        WINNOW__TRY(do_array(level, what, &path, item->schema->children[i],
                             item->in->children[i], item->start,
                             item->out->children[i]));
    }
    return WINNOW_OK;
}

static unsigned buffers_of(const winnow__arrow_item *item) {
    return item->type.kind == WINNOW__ARROW_VIEWS ? 2
           : item->type.kind == WINNOW__ARROW_NULL
               ? 0
               : (unsigned)item->in->n_buffers;
}

static winnow_status make_array(winnow__arrow_level *level,
                                const winnow__arrow_item *item) {
    struct ArrowArray *const out = item->out;
    if (item->in->n_children > INT32_MAX)
        return winnow__arrow_fail(item->path, WINNOW_ERR_UNSUPPORTED,
                                  "there are %lld columns",
                                  (long long)item->in->n_children);
    WINNOW__TRY(winnow__arrow_make(level->place, out, buffers_of(item),
                                   (unsigned)item->in->n_children,
                                   item->in->dictionary != NULL));
    out->length = (int64_t)level->count;
    if (item->type.kind == WINNOW__ARROW_NULL)
        out->null_count = out->length;
    return WINNOW_OK;
}

static winnow_status move_validity(winnow__arrow_level *level,
                                   const winnow__arrow_item *item) {
    const void *const valid = winnow__arrow_validity(&item->type, item->in);
    if (valid == NULL || level->count == 0)
        return WINNOW_OK;
    item->out->null_count = -1;
    return move_bits(level, item, valid, 0);
}

static winnow_status lay_out_union(winnow__arrow_level *level,
                                   const winnow__arrow_item *item) {
    const unsigned bytes = item->type.offset_bytes;
    WINNOW__TRY(move_elements(level, item, 0, 1));
    return bytes == 0 ? do_children(level, lay_out, item)
                      : move_elements(level, item, 1, bytes);
}

static winnow_status lay_out(winnow__arrow_level *level,
                             const winnow__arrow_item *item) {
    WINNOW__TRY(make_array(level, item));
    WINNOW__TRY(move_validity(level, item));
    switch (item->type.kind) {
    case WINNOW__ARROW_BITS:
        return move_bits(level, item, item->in->buffers[1], 1);
    case WINNOW__ARROW_FIXED:
    case WINNOW__ARROW_VIEWS:
        return move_elements(level, item, 1, item->type.element_bytes);
    case WINNOW__ARROW_FIXED_LIST:
        return move_lists(level, item);
    case WINNOW__ARROW_STRUCT:
        return do_children(level, lay_out, item);
    case WINNOW__ARROW_UNION:
        return lay_out_union(level, item);
    default:
        return WINNOW_OK;
    }
}

/* ---------------------------------------------------- what depends on them */

static uint64_t count_ones(const void *bits, uint64_t n) {
    const unsigned char *const bytes = bits;
    uint64_t count = 0, i = 0, word;
    for (; i + 64 <= n; i += 64) {
        memcpy(&word, bytes + i / 8, sizeof word);
        count += (uint64_t)__builtin_popcountll(word);
    }
    for (; i < n; i++)
        count += bytes[i / 8] >> i % 8 & 1;
    return count;
}

/* On the host nulls are counted, and the validity is dropped if there are none. */
static void count_nulls(winnow__arrow_level *level,
                        const winnow__arrow_item *item) {
    struct ArrowArray *const out = item->out;
    if (out->null_count != -1 || !level->place->host)
        return;
    out->null_count =
        out->length - (int64_t)count_ones(out->buffers[0], level->count);
    if (out->null_count == 0)
        winnow__arrow_drop_buffer(level->place, out, 0);
}

static winnow_status complete(winnow__arrow_level *level,
                              const winnow__arrow_item *item) {
    count_nulls(level, item);
    switch (item->type.kind) {
    case WINNOW__ARROW_FIXED:
        return item->in->dictionary == NULL
                   ? WINNOW_OK
                   : winnow__arrow_dictionary(level, item);
    case WINNOW__ARROW_VIEWS:
        return winnow__arrow_views(level, item);
    case WINNOW__ARROW_STRINGS:
        return winnow__arrow_strings(level, item);
    case WINNOW__ARROW_LIST:
    case WINNOW__ARROW_FIXED_LIST:
        return winnow__arrow_lists(level, item);
    case WINNOW__ARROW_STRUCT:
        return do_children(level, complete, item);
    case WINNOW__ARROW_UNION:
        return item->type.offset_bytes == 0
                   ? do_children(level, complete, item)
                   : winnow__arrow_dense_union(level, item);
    default:
        return WINNOW_OK;
    }
}

winnow_status winnow__arrow_pack(winnow__arrow_level *level,
                                 const winnow__arrow_path *path,
                                 const struct ArrowSchema *schema,
                                 struct ArrowArray *in, uint64_t start,
                                 struct ArrowArray *out) {
    WINNOW__TRY(do_array(level, lay_out, path, schema, in, start, out));
    WINNOW__TRY(flush(level));
    return do_array(level, complete, path, schema, in, start, out);
}
