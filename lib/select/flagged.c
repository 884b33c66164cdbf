/*
 * winnow_select_flagged: a selection from a mask of bytes or of bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selection/select.h"
#include "sources.h"

winnow_status winnow_select_flagged(winnow_context *context,
                                    const winnow_mask *mask, uint64_t n,
                                    void *d_selection, size_t selection_bytes,
                                    const winnow_launch *launch) {
    static const winnow__operation operation =
        WINNOW__SELECT("select_flagged", WINNOW__NO_PREDICATE, 0);
    const winnow__source source = winnow__source_of_mask(mask);
    const winnow__selecting d = {.bytes = selection_bytes};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .source = &source,
                                   .details = &d},
                         .out = d_selection};
    return winnow__do(&call, launch);
}
