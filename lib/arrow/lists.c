/*
 * Lists. Those of a fixed size whose elements have nothing but bytes of a fixed
 * size are packed as elements themselves; the children of others by a selection
 * that is made from that of the lists. Of a device one offset is read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.h"

#include "core/status.h"

#include <stdlib.h>

/* ------------------------------------------------------- lists as elements */

/* Bytes of an element of the child; 0: it has more than bytes. */
static uint64_t plain_bytes(const struct ArrowSchema *schema,
                            const struct ArrowArray *in) {
    const winnow__arrow_path nowhere = {0};
    winnow__arrow_type type;
    if (winnow__arrow_type_of(&nowhere, schema, &type) != WINNOW_OK ||
        winnow__arrow_validity(&type, in) != NULL || in->dictionary != NULL)
        return 0;
    return type.kind == WINNOW__ARROW_FIXED
               ? type.element_bytes
               : winnow__arrow_list_bytes(&type, schema, in);
}

uint64_t winnow__arrow_list_bytes(const winnow__arrow_type *type,
                                  const struct ArrowSchema *schema,
                                  const struct ArrowArray *in) {
    if (type->kind != WINNOW__ARROW_FIXED_LIST)
        return 0;
    const uint64_t bytes =
        plain_bytes(schema->children[0], in->children[0]) * type->list_size;
    return bytes > WINNOW__ARROW_MOST_ELEMENT ? 0 : bytes;
}

winnow_status winnow__arrow_list_elements(winnow__arrow_level *level,
                                          const winnow__arrow_item *item,
                                          const void **from_p, void **to_p) {
    const struct ArrowSchema *schema = item->schema;
    const struct ArrowArray *in = item->in;
    struct ArrowArray *out = item->out;
    winnow__arrow_type type = item->type;
    uint64_t start = item->start, length = level->count;
    winnow_status status = WINNOW_OK;
    while (type.kind == WINNOW__ARROW_FIXED_LIST && status == WINNOW_OK) {
        const uint64_t size = type.list_size;
        schema = schema->children[0];
        in = in->children[0];
        out = out->children[0];
        start = (uint64_t)in->offset + start * size;
        length *= size;
        status = winnow__arrow_type_of(item->path, schema, &type);
        if (status == WINNOW_OK)
            status =
                winnow__arrow_make(level->place, out, (unsigned)in->n_buffers,
                                   (unsigned)in->n_children, false);
        out->length = (int64_t)length;
    }
    if (status == WINNOW_OK)
        status = winnow__arrow_buffer(level->place, out, 1,
                                      length * type.element_bytes, to_p);
    *from_p = (const char *)in->buffers[1] + start * type.element_bytes;
    return status;
}

/* ------------------------------------------------------- lists with offsets */

/* The lists of an input, and their elements. */
typedef struct lists {
    winnow_in ranges;
    uint64_t first; /* the element that offset 0 stands for */
    void *made;     /* offsets that the input lacks, or that begin elsewhere */
} lists;

/* Where the elements end. What comes before is not looked at: the calls below
 * read nothing behind that end, whatever it is. */
static winnow_status find_end(winnow__arrow_level *level,
                              const winnow__arrow_item *item, lists *of) {
    const struct ArrowArray *const child = item->in->children[0];
    const uint64_t number = item->start + level->n;
    int64_t end;
    WINNOW__TRY(winnow__arrow_fetch_end(level->place, item->path, item->in,
                                        item->type.offset_bytes, number, &end));
    if (end > child->length)
        return winnow__arrow_fail(
            item->path, WINNOW_ERR_ARGUMENT,
            "offset %llu is %lld, and the lists have %lld elements",
            (unsigned long long)number, (long long)end,
            (long long)child->length);
    of->ranges.data_size = (uint64_t)end;
    return WINNOW_OK;
}

/* On the host offsets of a slice are made to begin at 0, so that it costs
 * nothing to have many elements before it. */
static winnow_status begin_at_0(winnow__arrow_level *level, unsigned bytes,
                                lists *of) {
    const void *const offsets = of->ranges.d_base;
    of->first = winnow__arrow_offset(offsets, bytes, 0);
    if (of->first == 0)
        return WINNOW_OK;
    WINNOW__TRY(
        winnow__arrow_take(level->place, (level->n + 1) * bytes, &of->made));
    for (uint64_t i = 0; i <= level->n; i++) {
        const uint64_t offset =
            winnow__arrow_offset(offsets, bytes, i) - of->first;
        if (bytes == 4)
            ((int32_t *)of->made)[i] = (int32_t)offset;
        else
            ((int64_t *)of->made)[i] = (int64_t)offset;
    }
    of->ranges.d_base = of->made;
    of->ranges.data_size -= of->first;
    return WINNOW_OK;
}

static winnow_status make_offsets(winnow__arrow_level *level, uint64_t size,
                                  lists *of) {
    const uint64_t number = level->n + 1;
    uint64_t *const offsets = number > SIZE_MAX / sizeof *offsets
                                  ? NULL
                                  : malloc((size_t)number * sizeof *offsets);
    if (offsets == NULL)
        return winnow__no_memory("offsets");
    for (uint64_t i = 0; i < number; i++)
        offsets[i] = i * size;
    winnow_status status =
        winnow__arrow_take(level->place, number * sizeof *offsets, &of->made);
    if (status == WINNOW_OK)
        status = winnow__arrow_copy(level->place, of->made, offsets,
                                    number * sizeof *offsets);
    /* To wait until they are copied. */
    if (status == WINNOW_OK)
        status = winnow__arrow_fetch(level->place, offsets, of->made,
                                     sizeof *offsets);
    free(offsets);
    of->ranges = (winnow_in){.type = WINNOW_STRING64,
                             .d_base = of->made,
                             .data_size = level->n * size};
    return status;
}

static winnow_status describe(winnow__arrow_level *level,
                              const winnow__arrow_item *item, lists *of) {
    const unsigned bytes = item->type.offset_bytes;
    *of = (lists){
        .ranges = {.type = bytes == 4 ? WINNOW_STRING32 : WINNOW_STRING64}};
    if (level->n == 0)
        return WINNOW_OK;
    if (item->type.kind == WINNOW__ARROW_FIXED_LIST) {
        of->first = item->start * item->type.list_size;
        return make_offsets(level, item->type.list_size, of);
    }
    of->ranges.d_base =
        (const char *)item->in->buffers[1] + item->start * bytes;
    WINNOW__TRY(find_end(level, item, of));
    return level->place->host ? begin_at_0(level, bytes, of) : WINNOW_OK;
}

/* Offsets count the elements that are kept, unless those of the input descend:
 * then an element is in two lists. */
static winnow_status pack_offsets(winnow__arrow_level *level,
                                  const winnow__arrow_item *item,
                                  const lists *of, uint64_t elements) {
    uint64_t counted;
    void *offsets;
    WINNOW__TRY(
        winnow__arrow_offsets(level, item, &of->ranges, &offsets, &counted));
    return level->count == 0 || counted == elements
               ? WINNOW_OK
               : winnow__arrow_fail(item->path, WINNOW_ERR_ARGUMENT,
                                    "offsets descend: lists share elements");
}

/* ------------------------------------------------------------------ elements */

static winnow_status select_elements(winnow__arrow_level *level,
                                     const lists *of,
                                     winnow__arrow_level *elements,
                                     size_t selection_bytes) {
    if (elements->n == 0)
        return WINNOW_OK;
    WINNOW__TRY(winnow_select_ranges(level->place->context, level->selection,
                                     &of->ranges, level->n, elements->selection,
                                     selection_bytes, &level->place->launch));
    return winnow__arrow_count(elements);
}

static winnow_status pack(winnow__arrow_level *level,
                          const winnow__arrow_item *item, const lists *of) {
    const winnow__arrow_path path = {.parent = item->path,
                                     .name = item->schema->children[0]->name};
    winnow__arrow_level elements;
    size_t selection_bytes;
    WINNOW__TRY(winnow__arrow_open_level(
        &elements, level->place, of->ranges.data_size, &selection_bytes));
    elements.gives = level->gives;
    winnow_status status =
        select_elements(level, of, &elements, selection_bytes);
    if (status == WINNOW_OK && item->type.kind == WINNOW__ARROW_LIST)
        status = pack_offsets(level, item, of, elements.count);
    if (status == WINNOW_OK)
        status = winnow__arrow_pack(&elements, &path, item->schema->children[0],
                                    item->in->children[0], of->first,
                                    item->out->children[0]);
    winnow__arrow_close_level(&elements);
    return status;
}

winnow_status winnow__arrow_lists(winnow__arrow_level *level,
                                  const winnow__arrow_item *item) {
    lists of;
    if (item->out->children[0]->release != NULL) /* they were elements */
        return WINNOW_OK;
    winnow_status status = describe(level, item, &of);
    if (status == WINNOW_OK)
        status = pack(level, item, &of);
    winnow__arrow_give(level->place, of.made);
    return status;
}
