/*
 * Filters of tables, and filters by a mask. winnow's Python code passes all
 * arguments by position.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_OPERATIONS_H
#define WINNOW_PYTHON_OPERATIONS_H

#include "state.h"

extern PyMethodDef operation_functions[];

#endif
