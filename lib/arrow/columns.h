/*
 * The columns of a record batch, for conditions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_ARROW_COLUMNS_H
#define WINNOW_LIB_ARROW_COLUMNS_H

#include "device.h"

typedef struct winnow__arrow_columns {
    winnow_in *in; /* of OPAQUE where no test takes the column */
    unsigned number;
} winnow__arrow_columns;

/* Of a batch that is checked. */
winnow_status winnow__arrow_columns_make(winnow__arrow_columns *columns,
                                         winnow__arrow_place *place,
                                         const struct ArrowSchema *schema,
                                         const struct ArrowArray *batch);
void winnow__arrow_columns_free(winnow__arrow_columns *columns);

#endif
