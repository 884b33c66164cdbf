/*
 * A source and a sink in one call: the selection between them, and packing one
 * column.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "one_shot.h"
#include "status.h"

#include <stdlib.h>

winnow_status winnow__take_selection(uint64_t n, void **memory_p) {
    *memory_p = malloc(winnow__selection_needed(n));
    return *memory_p != NULL
               ? WINNOW_OK
               : winnow__fail(WINNOW_ERR_MEMORY,
                              "no host memory for a selection of %llu items",
                              (unsigned long long)n);
}

static winnow_compact_column column_of(const winnow__packed *packed) {
    return (winnow_compact_column){.d_in = packed->in,
                                   .d_out = packed->out,
                                   .element_bytes = packed->element_bytes};
}

static winnow__columns columns_of(const winnow__packed *packed,
                                  const winnow_compact_column *column) {
    return (winnow__columns){.list = column,
                             .number = 1,
                             .is_single = true,
                             .capacity = packed->capacity};
}

void winnow__pack_one_on_host(const winnow__host_task *task,
                              const winnow__packed *packed,
                              const winnow__selection *from) {
    const winnow_compact_column column = column_of(packed);
    const winnow__columns columns = columns_of(packed, &column);
    winnow__pack_on_host(task, &columns, from, packed->count);
}

#ifdef WINNOW_CUDA
winnow_status winnow__pack_one_on_device(const winnow_context *context,
                                         const winnow__packed *packed,
                                         const winnow__selection *from,
                                         winnow_stream stream) {
    const winnow_compact_column column = column_of(packed);
    const winnow__columns columns = columns_of(packed, &column);
    return winnow__pack_on_device(context, &columns, from, packed->count, NULL,
                                  stream);
}

winnow_status winnow__plan_one_shot(const winnow__query *query,
                                    const winnow__constraints *constraints,
                                    winnow__plan *plan) {
    (void)constraints;
    winnow__plan_several(winnow__selection_needed(query->n), plan);
    return WINNOW_OK;
}
#endif
