/*
 * Tables: mappings of names to arrays of as many items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_TABLE_H
#define WINNOW_PYTHON_TABLE_H

#include "work.h"

/* A call on x takes a table: its columns as a dictionary. Other mappings,
 * and with `records` those of NumPy's, become one; NULL without an exception: x
 * is an array. A new reference. */
PyObject *table_of(py_state *state, PyObject *x, int records);
/* Open all columns of a dictionary, as work->table; messages call them by a
 * format of their names. With room for so many arrays for each. */
int table_open(py_work *work, PyObject *columns, unsigned use,
               const char *format, unsigned arrays);
/* Make the condition ready, and open what it tests. */
int table_condition(py_work *work, PyObject *condition);
/* The columns whose places are in a tuple are read. */
int table_read(py_work *work, PyObject *places);

#endif
