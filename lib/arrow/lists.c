/*
 * Lists. Fixed-size lists of fixed-size elements without nulls are packed as
 * elements. The children of other lists are packed by a selection of their own,
 * which lists_device.c makes on a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.h"

#include "core/try.h"

#include <string.h>

/* ------------------------------------------------------- lists as elements */

/* Bytes of an element of the child; 0 if it does not only consist of bytes. */
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

/* --------------------------------------- elements by their lists, on the host */

/* The lists of an input, and which of them are kept. */
typedef struct ranges {
    const void *offsets; /* beginning at the first list; NULL: lists of a fixed
                            size */
    unsigned offset_bytes;
    uint64_t size, first; /* for lists of a fixed size */
    const uint64_t *kept; /* a bit for each list */
    uint64_t n;
} ranges;

static uint64_t begin_of(const ranges *lists, uint64_t i) {
    return lists->offsets == NULL
               ? lists->first + i * lists->size
               : winnow__arrow_offset(lists->offsets, lists->offset_bytes, i);
}

static void set_bits(uint64_t *bits, uint64_t begin, uint64_t end) {
    while (begin < end) {
        const uint64_t rest = 64 - begin % 64;
        const uint64_t number = end - begin < rest ? end - begin : rest;
        const uint64_t ones =
            number == 64 ? UINT64_MAX : (UINT64_C(1) << number) - 1;
        bits[begin / 64] |= ones << begin % 64;
        begin += number;
    }
}

static void write_offset(void *offsets, unsigned bytes, uint64_t i,
                         uint64_t value) {
    if (bytes == 4)
        ((int32_t *)offsets)[i] = (int32_t)value;
    else
        ((int64_t *)offsets)[i] = (int64_t)value;
}

/* Mark the elements of the lists that are kept. Write the output's offsets, if
 * it has any. */
static void mark(const ranges *lists, uint64_t *elements, void *out_offsets) {
    const uint64_t origin = begin_of(lists, 0);
    uint64_t number = 0, total = 0;
    for (uint64_t word = 0; word * 64 < lists->n; word++)
        for (uint64_t bits = lists->kept[word]; bits != 0; bits &= bits - 1) {
            const uint64_t i = word * 64 + (uint64_t)__builtin_ctzll(bits);
            const uint64_t begin = begin_of(lists, i);
            const uint64_t end = begin_of(lists, i + 1);
            set_bits(elements, begin - origin, end - origin);
            total += end - begin;
            number++;
            if (out_offsets != NULL)
                write_offset(out_offsets, lists->offset_bytes, number, total);
        }
}

static winnow_status take_words(winnow__arrow_level *level, uint64_t bits,
                                uint64_t **words_p) {
    void *words;
    const uint64_t bytes = (bits + 63) / 64 * 8;
    WINNOW__TRY(winnow__arrow_take(level->place, bytes, &words));
    memset(words, 0, (size_t)bytes);
    *words_p = words;
    return WINNOW_OK;
}

/* Make the selection of the elements, in a level that is open. */
static winnow_status select_elements(winnow__arrow_level *level, ranges *lists,
                                     winnow__arrow_level *elements,
                                     size_t selection_bytes, void *offsets) {
    winnow__arrow_place *const place = level->place;
    uint64_t *kept = NULL, *marked = NULL;
    winnow_status status = take_words(level, lists->n, &kept);
    if (status == WINNOW_OK)
        status = take_words(level, elements->n, &marked);
    if (status == WINNOW_OK)
        status =
            winnow_selection_to_mask(place->context, level->selection, lists->n,
                                     WINNOW_MASK_BITS, kept, 0, &place->launch);
    if (status == WINNOW_OK) {
        lists->kept = kept;
        mark(lists, marked, offsets);
        if (elements->n > 0)
            status = winnow_select_flagged(
                place->context,
                &(winnow_mask){.kind = WINNOW_MASK_BITS, .d_flags = marked},
                elements->n, elements->selection, selection_bytes,
                &place->launch);
    }
    winnow__arrow_give(place, marked);
    winnow__arrow_give(place, kept);
    return status == WINNOW_OK ? winnow__arrow_count(elements) : status;
}

static ranges ranges_of(const winnow__arrow_level *level,
                        const winnow__arrow_item *item) {
    if (item->type.kind == WINNOW__ARROW_FIXED_LIST)
        return (ranges){.size = item->type.list_size,
                        .first = item->start * item->type.list_size,
                        .n = level->n};
    return (ranges){.offsets = (const char *)item->in->buffers[1] +
                               item->start * item->type.offset_bytes,
                    .offset_bytes = item->type.offset_bytes,
                    .n = level->n};
}

static winnow_status make_offsets(winnow__arrow_level *level,
                                  const winnow__arrow_item *item,
                                  void **offsets_p) {
    const unsigned bytes = item->type.offset_bytes;
    *offsets_p = NULL;
    if (item->type.kind == WINNOW__ARROW_FIXED_LIST)
        return WINNOW_OK;
    WINNOW__TRY(winnow__arrow_buffer(level->place, item->out, 1,
                                     (level->count + 1) * bytes, offsets_p));
    write_offset(*offsets_p, bytes, 0, 0);
    return WINNOW_OK;
}

static winnow_status pack_elements(winnow__arrow_level *level,
                                   const winnow__arrow_item *item) {
    const winnow__arrow_path path = {.parent = item->path,
                                     .name = item->schema->children[0]->name};
    ranges lists = ranges_of(level, item);
    const uint64_t first = level->n == 0 ? 0 : begin_of(&lists, 0);
    const uint64_t last = level->n == 0 ? 0 : begin_of(&lists, level->n);
    winnow__arrow_level elements;
    size_t selection_bytes;
    void *offsets;
    WINNOW__TRY(make_offsets(level, item, &offsets));
    winnow_status status = winnow__arrow_open_level(
        &elements, level->place, last - first, &selection_bytes);
    if (status != WINNOW_OK)
        return status;
    elements.gives = level->gives;
    if (level->n > 0)
        status =
            select_elements(level, &lists, &elements, selection_bytes, offsets);
    if (status == WINNOW_OK)
        status = winnow__arrow_pack(&elements, &path, item->schema->children[0],
                                    item->in->children[0], first,
                                    item->out->children[0]);
    winnow__arrow_close_level(&elements);
    return status;
}

winnow_status winnow__arrow_lists(winnow__arrow_level *level,
                                  const winnow__arrow_item *item) {
    if (item->out->children[0]->release != NULL) /* the lists were packed as
                                                    elements */
        return WINNOW_OK;
    return level->place->host ? pack_elements(level, item)
                              : winnow__arrow_device_lists(level, item);
}
