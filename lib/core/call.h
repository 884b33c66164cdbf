/*
 * One call of the public API: what a backend gets, when it has been checked.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "predicate.h"
#include "try.h"

typedef struct winnow__operation winnow__operation;

/* What is known of a call before it has memory or a stream: enough to plan it,
 * and to say what workspace it needs. */
typedef struct winnow__query {
    const winnow__operation *operation;
    winnow_context *context;
    const winnow_predicate *predicate; /* NULL: the operation has none */
    winnow_type given;                 /* the type that the caller says, where
                                          the operation takes one */
    const winnow__type_info *type;     /* of the input's elements */
    uint64_t n;                        /* an upper bound, with launch.d_n */
    uint64_t capacity;    /* of a packed output; n at most, but with
                             launch.d_position */
    winnow_launch launch; /* the caller's, or the defaults */
    const struct winnow__source *source; /* of a selection that is made; NULL:
                                            none is (lib/selection/source.h) */
    const void *details; /* what else the operation knows, in a struct of its
                             own; or NULL */
} winnow__query;

typedef struct winnow__call {
    winnow__query query;
    const void *in;
    void *out;          /* where there is one output, */
    uint64_t *count;    /* and its count, which may be the word launch.d_n */
    const void *memory; /* what else the operation reads and writes, in a
                           struct of its own; or NULL */
} winnow__call;

/* Memory that a call uses, under the name the caller knows it by. */
typedef struct winnow__range {
    const char *name;
    unsigned number;    /* 0: that is it; else name[number - 1], */
    const char *member; /* or name[number - 1].member; NULL: the former */
    const void *start;
    const void *given; /* what the caller passed, where that is not `start` */
    uint64_t bytes;
    unsigned alignment;
    bool wanted;         /* may not be NULL */
    const char *measure; /* what its length comes from */
    bool written;        /* what is only read may overlap */
    unsigned in_place;   /* those with the same number may begin at the same
                            address; 0: there is none */
    const char *allowed; /* what two that share it may do; or NULL */
} winnow__range;

typedef struct winnow__range_name {
    char text[40];
} winnow__range_name;

winnow__range_name winnow__name_of(const winnow__range *range);

/* The input, and a result of one element. */
winnow__range winnow__input_range(const winnow__call *call);
winnow__range winnow__result_range(const char *name, const void *start,
                                   unsigned bytes);
