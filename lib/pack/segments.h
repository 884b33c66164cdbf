/*
 * Segments of items: the common part of operations on them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "selection/format.h"

/* WINNOW_ERR_ARGUMENT if NULL. */
winnow_status winnow__check_segments(const winnow_segments *segments);
/* Stores three ranges. */
int winnow__segments_ranges(const winnow_segments *segments,
                            winnow__range *list);
void winnow__segments_on_host(const winnow__host_task *task,
                              const winnow_segments *segments,
                              const winnow__selection *from);
winnow_status winnow__segments_on_device(const winnow_segments *segments,
                                         const winnow__selection *from,
                                         winnow_stream stream);
