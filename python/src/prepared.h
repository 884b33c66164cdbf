/*
 * A condition that is ready for columns of certain types.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_PREPARED_H
#define WINNOW_PYTHON_PREPARED_H

#include "state.h"

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

int prepared_type_make(PyObject *module, py_state *state);

/* Functions of the module, which make them: prepared.c says what each takes. */
extern PyMethodDef prepared_functions[];

#endif
