/*
 * launch->d_n of sinks. With it, a sink works on a selection of its own, which
 * keeps what the caller's keeps before item *d_n.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "format.h"

/* The memory of that selection, a multiple of 16 bytes; nothing without d_n. */
size_t winnow__trim_bytes(const winnow__query *query);
/* The selection that a sink works on: the caller's, without d_n. It is made in
 * task->memory. */
winnow__selection winnow__trim_on_host(const winnow__call *call,
                                       const winnow__host_task *task,
                                       const void *selection);
#ifdef WINNOW_CUDA
winnow_status winnow__trim_on_device(const winnow__call *call,
                                     const void *selection, void *memory,
                                     winnow__selection *from_p);
#endif
