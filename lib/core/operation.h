/*
 * What is different about each operation of the API. lib/OPERATION.c has one of
 * these beside the functions of the API; the checks and the backends know no
 * operation by name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "call.h"

/* Arrays and results of an operation, beside what all have, that a call checks
 * without memory of its own: those of 32 columns with nulls, and some more. */
enum {
    WINNOW__SOME_RANGES = 80
};

typedef struct winnow__host_task winnow__host_task; /* lib/host */
struct winnow__plan;
struct winnow__constraints;
struct winnow__workspace;
struct winnow__strategies;
struct winnow__text;

typedef enum winnow__predicate_use {
    WINNOW__REQUIRED_PREDICATE = 0,
    WINNOW__OPTIONAL_PREDICATE, /* not every call, or a query, has one */
    WINNOW__NO_PREDICATE
} winnow__predicate_use;

/* What a call's launch may ask of an operation, beside what any does. */
enum {
    WINNOW__TAKES_TYPE = 1,     /* the caller says the elements' type */
    WINNOW__TAKES_STRATEGY = 2, /* and d_strategy */
    WINNOW__TAKES_POSITION = 4,
    WINNOW__TAKES_N = 8,
    WINNOW__TAKES_CAPACITY = 16 /* what the query has is one of items */
};

/* Members of an operation. Do it on the host; on an error nothing has been
 * written. */
typedef winnow_status winnow__host_function(const winnow__call *call,
                                            const winnow__host_task *task);
/* Plan it: which kernel, in how many blocks, with what memory. *plan has a
 * cursor. Where there is no enqueue(), a plan for n of 0 is not carried out. */
typedef winnow_status
winnow__plan_function(const winnow__query *query,
                      const struct winnow__constraints *constraints,
                      struct winnow__plan *plan);
typedef winnow_status
winnow__run_function(const winnow__call *call,
                     const struct winnow__constraints *constraints,
                     bool captured);
/* What a call would run, and why; of one without strategies, what there is to
 * say beside its memory. */
typedef winnow_status winnow__explain_function(const winnow__query *query,
                                               struct winnow__text *text,
                                               winnow_strategy *strategy_p);
typedef winnow_status
winnow__enqueue_function(const winnow__call *call,
                         const struct winnow__plan *plan,
                         const struct winnow__workspace *memory);

struct winnow__operation {
    const char *name; /* as the API has it, without winnow_ */
    unsigned takes;
    /* Of one that uses a selection that the caller has (lib/selection/sink.h), or
     * NULL. */
    const struct winnow__sink_kind *sink;
    winnow__predicate_use predicate;
    /* Check the details of the query, and set its type if it has no predicate;
     * NULL: there is nothing to check. */
    winnow_status (*check)(winnow__query *query);
    /* Write what the call reads and writes, the input first, to ranges; return
     * how many they are. */
    int (*ranges)(const winnow__call *call, winnow__range *ranges);
    /* How many they are at most; NULL: WINNOW__SOME_RANGES. */
    unsigned (*most_ranges)(const winnow__query *query);
    /* Bytes of memory that the host works in; NULL: none. */
    size_t (*host_bytes)(const winnow__query *query);
    winnow__host_function *run_on_host;
    /* What there is to choose; NULL: nothing. */
    winnow__explain_function *explain;

    /* The rest is NULL in a build without CUDA. NULL: kernels that enqueue()
     * launches, with `device_bytes` of memory, or none. */
    winnow__plan_function *plan;
    size_t (*device_bytes)(const winnow__query *query);
    const struct winnow__strategies *strategies; /* NULL: it has none */
    /* What it does in place of planning once; NULL: nothing else. */
    winnow__run_function *run;
    /* Set what a kernel's arguments say of the results. */
    void (*set_results)(const winnow__call *call,
                        const struct winnow__plan *plan, winnow__args *args);
    /* In place of set_results(), where the plan is for WINNOW__SEVERAL, kernels
     * or arguments of its own: enqueue all of them. */
    winnow__enqueue_function *enqueue;
    /* For a plan of another library's kernels; NULL: it has none. */
    winnow_status (*launch_foreign)(const winnow__call *call,
                                    const struct winnow__plan *plan,
                                    const struct winnow__workspace *memory,
                                    winnow__args *args);
};

/* For a member that only the CUDA backend calls. */
#ifdef WINNOW_CUDA
#define WINNOW__IF_CUDA(FUNCTION) FUNCTION
#else
#define WINNOW__IF_CUDA(FUNCTION) NULL
#endif

/*
 * Copy a struct that the caller fills in, which begins with its size: `least`
 * is that of the oldest program's. The struct of an older program is shorter:
 * the members that it lacks keep what *to has. That of a later one is longer:
 * what this library does not know has to be 0. `name` is the argument's, `type`
 * the struct's.
 */
winnow_status winnow__take_struct(const char *name, const char *type,
                                  size_t least, const void *from, void *to,
                                  size_t size);
/* Copy one that the library fills in, to where a caller has set the size: what an
 * older program does not know is left out, and what a later one knows is 0. */
winnow_status winnow__give_struct(const char *name, const char *type,
                                  size_t least, const void *from, void *to,
                                  size_t size);
/* Does the caller's workspace, if there is one, have the bytes needed? For
 * backends, before they enqueue anything. */
winnow_status winnow__check_workspace_bytes(const winnow__call *call,
                                            size_t needed);
/* Check the call, and do it, or make the plan that the launch asks for: the
 * body of winnow_OPERATION(). */
winnow_status winnow__do(winnow__call *call, const winnow_launch *launch);

/* ---- strategy.c: what the library knows about each strategy. */
bool winnow__strategy_exists(winnow_strategy strategy);

/* The strongest order that the strategy can give; AUTO gives both. */
winnow_order winnow__strategy_order(winnow_strategy strategy);
