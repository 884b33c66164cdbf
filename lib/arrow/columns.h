/*
 * The columns of a record batch, for conditions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "device.h"

typedef struct winnow__arrow_columns {
    winnow__arrow_place *place;
    unsigned number;
    winnow_in *in;     /* zeros where the condition does not test the column */
    winnow_in *values; /* of columns that are dictionaries */
    void **buffers;    /* NULL, or the winnow_buffers of views */
} winnow__arrow_columns;

/* Of a batch that is checked. Free them in any case. */
winnow_status winnow__arrow_columns_make(winnow__arrow_columns *columns,
                                         winnow__arrow_place *place,
                                         const winnow_condition *condition,
                                         const struct ArrowSchema *schema,
                                         const struct ArrowArray *batch);
void winnow__arrow_columns_free(winnow__arrow_columns *columns);
