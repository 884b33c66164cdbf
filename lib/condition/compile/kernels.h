/*
 * Kernels that are compiled at run time. A process compiles or reads each of
 * them once for a kind of device, and has it until it ends: a graph may launch
 * it at any time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_COMPILE_KERNELS_H
#define WINNOW_LIB_CONDITION_COMPILE_KERNELS_H

#include "nvrtc.h"
#include "condition/program/key.h"

#include "cuda/context.h"

/* A kernel that is wanted. */
typedef struct winnow__wanted_kernel {
    const char *name; /* what it is a kernel of, for messages, */
    const char *how;  /* and what has it compiled */
    /* What its source depends on, as bytes. */
    winnow__key_sum sum;
    void (*put_key)(const void *argument, winnow__key *key);
    /* Its source, with one kernel, winnow_kernel, in memory of malloc()'s; NULL:
     * there is no memory. */
    char *(*write)(const void *argument);
    const void *argument;
    unsigned threads;            /* of a block */
    const char *may_not_compile; /* NULL, or why it cannot be compiled here */
} winnow__wanted_kernel;

/*
 * Find a kernel, for the context's device, which is current. Else read it from
 * disk, or compile it.
 *
 * WINNOW_ERR_UNSUPPORTED: there is none, and the call compiles none; or there is
 * no compiler; WINNOW_ERR_SYNTAX, WINNOW_ERR_MEMORY, WINNOW_ERR_CUDA; each with
 * the detail set.
 */
winnow_status winnow__kernel_of(const winnow_context *context,
                                const winnow__wanted_kernel *wanted,
                                winnow__kernel *kernel);

/* Is there a compiler? */
bool winnow__can_compile(void);

/* ---- notes.c: what no call fails for, one line each. */

void winnow__note(const winnow_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
