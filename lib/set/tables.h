/*
 * The tables of sets in the memory of a CUDA device.
 *
 * A table belongs to a set and to a context. When its context ends, it is freed.
 * When its set ends, it is retired: kernels that were enqueued may still read it,
 * and destroying a condition does not wait for them. A retired table is freed
 * later, when tables are made or the context ends, by cudaFree(), which waits for
 * the device. A table that a graph has captured can be read whenever the graph
 * runs, and stays until the context ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "set.h"

#include "cuda/context.h"
#include "kernels/set/table.h"

/* What a call may do if there is no table yet, and what it does with a table. */
typedef struct winnow__table_use {
    const char *may_not_make; /* NULL, or why it may not make a table */
    bool captured;            /* a graph will read the table */
} winnow__table_use;

/* Bytes of a block's shared memory that all tables of a launch may use together, so
 * that two blocks fit in a multiprocessor. */
size_t winnow__tables_shared(const winnow_context *context);

/*
 * The table of a set for a context, whose device is current. The table is made if
 * there is none. All streams can read it on return: the thread that made it has
 * waited for its upload, on a stream that waits for no other. ref_p->place is
 * WINNOW__SET_STAYS; ref_p->bytes is 0 if it cannot be copied to shared memory. It
 * can be read until the set or the context ends.
 *
 * WINNOW_ERR_UNSUPPORTED: there is no table, and `use` forbids making one;
 * WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA; each with the detail set.
 */
winnow_status winnow__table_of(const winnow_context *context,
                               const winnow__set *set,
                               const winnow__table_use *use,
                               winnow__set_ref *ref_p);

/* The same for a block of bytes on the host that belongs to `owner`. The device
 * gets an unchanged copy. */
winnow_status winnow__block_of(const winnow_context *context, const void *owner,
                               void *bytes, size_t number,
                               const winnow__table_use *use,
                               const void **block_p);

/* The set, or the owner, ends: retire its tables in all contexts. */
void winnow__tables_retire(const void *owner);
