/*
 * Open CuPy arrays by their attributes, which takes a tenth of the time of
 * __dlpack__. __dlpack__ is used if the call's stream is not CuPy's current
 * stream.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "array.h"

int cupy_is(const py_state *state, PyObject *object) {
    return (PyObject *)Py_TYPE(object) == state->cupy[CUPY_ARRAY];
}

/* Read the address and the device of an array. */
static int take_memory(const py_state *state, PyObject *object, void **data_p,
                       int *device_p) {
    PyObject *const memory = PyObject_GetAttr(object, state->name_data);
    PyObject *const address =
        memory ? PyObject_GetAttr(memory, state->name_ptr) : NULL;
    PyObject *const device =
        address ? PyObject_GetAttr(memory, state->name_device_id) : NULL;
    if (device) {
        *data_p = (void *)(uintptr_t)PyLong_AsUnsignedLongLongMask(address);
        *device_p = (int)PyLong_AsLong(device);
    }
    Py_XDECREF(memory);
    Py_XDECREF(address);
    Py_XDECREF(device);
    return PyErr_Occurred() ? -1 : 0;
}

/* Read a tuple of numbers. Returns how many there are, or -1 with an
 * exception. */
static int take_numbers(PyObject *object, PyObject *name, int64_t *numbers,
                        int most) {
    PyObject *const tuple = PyObject_GetAttr(object, name);
    const Py_ssize_t count = tuple ? PyTuple_Size(tuple) : -1;
    for (Py_ssize_t i = 0; i < count && i < most; i++)
        numbers[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    Py_XDECREF(tuple);
    return PyErr_Occurred() ? -1 : (int)count;
}

/* Find CuPy's current stream on the array's device. */
static int take_stream(const py_state *state, py_array *array) {
    PyObject *const device = PyLong_FromLong(array->device);
    array->own = device ? PyObject_CallFunctionObjArgs(state->cupy[CUPY_STREAM],
                                                       device, NULL)
                        : NULL;
    Py_XDECREF(device);
    if (!array->own)
        return -1;
    PyObject *const number = PyObject_GetAttr(array->own, state->name_ptr);
    if (number)
        array->own_stream = PyLong_AsVoidPtr(number);
    Py_XDECREF(number);
    array->stream = array->own_stream;
    array->has_stream = 1;
    return PyErr_Occurred() ? -1 : 0;
}

int cupy_open(const py_state *state, py_array *array,
              const winnow_stream *stream) {
    PyObject *const object = array->object;
    if (!cupy_is(state, object))
        return 0;
    PyObject *const dtype = PyObject_GetAttr(object, state->name_dtype);
    array->element_bytes = dtype ? ndarray_take_dtype(state, array, dtype) : 0;
    Py_XDECREF(dtype);
    if (!array->element_bytes)
        return dtype ? 0 : -1;
    if (take_memory(state, object, &array->data, &array->device) ||
        take_stream(state, array))
        return -1;
    if (stream && *stream != array->own_stream) {
        Py_CLEAR(array->own);
        array->has_stream = 0;
        return 0;
    }
    const int dimensions =
        take_numbers(object, state->name_shape, array->shape, MOST_DIMENSIONS);
    if (dimensions < 0 || !array_has_room(array, dimensions) ||
        take_numbers(object, state->name_strides, array->strides,
                     MOST_DIMENSIONS) < 0)
        return -1;
    return 1;
}

/* Make an array as cupy.empty() does, without its Python code. */
PyObject *cupy_new(const py_state *state, const py_array *like, uint64_t n,
                   const char *type, void **data_p) {
    const int dimensions = n == NO_DIMENSION           ? 0
                           : type || !like->dimensions ? 1
                                                       : like->dimensions;
    PyObject *const dtype =
        type ? ndarray_dtype(state, type)
             : PyObject_GetAttr(like->object, state->name_dtype);
    PyObject *const shape = PyTuple_New(dimensions);
    int device = -1;
    for (int i = 0; shape && i < dimensions; i++)
        PyTuple_SetItem(shape, i,
                        PyLong_FromLongLong(i ? like->shape[i] : (int64_t)n));
    PyObject *made = dtype && shape && !PyErr_Occurred()
                         ? PyObject_CallFunctionObjArgs(state->cupy[CUPY_ARRAY],
                                                        shape, dtype, NULL)
                         : NULL;
    Py_XDECREF(dtype);
    Py_XDECREF(shape);
    if (!made || take_memory(state, made, data_p, &device) ||
        device != like->device) /* CuPy's current device is another one */
        Py_CLEAR(made);
    return made;
}

/* set_cupy(cupy.ndarray, cupy.cuda.get_current_stream, a NumPy array) */
static PyObject *set_cupy(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *type, *stream, *array;
    if (!PyArg_ParseTuple(arguments, "O!OO", &PyType_Type, &type, &stream,
                          &array) ||
        ndarray_learn(state, array))
        return NULL;
    if (state->numpy && !state->cupy[CUPY_ARRAY]) {
        state->cupy[CUPY_ARRAY] = Py_NewRef(type);
        state->cupy[CUPY_STREAM] = Py_NewRef(stream);
    }
    return Py_NewRef(Py_None);
}

PyMethodDef cupy_functions[] = {{"set_cupy", set_cupy, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
