/*
 * Arrays of a GPU by __cuda_array_interface__, which is a dictionary.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "array.h"
#include "kind.h"

static int take(py_array *array, PyObject *shape, PyObject *strides,
                const char *name) {
    const Py_ssize_t dimensions = PyTuple_Size(shape);
    if (dimensions > MOST_DIMENSIONS) {
        PyErr_Format(PyExc_ValueError, "%s has %zd dimensions, more than %d",
                     name, dimensions, MOST_DIMENSIONS);
        return -1;
    }
    array->dimensions = (int)dimensions;
    array->n = 1;
    array->item_bytes = array->element_bytes;
    array->stride = (int64_t)array->element_bytes;
    for (Py_ssize_t i = dimensions; i-- > 0;) {
        const long long length = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
        const long long stride =
            strides == Py_None ? (long long)array->item_bytes
                               : PyLong_AsLongLong(PyTuple_GetItem(strides, i));
        array->shape[i] = length;
        if (i == 0) {
            array->n = (uint64_t)length;
            array->stride = stride;
        } else {
            if (length != 1 && stride != (long long)array->item_bytes)
                array->rows_have_gaps = 1;
            array->item_bytes *= (size_t)length;
        }
    }
    return PyErr_Occurred() ? -1 : 0;
}

int interface_open(py_state *state, py_array *array, const char *name) {
    PyObject *shape = NULL, *strides = NULL;
    unsigned long long address = 0, stream = 0;
    int type = 0, device = 0;
    Py_ssize_t bytes = 0;
    if (!PyObject_HasAttrString(array->object, "__cuda_array_interface__"))
        return 0;
    /* (address, read only, shape, strides or None, bytes, type, device,
     * stream) */
    PyObject *const parts =
        library_call(state, "interface", "Os", array->object, name);
    if (!parts)
        return -1;
    array->owner = parts;
    if (!PyArg_ParseTuple(parts, "KpO!OniiK", &address, &array->read_only,
                          &PyTuple_Type, &shape, &strides, &bytes, &type,
                          &device, &stream))
        return -1;
    array->data = (void *)(uintptr_t)address;
    array->element_bytes = (size_t)bytes;
    array->kind = type;
    array->type = kind_type(type);
    array->device = device;
    array->stream = (winnow_stream)(uintptr_t)stream;
    array->has_stream = 1;
    return take(array, shape, strides, name) ? -1 : 1;
}
