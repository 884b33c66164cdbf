/*
 * The tables of sets in the memory of a CUDA device.
 *
 * A table belongs to a set and to a context, and ends with the first of them to
 * go: with the context it is freed; without its set it is retired. Kernels that
 * were enqueued may still read a retired table, and destroying a condition does
 * not wait for them. So it is freed later, when tables are made, or with the
 * context: by cudaFree(), which waits for the device. A table that a graph has
 * captured can be read whenever the graph runs, and stays until the context
 * ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "set.h"

#include "cuda/context.h"
#include "kernels/set/table.h"

/* What a call may do where there is no table yet, and does with one. */
typedef struct winnow__table_use {
    const char *may_not_make; /* NULL, or why it may not make one */
    bool captured;            /* a graph will read it */
} winnow__table_use;

/* Bytes of a block's shared memory that all tables of a launch may take, so that
 * a multiprocessor has room for two blocks. */
size_t winnow__tables_shared(const winnow_context *context);

/*
 * The table of a set for a context, whose device is current; it is made if need
 * be. All streams can read it when this returns: who made it has waited for its
 * upload, on a stream of its own, which waits for no other. ref_p->place is
 * WINNOW__SET_STAYS, and ref_p->bytes is 0 where it cannot be copied to shared
 * memory. It can be read at least until the set or the context ends.
 *
 * WINNOW_ERR_UNSUPPORTED: there is none, and the use makes none;
 * WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA; each with the detail set.
 */
winnow_status winnow__table_of(const winnow_context *context,
                               const winnow__set *set,
                               const winnow__table_use *use,
                               winnow__set_ref *ref_p);

/* Likewise of any block of bytes on the host, which belongs to `owner`, and which
 * a device has as it is. */
winnow_status winnow__block_of(const winnow_context *context, const void *owner,
                               void *bytes, size_t number,
                               const winnow__table_use *use,
                               const void **block_p);

/* The set, or the owner, ends: in all contexts its tables are retired. */
void winnow__tables_retire(const void *owner);
