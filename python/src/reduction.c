/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reduction.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define WORDS (sizeof(winnow_reduction) / sizeof(uint64_t))

typedef struct py_reduction {
    PyObject ob_base;
    PyObject *buffer;
    PyObject *stream;  /* on which the buffer is written, or None */
    PyObject *indices; /* a Result: the indices of packed elements; or NULL */
    char letter;       /* type of the numbers: q, Q, d; D: decimals */
    int scale;         /* of decimals */
    unsigned wanted;
    int is_known;
    winnow_reduction numbers;
} py_reduction;

/* A number of a reduction, and the bits of `wanted` that it needs. */
typedef struct py_number {
    const char *name;
    size_t offset;
    unsigned bits;
} py_number;
#define NUMBER(name, field, bits)                                              \
    { #name, offsetof(winnow_reduction, field), bits }
static const py_number sum = NUMBER(sum, sum, WINNOW_REDUCE_SUM),
                       mean = NUMBER(mean, mean, WINNOW_REDUCE_SUM),
                       least = NUMBER(min, minimum, WINNOW_REDUCE_MINIMUM),
                       greatest = NUMBER(max, maximum, WINNOW_REDUCE_MAXIMUM),
                       argmin =
                           NUMBER(argmin, minimum_index,
                                  WINNOW_REDUCE_MINIMUM | WINNOW_REDUCE_INDEX),
                       argmax =
                           NUMBER(argmax, maximum_index,
                                  WINNOW_REDUCE_MAXIMUM | WINNOW_REDUCE_INDEX),
                       overflow = NUMBER(overflow, overflow, WINNOW_REDUCE_SUM),
                       count = NUMBER(count, count, 0);

static py_reduction *allocate(py_state *state) {
    py_reduction *const made =
        PyObject_New(py_reduction, state->reduction_type);
    if (made)
        memset((char *)made + sizeof made->ob_base, 0,
               sizeof *made - sizeof made->ob_base);
    return made;
}

/* Return the slice of an array that is one of its reductions. */
static PyObject *part_of(PyObject *array, unsigned place) {
    PyObject *const from = PyLong_FromSize_t(place * WORDS);
    PyObject *const to = PyLong_FromSize_t((place + 1) * WORDS);
    PyObject *const slice = from && to ? PySlice_New(from, to, NULL) : NULL;
    PyObject *const part = slice ? PyObject_GetItem(array, slice) : NULL;
    Py_XDECREF(from);
    Py_XDECREF(to);
    Py_XDECREF(slice);
    return part;
}

PyObject *reduction_new(py_state *state, const py_array *array, unsigned of,
                        unsigned place, char letter, int scale, unsigned wanted,
                        PyObject *indices) {
    py_reduction *made = allocate(state);
    if (!made)
        return NULL;
    made->letter = letter;
    made->scale = scale;
    made->wanted = wanted;
    made->indices = Py_XNewRef(indices);
    made->is_known = array->device < 0;
    if (made->is_known)
        made->numbers = ((const winnow_reduction *)array->data)[place];
    made->stream = array_stream(array);
    made->buffer =
        of == 1 ? Py_NewRef(array->object) : part_of(array->object, place);
    if (!made->buffer || !made->stream)
        Py_CLEAR(made);
    return (PyObject *)made;
}

static void reduction_free(PyObject *self) {
    py_reduction *const freed = (py_reduction *)self;
    PyTypeObject *const type = Py_TYPE(self);
    Py_XDECREF(freed->buffer);
    Py_XDECREF(freed->stream);
    Py_XDECREF(freed->indices);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* Read the numbers. Waits for a GPU. */
static int know(py_reduction *of) {
    if (of->is_known)
        return 0;
    PyObject *const memory =
        library_call(PyType_GetModuleState(Py_TYPE((PyObject *)of)),
                     "host_bytes", "OO", of->buffer, of->stream);
    char *bytes = NULL;
    Py_ssize_t size = 0;
    const int failed =
        !memory || PyBytes_AsStringAndSize(memory, &bytes, &size);
    if (!failed && size == (Py_ssize_t)sizeof of->numbers) {
        memcpy(&of->numbers, bytes, sizeof of->numbers);
        of->is_known = 1;
    } else if (!failed) {
        PyErr_Format(PyExc_ValueError, "the buffer has %zd bytes, not %zu",
                     size, sizeof of->numbers);
    }
    Py_XDECREF(memory);
    return of->is_known ? 0 : -1;
}

/* Return the memory of a number, NULL with an exception. */
static const void *number_at(py_reduction *of, const py_number *number) {
    if ((of->wanted & number->bits) != number->bits) {
        PyErr_Format(PyExc_AttributeError, "%s was not asked for: wanted='%s'",
                     number->name, number->name);
        return NULL;
    }
    return know(of) ? NULL : (const char *)&of->numbers + number->offset;
}

/* Convert a number to a Decimal. The upper half of a sum is in `overflow`;
 * other numbers have 64 bits. */
static PyObject *decimal_of(const py_reduction *of,
                            const winnow_number *number) {
    const int64_t upper = number == &of->numbers.sum
                              ? (int64_t)of->numbers.overflow
                              : -(number->int64 < 0);
    return library_call(PyType_GetModuleState(Py_TYPE((PyObject *)of)),
                        "decimal", "LKi", (long long)upper,
                        (unsigned long long)number->uint64, of->scale);
}

static PyObject *get_number(PyObject *self, void *closure) {
    py_reduction *const of = (py_reduction *)self;
    const winnow_number *const number = number_at(of, closure);
    if (!number)
        return NULL;
    if (of->letter == 'D')
        return decimal_of(of, number);
    return of->letter == 'd'   ? PyFloat_FromDouble(number->float64)
           : of->letter == 'Q' ? PyLong_FromUnsignedLongLong(number->uint64)
                               : PyLong_FromLongLong(number->int64);
}

static PyObject *get_mean(PyObject *self, void *closure) {
    const double *const number = number_at((py_reduction *)self, closure);
    const int scale = ((py_reduction *)self)->scale;
    return number ? PyFloat_FromDouble(scale < 0 ? *number * pow(10, -scale)
                                                 : *number / pow(10, scale))
                  : NULL;
}

static PyObject *get_count(PyObject *self, void *closure) {
    const uint64_t *const number = number_at((py_reduction *)self, closure);
    return number ? PyLong_FromUnsignedLongLong(*number) : NULL;
}

static PyObject *get_overflow(PyObject *self, void *closure) {
    const uint64_t *const number = number_at((py_reduction *)self, closure);
    const bool is_decimal = ((py_reduction *)self)->letter == 'D';
    return number ? PyBool_FromLong(is_decimal ? *number == (uint64_t)1 << 63
                                               : *number != 0)
                  : NULL;
}

/* Return an index, or None if there is no such element. */
static PyObject *get_index(PyObject *self, void *closure) {
    py_reduction *const of = (py_reduction *)self;
    const uint64_t *const place = number_at(of, closure);
    if (!place)
        return NULL;
    if (*place == UINT64_MAX)
        return Py_NewRef(Py_None);
    PyObject *const number = PyLong_FromUnsignedLongLong(*place);
    if (!number || !of->indices)
        return number;
    PyObject *const buffer = PyObject_GetAttrString(of->indices, "buffer");
    PyObject *const index = buffer ? PyObject_GetItem(buffer, number) : NULL;
    PyObject *const made =
        index ? library_call(PyType_GetModuleState(Py_TYPE(self)), "integer",
                             "O", index)
              : NULL;
    Py_XDECREF(index);
    Py_XDECREF(buffer);
    Py_DECREF(number);
    return made;
}

static PyObject *get_buffer(PyObject *self, void *unused) {
    (void)unused;
    return Py_NewRef(((py_reduction *)self)->buffer);
}

static PyGetSetDef attributes[] = {
    {"buffer", get_buffer, NULL, "The array that holds the numbers.", NULL},
    {"count", get_count, NULL, "The number of elements that pass.",
     (void *)(uintptr_t)&count},
    {"sum", get_number, NULL, "The sum. A sum of integers is modulo 2**64.",
     (void *)(uintptr_t)&sum},
    {"mean", get_mean, NULL, "The mean. NaN if no element passes.",
     (void *)(uintptr_t)&mean},
    {"min", get_number, NULL,
     "The least element that is not NaN. The greatest value of the type if\n"
     "there is none.",
     (void *)(uintptr_t)&least},
    {"max", get_number, NULL,
     "The greatest element that is not NaN. The least value of the type if\n"
     "there is none.",
     (void *)(uintptr_t)&greatest},
    {"argmin", get_index, NULL,
     "The index of the first least element. None if there is none.",
     (void *)(uintptr_t)&argmin},
    {"argmax", get_index, NULL,
     "The index of the first greatest element. None if there is none.",
     (void *)(uintptr_t)&argmax},
    {"overflow", get_overflow, NULL,
     "True if a sum of integers needs more than 64 bits, or a sum of\n"
     "decimals more than 38 digits.",
     (void *)(uintptr_t)&overflow},
    {NULL, NULL, NULL, NULL, NULL}};

/* __reduce__(), for pickle. It reads the numbers, and so waits for a GPU. */
static PyObject *reduce(PyObject *self, PyObject *nothing) {
    py_reduction *const of = (py_reduction *)self;
    (void)nothing;
    if (know(of))
        return NULL;
    PyObject *const module = PyType_GetModule(Py_TYPE(self));
    PyObject *const restore =
        module ? PyObject_GetAttrString(module, "reduction") : NULL;
    return restore ? Py_BuildValue("N(OCiIy#O)", restore, of->buffer,
                                   of->letter, of->scale, of->wanted,
                                   &of->numbers, (Py_ssize_t)sizeof of->numbers,
                                   of->indices ? of->indices : Py_None)
                   : NULL;
}

static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};

/* reduction(buffer, letter, scale, wanted, numbers as bytes, indices or
 * None) */
static PyObject *restore(PyObject *module, PyObject *arguments) {
    PyObject *buffer, *indices;
    const char *bytes;
    Py_ssize_t size;
    int letter, scale;
    unsigned wanted;
    if (!PyArg_ParseTuple(arguments, "OCiIy#O", &buffer, &letter, &scale,
                          &wanted, &bytes, &size, &indices))
        return NULL;
    py_reduction *const made = allocate(state_of(module));
    if (!made)
        return NULL;
    made->buffer = Py_NewRef(buffer);
    made->stream = Py_NewRef(Py_None);
    made->indices = indices == Py_None ? NULL : Py_NewRef(indices);
    made->letter = (char)letter;
    made->scale = scale;
    made->wanted = wanted;
    made->is_known = size == (Py_ssize_t)sizeof made->numbers;
    if (made->is_known)
        memcpy(&made->numbers, bytes, sizeof made->numbers);
    return (PyObject *)made;
}

PyMethodDef reduction_type_functions[] = {
    {"reduction", restore, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

int reduction_type_make(PyObject *module, py_state *state) {
    PyType_Slot slots[] = {
        {Py_tp_doc, "The result of reduce_if(), or one result of "
                    "aggregate(). On a GPU the first\nread of a number waits "
                    "for the call."},
        {Py_tp_dealloc, reduction_free},
        {Py_tp_getset, attributes},
        {Py_tp_methods, methods},
        {0, NULL}};
    PyType_Spec spec = {"winnow.Reduction", sizeof(py_reduction), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                            Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots};
    PyObject *const type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type)
        return -1;
    state->reduction_type = (PyTypeObject *)type;
    return PyModule_AddObjectRef(module, "Reduction", type);
}
