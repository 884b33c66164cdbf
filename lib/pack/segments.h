/*
 * Segments of items: what the operations on them share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_PACK_SEGMENTS_H
#define WINNOW_LIB_PACK_SEGMENTS_H

#include "selection/format.h"

/* The segments as the caller says it; what is not asked for is NULL. */
typedef struct winnow__segments {
    winnow_type offset_type;
    uint64_t number;
    const void *offsets; /* number + 1 */
    void *counts;        /* number */
    void *ranks;         /* number + 1: the segments' offsets in the output */
} winnow__segments;

winnow_status winnow__check_segments(const winnow__segments *segments);
/* Three ranges. */
int winnow__segments_ranges(const winnow__segments *segments,
                            winnow__range *list);
void winnow__segments_on_host(const winnow__host_task *task,
                              const winnow__segments *segments,
                              const winnow__selection *from);
#ifdef WINNOW_CUDA
winnow_status winnow__segments_on_device(const winnow__segments *segments,
                                         const winnow__selection *from,
                                         winnow_stream stream);
#endif

#endif
