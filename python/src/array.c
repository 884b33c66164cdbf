/*
 * Which protocol an array is read by, and what a call asks of its layout.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "array.h"
#include "kind.h"

#include <string.h>

static int is_ndarray(const py_state *state, PyObject *object) {
    return (PyObject *)Py_TYPE(object) == state->ndarray;
}

/* By any of the protocols, the cheapest first. */
static int open_any(py_state *state, py_array *array, const char *name,
                    const winnow_stream *stream) {
    PyObject *const object = array->object;
    const DLPackExchangeAPI *api = NULL;
    int done = 0;
    if (!is_ndarray(state, object)) {
        if (exchange_find(state, object, &api))
            return -1;
        if (api)
            return exchange_open(state, array, api, name) < 0 ? -1 : 0;
    }
    done = buffer_open(state, array, object, name);
    if (!done)
        done = capsule_open(state, array, name, stream);
    if (!done)
        done = interface_open(state, array, name);
    if (!done)
        PyErr_Format(PyExc_TypeError,
                     "%s is no array: %.200R has no buffer, no __dlpack__ and "
                     "no __cuda_array_interface__",
                     name, (PyObject *)Py_TYPE(object));
    return done > 0 ? 0 : -1;
}

static int side_by_side(const py_array *array) {
    return !array->rows_have_gaps &&
           (array->n < 2 || array->stride == (int64_t)array->item_bytes);
}

static int aligned(const py_array *array) {
    const size_t size = winnow_type_size(array->type);
    return size == 0 || (uintptr_t)array->data % size == 0;
}

int array_open(py_state *state, py_array *array, PyObject *object,
               const char *name, unsigned use, const winnow_stream *stream) {
    memset(array, 0, sizeof *array);
    array->device = WINNOW_DEVICE_HOST;
    array->object = Py_NewRef(object);
    if (open_any(state, array, name, stream))
        goto failed;
    if (array->n && !array->data) {
        PyErr_Format(
            PyExc_ValueError,
            "%s has no memory: it is an array that only stands for one", name);
        goto failed;
    }
    if (use & ARRAY_WRITE) {
        if (array->is_lazy) {
            PyErr_Format(PyExc_ValueError,
                         "%s is a conjugate or negative view: it cannot be "
                         "written to",
                         name);
            goto failed;
        }
        if (array->read_only) {
            PyErr_Format(PyExc_ValueError, "%s is read-only", name);
            goto failed;
        }
        if (!side_by_side(array) || !aligned(array)) {
            PyErr_Format(PyExc_ValueError,
                         "%s has gaps, a negative stride or no alignment: it "
                         "cannot be written to",
                         name);
            goto failed;
        }
    } else if (array->is_lazy || (use & ARRAY_STRIDES ? array->rows_have_gaps
                                                      : !side_by_side(array) ||
                                                            !aligned(array))) {
        PyObject *const copy =
            library_call(state, "contiguous", "Os", object, name);
        if (!copy)
            goto failed;
        array_close(array);
        const int status = array_open(state, array, copy, name, use, stream);
        Py_DECREF(copy);
        return status;
    }
    if (!array->kind)
        array->kind = (int)array->type;
    return 0;
failed:
    array_close(array);
    return -1;
}

void array_close(py_array *array) {
    if (array->has_view)
        PyBuffer_Release(&array->view);
    if (array->managed && array->managed->deleter)
        array->managed->deleter(array->managed);
    PyMem_Free(array->valid);
    array->valid = NULL;
    Py_CLEAR(array->owner);
    Py_CLEAR(array->object);
    array->has_view = 0;
    array->managed = NULL;
}

/* ------------------------------------------------------------------ validity */

/* An element, which may lie anywhere. */
static uint64_t element(const py_array *array, uint64_t i) {
    uint64_t number;
    memcpy(&number, (const char *)array->data + (int64_t)i * array->stride,
           sizeof number);
    return number;
}

/* Is one of these NaT, 2^63? It is the one number whose lowest bit that is set is
 * the highest there is. Without a branch this takes as long as memory does. */
static int some_nat(const uint64_t *numbers, uint64_t n) {
    uint64_t all = 0;
    for (uint64_t i = 0; i < n; i++)
        all |= numbers[i] & (0 - numbers[i]);
    return (all >> 63) != 0;
}

/* The first from `i` on that is NaT, or n. */
static uint64_t find_nat(const py_array *array, uint64_t i) {
    const uint64_t block = 1024;
    const int is_plain = array->stride == 8 && aligned(array);
    while (i < array->n) {
        if (is_plain && i % block == 0 && array->n - i >= block &&
            !some_nat((const uint64_t *)array->data + i, block)) {
            i += block;
        } else if (element(array, i) == UINT64_C(1) << 63) {
            return i;
        } else {
            i++;
        }
    }
    return i;
}

int array_valid(py_array *array, const void **valid_p) {
    *valid_p = array->valid;
    if (array->valid || array->device != WINNOW_DEVICE_HOST ||
        array->dimensions != 1 || !kind_format(array->kind))
        return 0;
    uint64_t i;
    /* This takes about as long as a call. */
    Py_BEGIN_ALLOW_THREADS i = find_nat(array, 0);
    Py_END_ALLOW_THREADS if (i == array->n) return 0;
    const size_t bytes = (size_t)(array->n / 8 + 1);
    array->valid = PyMem_Malloc(bytes);
    if (!array->valid) {
        PyErr_NoMemory();
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS memset(array->valid, 0xff, bytes);
    for (; i < array->n; i = find_nat(array, i + 1))
        array->valid[i / 8] &= (unsigned char)~(1u << i % 8);
    Py_END_ALLOW_THREADS *valid_p = array->valid;
    return 0;
}

int array_is(py_state *state, PyObject *object) {
    const DLPackExchangeAPI *api = NULL;
    if (PyLong_Check(object))
        return 0;
    if (is_ndarray(state, object))
        return 1;
    if (exchange_find(state, object, &api))
        PyErr_Clear();
    if (api)
        return 1;
    if (PyObject_HasAttrString(object, "__cuda_array_interface__"))
        return 1;
    if (PyObject_CheckBuffer(object)) /* NumPy's scalars are numbers */
        return !PyIndex_Check(object);
    return PyObject_HasAttrString(object, "__dlpack__");
}

/* --------------------------------------------------------------- new arrays */

PyObject *array_number(py_state *state, PyObject *like, uint64_t number) {
    if (!is_ndarray(state, like))
        return library_call(state, "number", "OK", like,
                            (unsigned long long)number);
    PyObject *const value = PyLong_FromUnsignedLongLong(number);
    PyObject *const made =
        value ? PyObject_CallFunctionObjArgs(state->numpy_array, value, NULL)
              : NULL;
    Py_XDECREF(value);
    return made;
}

static void no_memory(void *unused, const char *kind, const char *message) {
    (void)unused;
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyErr_Format(PyExc_MemoryError, "%s: %s", kind, message);
    PyGILState_Release(lock);
}

static DLDataType named(const char *type) {
    static const struct {
        const char *name;
        DLDataType dtype;
    } types[] = {{"int64", {kDLInt, 64, 1}},
                 {"uint64", {kDLUInt, 64, 1}},
                 {"float64", {kDLFloat, 64, 1}},
                 {"bool", {kDLBool, 8, 1}}};
    size_t i = 0;
    while (strcmp(types[i].name, type) != 0)
        i++;
    return types[i].dtype;
}

static PyObject *exchange_new(const py_array *like, uint64_t n,
                              const char *type) {
    DLManagedTensorVersioned *managed = NULL;
    void *object = NULL;
    int64_t shape[MOST_DIMENSIONS], strides[MOST_DIMENSIONS];
    int64_t step = 1;
    memcpy(shape, like->shape, sizeof shape);
    shape[0] = (int64_t)n;
    DLTensor prototype = {.dtype = type ? named(type) : like->dtype,
                          .ndim = n == NO_DIMENSION ? 0
                                  : type || !like->dimensions
                                      ? 1
                                      : like->dimensions,
                          .shape = shape,
                          .strides = strides,
                          .device = {like->device >= 0 ? kDLCUDA : kDLCPU,
                                     like->device >= 0 ? like->device : 0}};
    for (int i = prototype.ndim; i-- > 0;) {
        strides[i] = step;
        step *= shape[i];
    }
    if (like->api->managed_tensor_allocator(&prototype, &managed, NULL,
                                            no_memory) ||
        like->api->managed_tensor_to_py_object_no_sync(managed, &object)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_MemoryError, "the library makes no array");
        return NULL;
    }
    return object;
}

/* numpy.empty(n, dtype), without other Python code. */
static PyObject *ndarray_new(py_state *state, const py_array *like, uint64_t n,
                             const char *type) {
    PyObject *made = NULL;
    PyObject *const dtype =
        type ? PyUnicode_FromString(type)
             : PyObject_GetAttr(like->object, state->name_dtype);
    PyObject *const shape =
        n == NO_DIMENSION ? PyTuple_New(0) : PyLong_FromUnsignedLongLong(n);
    if (dtype && shape)
        made = PyObject_CallFunctionObjArgs(state->numpy_empty, shape, dtype,
                                            NULL);
    Py_XDECREF(dtype);
    Py_XDECREF(shape);
    return made;
}

PyObject *array_new(py_state *state, const py_array *like, uint64_t n,
                    const char *type) {
    if (n != NO_DIMENSION && n > PY_SSIZE_T_MAX)
        return PyErr_NoMemory();
    if (like->api)
        return exchange_new(like, n, type);
    if (is_ndarray(state, like->object) && (type || like->dimensions == 1))
        return ndarray_new(state, like, n, type);
    if (n == NO_DIMENSION)
        return library_call(state, "empty", "OOz", like->object, Py_None, type);
    return library_call(state, "empty", "OKz", like->object,
                        (unsigned long long)n, type);
}
