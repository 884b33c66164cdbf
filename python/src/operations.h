/*
 * The other calls of the library. winnow's Python code makes their outputs, and
 * passes all arguments by place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_OPERATIONS_H
#define WINNOW_PYTHON_OPERATIONS_H

#include "state.h"

extern PyMethodDef operation_functions[];

#endif
