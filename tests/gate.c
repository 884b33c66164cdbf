/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "gate.h"

#include <time.h>

#include "gpu.h"

/* For a test that hangs, however busy the machine is. */
#define PATIENCE_SECONDS 300

static void CUDART_CB wait_at_gate(void *argument) {
    const struct timespec nap = {.tv_nsec = 1000000};
    const time_t start = time(NULL);
    struct gate *gate = argument;

    while (!atomic_load(&gate->open)) {
        if (time(NULL) - start > PATIENCE_SECONDS) {
            atomic_store(&gate->impatient, true);
            return;
        }
        nanosleep(&nap, NULL);
    }
}

void gate_close(struct gate *gate, cudaStream_t stream) {
    atomic_init(&gate->open, false);
    atomic_init(&gate->impatient, false);
    GPU_MUST(cudaLaunchHostFunc(stream, wait_at_gate, gate));
}

void gate_open(struct gate *gate) {
    atomic_store(&gate->open, true);
}
