/*
 * Operations that make a selection in their workspace and use it at once: a
 * source and a sink in one call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_ONE_CALL_MARKED_H
#define WINNOW_LIB_ONE_CALL_MARKED_H

#include "pack/columns.h"

#ifdef WINNOW_CUDA
#include "tile/plan.h"
#endif

/* A column that is packed, from the beginning of its output on. */
typedef struct winnow__packed {
    const void *in;
    void *out;
    size_t element_bytes;
    uint64_t capacity; /* n at most */
    uint64_t *count;   /* NULL: not asked for */
} winnow__packed;

void winnow__pack_one_on_host(const winnow__host_task *task,
                              const winnow__packed *packed,
                              const winnow__selection *from);
/* The memory of a selection, on the host; free() it. */
winnow_status winnow__take_selection(uint64_t n, void **memory_p);
#ifdef WINNOW_CUDA
winnow_status winnow__pack_one_on_device(const winnow_context *context,
                                         const winnow__packed *packed,
                                         const winnow__selection *from,
                                         winnow_stream stream);
/* plan(): the workspace is a selection. */
winnow_status
winnow__plan_one_shot(const winnow__query *query,
                      const struct winnow__constraints *constraints,
                      struct winnow__plan *plan);

/*
 * In one pass over a large input: TILE_SCAN's kernel packs what it keeps and
 * marks it in a selection, which serves whatever else the operation does.
 *
 * is_marked(): does a call take that way? If its input is aligned to 16 bytes,
 * and enough of it for the shape. plan_marked(): the workspace is a look-back's
 * words and the selection. plan_any_marked(): for a query of a workspace, which
 * does not know the size of elements: *plan becomes the plan for the size that
 * needs the most, if that is more.
 */
bool winnow__is_marked(const winnow__input *input,
                       const winnow__constraints *constraints,
                       winnow__shape shape);
winnow_status winnow__plan_marked(const winnow__input *input,
                                  const winnow__constraints *constraints,
                                  winnow__shape shape, winnow__plan *plan);
winnow_status winnow__plan_any_marked(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      winnow__shape shape, winnow__plan *plan);
/* Enqueue it, with the results that set_results() sets. */
winnow_status winnow__enqueue_marked(const winnow__call *call,
                                     const struct winnow__plan *plan,
                                     const struct winnow__workspace *memory,
                                     winnow__selection *selection_p);
#endif

#endif
