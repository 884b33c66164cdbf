/*
 * Strings with offsets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.h"
#include "core/status.h"

/* Fetch the end of the input's bytes: its last offset, which may be on a
 * device. */
static winnow_status fetch_end(winnow__arrow_level *level,
                               const winnow__arrow_item *item,
                               const char *offsets, uint64_t *end_p) {
    const unsigned bytes = item->type.offset_bytes;
    union {
        int32_t of_4;
        int64_t of_8;
    } last;
    WINNOW__TRY(winnow__arrow_fetch(level->place, &last,
                                    offsets + level->n * bytes, bytes));
    const int64_t end = bytes == 4 ? last.of_4 : last.of_8;
    if (end < 0)
        return winnow__arrow_fail(
            item->path, WINNOW_ERR_ARGUMENT, "offset %llu is %lld",
            (unsigned long long)(item->start + level->n), (long long)end);
    if (end > 0 && item->in->buffers[2] == NULL)
        return winnow__arrow_fail(
            item->path, WINNOW_ERR_ARGUMENT,
            "buffers[2] is NULL, and there are %lld bytes", (long long)end);
    *end_p = (uint64_t)end;
    return WINNOW_OK;
}

/* Write the output's offsets, and fetch how many bytes are kept. */
static winnow_status count_bytes(winnow__arrow_level *level,
                                 const winnow_in *strings, void *offsets,
                                 uint64_t *bytes_p) {
    winnow__arrow_place *const place = level->place;
    void *d_counts;
    uint64_t counts[2];
    WINNOW__TRY(winnow__arrow_take(place, sizeof counts, &d_counts));
    winnow_status status = winnow_compact_strings(
        place->context, level->selection, strings, level->n, offsets,
        level->count, NULL, 0, d_counts, &place->launch);
    if (status == WINNOW_OK)
        status = winnow__arrow_fetch(place, counts, d_counts, sizeof counts);
    winnow__arrow_give(place, d_counts);
    *bytes_p = counts[1];
    return status;
}

static winnow_status pack(winnow__arrow_level *level,
                          const winnow__arrow_item *item,
                          const winnow_in *strings, void *offsets) {
    winnow__arrow_place *const place = level->place;
    uint64_t bytes;
    void *data;
    WINNOW__TRY(count_bytes(level, strings, offsets, &bytes));
    /* If offsets descend on a device, this may exceed all bytes of the input. */
    if (item->type.offset_bytes == 4 && bytes > INT32_MAX)
        return winnow__arrow_fail(item->path, WINNOW_ERR_ARGUMENT,
                                  "the strings have %llu bytes, and offsets of "
                                  "32 bits",
                                  (unsigned long long)bytes);
    WINNOW__TRY(winnow__arrow_buffer(place, item->out, 2, bytes, &data));
    if (bytes == 0)
        return WINNOW_OK;
    return winnow_compact_strings(place->context, level->selection, strings,
                                  level->n, offsets, level->count, data, bytes,
                                  NULL, &place->launch);
}

winnow_status winnow__arrow_strings(winnow__arrow_level *level,
                                    const winnow__arrow_item *item) {
    const unsigned bytes = item->type.offset_bytes;
    void *offsets, *data;
    winnow_status status = winnow__arrow_buffer(
        level->place, item->out, 1, (level->count + 1) * bytes, &offsets);
    if (status != WINNOW_OK)
        return status;
    winnow_in strings = {.type = item->type.type,
                         .d_data = item->in->buffers[2]};
    if (level->n > 0) {
        strings.d_base =
            (const char *)item->in->buffers[1] + item->start * bytes;
        status = fetch_end(level, item, strings.d_base, &strings.data_size);
        if (status != WINNOW_OK)
            return status;
    }
    /* The single offset is 0: every buffer ends with zeros. */
    if (level->count == 0)
        return winnow__arrow_buffer(level->place, item->out, 2, 0, &data);
    return pack(level, item, &strings, offsets);
}
