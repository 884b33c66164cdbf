/*
 * The functions of lib/core/context.h for a CUDA device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "context.h"

/* ---- context.c */

winnow_status winnow__cuda_create(winnow_context **context_p, int device);

/* ---- reach.c */

winnow_status winnow__cuda_supports(const winnow__query *query);
/* The context's device has to be current. */
winnow_status winnow__cuda_reaches(const winnow__call *call,
                                   const winnow__range ranges[], int number);

/* ---- fetch.c */

/* The context's device has to be current. */
winnow_status winnow__cuda_fetch(const winnow_context *context,
                                 const void *from, size_t bytes, void *to);

/* ---- run.c */

winnow_status winnow__cuda_workspace(const winnow__query *query,
                                     size_t *bytes_p);
/* The context's device has to be current. */
winnow_status winnow__cuda_run(const winnow__call *call);
