/*
 * winnow.Reduction: the numbers of a winnow_reduction. On a GPU the first read
 * of a number waits for the call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_REDUCTION_H
#define WINNOW_PYTHON_REDUCTION_H

#include "array.h"

/* Make the object of reduction number `place` of an array that has `count`
 * reductions. `letter` is the type of its numbers, as in the module struct; D
 * means decimals with a scale. `indices` are the indices of elements that were
 * packed before, or NULL. NULL with an exception. */
PyObject *reduction_new(py_state *state, const py_array *made, unsigned count,
                        unsigned place, char letter, int scale, unsigned wanted,
                        PyObject *indices);

int reduction_type_make(PyObject *module, py_state *state);

/* The function of the module that pickle calls. */
extern PyMethodDef reduction_type_functions[];

#endif
