/*
 * A condition that is ready for columns of certain types.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_PREPARED_H
#define WINNOW_PYTHON_PREPARED_H

#include "array.h"

typedef struct py_prepared {
    PyObject ob_base;
    winnow_condition *condition;
    winnow_predicate *predicate; /* the same, if it is one test; or NULL */
    int kind;                    /* of column 0 */
    PyObject *held;              /* tuple of views: what it points to */
} py_prepared;

/*
 * What a condition is for elements of a kind: text, a winnow.Condition, or a
 * winnow.Prepared. A new reference, or NULL with an exception.
 */
py_prepared *prepared_find(py_state *state, PyObject *condition, int kind);
/* What it is for a table: a pair of what is prepared, and of a tuple of the
 * places of the columns that it tests. A new reference, or NULL with an
 * exception. */
PyObject *prepared_for_table(py_state *state, PyObject *condition,
                             const py_array *columns, unsigned count);
/* Names and kinds of columns, as two tuples; 1, or 0 with an exception. */
int prepared_describe(const py_array *columns, unsigned count,
                      PyObject **names_p, PyObject **kinds_p);
/* The same as fields, for PyMem_Free(); NULL with an exception. */
winnow_field *prepared_fields(PyObject *names, PyObject *kinds);
/* What conditions are kept by: their text; NULL without an exception of one
 * that has sets or CUDA C, which keeps what is prepared in *kept_p. References
 * that are new, and borrowed. */
PyObject *prepared_text(py_state *state, PyObject *condition,
                        PyObject **kept_p);

int prepared_type_make(PyObject *module, py_state *state);

/* Functions of the module, which make them: prepared.c says what each takes. */
extern PyMethodDef prepared_functions[];

#endif
