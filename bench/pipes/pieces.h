/*
 * Threads that take piece after piece of something.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PIPES_PIECES_H
#define WINNOW_BENCH_PIPES_PIECES_H

#include <stddef.h>
#include <stdint.h>

typedef struct pipes_pieces {
    uint64_t bytes; /* or whatever is counted */
    size_t piece;
    unsigned threads;
    /* The piece from `at` on. scratch: `piece` bytes of the thread's own, if
     * they are wanted. */
    void (*run)(void *state, uint64_t at, size_t bytes, void *scratch);
    void *state;
    int wants_scratch;
} pipes_pieces;

void pipes_each_piece(const pipes_pieces *pieces);

unsigned pipes_cpus(void);

#endif
