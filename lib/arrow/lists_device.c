/*
 * Lists on a device: the selection of their elements is made from the lists'
 * selection. The host reads only one offset.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.h"
#include "core/status.h"

#include <stdlib.h>

/* The lists of an input and their elements. */
typedef struct lists {
    winnow_in ranges;
    uint64_t first; /* the element to which offset 0 refers */
    void *made;     /* offsets made for lists of a fixed size */
} lists;

/* ------------------------------------------------------------------- offsets */

/* Fetch the last offset, where the elements end. Earlier offsets are not
 * checked: whatever they are, the calls below read nothing after that end. */
static winnow_status find_end(winnow__arrow_level *level,
                              const winnow__arrow_item *item, lists *of) {
    const unsigned bytes = item->type.offset_bytes;
    const struct ArrowArray *const child = item->in->children[0];
    union {
        int32_t of_4;
        int64_t of_8;
    } last;
    WINNOW__TRY(winnow__arrow_fetch(
        level->place, &last, (const char *)of->ranges.d_base + level->n * bytes,
        bytes));
    const int64_t end = bytes == 4 ? last.of_4 : last.of_8;
    if (end < 0 || end > child->length)
        return winnow__arrow_fail(
            item->path, WINNOW_ERR_ARGUMENT,
            "offset %llu is %lld, and the lists have %lld elements",
            (unsigned long long)(item->start + level->n), (long long)end,
            (long long)child->length);
    of->ranges.data_size = (uint64_t)end;
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
    /* This waits until they are copied. */
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
    return find_end(level, item, of);
}

/* Write the offsets of the lists that are kept. The last one is the number of kept
 * elements, unless the input's offsets descend and an element is in two lists. */
static winnow_status pack_offsets(winnow__arrow_level *level,
                                  const winnow__arrow_item *item,
                                  const lists *of, uint64_t elements) {
    winnow__arrow_place *const place = level->place;
    uint64_t counts[2];
    void *offsets, *d_counts;
    winnow_status status = winnow__arrow_buffer(
        place, item->out, 1, (level->count + 1) * item->type.offset_bytes,
        &offsets);
    /* The single offset is 0: every buffer ends with zeros. */
    if (status != WINNOW_OK || level->count == 0)
        return status;
    WINNOW__TRY(winnow__arrow_take(place, sizeof counts, &d_counts));
    status = winnow_compact_strings(
        place->context, level->selection, &of->ranges, level->n, offsets,
        level->count, NULL, WINNOW_NO_LIMIT, d_counts, &place->launch);
    if (status == WINNOW_OK)
        status = winnow__arrow_fetch(place, counts, d_counts, sizeof counts);
    winnow__arrow_give(place, d_counts);
    if (status == WINNOW_OK && counts[1] != elements)
        return winnow__arrow_fail(item->path, WINNOW_ERR_ARGUMENT,
                                  "offsets descend: lists share elements");
    return status;
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

winnow_status winnow__arrow_device_lists(winnow__arrow_level *level,
                                         const winnow__arrow_item *item) {
    lists of;
    winnow_status status = describe(level, item, &of);
    if (status == WINNOW_OK)
        status = pack(level, item, &of);
    winnow__arrow_give(level->place, of.made);
    return status;
}
