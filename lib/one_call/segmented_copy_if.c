/*
 * winnow_segmented_copy_if: packs the elements of segments that pass a
 * predicate, and computes the segments of the output.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_call.h"
#include "select/sources.h"

winnow_status winnow_segmented_copy_if(
    winnow_context *context, const winnow_predicate *predicate,
    winnow_type type, const void *d_in, uint64_t n,
    const winnow_segments *segments, void *d_out, uint64_t capacity,
    uint64_t *d_count, const winnow_launch *launch) {
    static const winnow__operation operation = WINNOW__ONE_CALL(
        "segmented_copy_if", WINNOW__REQUIRED_PREDICATE,
        WINNOW__TAKES_TYPE | WINNOW__TAKES_POSITION | WINNOW__TAKES_CAPACITY);
    const winnow_in in = {.type = type, .d_base = d_in};
    const winnow__key key = {.in = &in, .is_array = true};
    const winnow_move move = {
        .d_in = d_in, .d_out = d_out, .element_bytes = winnow_type_size(type)};
    const winnow__source source = winnow__source_of_key(&key);
    const winnow__one_call d = {
        .is_array = true,
        .columns = {.list = &move, .number = 1, .is_single = true},
        .segments = segments};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .given = type,
                                   .n = n,
                                   .capacity = capacity,
                                   .source = &source,
                                   .details = &d},
                         .in = d_in,
                         .out = d_out,
                         .count = d_count};
    return winnow__do(&call, launch);
}
