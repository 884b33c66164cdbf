/*
 * Selections of selections.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "format.h"

typedef struct winnow__combination {
    unsigned operation;  /* WINNOW__AND and others */
    const void *a, *b;   /* selections of as many items; b may be NULL */
    const uint64_t *d_n; /* NULL, or how many items there are at most */
} winnow__combination;

void winnow__combine_on_host(const winnow__host_task *task,
                             const winnow__combination *combination,
                             void *result);
#ifdef WINNOW_CUDA
winnow_status winnow__combine_on_device(const winnow__combination *combination,
                                        uint64_t n, void *result,
                                        winnow_stream stream);
#endif
