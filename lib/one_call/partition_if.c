/*
 * winnow_partition_if: the elements that pass, and those that do not.
 *
 * A large input with two output arrays takes one pass, by TILE_SCAN's kernel
 * with the sink Parts. Other calls split by a selection in the workspace: those
 * with a small input, with the number of items on the device, or with rejects
 * that follow the survivors, whose place is known only when all are counted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_call.h"
#include "select/sources.h"

winnow_status winnow_partition_if(winnow_context *context,
                                  const winnow_predicate *predicate,
                                  winnow_type type, const void *d_in,
                                  uint64_t n, void *d_out, void *d_rejected,
                                  uint64_t *d_counts,
                                  const winnow_launch *launch) {
    static const winnow__operation operation = WINNOW__ONE_CALL(
        "partition_if", WINNOW__REQUIRED_PREDICATE, WINNOW__TAKES_TYPE);
    const winnow_in in = {.type = type, .d_base = d_in};
    const winnow__key key = {.in = &in, .is_array = true};
    const winnow__split split = {.element_bytes = winnow_type_size(type),
                                 .in = in,
                                 .kept = {.d_base = d_out},
                                 .rejected = {.d_base = d_rejected},
                                 .capacity = n,
                                 .rejected_capacity = n,
                                 .in_one_array = d_rejected == NULL,
                                 .counts = d_counts};
    const winnow__source source = winnow__source_of_key(&key);
    const winnow__one_call d = {.is_array = true, .split = &split};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .given = type,
                                   .n = n,
                                   .capacity = n,
                                   .source = &source,
                                   .details = &d},
                         .in = d_in,
                         .out = d_out};
    return winnow__do(&call, launch);
}
