/*
 * winnow.Selection: one bit for each of n items, which says whether it is kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_SELECTION_H
#define WINNOW_PYTHON_SELECTION_H

#include "work.h"

/* Make an array of the library of `like` with room for a selection of n items.
 * NULL with an exception. */
py_array *selection_room(py_work *work, const py_array *like, uint64_t n,
                         size_t *bytes_p);

int selection_type_make(PyObject *module, py_state *state);

/* Functions of the module that make selections. */
extern PyMethodDef selection_functions[];

#endif
