/*
 * The place of a filter and of its output: the host or a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "type.h"

/* Shared by all arrays of an output on a device, and freed with the last of
 * them. NULL on the host. */
typedef struct winnow__arrow_owner winnow__arrow_owner;

typedef struct winnow__arrow_place {
    winnow_context *context;
    winnow_launch launch; /* only its stream is set */
    bool host;
    winnow__arrow_owner *owner; /* a reference, on a device */
} winnow__arrow_place;

/* Allocate memory for an output: aligned to 64 bytes, and padded to a multiple
 * of 64. The last 64 bytes are 0. */
winnow_status winnow__arrow_allocate(winnow__arrow_place *place, uint64_t bytes,
                                     void **memory_p);
/* Allocate memory for the call, 16-aligned. */
winnow_status winnow__arrow_take(winnow__arrow_place *place, uint64_t bytes,
                                 void **memory_p);
/* Free memory of either kind, in the order of the call's stream. May be NULL. */
void winnow__arrow_give(winnow__arrow_place *place, void *memory);
/* Copy to host memory. On a device this waits for everything enqueued before. */
winnow_status winnow__arrow_fetch(winnow__arrow_place *place, void *to,
                                  const void *from, uint64_t bytes);
/* Copy to an output from host memory or from memory that the context can access. */
winnow_status winnow__arrow_copy(winnow__arrow_place *place, void *to,
                                 const void *from, uint64_t bytes);

/* Free an output's memory in any thread. May be NULL. The call that wrote it
 * has to be done, which its owner knows. */
void winnow__arrow_free(winnow__arrow_owner *owner, void *memory);
winnow__arrow_owner *winnow__arrow_share(winnow__arrow_owner *owner);
void winnow__arrow_leave(winnow__arrow_owner *owner);

/* ---- Only for devices. */

/* Check that an array is on the context's device and that its stream is not
 * captured; make the stream wait for the array; create an owner. The device has
 * to be current. */
winnow_status winnow__arrow_cuda_open(winnow__arrow_place *place,
                                      const struct ArrowDeviceArray *in);
/* Record that the output is written, and set its device members. */
winnow_status winnow__arrow_cuda_close(winnow__arrow_place *place,
                                       struct ArrowDeviceArray *out);
/* Create a stream for the batches of an input stream; wait for its work, which
 * returns that work's errors; destroy it. */
winnow_status winnow__arrow_cuda_make_work(winnow_context *context,
                                           winnow_stream *work_p);
winnow_status winnow__arrow_cuda_finish(winnow_stream work);
void winnow__arrow_cuda_destroy_work(winnow_stream work);
/* Wait for everything that was enqueued, before a failed call frees memory. */
void winnow__arrow_cuda_wait(winnow__arrow_place *place);
