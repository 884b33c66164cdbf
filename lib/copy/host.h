/*
 * Compacting and counting on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "host/task.h"

typedef struct winnow__host_copy {
    winnow__host_task task;
    const winnow__type_info *index_type; /* NULL: values are copied */
    void *out;                           /* in, or without overlap */
    uint64_t capacity;                   /* elements that out has room for */
} winnow__host_copy;

/* Both return the number of survivors. */
uint64_t winnow__host_copy_if(const winnow__host_copy *copy);
uint64_t winnow__host_count_if(const winnow__host_task *task);
