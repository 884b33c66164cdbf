/*
 * Kernels that are compiled at run time. A process compiles or reads each of
 * them once for a kind of device, and has it until it ends: a graph may launch
 * it at any time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source.h"

#include "cuda/context.h"

/* How a kernel is had that the process does not have yet. */
typedef enum winnow__effort {
    WINNOW__LOOK =
        0, /* from disk; what another thread makes is not waited for */
    WINNOW__COMPILE = 1 /* from disk, or it is compiled */
} winnow__effort;

/* Which code decides or reduces. */
typedef struct winnow__choice {
    winnow__kernel
        kernel;           /* its function is NULL: nothing that was compiled, */
    const char *why;      /* since; NULL: all tests are built in */
    winnow_status status; /* it does not compile; `why` is the detail */
} winnow__choice;

/*
 * The kernel for the context's device, which is current; or none, and why. A
 * process looks on disk for each kernel once.
 *
 * WINNOW_ERR_MEMORY, WINNOW_ERR_CUDA; each with the detail set.
 */
winnow_status winnow__kernel_of(const winnow_context *context,
                                const winnow__to_compile *what,
                                winnow__effort effort, winnow__choice *choice);

/* ---- choose.c: the one place that decides whether code is compiled, or found
 * compiled, or interpreted. */

/*
 * The context's device is current; the kernel is loaded. prepares: it is compiled
 * whatever the context says. may_not: NULL, or why the call may not compile.
 *
 * WINNOW_ERR_UNSUPPORTED: the call has to compile it first, and may not; it is in
 * CUDA C, and cannot be had; WINNOW_ERR_SYNTAX: CUDA C; WINNOW_ERR_MEMORY;
 * WINNOW_ERR_CUDA; each with the detail set.
 */
winnow_status winnow__choose_code(const winnow_context *context,
                                  const winnow__to_compile *what, bool prepares,
                                  const char *may_not, winnow__choice *choice);
/* Choose for a call's plan, and say what: a line of its text. */
winnow_status winnow__explain_choice(const winnow_context *context,
                                     const winnow__to_compile *what,
                                     struct winnow__text *text,
                                     winnow__choice *choice);

/* ---- notes.c: what no call fails for, one line each. */

void winnow__note(const winnow_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
