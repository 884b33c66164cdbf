/*
 * Results of filters: winnow.Result, a class in Python (_result.py).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_RESULT_H
#define WINNOW_PYTHON_RESULT_H

#include "array.h"

/*
 * Make a Result or Rows. `class` is NULL for a Result. The count is an array
 * or, if `count` is NULL, the number `known`. NULL with an exception.
 */
PyObject *result_new(const py_state *state, PyObject *class, PyObject *buffer,
                     const py_array *count, uint64_t known, uint64_t capacity);

/* Is the object a Result or Rows? */
int result_is(const py_state *state, PyObject *object);
/* Is this a result, and not a batch of results? If not, sets an exception. */
int result_is_one(const py_state *state, PyObject *result);
/* Set n= of a call on a Result to the Result, since its count is n. Returns 0
 * with an exception if the caller passed another n. */
int result_counts(PyObject *result, PyObject **n);
/* Return the count, an array or a number. Reduce *capacity_p to the Result's
 * capacity. A new reference, or NULL with an exception. */
PyObject *result_count(const py_state *state, PyObject *result,
                       uint64_t *capacity_p);

/* Functions of the module that the classes use. */
extern PyMethodDef result_functions[];

#endif
