/*
 * Record batches of a column k and another, and which rows of them a filter
 * keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_ARROW_BATCH_H
#define WINNOW_TESTS_ARROW_BATCH_H

#include "arrow_data.h"

/* What a condition asks of a row. */
enum arrow_asked {
    ARROW_K_IS_BELOW_50 = 0,
    ARROW_C_IS_NULL, /* or an entry of a dictionary that is */
    ARROW_C_IS_NOT_NULL
};

/* k is the first column, of int32 below 100; c the other. */
struct arrow_batch {
    enum arrow_asked asked; /* the first, when it is opened */
    struct ArrowSchema *schema;
    struct ArrowArray host;
    struct ArrowDeviceArray in; /* the same, where a backend takes it from */
};

/* The schema of k and a column. */
struct ArrowSchema *arrow_batch_of(struct ArrowSchema *column);
/* A random batch, which owns the schema. */
void arrow_batch_open(const struct backend *backend, struct arrow_batch *batch,
                      struct ArrowSchema *schema, uint64_t n,
                      const struct arrow_shape *shape);
void arrow_batch_close(const struct backend *backend,
                       struct arrow_batch *batch);

winnow_condition *arrow_condition(const struct ArrowSchema *schema,
                                  const char *text);

/* Is what is asked true of row i? */
bool arrow_batch_keeps(const struct arrow_batch *batch, int64_t i);
/* `out`, on the host, has the rows of which it is. */
void arrow_batch_compare(const struct arrow_batch *batch,
                         const struct ArrowArray *out);

#endif
