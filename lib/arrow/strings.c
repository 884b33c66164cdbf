/*
 * Strings behind offsets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.h"
#include "core/status.h"

winnow_status winnow__arrow_offsets(winnow__arrow_level *level,
                                    const winnow__arrow_item *item,
                                    const winnow_in *strings, void **offsets_p,
                                    uint64_t *bytes_p) {
    winnow__arrow_place *const place = level->place;
    uint64_t counts[2] = {0};
    void *d_counts;
    WINNOW__TRY(winnow__arrow_buffer(
        place, item->out, 1, (level->count + 1) * item->type.offset_bytes,
        offsets_p));
    *bytes_p = 0;
    /* One offset, in zeros that every buffer ends with. */
    if (level->count == 0)
        return WINNOW_OK;
    WINNOW__TRY(winnow__arrow_take(place, sizeof counts, &d_counts));
    winnow_status status = winnow_compact_strings(
        place->context, level->selection, strings, level->n, *offsets_p,
        level->count, NULL, WINNOW_NO_LIMIT, d_counts, &place->launch);
    if (status == WINNOW_OK)
        status = winnow__arrow_fetch(place, counts, d_counts, sizeof counts);
    winnow__arrow_give(place, d_counts);
    *bytes_p = counts[1];
    return status;
}

static winnow_status describe(winnow__arrow_level *level,
                              const winnow__arrow_item *item,
                              winnow_in *strings) {
    const unsigned bytes = item->type.offset_bytes;
    int64_t end;
    *strings =
        (winnow_in){.type = item->type.type, .d_data = item->in->buffers[2]};
    if (level->n == 0)
        return WINNOW_OK;
    WINNOW__TRY(winnow__arrow_fetch_end(level->place, item->path, item->in,
                                        bytes, item->start + level->n, &end));
    if (end > 0 && strings->d_data == NULL)
        return winnow__arrow_fail(
            item->path, WINNOW_ERR_ARGUMENT,
            "buffers[2] is NULL, and there are %lld bytes", (long long)end);
    strings->d_base = (const char *)item->in->buffers[1] + item->start * bytes;
    strings->data_size = (uint64_t)end;
    return WINNOW_OK;
}

winnow_status winnow__arrow_strings(winnow__arrow_level *level,
                                    const winnow__arrow_item *item) {
    winnow__arrow_place *const place = level->place;
    winnow_in strings;
    uint64_t bytes;
    void *offsets, *data;
    WINNOW__TRY(describe(level, item, &strings));
    WINNOW__TRY(winnow__arrow_offsets(level, item, &strings, &offsets, &bytes));
    /* More than all there are, where offsets descend on a device. */
    if (item->type.offset_bytes == 4 && bytes > INT32_MAX)
        return winnow__arrow_fail(item->path, WINNOW_ERR_ARGUMENT,
                                  "the strings have %llu bytes, and offsets of "
                                  "32 bits",
                                  (unsigned long long)bytes);
    WINNOW__TRY(winnow__arrow_buffer(place, item->out, 2, bytes, &data));
    if (bytes == 0)
        return WINNOW_OK;
    return winnow_compact_strings(place->context, level->selection, &strings,
                                  level->n, offsets, level->count, data, bytes,
                                  NULL, &place->launch);
}
