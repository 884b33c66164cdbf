/*
 * Registering plain memory that is fed, piece by piece.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "pipe.h"

typedef struct winnow__registered {
    const void *inputs[WINNOW_PIPE_MOST_INPUTS]; /* NULL: it is not */
} winnow__registered;

/* As many items of an array are registered at a time. */
uint64_t winnow__registered_items(const winnow_pipe *pipe);

/* Register n items of each input that the device does not reach. On an error
 * none is. */
winnow_status winnow__register(const winnow_pipe *pipe,
                               const void *const *inputs, uint64_t n,
                               winnow__registered *registered);
/* Nothing uses them. */
winnow_status winnow__unregister(const winnow_pipe *pipe,
                                 winnow__registered *registered);
