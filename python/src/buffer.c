/*
 * Open arrays on the host by Python's buffer protocol.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "array.h"
#include "kind.h"

#include <string.h>

/* Take memory, shape and strides from the buffer. */
static int take_view(py_array *array) {
    const Py_buffer *const view = &array->view;
    if (!array_has_room(array, view->ndim))
        return -1;
    array->data = view->buf;
    array->element_bytes = (size_t)view->itemsize;
    array->read_only = view->readonly;
    for (int i = 0; i < view->ndim; i++) {
        array->shape[i] = view->shape[i];
        array->strides[i] = view->strides[i];
    }
    return 1;
}

/* Open an array through winnow._library.plain(). It shows NumPy's dates and
 * other packages' types, for which the buffer protocol has no format, as
 * integers, and refuses other objects. */
static int open_as(py_state *state, py_array *array) {
    PyObject *const pair =
        library_call(state, "plain", "Os", array->object, array_name(array));
    PyObject *view = NULL;
    int number = -1;
    if (!pair)
        return -1;
    if (!PyArg_ParseTuple(pair, "Oip", &view, &number, &array->is_bool)) {
        Py_DECREF(pair);
        return -1;
    }
    if (PyObject_GetBuffer(view, &array->view, PyBUF_FULL_RO)) {
        Py_DECREF(pair);
        return -1;
    }
    array->has_view = 1;
    array->owner = pair;
    array->kind = number >= 0 ? number : WINNOW_OPAQUE;
    array->type = kind_type(array->kind);
    if (number < 0)
        ndarray_trust(state, array->object);
    return take_view(array);
}

int buffer_open(py_state *state, py_array *array) {
    PyObject *const object = array->object;
    if (!PyObject_CheckBuffer(object))
        return 0;
    if (ndarray_learn(state, object))
        return -1;
    /* On some systems CuPy arrays have buffers, since the CPU can read their
     * memory. Leave them to another protocol. */
    if ((PyObject *)Py_TYPE(object) != state->ndarray &&
        PyObject_HasAttrString(object, "__cuda_array_interface__"))
        return 0;
    const int done = ndarray_open(state, array);
    return done ? done : open_as(state, array);
}
