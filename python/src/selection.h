/*
 * winnow.Selection: which of n items are kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_SELECTION_H
#define WINNOW_PYTHON_SELECTION_H

#include "work.h"

/* Room for a selection of n items, by the library of an array. NULL with an
 * exception. */
py_array *selection_room(py_work *work, const py_array *like, uint64_t n,
                         size_t *bytes_p);

int selection_type_make(PyObject *module, py_state *state);

/* Functions of the module, which make them. */
extern PyMethodDef selection_functions[];

#endif
