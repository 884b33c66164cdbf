/*
 * Open arrays by the protocols, check their layout for a call, and make new
 * arrays.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "array.h"
#include "kind.h"
#include "result.h"

#include <stddef.h>
#include <string.h>

static void clear(py_array *array) {
    memset(array, 0, offsetof(py_array, shape));
}

static int is_ndarray(const py_state *state, PyObject *object) {
    return (PyObject *)Py_TYPE(object) == state->ndarray;
}

const char *array_name(const py_array *array) {
    if (!array->key)
        return array->name;
    if (!array->label) {
        py_array *const named = (py_array *)(uintptr_t)array;
        named->label = PyUnicode_FromFormat(array->name, array->key);
    }
    const char *const text =
        array->label ? PyUnicode_AsUTF8AndSize(array->label, NULL) : NULL;
    if (!text)
        PyErr_Clear();
    return text ? text : "a column";
}

/* ------------------------------------------------------------------- layout */

int array_has_room(py_array *array, int64_t dimensions) {
    array->dimensions = (int)dimensions;
    if (dimensions <= MOST_DIMENSIONS)
        return 1;
    PyErr_Format(PyExc_ValueError, "%s has %lld dimensions, more than %d",
                 array_name(array), (long long)dimensions, MOST_DIMENSIONS);
    return 0;
}

void array_lay_out(py_array *array) {
    array->n = array->dimensions ? (uint64_t)array->shape[0] : 1;
    array->item_bytes = array->element_bytes;
    array->rows_have_gaps = 0;
    for (int i = array->dimensions; i-- > 1;) {
        if (array->shape[i] != 1 &&
            array->strides[i] != (int64_t)array->item_bytes)
            array->rows_have_gaps = 1;
        array->item_bytes *= (size_t)array->shape[i];
    }
    /* With one item at most, the stride has no meaning. */
    array->stride =
        array->n > 1 ? array->strides[0] : (int64_t)array->item_bytes;
    if (array->n == 0 || array->item_bytes == 0) {
        array->stride = (int64_t)array->item_bytes;
        array->rows_have_gaps = 0;
    }
}

static int side_by_side(const py_array *array) {
    return !array->rows_have_gaps &&
           array->stride == (int64_t)array->item_bytes;
}

static int aligned(const py_array *array, unsigned use) {
    const size_t item = array->item_bytes;
    const int whole = use & ARRAY_ITEMS && item <= 16 && !(item & (item - 1));
    const size_t size = whole ? item : winnow_type_size(array->type);
    return size == 0 || (uintptr_t)array->data % size == 0;
}

int array_same_items(const py_array *a, const py_array *b) {
    PyObject *first, *second;
    int same = a->kind == b->kind && a->element_bytes == b->element_bytes &&
               a->is_bool == b->is_bool;
    for (int i = 1; i < a->dimensions || i < b->dimensions; i++)
        same = same && a->dimensions == b->dimensions &&
               a->shape[i] == b->shape[i];
    if (!same || a->type != WINNOW_OPAQUE ||
        Py_TYPE(a->object) != Py_TYPE(b->object))
        return same;
    /* Elements that the library does not interpret may still have different
     * dtypes. */
    first = PyObject_GetAttrString(a->object, "dtype");
    second = first ? PyObject_GetAttrString(b->object, "dtype") : NULL;
    if (second)
        same = PyObject_RichCompareBool(first, second, Py_EQ) == 1;
    PyErr_Clear();
    Py_XDECREF(first);
    Py_XDECREF(second);
    return same;
}

/* Requires that both are contiguous. */
int array_apart(const py_array *a, const py_array *b) {
    const uintptr_t a_start = (uintptr_t)a->data, b_start = (uintptr_t)b->data;
    return a_start + a->n * a->item_bytes <= b_start ||
           b_start + b->n * b->item_bytes <= a_start;
}

/* ---------------------------------------------------------- opening arrays */

/* Try all protocols, the cheapest first. */
static int open_any(py_state *state, py_array *array,
                    const winnow_stream *stream) {
    PyObject *const object = array->object;
    const DLPackExchangeAPI *api = NULL;
    int done = is_ndarray(state, object) ? ndarray_open(state, array)
                                         : cupy_open(state, array, stream);
    if (!done && !is_ndarray(state, object)) {
        if (exchange_find(state, object, &api))
            return -1;
        if (api)
            done = exchange_open(state, array, api);
    }
    if (!done)
        done = buffer_open(state, array);
    if (!done)
        done = capsule_open(state, array, stream);
    if (!done)
        done = interface_open(state, array);
    if (!done)
        Py_XDECREF(
            library_call(state, "refuse", "Os", object, array_name(array)));
    return done > 0 ? 0 : -1;
}

/* Check everything that a use requires except the layout. */
static int check_use(py_state *state, py_array *array, unsigned use) {
    if (array->n && array->item_bytes && !array->data) {
        PyErr_Format(
            PyExc_ValueError,
            "%s has no memory: its address is NULL, as that of a fake tensor",
            array_name(array));
        return -1;
    }
    if (use & ARRAY_FLAT && array->dimensions != 1) {
        PyErr_Format(PyExc_ValueError,
                     "%s has %d dimensions, not 1: pass reshape(-1) of it",
                     array_name(array), array->dimensions);
        return -1;
    }
    if (use & ARRAY_NUMBERS && array->type == WINNOW_OPAQUE) {
        PyErr_Format(PyExc_TypeError,
                     "%s has elements of %zu bytes that are no numbers",
                     array_name(array), array->element_bytes);
        return -1;
    }
    const int traced =
        array->is_tensor && !(use & (ARRAY_SETTLED | ARRAY_UNTRACED))
            ? tensor_is_traced(state)
            : 0;
    if (traced > 0)
        PyErr_Format(PyExc_TypeError,
                     "%s is traced by make_fx() or torch.jit.trace(), to which "
                     "the result would be a constant: winnow.torch.copy_if() "
                     "takes it",
                     array_name(array));
    if (traced || !(use & (ARRAY_WRITE | ARRAY_NO_GRADIENT)))
        return traced ? -1 : 0;
    array->is_settled = (use & ARRAY_SETTLED) != 0;
    const int lost =
        array->is_tensor
            ? tensor_has_gradient(state, array->object, &array->is_settled)
            : 0;
    if (lost > 0)
        PyErr_Format(PyExc_ValueError,
                     "%s requires a gradient, which this call does not have: "
                     "pass detach() of it, or use winnow.torch.copy_if()",
                     array_name(array));
    return lost ? -1 : 0;
}

/* Return README's words for a layout that is not contiguous or aligned, else
 * NULL. */
static const char *layout_of(const py_array *array, unsigned use) {
    return array->is_lazy          ? "is a conjugate or negative view"
           : array->rows_have_gaps ? "has gaps"
           : array->stride == 0 && array->item_bytes ? "has a stride of 0"
           : array->stride < 0                       ? "has a negative stride"
           : !side_by_side(array)                    ? "has gaps"
           : !aligned(array, use)                    ? "has no alignment"
                                                     : NULL;
}

static int check_output(const py_array *array) {
    const char *const layout = layout_of(array, 0);
    if (layout)
        PyErr_Format(PyExc_ValueError, "%s %s, and cannot be written to",
                     array_name(array), layout);
    else if (array->read_only)
        PyErr_Format(PyExc_ValueError, "%s is read-only", array_name(array));
    return layout || array->read_only ? -1 : 0;
}

int array_fits(const py_array *array, unsigned use) {
    if (array->is_lazy || array->rows_have_gaps)
        return 0;
    if (use & ARRAY_STRIDES) /* to the library a stride of 0 means contiguous */
        return array->stride != 0 || array->item_bytes == 0;
    return side_by_side(array) && (use & ARRAY_BYTES || aligned(array, use));
}

static int open_copy(py_state *state, py_array *array, unsigned use,
                     const winnow_stream *stream) {
    const py_name name = {array->name, Py_XNewRef(array->key)};
    PyObject *const copy = library_call(
        state, "contiguous", "OsK", array->object, array_name(array),
        (unsigned long long)(uintptr_t)(stream ? *stream : array->stream));
    int status = -1;
    if (copy) {
        array_close(array);
        status =
            array_open(state, array, copy, name, use | ARRAY_COPIED, stream);
    }
    Py_XDECREF(copy);
    Py_XDECREF(name.key);
    return status;
}

int array_use(py_state *state, py_array *array, unsigned use,
              const winnow_stream *stream) {
    if (check_use(state, array, use) ||
        (use & ARRAY_WRITE && check_output(array)))
        return -1;
    if (use & ARRAY_WRITE || array_fits(array, use))
        return 0;
    if (!(use & ARRAY_COPIED))
        return open_copy(state, array, use, stream);
    PyErr_Format(PyExc_ValueError, "%s %s, and so has its copy",
                 array_name(array), layout_of(array, use));
    return -1;
}

int array_open(py_state *state, py_array *array, PyObject *object, py_name name,
               unsigned use, const winnow_stream *stream) {
    clear(array);
    array->device = WINNOW_DEVICE_HOST;
    array->name = name.format;
    array->key = Py_XNewRef(name.key);
    array->object = Py_NewRef(object);
    if (!open_any(state, array, stream)) {
        array_lay_out(array);
        if (!array->kind)
            array->kind = (int)array->type;
        if (!array_use(state, array, use, stream))
            return 0;
    }
    array_close(array);
    return -1;
}

int array_look_again(py_state *state, const py_array *array) {
    py_array now;
    int opened = 0;
    clear(&now);
    now.name = array->name;
    now.key = Py_XNewRef(array->key);
    now.object = Py_NewRef(array->object);
    if (array->api)
        opened = exchange_open(state, &now, array->api);
    else if (is_ndarray(state, array->object))
        opened = ndarray_open(state, &now);
    if (opened > 0) {
        array_lay_out(&now);
        if (now.data != array->data || now.n != array->n) {
            PyErr_Format(
                PyExc_ValueError,
                "%s got other memory while the call read its arguments",
                array_name(array));
            opened = -1;
        }
    }
    array_close(&now);
    return opened < 0 ? -1 : 0;
}

void array_borrow(py_array *array, const py_array *from, PyObject *owner) {
    *array = *from;
    Py_XINCREF(array->key);
    array->label = NULL;
    array->valid = NULL;
    array->is_borrowed = 1;
    array->owner = Py_NewRef(owner);
}

void array_close(py_array *array) {
    PyMem_Free(array->valid);
    if (!array->is_borrowed) {
        if (array->has_view)
            PyBuffer_Release(&array->view);
        if (array->managed && array->managed->deleter)
            array->managed->deleter(array->managed);
        Py_CLEAR(array->own);
        Py_CLEAR(array->object);
    }
    Py_CLEAR(array->owner);
    Py_CLEAR(array->key);
    Py_CLEAR(array->label);
    array->valid = NULL;
    array->has_view = 0;
    array->managed = NULL;
}

PyObject *array_stream(const py_array *array) {
    if (array->own && array->own_stream == array->stream)
        return Py_NewRef(array->own);
    return array->has_stream ? PyLong_FromVoidPtr((void *)array->stream)
                             : Py_NewRef(Py_None);
}

/* ---------------------------------------------------------------- validity */

/* Read an element, which need not be aligned. */
static uint64_t element(const py_array *array, uint64_t i) {
    uint64_t number;
    memcpy(&number, (const char *)array->data + (int64_t)i * array->stride,
           sizeof number);
    return number;
}

/* Is one of these numbers NaT, 2^63? It is the only number whose lowest set
 * bit is bit 63. Without a branch the loop runs at the speed of memory. */
static int some_nat(const uint64_t *numbers, uint64_t n) {
    uint64_t all = 0;
    for (uint64_t i = 0; i < n; i++)
        all |= numbers[i] & (0 - numbers[i]);
    return (all >> 63) != 0;
}

/* Return the index of the first NaT from `i` on, or n. */
static uint64_t find_nat(const py_array *array, uint64_t i) {
    const uint64_t block = 1024;
    const int is_plain = array->stride == 8 && aligned(array, 0);
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
    /* The search takes about as long as a call, so other threads may run. */
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

int array_is_plain(py_state *state, PyObject *object) {
    const DLPackExchangeAPI *api = NULL;
    if (is_ndarray(state, object) || cupy_is(state, object))
        return 1;
    if (exchange_find(state, object, &api))
        PyErr_Clear();
    return api != NULL;
}

int array_is(py_state *state, PyObject *object) {
    if (PyLong_Check(object))
        return 0;
    if (array_is_plain(state, object))
        return 1;
    if (PyObject_HasAttrString(object, "__cuda_array_interface__"))
        return 1;
    if (!PyObject_CheckBuffer(object))
        return PyObject_HasAttrString(object, "__dlpack__");
    if (!PyIndex_Check(object))
        return 1;
    /* Numbers of NumPy and JAX have buffers, too, but no dimensions. An ndarray is an
     * array also without them. */
    if (PyObject_HasAttrString(object, "__array_finalize__"))
        return 1;
    PyObject *const ndim = PyObject_GetAttrString(object, "ndim");
    const long dimensions = ndim ? PyLong_AsLong(ndim) : 0;
    Py_XDECREF(ndim);
    PyErr_Clear();
    return dimensions > 0;
}

/* --------------------------------------------------------------- new arrays */

static void no_memory(void *unused, const char *kind, const char *message) {
    /* Libraries print their stack after the first line. */
    const int length = (int)strcspn(message, "\n");
    char line[512];
    (void)unused;
    PyOS_snprintf(line, sizeof line, "%s: %.*s", kind, length, message);
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyErr_SetString(PyExc_MemoryError, line);
    PyGILState_Release(lock);
}

static DLDataType named(const char *type) {
    static const struct {
        const char *name;
        DLDataType dtype;
    } types[] = {{"int64", {kDLInt, 64, 1}},
                 {"uint64", {kDLUInt, 64, 1}},
                 {"float64", {kDLFloat, 64, 1}},
                 {"int32", {kDLInt, 32, 1}},
                 {"bool", {kDLBool, 8, 1}}};
    size_t i = 0;
    while (strcmp(types[i].name, type) != 0)
        i++;
    return types[i].dtype;
}

/* array_new() by the exchange API. *data_p is the memory, or NULL if the
 * caller has to open the array to find it. */
static PyObject *exchange_new(py_state *state, const py_array *like, uint64_t n,
                              const char *type, void **data_p) {
    if (like->is_tensor)
        return tensor_new(state, like, n, type, data_p);
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
    const int failed = like->api->managed_tensor_allocator(&prototype, &managed,
                                                           NULL, no_memory);
    if (!failed)
        *data_p =
            (char *)managed->dl_tensor.data + managed->dl_tensor.byte_offset;
    if (failed ||
        like->api->managed_tensor_to_py_object_no_sync(managed, &object)) {
        *data_p = NULL;
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_MemoryError,
                            "the array's library made no new array");
        return NULL;
    }
    return object;
}

PyObject *array_new(py_state *state, const py_array *like, uint64_t n,
                    const char *type) {
    if (n != NO_DIMENSION && n > PY_SSIZE_T_MAX)
        return PyErr_NoMemory();
    void *data;
    if (like->api)
        return exchange_new(state, like, n, type, &data);
    if (state->numpy && is_ndarray(state, like->object))
        return ndarray_new(state, like, n, type, &data);
    const unsigned long long stream = (uintptr_t)like->stream;
    if (n == NO_DIMENSION)
        return library_call(state, "empty", "OOzK", like->object, Py_None, type,
                            stream);
    return library_call(state, "empty", "OKzK", like->object,
                        (unsigned long long)n, type, stream);
}

/* Describe an array that was just made, which is faster than to open it. */
static void describe_new(py_array *array, const py_array *like,
                         PyObject *object, void *data, uint64_t n,
                         const char *type) {
    clear(array);
    array->data = data;
    array->name = "out";
    array->type = like->type;
    array->kind = like->kind;
    array->element_bytes = like->element_bytes;
    array->dimensions = like->dimensions;
    array->is_bool = like->is_bool;
    array->is_tensor = like->is_tensor;
    array->device = like->device >= 0 ? like->device : WINNOW_DEVICE_HOST;
    array->stream = like->stream;
    array->has_stream = like->has_stream;
    array->own_stream = like->own_stream;
    array->own = Py_XNewRef(like->own);
    array->object = object;
    array->api = like->api;
    array->dtype = like->dtype;
    memcpy(array->shape, like->shape, sizeof array->shape);
    if (type)
        array_retype(array, named(type));
    if (type || !like->dimensions)
        array->dimensions = n == NO_DIMENSION ? 0 : 1;
    array->shape[0] = (int64_t)n;
    int64_t step = (int64_t)array->element_bytes;
    for (int i = array->dimensions; i-- > 0;) {
        array->strides[i] = step;
        step *= array->shape[i];
    }
    array_lay_out(array);
}

/* Is this a CuPy array, and is its stream CuPy's current stream? */
static int is_current(const py_state *state, const py_array *like) {
    return cupy_is(state, like->object) && like->own &&
           like->own_stream == like->stream;
}

/* Make an array by a C interface. Returns 1 if it is described; 0 if the
 * caller has to open *object_p, or to make the array if that is NULL; -1 with
 * an exception. */
static int make_plain(py_state *state, py_array *array, const py_array *like,
                      uint64_t n, const char *type, PyObject **object_p) {
    void *data = NULL;
    *object_p = like->api   ? exchange_new(state, like, n, type, &data)
                : like->own ? cupy_new(state, like, n, type, &data)
                            : ndarray_new(state, like, n, type, &data);
    if (!*object_p)
        return PyErr_Occurred() ? -1 : 0;
    if (!data) /* the array has no items, or winnow._library made it */
        return 0;
    describe_new(array, like, *object_p, data, n, type);
    return 1;
}

int array_make(py_state *state, py_array *array, const py_array *like,
               uint64_t n, const char *type, const winnow_stream *stream) {
    const int is_plain =
        (n == NO_DIMENSION || n <= PY_SSIZE_T_MAX) &&
        (like->api || (state->numpy && is_ndarray(state, like->object)) ||
         is_current(state, like));
    PyObject *object = NULL;
    int status =
        is_plain ? make_plain(state, array, like, n, type, &object) : 0;
    if (status)
        return status < 0 ? -1 : 0;
    if (!object)
        object = array_new(state, like, n, type);
    if (!object)
        return -1;
    status = array_open(state, array, object, (py_name){"out", NULL},
                        ARRAY_READ, stream);
    Py_DECREF(object);
    return status;
}

PyObject *array_number(py_state *state, PyObject *like, uint64_t number) {
    py_array host = {.object = like,
                     .device = WINNOW_DEVICE_HOST,
                     .is_tensor = tensor_is(state, like)};
    py_array made;
    if (!is_ndarray(state, like) && exchange_find(state, like, &host.api))
        return NULL;
    if (!host.api && !(state->numpy && is_ndarray(state, like)))
        return library_call(state, "number", "OK", like,
                            (unsigned long long)number);
    if (array_make(state, &made, &host, NO_DIMENSION, "int64", NULL))
        return NULL;
    PyObject *const object = Py_NewRef(made.object);
    memcpy(made.data, &number, sizeof number);
    array_close(&made);
    return object;
}
