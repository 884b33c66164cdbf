/*
 * The filter of a record batch.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "device.h"

/* winnow_filter_arrow() with arguments that are not NULL. `gives`: the batch
 * belongs to the library, which may move arrays out of it and then releases it. */
winnow_status winnow__arrow_filter(winnow_context *context,
                                   const winnow_condition *condition,
                                   const struct ArrowSchema *schema,
                                   struct ArrowDeviceArray *in, bool gives,
                                   struct ArrowDeviceArray *out,
                                   const winnow_launch *launch);

/* WINNOW_OK if a context can access arrays of such a device. */
winnow_status winnow__arrow_check_place(const winnow_context *context,
                                        const char *member,
                                        ArrowDeviceType type);

/* ---- columns.c: the columns of a record batch, for conditions. */
typedef struct winnow__arrow_columns {
    winnow__arrow_place *place;
    unsigned number;
    winnow_in *in;     /* zero if the condition does not test the column */
    winnow_in *values; /* the values of columns that are dictionaries */
    void **buffers;    /* NULL, or the winnow_buffers of views */
} winnow__arrow_columns;

/* Describe the columns of a checked batch. Free them even after an error. */
winnow_status winnow__arrow_columns_make(winnow__arrow_columns *columns,
                                         winnow__arrow_place *place,
                                         const winnow_condition *condition,
                                         const struct ArrowSchema *schema,
                                         const struct ArrowArray *batch);
void winnow__arrow_columns_free(winnow__arrow_columns *columns);
