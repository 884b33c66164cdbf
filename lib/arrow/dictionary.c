/*
 * Copies arrays as a whole: dictionaries, whose indices are packed as numbers,
 * and the children of dense unions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.h"

#include "core/try.h"

/* The largest index that is not null. Indices are read as unsigned, so a
 * negative one exceeds any number of entries. */
#define LARGEST(TYPE)                                                          \
    static uint64_t largest_##TYPE(const struct ArrowArray *out) {             \
        const TYPE *const indices = out->buffers[1];                           \
        TYPE largest = 0;                                                      \
        if (out->buffers[0] == NULL) {                                         \
            for (int64_t i = 0; i < out->length; i++)                          \
                largest = indices[i] > largest ? indices[i] : largest;         \
            return largest;                                                    \
        }                                                                      \
        for (int64_t i = 0; i < out->length; i++)                              \
            if (!winnow__arrow_is_null(out, (uint64_t)i) &&                    \
                indices[i] > largest)                                          \
                largest = indices[i];                                          \
        return largest;                                                        \
    }
LARGEST(uint8_t)
LARGEST(uint16_t)
LARGEST(uint32_t)
LARGEST(uint64_t)

static uint64_t largest(const winnow__arrow_item *item) {
    switch (item->type.element_bytes) {
    case 1:
        return largest_uint8_t(item->out);
    case 2:
        return largest_uint16_t(item->out);
    case 4:
        return largest_uint32_t(item->out);
    default:
        return largest_uint64_t(item->out);
    }
}

/* The first index that is wrong. An unsigned index type may be too small for
 * all entries; the bound of a signed one excludes negative indices. */
static uint64_t bound_of(const winnow__arrow_item *item) {
    const bool is_signed = item->schema->format[0] >= 'a';
    const unsigned bits = (unsigned)item->type.element_bytes * 8 - is_signed;
    const uint64_t entries = (uint64_t)item->in->dictionary->length;
    const uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return entries > most ? most + 1 : entries;
}

static winnow_status check_indices(const winnow__arrow_item *item) {
    if (item->out->length == item->out->null_count)
        return WINNOW_OK;
    const uint64_t found = largest(item), bound = bound_of(item);
    if (found < bound)
        return WINNOW_OK;
    return winnow__arrow_fail(item->path, WINNOW_ERR_ARGUMENT,
                              "an index is negative or too large: the "
                              "dictionary has %llu entries",
                              (unsigned long long)item->in->dictionary->length);
}

/* Select all items, by a condition that keeps everything. */
static winnow_status select_all(winnow__arrow_level *level,
                                size_t selection_bytes) {
    const winnow_field field = {.name = "entry", .type = WINNOW_UINT8};
    const winnow_in column = {.type = WINNOW_UINT8, .d_base = level->selection};
    winnow_condition *condition;
    WINNOW__TRY(winnow_condition_parse(&condition, &field, 1, "true"));
    winnow_status status = winnow_select_where(
        level->place->context, condition, &column, 1, level->n,
        level->selection, selection_bytes, &level->place->launch);
    winnow_condition_destroy(condition);
    return status;
}

static winnow_status copy(winnow__arrow_level *level,
                          const winnow__arrow_item *item, const char *name,
                          const struct ArrowSchema *schema,
                          struct ArrowArray *in, struct ArrowArray *out) {
    const winnow__arrow_path path = {.parent = item->path, .name = name};
    const uint64_t n = (uint64_t)in->length;
    winnow__arrow_level all;
    size_t bytes;
    winnow_status status =
        winnow__arrow_open_level(&all, level->place, n, &bytes);
    if (status != WINNOW_OK)
        return status;
    all.count = n;
    if (n > 0)
        status = select_all(&all, bytes);
    if (status == WINNOW_OK)
        status = winnow__arrow_pack(&all, &path, schema, in, 0, out);
    winnow__arrow_close_level(&all);
    return status;
}

winnow_status winnow__arrow_dictionary(winnow__arrow_level *level,
                                       const winnow__arrow_item *item) {
    if (level->place->host && level->count > 0) {
        winnow_status status = check_indices(item);
        if (status != WINNOW_OK)
            return status;
    }
    return copy(level, item, "dictionary", item->schema->dictionary,
                item->in->dictionary, item->out->dictionary);
}

winnow_status winnow__arrow_dense_union(winnow__arrow_level *level,
                                        const winnow__arrow_item *item) {
    for (int64_t i = 0; i < item->in->n_children; i++) {
        const struct ArrowSchema *const schema = item->schema->children[i];
        WINNOW__TRY(copy(level, item, schema->name, schema,
                         item->in->children[i], item->out->children[i]));
    }
    return WINNOW_OK;
}
