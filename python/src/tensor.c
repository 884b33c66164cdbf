/*
 * PyTorch tensors: what DLPack's exchange API does not tell about them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "array.h"
#include "kind.h"

#include <string.h>

/* winnow._library.tensors() returns the parts in the order of enum
 * torch_part. */
int tensor_learn(py_state *state) {
    if (state->torch[TORCH_TENSOR])
        return 0;
    PyObject *const known = library_call(state, "tensors", "()");
    if (!known || known == Py_None) {
        Py_XDECREF(known);
        return known ? 0 : -1;
    }
    for (int i = 0; i < TORCH_PARTS; i++)
        if (!state->torch[i]) /* keep what forget_contexts() set after fork() */
            state->torch[i] = Py_XNewRef(PyTuple_GetItem(known, i));
    Py_DECREF(known);
    return PyErr_Occurred() ? -1 : 0;
}

int tensor_is(const py_state *state, PyObject *object) {
    PyObject *const type = (PyObject *)Py_TYPE(object);
    return type == state->torch[TORCH_TENSOR] ||
           type == state->torch[TORCH_PARAMETER];
}

int tensor_is_narrow(const py_state *state, py_array *array) {
    if (array->is_bool ||
        (array->type != WINNOW_INT8 && array->type != WINNOW_UINT8))
        return 0;
    PyObject *const dtype = PyObject_GetAttr(array->object, state->name_dtype);
    const int is_narrow =
        dtype &&
        dtype != PyTuple_GetItem(state->torch[TORCH_DTYPES], array->type);
    Py_XDECREF(dtype);
    if (is_narrow)
        array->kind = array->type = WINNOW_OPAQUE;
    return dtype ? is_narrow : -1;
}

/* Is a transform of torch.func active, or forward mode? -1 with an
 * exception. */
static int is_transformed(const py_state *state) {
    PyObject *const level = PyObject_CallNoArgs(state->torch[TORCH_LEVEL]);
    PyObject *const forward =
        PyDict_GetItemWithError(state->torch[TORCH_FORWARD], state->name_level);
    const int has_level = level && level != Py_None;
    const long depth = forward ? PyLong_AsLong(forward) : -1;
    Py_XDECREF(level);
    return PyErr_Occurred() ? -1 : has_level || depth >= 0;
}

int tensor_is_traced(py_state *state) {
    PyObject *const modes = PyObject_CallNoArgs(state->torch[TORCH_MODES]);
    PyObject *const before =
        PyObject_CallNoArgs(state->torch[TORCH_PRE_DISPATCH]);
    PyObject *const trace = PyObject_CallNoArgs(state->torch[TORCH_TRACE]);
    int is = !modes || !before || !trace                      ? -1
             : trace != Py_None                               ? 1
             : PyLong_AsLong(modes) != 0 || before == Py_True ? 2
                                                              : 0;
    Py_XDECREF(modes);
    Py_XDECREF(before);
    Py_XDECREF(trace);
    if (is == 2) { /* modes are active: most of them do not record */
        PyObject *const said = library_call(state, "is_traced", "()");
        Py_XDECREF(said);
        is = said ? said == Py_True : -1;
    }
    return is;
}

int tensor_has_gradient(py_state *state, PyObject *tensor, int *settled_p) {
    PyObject *wanted = PyObject_GetAttr(tensor, state->name_requires_grad);
    Py_XDECREF(wanted);
    if (wanted == Py_True) {
        wanted = PyObject_CallNoArgs(state->torch[TORCH_HAS_GRADIENTS]);
        Py_XDECREF(wanted);
    }
    if (wanted != Py_False)
        return wanted ? 1 : -1;
    const int transformed = *settled_p ? 0 : is_transformed(state);
    *settled_p = transformed == 0;
    if (transformed <= 0)
        return transformed;
    PyObject *const lost = library_call(state, "tangents", "O", tensor);
    Py_XDECREF(lost);
    return lost ? lost == Py_True : -1;
}

/* Does a method of the tensor return True? -1 with an exception. */
static int says(PyObject *tensor, PyObject *method) {
    PyObject *const is = PyObject_CallMethodObjArgs(tensor, method, NULL);
    Py_XDECREF(is);
    return is ? is == Py_True : -1;
}

/* Conjugate and negative views of PyTorch are marked by a bit, which the
 * exchange API ignores. Their memory has the original values. */
int tensor_is_lazy(const py_state *state, const py_array *array) {
    const int code = array->dtype.code;
    const int is =
        code == kDLComplex ? says(array->object, state->name_is_conj) : 0;
    return is || code == kDLBool ? is : says(array->object, state->name_is_neg);
}

/* Replace PyTorch's message, which is pages of C++ frames. */
int tensor_without_memory(py_state *state, const py_array *array) {
    if ((PyObject *)Py_TYPE(array->object) != state->torch[TORCH_TENSOR] ||
        !PyErr_ExceptionMatches(PyExc_RuntimeError))
        return -1;
    PyErr_Clear();
    PyObject *const why =
        library_call(state, "without_memory", "O", array->object);
    if (why)
        PyErr_Format(PyExc_TypeError, "%s is %U", array_name(array), why);
    Py_XDECREF(why);
    return -1;
}

/* -------------------------------------------------------------- new tensors */

/* Make a tuple of one number for each dimension. */
static PyObject *tuple_of(const int64_t *numbers, int count) {
    PyObject *const made = PyTuple_New(count);
    for (int i = 0; made && i < count; i++)
        PyTuple_SetItem(made, i, PyLong_FromLongLong(numbers[i]));
    return made;
}

/* Make a tensor by the function that PyTorch's compiled code allocates with. It
 * takes a third of the time of torch.empty(). The exchange API's allocator
 * makes tensors whose storage ignores record_stream() and cannot be resized. */
static PyObject *made_by(PyObject *empty, PyObject *dtype, const int64_t *shape,
                         int dimensions) {
    int64_t strides[MOST_DIMENSIONS], step = 1;
    for (int i = dimensions; i-- > 0;) {
        strides[i] = step;
        step *= shape[i] ? shape[i] : 1;
    }
    PyObject *const lengths = tuple_of(shape, dimensions);
    PyObject *const steps = tuple_of(strides, dimensions);
    PyObject *const all = lengths && steps && !PyErr_Occurred()
                              ? PyTuple_Pack(3, lengths, steps, dtype)
                              : NULL;
    PyObject *const made = all ? PyObject_CallObject(empty, all) : NULL;
    Py_XDECREF(lengths);
    Py_XDECREF(steps);
    Py_XDECREF(all);
    return made;
}

/* Return PyTorch's dtype of this name or, if `type` is NULL, the dtype of
 * `like`. */
static PyObject *dtype_of(const py_state *state, const py_array *like,
                          const char *type) {
    int place = type || like->is_bool ? 0 : (int)like->type;
    if (!type && !like->is_bool && like->type == WINNOW_OPAQUE)
        return PyObject_GetAttr(like->object, state->name_dtype);
    if (type && strcmp(type, "bool") != 0)
        while (strcmp(kind_name(place), type) != 0)
            place++;
    return Py_XNewRef(PyTuple_GetItem(state->torch[TORCH_DTYPES], place));
}

/* Is the new tensor on the device of `like`? PyTorch makes it on its current
 * device. Sets *data_p to its memory. */
static int is_there(const py_array *like, PyObject *made, void **data_p) {
    DLTensor tensor;
    if (like->api->dltensor_from_py_object_no_sync(made, &tensor)) {
        PyErr_Clear();
        return 0;
    }
    *data_p = tensor.data ? (char *)tensor.data + tensor.byte_offset : NULL;
    return like->device < 0 || tensor.device.device_id == like->device;
}

PyObject *tensor_new(py_state *state, const py_array *like, uint64_t n,
                     const char *type, void **data_p) {
    PyObject *const empty =
        state->torch[like->device >= 0 ? TORCH_EMPTY_CUDA : TORCH_EMPTY_CPU];
    const int dimensions = n == NO_DIMENSION           ? 0
                           : type || !like->dimensions ? 1
                                                       : like->dimensions;
    int64_t shape[MOST_DIMENSIONS];
    PyObject *made = NULL;
    *data_p = NULL;
    if (empty != Py_None && like->api->dltensor_from_py_object_no_sync) {
        memcpy(shape, like->shape, sizeof shape);
        shape[0] = (int64_t)n;
        PyObject *const dtype = dtype_of(state, like, type);
        made = dtype ? made_by(empty, dtype, shape, dimensions) : NULL;
        Py_XDECREF(dtype);
        if (!made || is_there(like, made, data_p))
            return made;
        Py_DECREF(made);
        *data_p = NULL;
    }
    PyObject *const number =
        n == NO_DIMENSION ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(n);
    return number
               ? library_call(state, "empty", "ONzK", like->object, number,
                              type, (unsigned long long)(uintptr_t)like->stream)
               : NULL;
}

/* ---------------------------------------------------------------- autograd */

int tensors_written(const py_state *state, const py_array *arrays,
                    unsigned count) {
    PyObject *written = NULL;
    int status = 0;
    for (unsigned i = 0; status == 0 && i < count; i++) {
        if (!arrays[i].is_written || !arrays[i].is_tensor)
            continue;
        if (!written && !(written = PyList_New(0)))
            return -1;
        status = PyList_Append(written, arrays[i].object);
    }
    if (!written || status) {
        Py_XDECREF(written);
        return status;
    }
    PyObject *const done = PyObject_CallFunctionObjArgs(
        state->torch[TORCH_INCREMENT], written, NULL);
    Py_XDECREF(done);
    Py_DECREF(written);
    return done ? 0 : -1;
}
