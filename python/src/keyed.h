/*
 * Calls with keys. winnow's Python code passes all arguments by position.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_KEYED_H
#define WINNOW_PYTHON_KEYED_H

#include "work.h"

/* Describe an array of keys to the library. Returns 0 with an exception. */
int keys_take(const py_array *keys, winnow_in *column);

/* Functions of the module. */
extern PyMethodDef keyed_functions[], sum_functions[];

#endif
