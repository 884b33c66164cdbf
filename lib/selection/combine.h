/*
 * Selections of selections.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "format.h"

typedef struct winnow__combination {
    unsigned operation; /* WINNOW__AND and others */
    const void *a,
        *b; /* selections of the same number of items; b may be NULL */
} winnow__combination;

void winnow__combine_on_host(const winnow__host_task *task,
                             const winnow__combination *combination,
                             void *result);
winnow_status winnow__combine_on_device(const winnow__call *call,
                                        const winnow__combination *combination,
                                        uint64_t n, const uint64_t *d_n,
                                        void *result);

/* ---- combine.c: launch->d_n of sinks. With d_n a sink uses a selection of its
 * own: the caller's, without the items from *d_n on. */
/* The memory of that selection, a multiple of 16 bytes; 0 without d_n. */
size_t winnow__trim_bytes(const winnow__query *query);
/* The selection that a sink uses. Without d_n it is the caller's; else it is
 * made in task->memory. */
winnow__selection winnow__trim_on_host(const winnow__host_task *task,
                                       const void *selection);
winnow_status winnow__trim_on_device(const winnow__call *call,
                                     const void *selection, void *memory,
                                     winnow__selection *from_p);
