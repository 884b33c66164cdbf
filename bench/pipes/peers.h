/*
 * What a pipe is compared with: copies alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PIPES_PEERS_H
#define WINNOW_BENCH_PIPES_PEERS_H

#include <stddef.h>
#include <stdint.h>

/* memcpy() of all bytes to buffers of `piece` bytes, by so many threads. */
typedef struct pipes_staging {
    const void *from;
    uint64_t bytes;
    size_t piece;
    unsigned threads;
} pipes_staging;
void pipes_stage(const pipes_staging *staging);

/* pread(2) of all bytes of a file, by so many threads into a buffer each. */
typedef struct pipes_reading {
    int fd;
    uint64_t bytes;
    size_t piece;
    unsigned threads;
} pipes_reading;
void pipes_read(const pipes_reading *reading);

#endif
