/*
 * The kinds of elements: types of the library, and NumPy's dates and durations.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_KIND_H
#define WINNOW_PYTHON_KIND_H

#include "state.h"

/* Return the type of the elements: int64 for dates and durations. */
winnow_type kind_type(int kind);
/* Return the format of a winnow_field. NULL for numbers. */
const char *kind_format(int kind);
/* Return NumPy's name of the kind. */
const char *kind_name(int kind);

#endif
