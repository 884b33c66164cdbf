/*
 * Kernels that are compiled at run time. A process compiles or reads each of them once
 * for a kind of device, and keeps it until it exits: a graph may launch it at any time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source.h"

#include "cuda/context.h"

/* How to get a kernel that the process does not have yet. */
typedef enum winnow__effort {
    WINNOW__LOOK = 0,   /* from disk, without waiting for another thread */
    WINNOW__COMPILE = 1 /* from disk, or compile it */
} winnow__effort;

/* The code that decides a condition or reduces. */
typedef struct winnow__choice {
    winnow__kernel kernel; /* function NULL: no compiled code, and */
    const char *why;       /* why; NULL: all tests are built in */
    winnow_status
        status; /* the error if it does not compile, with the detail in
                             `why` */
} winnow__choice;

/*
 * Find the kernel for the context's device, which has to be current; or say why
 * there is none. A process looks for each kernel on disk once.
 *
 * WINNOW_ERR_MEMORY, WINNOW_ERR_CUDA; each with the detail set.
 */
winnow_status winnow__kernel_of(const winnow_context *context,
                                const winnow__to_compile *what,
                                winnow__effort effort, winnow__choice *choice);

/* ---- choose.c alone decides whether code is compiled, found compiled, or
 * interpreted. */

/*
 * Choose the code, and load the kernel. The context's device has to be current.
 * prepares: compile whatever the context says. may_not: why the call may not; or NULL.
 *
 * WINNOW_ERR_UNSUPPORTED: the call has to compile it first, and may not; it is in
 * CUDA C, and cannot be had; WINNOW_ERR_SYNTAX: CUDA C; WINNOW_ERR_MEMORY;
 * WINNOW_ERR_CUDA; each with the detail set.
 */
winnow_status winnow__choose_code(const winnow_context *context,
                                  const winnow__to_compile *what, bool prepares,
                                  const char *may_not, winnow__choice *choice);
/* Choose code for a call's plan, and add a line about it to the text. */
winnow_status winnow__explain_choice(const winnow_context *context,
                                     const winnow__to_compile *what,
                                     struct winnow__text *text,
                                     winnow__choice *choice);

/* ---- notes.c: problems that make no call fail, one line each. */

void winnow__note(const winnow_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
