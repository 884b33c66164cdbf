/*
 * What the elements of an array mean.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_KIND_H
#define WINNOW_PYTHON_KIND_H

#include "state.h"

/* The type of the elements: int64 of moments. */
winnow_type kind_type(int kind);
/* As a winnow_field has it, NULL of numbers. */
const char *kind_format(int kind);
/* As NumPy calls it. */
const char *kind_name(int kind);

#endif
