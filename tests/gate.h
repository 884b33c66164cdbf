/*
 * A stream that is held up until somebody opens the gate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_GATE_H
#define WINNOW_TESTS_GATE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <cuda_runtime_api.h>

/* The wait ends after a while, so that a call that waits for its stream
 * fails its test and does not hang. */
struct gate {
    atomic_bool open;
    atomic_bool impatient;
};

/* What comes next on the stream waits until gate_open(). */
void gate_close(struct gate *gate, cudaStream_t stream);
void gate_open(struct gate *gate);

#endif
