/*
 * A program that was compiled with version 0.1.0 and one that was compiled with a
 * later version: what they say of a struct's size is what the library goes by. It
 * reads and writes nothing behind a shorter struct; of a longer one it takes zeros
 * for what it does not know, and refuses anything else.
 *
 * It does not include winnow.h: tests/abi/ has what that said then.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "abi/winnow_0_1_0.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct plan) == 80, "as in 0.1.0");
_Static_assert(sizeof(struct launch) == 112, "as in 0.1.0");
_Static_assert(sizeof(struct unique_options) == 32, "as in 0.1.0");
_Static_assert(sizeof(struct pipe_state) == 72, "as in 0.1.0");
_Static_assert(sizeof(struct pipe_options) == 88, "as in 0.1.0");

enum {
    N = 1000,
    LEAST = 10,
    LATER = 64, /* bytes that a later version adds */
    POISON = 0xee
};

static void *context, *predicate, *condition;
static int32_t in[N], out[N];
static uint64_t count;
static _Alignas(16) unsigned char selection[4096];
static const char *what = "";

static void must(bool ok, const char *why) {
    if (ok)
        return;
    fprintf(stderr, "test_old_program: %s: %s: %s\n", what, why,
            winnow_last_error());
    exit(1);
}

/* ------------------------------------------------------- a struct of any size */

/* A struct as its program knows it, with other things behind it. */
union sized {
    size_t size;
    struct plan plan;
    struct launch launch;
    struct unique_options unique;
    struct pipe_state state;
    struct pipe_options options;
    unsigned char bytes[512];
};

static union sized make(const void *from, size_t known, size_t size) {
    union sized made;
    memset(&made, POISON, sizeof made);
    memset(&made, 0, size);
    memcpy(&made, from, known < size ? known : size);
    made.size = size;
    return made;
}

static void is_poison(const union sized *sized) {
    for (size_t i = sized->size; i < sizeof sized->bytes; i++)
        must(sized->bytes[i] == POISON, "what lies behind is written");
}

/* ------------------------------------------------------ calls, by their struct */

static int copy(union sized *launch) {
    count = 0;
    return winnow_copy_if(context, predicate, TYPE_INT32, in, N, out, N, &count,
                          &launch->launch);
}

static int initialise(union sized *launch) {
    struct launch none = {.size = launch->size};
    const int status = winnow_launch_init(&launch->launch, launch->size);
    must(status != OK || memcmp(launch, &none, sizeof(size_t)) == 0,
         "a launch begins with its size");
    count = N - LEAST;
    return status;
}

static int plan(union sized *plan) {
    struct launch launch = {.size = sizeof launch, .plan = &plan->plan};
    const int status = winnow_copy_if(context, predicate, TYPE_INT32, in, N,
                                      out, N, &count, &launch);
    must(status != OK || plan->plan.strategy == STRATEGY_HOST,
         "the plan has a strategy");
    count = N - LEAST;
    return status;
}

/* Of the keys, each but the first 10 is 10 at least, and all differ. */
static int unique(union sized *options) {
    const struct in keys = {.type = TYPE_INT32, .d_base = in};
    int status = winnow_select_unique(context, &keys, N, &options->unique,
                                      selection, sizeof selection, NULL);
    if (status == OK)
        status = winnow_selection_count(context, selection, N, &count, NULL);
    must(status != OK || count == N, "all keys differ");
    count = N - LEAST;
    return status;
}

static int run_pipe(const union sized *options, union sized *state) {
    const struct pipe_column column = {.type = TYPE_INT32};
    const struct pipe_input input = {.element_bytes = 4};
    const void *const inputs[] = {in};
    void *pipe = NULL;
    count = 0;
    int status =
        winnow_pipe_create(&pipe, context, condition, &column, 1, &input, 1,
                           NULL, 0, options == NULL ? NULL : &options->options);
    if (status != OK)
        return status;
    status = winnow_pipe_feed(pipe, inputs, N);
    if (status == OK)
        status = winnow_pipe_finish(pipe, &count);
    if (status == OK && state != NULL)
        status = winnow_pipe_get_state(pipe, &state->state);
    must(status != OK || state == NULL ||
             (state->state.fed == N && state->state.items == N &&
              state->state.kept == N - LEAST && state->state.error_number == 0),
         "the state says how far the pipe is");
    winnow_pipe_destroy(pipe);
    return status;
}

static int options(union sized *options) {
    return run_pipe(options, NULL);
}

static int get_state(union sized *state) {
    return run_pipe(NULL, state);
}

static const struct row {
    const char *name;
    int (*call)(union sized *);
    size_t size, known; /* known: without what is reserved */
    bool is_written; /* whole: what a program leaves there is not looked at */
} rows[] = {
    {"winnow_launch", copy, sizeof(struct launch),
     offsetof(struct launch, reserved), false},
    {"winnow_launch_init()", initialise, sizeof(struct launch),
     offsetof(struct launch, reserved), true},
    {"winnow_plan", plan, sizeof(struct plan), offsetof(struct plan, reserved),
     false},
    {"winnow_unique_options", unique, sizeof(struct unique_options),
     offsetof(struct unique_options, reserved), false},
    {"winnow_pipe_options", options, sizeof(struct pipe_options),
     offsetof(struct pipe_options, reserved), false},
    {"winnow_pipe_state", get_state, sizeof(struct pipe_state),
     offsetof(struct pipe_state, reserved), true},
};

static void try_size(const struct row *row, size_t size) {
    static const unsigned char zeros[512];
    union sized sized = make(zeros, row->known, size);
    must(row->call(&sized) == OK, "a size is taken");
    must(sized.size == size, "the size stays");
    must(count == N - LEAST, "the result is right");
    is_poison(&sized);
}

static void refuse_size(const struct row *row, size_t size) {
    static const unsigned char zeros[512];
    union sized sized = make(zeros, row->known, row->size);
    sized.size = size;
    must(row->call(&sized) == ERR_ARGUMENT, "a wrong size is refused");
    must(strstr(winnow_last_error(), "size is") != NULL, "the detail says so");
}

/* Of a later version, with something that this one does not know. */
static void try_later(const struct row *row) {
    static const unsigned char zeros[512];
    union sized sized = make(zeros, row->known, row->size + LATER);
    sized.bytes[row->size + LATER - 1] = 1;
    const int status = row->call(&sized);
    if (!row->is_written) {
        must(status == ERR_ARGUMENT, "what is not known is refused");
        must(strstr(winnow_last_error(), "what comes after is not 0") != NULL,
             "the detail says so");
        return;
    }
    must(status == OK, "what is there before is not looked at");
    must(sized.bytes[row->size + LATER - 1] == 0, "it is 0 now");
    is_poison(&sized);
}

int main(void) {
    const int32_t least = LEAST;
    for (int i = 0; i < N; i++)
        in[i] = i;
    must(winnow_context_create(&context, DEVICE_HOST) == OK, "a context");
    must(winnow_predicate_compare(&predicate, TYPE_INT32, COMPARE_GE, &least) ==
             OK,
         "a predicate");
    must(winnow_condition_test(&condition, 0, predicate) == OK, "a condition");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        what = rows[i].name;
        try_size(&rows[i], rows[i].size);
        try_size(&rows[i], rows[i].known); /* nothing was reserved yet */
        try_size(&rows[i], rows[i].size + LATER);
        try_later(&rows[i]);
        refuse_size(&rows[i], 0);
        refuse_size(&rows[i], sizeof(size_t));
        refuse_size(&rows[i], rows[i].size + 1);
        if (rows[i].call != initialise)
            refuse_size(&rows[i], (size_t)1 << 20);
    }
    winnow_condition_destroy(condition);
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
    return 0;
}
