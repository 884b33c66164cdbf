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
    winnow_predicate
        *predicate; /* the same, if it is one comparison; or NULL */
    int kind;       /* of column 0 */
    PyObject *held; /* tuple of views of arrays it points to */
} py_prepared;

/*
 * Prepare a condition for elements of a kind, or find it in the cache. The
 * condition is text, a winnow.Condition, or a winnow.Prepared. Returns a new
 * reference, or NULL with an exception.
 */
py_prepared *prepared_find(py_state *state, PyObject *condition, int kind);
/* The same for a table. Returns a pair: the winnow.Prepared, and a tuple of the
 * positions of the columns that it tests. A new reference, or NULL with an
 * exception. */
PyObject *prepared_for_table(py_state *state, PyObject *condition,
                             const py_array *columns, unsigned count);
/* Make two tuples of the names and the kinds of columns. Returns 1, or 0 with
 * an exception. */
int prepared_describe(const py_array *columns, unsigned count,
                      PyObject **names_p, PyObject **kinds_p);
/* Make fields with these names and kinds, to free by PyMem_Free(). NULL with an
 * exception. */
winnow_field *prepared_fields(PyObject *names, PyObject *kinds);
/* Return the text by which a condition is cached, a new reference. NULL without
 * an exception if the condition has a set or CUDA C: then *kept_p is its own
 * dictionary of what was prepared, a borrowed reference. */
PyObject *prepared_text(py_state *state, PyObject *condition,
                        PyObject **kept_p);

int prepared_type_make(PyObject *module, py_state *state);

/* Functions of the module. prepared.c says what arguments each takes. */
extern PyMethodDef prepared_functions[];

#endif
