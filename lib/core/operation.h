/*
 * The parts in which operations of the API differ. lib/OPERATION.c has one of
 * these structs beside the functions of the API; checks and backends know no
 * operation by name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "call.h"

/* The number of arrays and results that a call checks without allocating
 * memory: enough for 32 columns with nulls. */
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
    WINNOW__OPTIONAL_PREDICATE, /* a query, or some calls, have none */
    WINNOW__NO_PREDICATE
} winnow__predicate_use;

/* What a call may use of its launch, in addition to what every call may. */
enum {
    WINNOW__TAKES_TYPE = 1,     /* the caller passes the elements' type */
    WINNOW__TAKES_STRATEGY = 2, /* and d_strategy */
    WINNOW__TAKES_POSITION = 4,
    WINNOW__TAKES_N = 8,
    WINNOW__TAKES_CAPACITY = 16 /* the query's capacity is a number of items */
};

/* Types of an operation's members. Run it on the host; after an error no result
 * has been written. */
typedef winnow_status winnow__host_function(const winnow__call *call,
                                            const winnow__host_task *task);
/* Choose the kernel, the number of blocks, and the memory. *plan has a cursor.
 * Without enqueue() a plan for n of 0 is not run. */
typedef winnow_status
winnow__plan_function(const winnow__query *query,
                      const struct winnow__constraints *constraints,
                      struct winnow__plan *plan);
typedef winnow_status
winnow__run_function(const winnow__call *call,
                     const struct winnow__constraints *constraints,
                     bool captured);
/* Describe what a call would run, and why. Without strategies, describe what
 * there is besides the memory. */
typedef winnow_status winnow__explain_function(const winnow__query *query,
                                               struct winnow__text *text,
                                               winnow_strategy *strategy_p);
typedef winnow_status
winnow__enqueue_function(const winnow__call *call,
                         const struct winnow__plan *plan,
                         const struct winnow__workspace *memory);

struct winnow__operation {
    const char *name; /* as in the API, without winnow_ */
    unsigned takes;
    /* If it uses the caller's selection (lib/selection/sink.h), else NULL. */
    const struct winnow__sink_kind *sink;
    winnow__predicate_use predicate;
    /* Check the query's details, and set its type if it has no predicate. NULL:
     * nothing to check. */
    winnow_status (*check)(winnow__query *query);
    /* Store the memory that the call reads and writes in ranges, the input
     * first. Returns the number of ranges. */
    int (*ranges)(const winnow__call *call, winnow__range *ranges);
    /* The most ranges that it may store; NULL: WINNOW__SOME_RANGES. */
    unsigned (*most_ranges)(const winnow__query *query);
    /* Bytes of memory that run_on_host() needs; NULL: none. */
    size_t (*host_bytes)(const winnow__query *query);
    winnow__host_function *run_on_host;
    /* Describe the choices; NULL: there are none. */
    winnow__explain_function *explain;

    /* The members below are NULL in a build without CUDA. plan NULL: enqueue()
     * launches all kernels, with `device_bytes` of memory, or none. */
    winnow__plan_function *plan;
    size_t (*device_bytes)(const winnow__query *query);
    const struct winnow__strategies *strategies; /* NULL: there are none */
    /* Replaces planning and running a single plan; NULL: not replaced. */
    winnow__run_function *run;
    /* Store in a kernel's arguments where the results go. */
    void (*set_results)(const winnow__call *call,
                        const struct winnow__plan *plan, winnow__args *args);
    /* Replaces set_results() if the plan is for WINNOW__SEVERAL, for several
     * kernels or for arguments of the operation's own: it enqueues all kernels. */
    winnow__enqueue_function *enqueue;
    /* Runs a plan for kernels of another library; NULL: there is no such plan. */
    winnow_status (*launch_foreign)(const winnow__call *call,
                                    const struct winnow__plan *plan,
                                    const struct winnow__workspace *memory,
                                    winnow__args *args);
};

/* A member that only the CUDA backend calls. */
#ifdef WINNOW_CUDA
#define WINNOW__IF_CUDA(FUNCTION) FUNCTION
#else
#define WINNOW__IF_CUDA(FUNCTION) NULL
#endif

/* Copy a struct that the caller fills in. Its first member is its size; `least`
 * is its size in the oldest program. The struct of an older program is shorter:
 * members that it lacks keep their values in *to. That of a later program is
 * longer: members that this library does not know have to be 0. `name` is the
 * argument's name, `type` the struct's. */
winnow_status winnow__take_struct(const char *name, const char *type,
                                  size_t least, const void *from, void *to,
                                  size_t size);
/* Copy a struct that the library fills in; the caller has set its size. Members that an
 * older program does not know are left out; those that only a later one knows become
 * 0. */
winnow_status winnow__give_struct(const char *name, const char *type,
                                  size_t least, const void *from, void *to,
                                  size_t size);
/* Is the caller's workspace, if there is one, large enough? Backends call this
 * before they enqueue anything. */
winnow_status winnow__check_workspace_bytes(const winnow__call *call,
                                            size_t needed);
/* Check the call, and run it, or make the plan that the launch asks for. This
 * is the body of winnow_OPERATION(). */
winnow_status winnow__do(winnow__call *call, const winnow_launch *launch);

/* ---- strategy.c: what the library knows about each strategy. */
bool winnow__strategy_exists(winnow_strategy strategy);

/* The strongest order that the strategy can give. For AUTO: both orders. */
winnow_order winnow__strategy_order(winnow_strategy strategy);
