/*
 * Where a filter works and where its output lies: the host or a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "type.h"

/* What the arrays of an output on a device share: it lives as long as the last
 * of them. NULL on the host. */
typedef struct winnow__arrow_owner winnow__arrow_owner;

typedef struct winnow__arrow_place {
    winnow_context *context;
    winnow_launch launch; /* its stream alone */
    bool host;
    winnow__arrow_owner *owner; /* a reference, on a device */
} winnow__arrow_place;

/* Memory for an output: aligned to 64 bytes, and as much longer as brings its
 * size to a multiple of them. The last 64 bytes are 0. */
winnow_status winnow__arrow_allocate(winnow__arrow_place *place, uint64_t bytes,
                                     void **memory_p);
/* Memory for the call: 16-aligned. */
winnow_status winnow__arrow_take(winnow__arrow_place *place, uint64_t bytes,
                                 void **memory_p);
/* Give either back in the order of the call's stream. NULL is allowed. */
void winnow__arrow_give(winnow__arrow_place *place, void *memory);
/* Copy to memory of the host; on a device wait for all that was enqueued. */
winnow_status winnow__arrow_fetch(winnow__arrow_place *place, void *to,
                                  const void *from, uint64_t bytes);
/* Copy from memory that the context reaches, or of the host, to an output. */
winnow_status winnow__arrow_copy(winnow__arrow_place *place, void *to,
                                 const void *from, uint64_t bytes);

/* Free an output's memory, whatever thread this is; NULL is allowed. Its owner
 * knows when the call that wrote it is done. */
void winnow__arrow_free(winnow__arrow_owner *owner, void *memory);
winnow__arrow_owner *winnow__arrow_share(winnow__arrow_owner *owner);
void winnow__arrow_leave(winnow__arrow_owner *owner);

/* ---- Of a device alone. */

/* Check that an array is of the context's device, and that its stream is not
 * captured; have the stream wait for it, and make an owner. The device is
 * current. */
winnow_status winnow__arrow_cuda_open(winnow__arrow_place *place,
                                      const struct ArrowDeviceArray *in);
/* Record that the output is written, and say where it is. */
winnow_status winnow__arrow_cuda_close(winnow__arrow_place *place,
                                       struct ArrowDeviceArray *out);
/* A stream for the batches of a stream; wait for its work, which says what went
 * wrong; and destroy it. */
winnow_status winnow__arrow_cuda_make_work(winnow_context *context,
                                           winnow_stream *work_p);
winnow_status winnow__arrow_cuda_finish(winnow_stream work);
void winnow__arrow_cuda_destroy_work(winnow_stream work);
/* Wait for all that was enqueued, before a failed call gives memory back. */
void winnow__arrow_cuda_wait(winnow__arrow_place *place);
