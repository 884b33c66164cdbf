/*
 * partition_by_key on a GPU: the kernels that scatter.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plan.h"

#include <assert.h>

enum {
    IN_ORDER = false,
    ANY_ORDER = true
};

#define ROW(NAME, BITS, ORDER, DROPS, PLACES)                                  \
    {BITS, ORDER, DROPS, WINNOW__PARTITION_##PLACES, winnow__partition_##NAME},

static const winnow__partition_scatter scatters[] = {
    WINNOW__PARTITION_SCATTERS(ROW)};

winnow__kernel winnow__partition_scatter_kernel(const winnow__partition_plan *p,
                                                unsigned bits, bool any_order,
                                                bool drops,
                                                winnow__partition_places places,
                                                unsigned row_bytes) {
    const winnow__partition_scatter *row = scatters;
    while (row->bits < bits || row->any_order != any_order ||
           row->drops != drops || row->places != places) {
        row++;
        assert(row < scatters + sizeof scatters / sizeof *scatters);
    }
    winnow__kernel kernel = row->kernels[p->wide_keys][p->has_columns];
    kernel.shared_bytes += WINNOW__PARTITION_SLOTS(1u << row->bits) * row_bytes;
    return kernel;
}
