/*
 * Calls on a selection.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_SINK_H
#define WINNOW_PYTHON_SINK_H

#include "selection.h"
#include "words.h"

#define BIT(key) (1u << (key))

typedef struct py_selection {
    PyObject ob_base;
    uint64_t n;
    size_t bytes;
    void *memory;     /* the bits on the host, or NULL */
    PyObject *buffer; /* array of the bits; on the host NULL until read */
    PyObject *x;      /* an array of the items; its library makes outputs */
    /* The array of n=, the number of items that count, or NULL. None:
     * selections with different arrays were joined. */
    PyObject *counted;
    py_array like; /* x as it was opened; a borrowed array */
} py_selection;

py_state *selection_state(PyObject *self);

/* Open the bits of a selection as an input of a call. *like_p is an array like
 * which the outputs are made. */
const void *selection_bits(py_work *work, py_selection *selection,
                           const py_array **like_p);

/* A call on a selection: its work, its bits, and an array like which the
 * outputs are made. */
typedef struct py_sink {
    py_work *work;
    py_words words;
    const py_array *like;
    const void *bits;
} py_sink;

/* Begin a call on the selection `self`. Returns 0 with an exception. */
int sink_begin(py_sink *sink, PyObject *self, const char *function,
               Py_ssize_t wanted, unsigned allowed, PyObject *const *args,
               Py_ssize_t positional, PyObject *names);

typedef PyObject *py_sink_function(PyObject *self, PyObject *const *args,
                                   Py_ssize_t positional, PyObject *names);
py_sink_function selection_compact, selection_indices, selection_mask,
    selection_expand, selection_fill_holes;

#endif
