/*
 * Tables by Arrow's PyCapsule interface.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_ARROW_H
#define WINNOW_PYTHON_ARROW_H

#include "state.h"

/* Functions of the module for winnow._arrow: arrow.c says what each takes. */
extern PyMethodDef arrow_functions[];

#endif
