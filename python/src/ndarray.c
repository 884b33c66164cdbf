/*
 * Open NumPy arrays by NumPy's C interface, which takes a tenth of the time of
 * the buffer protocol. The table of functions and the structs below are NumPy's
 * ABI. All versions of NumPy with the same ABI number have the same ABI. With
 * another number nothing here is used.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "array.h"

#include <string.h>

#define ABI_OF_1 0x01000009
#define ABI_OF_2 0x02000000
#define WRITEABLE 0x0400

/* Indices in the table of functions. */
enum {
    ABI_VERSION = 0,
    DESCR_FROM_TYPE = 45,
    NEW_FROM_DESCR = 94
};

typedef struct np_dtype {
    PyObject ob_base;
    PyObject *class;
    char kind, letter, byte_order, flags;
    int number;
    union { /* depends on the ABI number */
        int bytes_of_1;
        struct {
            uint64_t flags;
            intptr_t bytes;
        } of_2;
    };
} np_dtype;

typedef struct np_array {
    PyObject ob_base;
    char *data;
    int dimensions;
    intptr_t *shape, *strides;
    PyObject *base;
    np_dtype *dtype;
    int flags;
} np_array;

/* NumPy's numbers of dtypes, and the types by these numbers. */
enum {
    BOOL = 0,
    INT = 5,
    LONG = 7,
    LONG_LONG = 9,
    DOUBLE = 12,
    VOID = 20,
    HALF = 23
};
#define INTEGER(is_signed, bytes)                                              \
    ((bytes) == 1   ? (is_signed) ? WINNOW_INT8 : WINNOW_UINT8                 \
     : (bytes) == 2 ? (is_signed) ? WINNOW_INT16 : WINNOW_UINT16               \
     : (bytes) == 4 ? (is_signed) ? WINNOW_INT32 : WINNOW_UINT32               \
     : (is_signed)  ? WINNOW_INT64                                             \
                    : WINNOW_UINT64)
#define BOTH(type)                                                             \
    INTEGER(1, sizeof(type)), INTEGER(0, sizeof(type)) /* signed, unsigned */
static const winnow_type types[] = {
    WINNOW_UINT8,   BOTH(char),     BOTH(short),
    BOTH(int),      BOTH(long),     BOTH(long long),
    WINNOW_FLOAT32, WINNOW_FLOAT64, [HALF] = WINNOW_FLOAT16};

/* Find numpy.ndarray and the table when the first NumPy array is seen. */
int ndarray_learn(py_state *state, PyObject *object) {
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
    PyObject *const capsule = library_call(state, "numpy_interface", "()");
    if (!capsule) {
        Py_DECREF(ndarray);
        return -1;
    }
    void **const table = PyCapsule_GetPointer(capsule, NULL);
    const unsigned version =
        table ? ((unsigned (*)(void))table[ABI_VERSION])() : 0;
    if (version == ABI_OF_1 || version == ABI_OF_2)
        state->numpy = table;
    Py_DECREF(capsule); /* NumPy's module keeps it alive */
    PyErr_Clear();
    state->ndarray = ndarray;
    return 0;
}

static int is_plain(const py_state *state, PyObject *object) {
    return state->numpy && (PyObject *)Py_TYPE(object) == state->ndarray;
}

int ndarray_has_fields(const py_state *state, PyObject *object) {
    return !is_plain(state, object) ||
           ((const np_array *)object)->dtype->number == VOID;
}

void ndarray_trust(py_state *state, PyObject *object) {
    if (!is_plain(state, object))
        return;
    Py_XDECREF(state->records_dtype);
    state->records_dtype =
        Py_NewRef((PyObject *)((const np_array *)object)->dtype);
}

size_t ndarray_take_dtype(const py_state *state, py_array *array,
                          PyObject *object) {
    const np_dtype *const dtype = (const np_dtype *)object;
    const unsigned number = (unsigned)dtype->number;
    if (object == state->records_dtype)
        return ((unsigned (*)(void))state->numpy[ABI_VERSION])() == ABI_OF_1
                   ? (size_t)dtype->bytes_of_1
                   : (size_t)dtype->of_2.bytes;
    if (number >= sizeof types / sizeof types[0] ||
        (dtype->byte_order != '=' && dtype->byte_order != '|'))
        return 0;
    array->type = types[number];
    array->is_bool = number == BOOL;
    return winnow_type_size(array->type);
}

int ndarray_open(const py_state *state, py_array *array) {
    const np_array *const from = (const np_array *)array->object;
    if (!is_plain(state, array->object))
        return 0;
    array->element_bytes =
        ndarray_take_dtype(state, array, (PyObject *)from->dtype);
    if (array->element_bytes == 0)
        return 0;
    if (!array_has_room(array, from->dimensions))
        return -1;
    array->data = from->data;
    array->read_only = !(from->flags & WRITEABLE);
    for (int i = 0; i < from->dimensions; i++) {
        array->shape[i] = from->shape[i];
        array->strides[i] = from->strides[i];
    }
    return 1;
}

static int number_of(const char *type) {
    const int long_is_wide = sizeof(long) == 8;
    return strcmp(type, "bool") == 0      ? BOOL
           : strcmp(type, "float64") == 0 ? DOUBLE
           : strcmp(type, "int32") == 0   ? INT
                                          : (long_is_wide ? LONG : LONG_LONG) +
                                              (strcmp(type, "uint64") == 0);
}

PyObject *ndarray_dtype(const py_state *state, const char *type) {
    PyObject *(*const dtype_of)(int) =
        (PyObject * (*)(int)) state->numpy[DESCR_FROM_TYPE];
    return dtype_of(number_of(type));
}

PyObject *ndarray_new(const py_state *state, const py_array *like, uint64_t n,
                      const char *type, void **data_p) {
    PyObject *(*const new_array)(PyObject *, PyObject *, int, const intptr_t *,
                                 const intptr_t *, void *, int, PyObject *) =
        (PyObject * (*)(PyObject *, PyObject *, int, const intptr_t *,
                        const intptr_t *, void *, int, PyObject *))
            state->numpy[NEW_FROM_DESCR];
    intptr_t shape[MOST_DIMENSIONS];
    int dimensions = n != NO_DIMENSION;
    PyObject *const dtype =
        type ? ndarray_dtype(state, type)
             : Py_NewRef((PyObject *)((np_array *)like->object)->dtype);
    for (int i = 0; i < MOST_DIMENSIONS; i++)
        shape[i] = (intptr_t)like->shape[i];
    shape[0] = (intptr_t)n;
    if (!type && like->dimensions > 1)
        dimensions = like->dimensions;
    /* The function takes over the reference to the dtype. */
    PyObject *const made = dtype ? new_array(state->ndarray, dtype, dimensions,
                                             shape, NULL, NULL, 0, NULL)
                                 : NULL;
    *data_p = made ? ((np_array *)made)->data : NULL;
    return made;
}
