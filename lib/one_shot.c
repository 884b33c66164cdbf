/*
 * A source and a sink in one call: the selection between them, and packing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "one_shot.h"
#include "status.h"

#include <stdlib.h>

#ifdef WINNOW_CUDA
#include "selection_kernels.h"
#endif

winnow_status winnow__take_selection(uint64_t n, void **memory_p) {
    *memory_p = malloc(winnow__selection_needed(n));
    return *memory_p != NULL
               ? WINNOW_OK
               : winnow__fail(WINNOW_ERR_MEMORY,
                              "no host memory for a selection of %llu items",
                              (unsigned long long)n);
}

typedef struct host_work {
    const winnow__selection *from;
    const winnow__packed *packed;
} host_work;

static void pack_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const winnow__packed *const packed = work->packed;
    for (winnow__survivor s = winnow__first(work->from, tile);
         winnow__next(&s) && s.rank < packed->capacity;)
        winnow__copy_element(packed->out, s.rank, packed->in, s.item,
                             packed->element_bytes);
}

void winnow__pack_on_host(const winnow__host_task *task,
                          const winnow__packed *packed,
                          const winnow__selection *from) {
    host_work work = {.from = from, .packed = packed};
    winnow__host_each_tile(task, from->tiles, pack_tile, &work);
    if (packed->count != NULL)
        *packed->count = from->before[from->tiles];
}

#ifdef WINNOW_CUDA
winnow_status winnow__pack_on_device(const winnow__packed *packed,
                                     const winnow__selection *from,
                                     winnow_stream stream) {
    const winnow__mover mover =
        winnow__choose_mover(packed->in, packed->out, packed->element_bytes);
    const winnow__compact_args args = {.from = *from,
                                       .in = packed->in,
                                       .out = packed->out,
                                       .capacity = packed->capacity,
                                       .count =
                                           (unsigned long long *)packed->count,
                                       .shape = mover.shape};
    return winnow__launch_sink(mover.is_column
                                   ? &winnow__compact[mover.log2_piece]
                                   : &winnow__compact_rows[mover.log2_piece],
                               mover.tiles_per_block, &args, from, stream);
}

winnow_status winnow__plan_one_shot(const winnow__query *query,
                                    const winnow__constraints *constraints,
                                    winnow__plan *plan) {
    (void)constraints;
    winnow__plan_several(winnow__selection_needed(query->n), plan);
    return WINNOW_OK;
}
#endif
