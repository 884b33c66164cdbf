/*
 * winnow.Reduction: the numbers of a winnow_reduction, which on a GPU are
 * waited for when the first of them is asked for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_REDUCTION_H
#define WINNOW_PYTHON_REDUCTION_H

#include "array.h"

/* One of the reductions that an array has: of so many, the one at a place.
 * `letter` says what its numbers are, as the module struct does; D: decimals,
 * with a scale. `indices` are those of what was packed before, or NULL. NULL
 * with an exception. */
PyObject *reduction_new(py_state *state, const py_array *made, unsigned count,
                        unsigned place, char letter, int scale, unsigned wanted,
                        PyObject *indices);

int reduction_type_make(PyObject *module, py_state *state);

/* A function of the module, which pickle calls. */
extern PyMethodDef reduction_type_functions[];

#endif
