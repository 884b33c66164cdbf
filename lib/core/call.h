/*
 * One call of the public API: what a backend gets after the checks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "predicate.h"
#include "try.h"

typedef struct winnow__operation winnow__operation;

/* A call without its memory and stream: enough to plan it, and to compute its
 * workspace. */
typedef struct winnow__query {
    const winnow__operation *operation;
    winnow_context *context;
    const winnow_predicate *predicate; /* NULL: the operation has none */
    winnow_type given;                 /* the caller's type, if the operation
                                          takes one */
    const winnow__type_info *type;     /* of the elements of the input */
    uint64_t n;                        /* an upper bound, with launch.d_n */
    uint64_t capacity;    /* of a packed output; at most n, except with
                             launch.d_position */
    winnow_launch launch; /* the caller's, or the defaults */
    const struct winnow__source *source; /* of a selection that the call makes;
                                            NULL: it makes none
                                            (lib/selection/source.h) */
    const void *details; /* a struct of the operation's own; or NULL */
} winnow__query;

typedef struct winnow__call {
    winnow__query query;
    const void *in;
    void *out;       /* if there is one output */
    uint64_t *count; /* the count of `out`, which may be the word launch.d_n */
    const void *memory; /* other inputs and outputs, in a struct of the
                           operation's own; or NULL */
} winnow__call;

/* Memory that a call uses, with the caller's name for it. */
typedef struct winnow__range {
    const char *name;
    unsigned number;    /* 0: the range is `name`; else name[number - 1], */
    const char *member; /* or name[number - 1].member, if not NULL */
    const void *start;
    const void *given; /* what the caller passed, if it is not `start` */
    uint64_t bytes;
    unsigned alignment;
    bool wanted;         /* may not be NULL */
    const char *measure; /* the argument that decides its length */
    bool written;        /* ranges that are only read may overlap */
    unsigned in_place;   /* ranges with the same number may begin at the same
                            address; 0: this one may not */
    const char *allowed; /* message: how two ranges may overlap; or NULL */
} winnow__range;

typedef struct winnow__range_name {
    char text[40];
} winnow__range_name;

winnow__range_name winnow__name_of(const winnow__range *range);

/* The input of a call, and a result of one element. */
winnow__range winnow__input_range(const winnow__call *call);
winnow__range winnow__result_range(const char *name, const void *start,
                                   unsigned bytes);
