/*
 * One table of the functions that take a launch: how each is called, what it takes
 * of a launch, what it writes. The tests of launches and of fewer items, the long
 * runs under schedules and the fuzzer of calls go through it: a new function adds
 * an entry, and no more. tests/check-lists says which function has none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_CALLS_H
#define WINNOW_TESTS_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <winnow.h>

#include "oracle.h"

/* What the functions take; each reads its own part. */
struct arguments {
    winnow_context *context;
    uint64_t n;
    /* An array, and what its elements are tested by. */
    winnow_type type;
    const winnow_predicate *predicate;
    struct rule rule; /* the same as `predicate`, for the oracle */
    const void *in;
    winnow_in tested; /* the same array */
    /* Columns, and what items are tested by. */
    winnow_in column; /* of the condition and the expression: uint32 */
    const winnow_condition *condition; /* column < CALLS_BELOW */
    const winnow_expression *expression;
    winnow_mask mask;
    winnow_in keys; /* unsigned */
    winnow_unique_options options;
    winnow_digit digit;
    winnow_in values[2]; /* uint32 */
    winnow_out sums[2];
    unsigned components;
    uint64_t key_bound;
    unsigned wanted;
    unsigned aggregate_count;
    /* Selections, and what a selection packs. */
    const void *selection, *other;
    winnow_combine combine;
    winnow_in strings; /* and ranges */
    winnow_in elements;
    size_t element_bytes; /* the same, for a call without types */
    uint64_t packed_n;
    const void *fill;
    const uint64_t *d_filled; /* elements of an output that are there */
    winnow_segments segments;
    const winnow_arrivals *arrivals;
    winnow_mask_kind flags_kind;
    uint64_t flags_offset;
    winnow_type index_type;
    winnow_move moves[3];
    unsigned move_count;
    /* Outputs. */
    uint64_t capacity, data_capacity;
    void *out, *rest;
    uint64_t *count;   /* or NULL */
    uint64_t *numbers; /* two counts, or the offsets of parts */
    winnow_reduction *reduction;
    double *selectivity;
    void *result; /* a selection */
    size_t result_bytes;
};

enum {
    CALLS_KEYS = 64,  /* drawn keys are below */
    CALLS_BELOW = 30, /* the condition */
    CALLS_FILL = 16   /* bytes of a value to fill in, at most */
};

/* The bytes of an element of a column. */
size_t calls_element(winnow_type type, size_t element_bytes);

/* What a function takes. */
enum {
    CALL_COUNTS = 1,   /* a count, which may be NULL */
    CALL_POSITION = 2, /* launch->d_position */
    CALL_STRATEGY = 4, /* launch->strategy and d_strategy */
    CALL_TYPED = 8,    /* a predicate, with the type of the elements */
    CALL_ROWS = 16,    /* elements of any size, at any address */
    CALL_BITS = 32,    /* columns of bits */
    CALL_IN_PLACE = 64,
    CALL_CUT =
        128 /* a capacity below n; a call with a position has that, too */
};

/* What a call has to write, as it is worked out. */
struct call_memory;
struct outcome {
    const struct call_memory *memory;
    const struct arguments *a;
    uint64_t items; /* n, or *launch->d_n if that is less */
    uint8_t
        *keep; /* of each item: 0 where it is not kept, or from `items` on */
    uint64_t keep_n;
    uint64_t *position; /* NULL, or where *launch->d_position is on the host */
};

/* Which items are kept? All, where a function has no such question. */
typedef void call_source(struct outcome *outcome);
/* What is written of those that are kept, in the input's order? */
typedef void call_sink(struct outcome *outcome);

struct call {
    const char *name; /* without winnow_ */
    winnow_status (*run)(const struct arguments *a,
                         const winnow_launch *launch);
    call_source *source;
    call_sink *sink;
    unsigned takes;
};

/* NULL from the last on. */
const struct call *call_number(unsigned number);
#define FOR_EACH_CALL(each)                                                    \
    for (const struct call *each = call_number(0); each != NULL;               \
         each = call_next(each))
const struct call *call_next(const struct call *call);
const struct call *call_named(const char *name);

/* The host's copy of what was at an address before the call, and of what has to be
 * there after it. */
const void *call_from(const struct outcome *outcome, const void *address);
void *call_to(const struct outcome *outcome, void *address);
/* What the call has written there. */
const void *call_seen(const struct outcome *outcome, const void *address);

/* A selection of the items whose keep[i] is not 0, in zeros. Its format, in the
 * tests' own words: bits of whole tiles; how many are kept before each tile, and at
 * all; how many each tile keeps. */
enum {
    CALLS_TILE = 4096 /* items */
};
void calls_write_selection(void *to, uint64_t n, const uint8_t *keep);
bool calls_keeps(const void *selection, uint64_t item);

/* The functions by file, and the oracles that functions of other files have, too. */
extern const struct call calls_arrays[], calls_sources[], calls_sinks[],
    calls_keyed[], calls_one_call[];
call_source calls_if, calls_where, calls_flagged, calls_unique, calls_selected;
call_sink calls_count, calls_columns, calls_array, calls_indices, calls_split,
    calls_segments, calls_reduce_column, calls_accumulate;

#endif
