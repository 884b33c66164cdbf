/*
 * Good arguments for any call, drawn by a seed, in one block of memory: what is
 * read, what is written, and canaries between. A check compares all of the block.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_CALLS_MEMORY_H
#define WINNOW_TESTS_CALLS_MEMORY_H

#include "calls.h"
#include "region.h"

struct call_memory {
    const struct backend *backend;
    struct region region;
    unsigned char *before; /* what is there before a call */
    size_t used;           /* bytes of the region */
    uint64_t seed, draws;  /* seed 0: what is plain */
    uint8_t *keep;         /* for an oracle */
    winnow_predicate *predicate;
    winnow_condition *condition;
    winnow_expression *expression;
    winnow_arrivals arrivals;
    unsigned char fill[CALLS_FILL];
    /* A launch's. */
    uint64_t *d_n, *d_position;
    int32_t *d_strategy;
};

/* For calls of `most` items. */
void calls_open(struct call_memory *memory, const struct backend *backend,
                uint64_t most);
void calls_close(struct call_memory *memory);

/* Arguments for a call of n items: those of seed 0 are the same for each, elements
 * uint32. They hold until the next draw. */
struct arguments calls_draw(struct call_memory *memory, const struct call *call,
                            uint64_t n, uint64_t seed);
/* The same without arrays, as plans take them: but where one is packed in place. */
struct arguments calls_without_arrays(const struct arguments *a);

/* All memory as before the call. */
void calls_prepare(const struct call_memory *memory);
/* Have a word there before each call. */
void calls_set(const struct call_memory *memory, uint64_t *address,
               uint64_t value);
/* Wait; is all memory as it has to be after a call, of a stable order if its order
 * matters? What is there counts as before from then on, if `stays`. */
bool calls_check(const struct call_memory *memory, const struct call *call,
                 const struct arguments *a, const winnow_launch *launch,
                 bool stays, struct report *report);
/* Is all memory as before? */
bool calls_check_nothing(const struct call_memory *memory,
                         const struct call *call, struct report *report);

#endif
