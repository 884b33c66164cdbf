/*
 * winnow.Result. On a GPU the count stays there until somebody asks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "result.h"

#include "array.h"

static py_state *state_of_self(PyObject *self) {
    return PyType_GetModuleState(Py_TYPE(self));
}

PyObject *result_new(py_state *state, PyObject *buffer, PyObject *count,
                     uint64_t known, uint64_t capacity) {
    py_result *const made = PyObject_GC_New(py_result, state->result_type);
    if (!made) {
        Py_XDECREF(buffer);
        Py_XDECREF(count);
        return NULL;
    }
    made->buffer = buffer;
    made->count = count;
    made->known = known;
    made->capacity = capacity;
    PyObject_GC_Track(made);
    return (PyObject *)made;
}

static void result_free(PyObject *self) {
    py_result *const freed = (py_result *)self;
    PyTypeObject *const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(freed->buffer);
    Py_XDECREF(freed->count);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

/* A result does not change: a cycle is broken at what it was hung on, such as an
 * array with attributes. */
static int visit_result(PyObject *self, visitproc visit, void *arg) {
    const py_result *const visited = (const py_result *)self;
    Py_VISIT((PyObject *)Py_TYPE(self));
    Py_VISIT(visited->buffer);
    Py_VISIT(visited->count);
    return 0;
}

uint64_t result_length(const py_result *result) {
    return result->known < result->capacity ? result->known : result->capacity;
}

/* The count as a number of the host: waits where it is on a GPU. */
static int wait(py_result *self) {
    if (!self->count)
        return 0;
    PyObject *const number = PyNumber_Long(self->count); /* CuPy has no index */
    if (!number)
        return -1;
    self->known = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *get_buffer(PyObject *self, void *unused) {
    (void)unused;
    return Py_NewRef(((py_result *)self)->buffer);
}

static PyObject *get_count(PyObject *self, void *unused) {
    (void)unused;
    py_result *const result = (py_result *)self;
    if (result->count)
        return Py_NewRef(result->count);
    return array_number(state_of_self(self), result->buffer, result->known);
}

static PyObject *get_capacity(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(((py_result *)self)->capacity);
}

static PyObject *get_overflow(PyObject *self, void *unused) {
    (void)unused;
    py_result *const result = (py_result *)self;
    if (wait(result))
        return NULL;
    return PyBool_FromLong(result->known > result->capacity);
}

static PyObject *array_of(PyObject *self, PyObject *unused) {
    (void)unused;
    py_result *const result = (py_result *)self;
    if (wait(result))
        return NULL;
    const uint64_t length = result_length(result);
    PyObject *const end = PyLong_FromUnsignedLongLong(length);
    PyObject *const range = end ? PySlice_New(NULL, end, NULL) : NULL;
    PyObject *const view =
        range ? PyObject_GetItem(result->buffer, range) : NULL;
    Py_XDECREF(end);
    Py_XDECREF(range);
    return view;
}

static PyObject *numpy_of(PyObject *self, PyObject *arguments,
                          PyObject *names) {
    PyObject *const view = array_of(self, NULL);
    PyObject *const made =
        view ? library_call(state_of_self(self), "to_numpy", "OOO", view,
                            arguments, names ? names : Py_None)
             : NULL;
    Py_XDECREF(view);
    return made;
}

static Py_ssize_t length_of(PyObject *self) {
    return wait((py_result *)self)
               ? -1
               : (Py_ssize_t)result_length((py_result *)self);
}

static PyObject *item_of(PyObject *self, PyObject *key) {
    PyObject *const view = array_of(self, NULL);
    PyObject *const item = view ? PyObject_GetItem(view, key) : NULL;
    Py_XDECREF(view);
    return item;
}

static PyObject *iterator_of(PyObject *self) {
    PyObject *const view = array_of(self, NULL);
    PyObject *const iterator = view ? PyObject_GetIter(view) : NULL;
    Py_XDECREF(view);
    return iterator;
}

static PyObject *text_of(PyObject *self) {
    py_result *const result = (py_result *)self;
    if (result->count)
        return PyUnicode_FromFormat("<winnow.Result: at most %llu elements, "
                                    "the count is on the device>",
                                    (unsigned long long)result->capacity);
    return PyUnicode_FromFormat("<winnow.Result: %llu elements, room for %llu>",
                                (unsigned long long)result->known,
                                (unsigned long long)result->capacity);
}

static PyGetSetDef attributes[] = {
    {"buffer", get_buffer, NULL,
     "The array that was written to: `capacity` elements, of which the first "
     "`count` are survivors. The rest is undefined, but for fill=.",
     NULL},
    {"count", get_count, NULL,
     "How many elements pass, as an array of int64 without dimensions, on the "
     "input's device. It is the true number, also where the capacity cut the "
     "output. On a GPU it is not waited for.",
     NULL},
    {"capacity", get_capacity, NULL, "How many elements there is room for.",
     NULL},
    {"overflow", get_overflow, NULL,
     "Did more elements pass than there was room for? Waits for a GPU.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    {"array", array_of, METH_NOARGS,
     "array($self)\n--\n\n"
     "The survivors: the front of `buffer`, without a copy.\n\n"
     "On a GPU this waits for the count, as len(), iteration, indexing and\n"
     "numpy.asarray() do; nothing else does."},
    {"__array__", (PyCFunction)(void (*)(void))numpy_of,
     METH_VARARGS | METH_KEYWORDS,
     "__array__($self, dtype=None, copy=None)\n--\n\n"
     "The survivors as an array of NumPy."},
    {NULL, NULL, 0, NULL}};

int result_type_make(PyObject *module, py_state *state) {
    PyType_Slot slots[] = {
        {Py_tp_doc,
         "The result of a filter: a buffer, and how many of its elements are "
         "survivors."},
        {Py_tp_dealloc, result_free},
        {Py_tp_traverse, visit_result},
        {Py_tp_repr, text_of},
        {Py_tp_iter, iterator_of},
        {Py_mp_length, length_of},
        {Py_sq_length, length_of},
        {Py_mp_subscript, item_of},
        {Py_tp_getset, attributes},
        {Py_tp_methods, methods},
        {0, NULL}};
    PyType_Spec spec = {"winnow.Result", sizeof(py_result), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                            Py_TPFLAGS_IMMUTABLETYPE |
                            Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots};
    PyObject *const type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type)
        return -1;
    state->result_type = (PyTypeObject *)type;
    return PyModule_AddObjectRef(module, "Result", type);
}
