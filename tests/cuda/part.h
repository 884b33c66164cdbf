/*
 * A part of the device: a stream whose kernels run on some of its
 * multiprocessors alone (a green context of the driver's).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_PART_H
#define WINNOW_TESTS_PART_H

#include <stdbool.h>

#include <cuda_runtime_api.h>

struct part {
    cudaStream_t stream;
    unsigned multiprocessors; /* what it has in fact */
    void *context;            /* the driver's */
};

/* With this number of multiprocessors, or some more, of device 0. False where the
 * driver or the device has no such part. */
bool part_open(struct part *part, unsigned multiprocessors);
void part_close(struct part *part);

/* Make the driver's context of it current in this thread, and the one before it
 * again. */
void part_enter(const struct part *part);
void part_leave(void);

#endif
