/*
 * Tables: mappings of names to arrays with the same number of items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_TABLE_H
#define WINNOW_PYTHON_TABLE_H

#include "work.h"

/* Return the columns of x as a dictionary. x may be a dictionary, another
 * mapping or, if `records` is set, NumPy records. NULL without an exception if
 * x is an array. A new reference. */
PyObject *table_of(py_state *state, PyObject *x, int records);
/* Open all columns of a dictionary, as work->table. `format` makes a column's
 * name in messages from its key. `arrays` is the number of arrays that the call
 * opens for each column. */
int table_open(py_work *work, PyObject *columns, unsigned use,
               const char *format, unsigned arrays);
/* Prepare the condition, and open the columns that it tests. */
int table_condition(py_work *work, PyObject *condition);
/* Open the columns at the positions in a tuple, for reading. */
int table_read(py_work *work, PyObject *places);

#endif
