/*
 * Compacting and counting on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CORE_HOST_TASK_H
#define WINNOW_LIB_CORE_HOST_TASK_H

#include "host/loops.h"
#include "host/team.h"

/* What a thread takes at a time, in bytes of input, and its buffer. */
enum {
    WINNOW__HOST_CHUNK = 128 << 10,
    WINNOW__HOST_BUFFER = WINNOW__HOST_CHUNK + WINNOW__HOST_SLACK
};

typedef struct winnow__host_task {
    const winnow__host_loops *loops;
    winnow__team *team;
    uint64_t streamed_bytes; /* of a larger input nothing stays in the caches */
    const winnow_predicate *predicate;
    const winnow__type_info *index_type; /* NULL: values are copied */
    const void *in;
    uint64_t n;
    void *out;         /* in, or apart from it */
    uint64_t capacity; /* nothing is written past it */
} winnow__host_task;

/* Both return the number of survivors. */
uint64_t winnow__host_copy_if(const winnow__host_task *task);
uint64_t winnow__host_count_if(const winnow__host_task *task);
/* As memcpy(), with stores that do not fill the caches. */
void winnow__host_stream(void *to, const void *from, size_t bytes);
/* Of n elements from one on, by the caller's thread. */
uint64_t winnow__host_count_part(const winnow__host_task *task, uint64_t start,
                                 uint64_t n);

#endif
