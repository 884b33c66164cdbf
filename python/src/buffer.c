/*
 * Arrays of the host by Python's buffer protocol: NumPy's, and all others that
 * have it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "array.h"
#include "kind.h"

#include <string.h>

/* numpy.ndarray and numpy.empty, once an array of NumPy's is seen. */
static int learn_numpy(py_state *state, PyObject *object) {
    if (state->ndarray)
        return 0;
    PyObject *const modules = PyImport_GetModuleDict();
    PyObject *const numpy = PyDict_GetItemString(modules, "numpy");
    if (!numpy)
        return 0;
    PyObject *const ndarray = PyObject_GetAttrString(numpy, "ndarray");
    if (!ndarray || (PyObject *)Py_TYPE(object) != ndarray) {
        Py_XDECREF(ndarray);
        return ndarray ? 0 : -1;
    }
    state->numpy_empty = PyObject_GetAttrString(numpy, "empty");
    state->numpy_array = PyObject_GetAttrString(numpy, "array");
    if (!state->numpy_empty || !state->numpy_array) {
        Py_DECREF(ndarray);
        return -1;
    }
    state->ndarray = ndarray;
    return 0;
}

static winnow_type signed_type(size_t bytes) {
    return bytes == 1   ? WINNOW_INT8
           : bytes == 2 ? WINNOW_INT16
           : bytes == 4 ? WINNOW_INT32
           : bytes == 8 ? WINNOW_INT64
                        : WINNOW_OPAQUE;
}

static winnow_type unsigned_type(size_t bytes) {
    return bytes == 1   ? WINNOW_UINT8
           : bytes == 2 ? WINNOW_UINT16
           : bytes == 4 ? WINNOW_UINT32
           : bytes == 8 ? WINNOW_UINT64
                        : WINNOW_OPAQUE;
}

/* What the characters of Python's struct module say. Sizes are the view's: they
 * differ between "l" and "=l". */
static winnow_type type_of(const char *format, size_t bytes) {
    if (*format == '@' || *format == '=' || *format == '<' || *format == '^')
        format++;
    if (*format == '\0' || format[1] != '\0')
        return WINNOW_OPAQUE;
    switch (*format) {
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
        return signed_type(bytes);
    case '?':
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
        return unsigned_type(bytes);
    case 'e':
        return bytes == 2 ? WINNOW_FLOAT16 : WINNOW_OPAQUE;
    case 'f':
        return bytes == 4 ? WINNOW_FLOAT32 : WINNOW_OPAQUE;
    case 'd':
        return bytes == 8 ? WINNOW_FLOAT64 : WINNOW_OPAQUE;
    default:
        return WINNOW_OPAQUE;
    }
}

/* The dimensions of a view, from byte strides. */
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

/* What has no type of its own in the buffer protocol: NumPy's dates, and types
 * of other packages, as integers; and what has no business here is refused. */
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
    return take_view(array);
}

int buffer_open(py_state *state, py_array *array) {
    PyObject *const object = array->object;
    if (!PyObject_CheckBuffer(object))
        return 0;
    if (learn_numpy(state, object))
        return -1;
    /* CuPy's arrays have buffers where the CPU can read their memory. */
    if ((PyObject *)Py_TYPE(object) != state->ndarray &&
        PyObject_HasAttrString(object, "__cuda_array_interface__"))
        return 0;
    if (PyObject_GetBuffer(object, &array->view, PyBUF_FULL_RO)) {
        PyErr_Clear();
        return open_as(state, array);
    }
    array->has_view = 1;
    const Py_buffer *const view = &array->view;
    const char *const format = view->format ? view->format : "B";
    array->type = type_of(format, (size_t)view->itemsize);
    if (array->type == WINNOW_OPAQUE ||
        (PyObject *)Py_TYPE(object) != state->ndarray) {
        PyBuffer_Release(&array->view);
        array->has_view = 0;
        return open_as(state, array);
    }
    array->is_bool = format[strlen(format) - 1] == '?';
    return take_view(array);
}
