/*
 * Open arrays on a GPU by __cuda_array_interface__, which is a dictionary.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "array.h"
#include "kind.h"

static int take(py_array *array, PyObject *shape, PyObject *strides) {
    const Py_ssize_t dimensions = PyTuple_Size(shape);
    long long side_by_side = (long long)array->element_bytes;
    if (!array_has_room(array, dimensions))
        return -1;
    for (Py_ssize_t i = dimensions; i-- > 0;) {
        array->shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
        array->strides[i] =
            strides == Py_None ? side_by_side
                               : PyLong_AsLongLong(PyTuple_GetItem(strides, i));
        side_by_side *= array->shape[i];
    }
    return PyErr_Occurred() ? -1 : 1;
}

int interface_open(py_state *state, py_array *array) {
    PyObject *shape = NULL, *strides = NULL;
    unsigned long long address = 0, stream = 0;
    int type = 0, device = 0;
    Py_ssize_t bytes = 0;
    if (!PyObject_HasAttrString(array->object, "__cuda_array_interface__"))
        return 0;
    /* (address, read only, shape, strides or None, bytes, type, device,
     * stream) */
    PyObject *const parts = library_call(state, "interface", "Os",
                                         array->object, array_name(array));
    if (!parts)
        return -1;
    array->owner = parts;
    if (!PyArg_ParseTuple(parts, "KpO!OnipiK", &address, &array->read_only,
                          &PyTuple_Type, &shape, &strides, &bytes, &type,
                          &array->is_bool, &device, &stream))
        return -1;
    array->data = (void *)(uintptr_t)address;
    array->element_bytes = (size_t)bytes;
    array->kind = type;
    array->type = kind_type(type);
    array->device = device;
    array->stream = (winnow_stream)(uintptr_t)stream;
    array->has_stream = 1;
    return take(array, shape, strides);
}
