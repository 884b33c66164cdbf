/*
 * The arguments of reduce_where beyond those of every call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/reduce/args.h"
#include "condition/run/evaluate.h"
#include "condition/run/where_values.h"

/* The query's details. */
typedef struct winnow__aggregates {
    winnow__reading read; /* by expressions */
    /* One for each result, then those of the upper halves. */
    winnow_aggregate list[WINNOW_MOST_AGGREGATES];
    unsigned number, results;
    uint8_t
        upper[WINNOW_MOST_AGGREGATES]; /* of a result: the index of its upper
                                              half, or 0 */
    uint8_t lower[WINNOW_MOST_AGGREGATES]; /* of an upper half: the result's
                                              index */
    uint32_t most_parts; /* WINNOW__REDUCE_PARTS; fewer in tests */
} winnow__aggregates;

/* winnow_reduce_where() with at most `most_parts` parts. */
winnow_status
winnow__reduce_where(winnow_context *context, const winnow_condition *condition,
                     const winnow_in *columns, unsigned column_count,
                     uint64_t n, const winnow_aggregate *aggregates,
                     unsigned aggregate_count, uint32_t most_parts,
                     winnow_reduction *d_results, const winnow_launch *launch);

static inline const winnow__aggregates *
winnow__aggregates_of(const winnow__query *query) {
    return query->details;
}

/* Values of all types are summed as elements of 8 bytes. */
static inline winnow__reduce_cut
winnow__aggregate_cut(const winnow__query *query) {
    return winnow__reduce_cut_of(query->n, 3,
                                 winnow__aggregates_of(query)->most_parts);
}

/* The type as 8 bytes: WINNOW_INT64, WINNOW_UINT64 or WINNOW_FLOAT64. */
winnow__reduce_type winnow__aggregate_type(const winnow__aggregates *a,
                                           unsigned i);
/* The columns of an aggregate's program. */
void winnow__aggregate_columns(const winnow__where_values *values,
                               const winnow_aggregate *aggregate,
                               winnow__value_column columns[]);
/* The columns of the call that its expressions read, and where they are. */
typedef struct winnow__read {
    winnow__where_values values;
    winnow__value_column column[WINNOW_CONDITION_MOST_COLUMNS];
} winnow__read;
void winnow__find_read(const winnow__aggregates *a, winnow__read *read);

size_t winnow__reduce_where_host_bytes(const winnow__query *query);
winnow__host_function winnow__reduce_where_on_host;
size_t winnow__reduce_where_device_bytes(const winnow__query *query);
winnow__enqueue_function winnow__reduce_where_enqueue;

/* ---- few.c: the values of a block in which few items pass. Only the elements
 * of these items are gathered and computed. */
enum {
    /* With more items, most cache lines of a block are read anyway. */
    WINNOW__FEW_ITEMS = WINNOW__BLOCK / 16
};

/* Are all columns of numbers? Others cannot be gathered. */
bool winnow__can_gather(const winnow__expression *expression,
                        const winnow__value_column columns[]);
enum {
    WINNOW__MOST_FEW_BYTES = WINNOW__MOST_READ * WINNOW__FEW_ITEMS * 16 +
                             WINNOW__FEW_ITEMS * 8 + WINNOW__MOST_EVALUATE_BYTES
};

/* Bytes of memory for it, aligned to 64. */
size_t winnow__evaluate_few_bytes(const winnow__expression *expression);

/* Compute the values of the live items, at most WINNOW__FEW_ITEMS, of the block
 * that begins at item `first`. Each is stored at its place in the block, a
 * float32 as float64; other places are not changed. The live bits of null
 * values are cleared. */
void winnow__evaluate_few(winnow__host_isa isa,
                          const winnow__expression *expression,
                          const winnow__value_column columns[], uint64_t first,
                          uint32_t live[WINNOW__BLOCK / 32], void *memory,
                          uint64_t values[]);

/* ---- compiled.c: one kernel, compiled at run time, which decides the
 * condition and reduces what passes. */
/* Bytes for the words of all parts and aggregates, aligned to 16. */
size_t winnow__compiled_words_bytes(const winnow__query *query);
/* Add a line to a plan's text: is there a kernel? */
winnow_status winnow__explain_reduction(const winnow__query *query,
                                        struct winnow__text *text,
                                        bool *is_compiled_p);
/* Find the kernel and enqueue it. `words`: memory for the kernel's words;
 * `memory`: for tests of strings. *is_enqueued_p is false if there is no
 * kernel; then nothing was enqueued. */
winnow_status winnow__enqueue_reduction(const winnow__call *call, void *words,
                                        void *memory, bool *is_enqueued_p);
