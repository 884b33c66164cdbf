/*
 * winnow.Selection. On the host the object itself owns the memory of the bits:
 * to allocate it takes less time than to make an array. On a GPU the bits are
 * in an array of the items' library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sink.h"

#include "result.h"
#include "table.h"

#include <string.h>

py_state *selection_state(PyObject *self) {
    return PyType_GetModuleState(Py_TYPE(self));
}

static PyObject *selection_new(py_state *state, PyObject *x,
                               const py_array *like, uint64_t n) {
    py_selection *const made =
        PyObject_GC_New(py_selection, state->selection_type);
    if (!made)
        return NULL;
    made->n = n;
    made->memory = NULL;
    made->bytes = 0;
    made->buffer = NULL;
    made->x = Py_NewRef(x);
    made->counted = NULL;
    array_borrow(&made->like, like, like->object);
    Py_CLEAR(made->like.key);
    made->like.name = "the selection";
    PyObject_GC_Track((PyObject *)made);
    return (PyObject *)made;
}

static int selection_visit(PyObject *self, visitproc visit, void *arg) {
    py_selection *const selection = (py_selection *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(selection->buffer);
    Py_VISIT(selection->x);
    Py_VISIT(selection->counted);
    Py_VISIT(selection->like.owner);
    return 0;
}

static int selection_clear(PyObject *self) {
    py_selection *const selection = (py_selection *)self;
    Py_CLEAR(selection->buffer);
    Py_CLEAR(selection->x);
    Py_CLEAR(selection->counted);
    array_close(&selection->like);
    return 0;
}

static void selection_free(PyObject *self) {
    PyTypeObject *const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    selection_clear(self);
    PyMem_Free(((py_selection *)self)->memory);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

/* ------------------------------------------------------------ their memory */

py_array *selection_room(py_work *work, const py_array *like, uint64_t n,
                         size_t *bytes_p) {
    const winnow_status status = winnow_selection_bytes(n, bytes_p);
    if (status)
        return raise_status(work->call.state, status);
    if (like->item_bytes == 0 && !can_move(like))
        return NULL;
    return call_new(&work->call, like,
                    (*bytes_p + like->item_bytes - 1) / like->item_bytes, NULL);
}

/* Make the memory for the bits and return its address. `out` is an array to use
 * as this memory, or NULL. NULL with an exception. */
static void *make_memory(py_work *work, py_selection *made,
                         const py_array *like, PyObject *out) {
    py_array *room;
    const winnow_status status = winnow_selection_bytes(made->n, &made->bytes);
    if (status)
        return raise_status(work->call.state, status);
    if (!out && work->call.device < 0) {
        made->memory = PyMem_Malloc(made->bytes);
        if (!made->memory)
            PyErr_NoMemory();
        return made->memory;
    }
    room = out ? call_array(&work->call, out, "selection", ARRAY_WRITE)
               : selection_room(work, like, made->n, &made->bytes);
    if (!room)
        return NULL;
    made->bytes = room->n * room->item_bytes;
    made->buffer = Py_NewRef(room->object);
    return room->data;
}

const void *selection_bits(py_work *work, py_selection *selection,
                           const py_array **like_p) {
    *like_p = &selection->like;
    if (selection->memory) {
        if (work->call.device >= 0)
            PyErr_Format(PyExc_ValueError,
                         "%s is on GPU %d, and the selection is on the CPU",
                         array_name(work->call.decided_by), work->call.device);
        work->call.device = WINNOW_DEVICE_HOST;
        work->call.decided_by = &selection->like;
        return PyErr_Occurred() ? NULL : selection->memory;
    }
    const py_array *const array =
        call_array(&work->call, selection->buffer, "the selection", ARRAY_READ);
    *like_p = array;
    return array ? array->data : NULL;
}

/* buffer: return the bits as an array of x's library, with x's type. */
static PyObject *get_buffer(PyObject *self, void *unused) {
    py_selection *const selection = (py_selection *)self;
    py_work *const work =
        selection->buffer ? NULL : work_new(selection_state(self));
    size_t bytes;
    (void)unused;
    if (work) {
        const py_array *const made =
            selection_room(work, &selection->like, selection->n, &bytes);
        if (made) {
            memcpy(made->data, selection->memory, selection->bytes);
            selection->buffer = Py_NewRef(made->object);
        }
        work_free(work);
    }
    return Py_XNewRef(selection->buffer);
}

/* ----------------------------------------------------------------- sources */

typedef struct py_source {
    py_work *work;
    py_selection *made;
    const py_array *like;
    void *bits;
} py_source;

/* Return the array of n=, the number of items that count. A new reference, or
 * NULL if there is none. */
static PyObject *counted_by(const py_work *work) {
    const py_call *const call = &work->call;
    for (unsigned i = 0; i < call->count && call->launch.d_n; i++)
        if (call->arrays[i].data == call->launch.d_n && call->arrays[i].n == 1)
            return Py_NewRef(call->arrays[i].object);
    return NULL;
}

static int begin(py_source *source, PyObject *x, const py_array *like,
                 PyObject *out) {
    py_work *const work = source->work;
    source->made =
        (py_selection *)selection_new(work->call.state, x, like, work->n);
    if (source->made) {
        source->made->counted = counted_by(work);
        source->bits =
            make_memory(work, source->made, like, out != Py_None ? out : NULL);
    }
    return source->bits != NULL;
}

/* End the call. Returns the selection, or NULL with an exception. */
static PyObject *end(py_source *source, int opened, winnow_status status) {
    const int done = work_done(source->work, opened, status);
    work_free(source->work);
    if (!done)
        Py_CLEAR(source->made);
    return (PyObject *)source->made;
}

static PyObject *select_mask(py_state *state, PyObject *mask, PyObject *n,
                             PyObject *out) {
    py_source source = {.work = work_new(state)};
    py_work *const work = source.work;
    winnow_status status = WINNOW_OK;
    const py_array *flags = NULL;
    winnow_mask bytes;
    if (!work)
        return NULL;
    const int opened = work_mask(work, mask, &flags, &bytes) &&
                       work_n(work, n, flags->n) &&
                       begin(&source, mask, flags, out) && work_ready(work);
    RUN(winnow_select_flagged(CONTEXT, &bytes, work->n, source.bits,
                              source.made->bytes, LAUNCH));
    return end(&source, opened, status);
}

/* Open what a condition tests: an array, or the columns of a table. */
static int open_tests(py_work *work, PyObject *x, PyObject *columns,
                      PyObject *condition, PyObject *n) {
    if (columns)
        return table_open(work, columns, ARRAY_READ, "column %R", 2) &&
               work_n(work, n, work->table->n) &&
               table_condition(work, condition);
    py_array *const seen = call_array(
        &work->call, x, "x", ARRAY_FLAT | ARRAY_NUMBERS | ARRAY_STRIDES);
    if (!seen || !work_n(work, n, seen->n))
        return 0;
    work->condition = prepared_find(work->call.state, condition, seen->kind);
    return work->condition && work_column(work, seen);
}

static PyObject *select_where(py_state *state, PyObject *x, PyObject *columns,
                              PyObject *condition, PyObject *n, PyObject *out) {
    py_source source = {.work = work_new(state)};
    py_work *const work = source.work;
    winnow_status status = WINNOW_OK;
    if (!work)
        return NULL;
    const py_array *const first = work->call.arrays;
    const int opened = open_tests(work, x, columns, condition, n) &&
                       begin(&source, columns ? work->table->object : x,
                             columns ? work->table : first, out) &&
                       work_ready(work);
    RUN(winnow_select_where(CONTEXT, work->condition->condition, work->columns,
                            work->tests, work->n, source.bits,
                            source.made->bytes, LAUNCH));
    return end(&source, opened, status);
}

/* select(x, condition, mask, n, out): out is an array for the bits, or None. */
static PyObject *select_items(PyObject *module, PyObject *const *args,
                              Py_ssize_t count) {
    py_state *const state = state_of(module);
    if (count != 5) {
        PyErr_SetString(PyExc_TypeError, "select() takes 5 arguments");
        return NULL;
    }
    PyObject *mask = args[2], *n = args[3], *made = NULL;
    if (mask != Py_None)
        return select_mask(state, mask, n, args[4]);
    PyObject *const x = work_unpack(state, args[0], &n);
    const int is_ndarray = x && (PyObject *)Py_TYPE(x) == state->ndarray;
    PyObject *columns = x && !is_ndarray ? table_of(state, x, 1) : NULL;
    if (x && !PyErr_Occurred())
        made = select_where(state, x, columns, args[1], n, args[4]);
    /* The array may have records, which are no numbers: try its columns. */
    if (!made && is_ndarray && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyObject *type, *error, *trace;
        PyErr_Fetch(&type, &error, &trace);
        columns = table_of(state, x, 1);
        PyErr_Restore(type, error, trace);
        if (columns) {
            PyErr_Clear();
            made = select_where(state, x, columns, args[1], n, args[4]);
        }
    }
    Py_XDECREF(columns);
    Py_XDECREF(x);
    return made;
}

/* Does the array have as many bytes as a selection of n items, apart from the
 * rest of its last element? */
static int has_bits_of(py_state *state, const py_array *array, uint64_t n) {
    const uint64_t bytes = (uint64_t)array->n * array->item_bytes;
    size_t wanted;
    const winnow_status status = winnow_selection_bytes(n, &wanted);
    if (status)
        return raise_status(state, status) != NULL;
    if (bytes >= wanted && bytes - wanted < array->item_bytes)
        return 1;
    PyErr_Format(PyExc_ValueError,
                 "selection has %llu bytes: a selection of %llu items has %zu",
                 (unsigned long long)bytes, (unsigned long long)n, wanted);
    return 0;
}

/* from_bits(array, n): make a selection of n items from an array of its
 * bits. */
static PyObject *from_bits(PyObject *module, PyObject *arguments) {
    py_state *const state = state_of(module);
    PyObject *object, *made = NULL;
    unsigned long long n;
    if (!PyArg_ParseTuple(arguments, "OK", &object, &n))
        return NULL;
    py_work *const work = work_new(state);
    const py_array *const array =
        work ? call_array(&work->call, object, "selection", ARRAY_READ) : NULL;
    if (array && has_bits_of(state, array, n) &&
        (made = selection_new(state, object, array, n)))
        ((py_selection *)made)->buffer = Py_NewRef(object);
    if (work)
        work_free(work);
    return made;
}

/* ---------------------------------------------------------------- operators */

static PyObject *join(PyObject *a, PyObject *b, int operation) {
    if (Py_TYPE(a) != Py_TYPE(b))
        return Py_NewRef(Py_NotImplemented);
    py_selection *const first = (py_selection *)a, *const second =
                                                       (py_selection *)b;
    if (first->n != second->n)
        return PyErr_Format(PyExc_ValueError,
                            "selections of %llu and of %llu items do not join",
                            (unsigned long long)first->n,
                            (unsigned long long)second->n);
    py_source source = {.work = work_new(selection_state(a))};
    py_work *const work = source.work;
    winnow_status status = WINNOW_OK;
    const py_array *like, *other;
    const void *kept = NULL, *more = NULL;
    if (!work)
        return NULL;
    work->n = first->n;
    const int opened = (kept = selection_bits(work, first, &like)) &&
                       (more = selection_bits(work, second, &other)) &&
                       begin(&source, first->x, like, Py_None) &&
                       work_ready(work);
    if (opened)
        source.made->counted = Py_XNewRef(
            first->counted == second->counted ? first->counted : Py_None);
    RUN(winnow_selection_combine(CONTEXT, (winnow_combine)operation, kept, more,
                                 work->n, source.bits, source.made->bytes,
                                 LAUNCH));
    return end(&source, opened, status);
}

static PyObject *join_and(PyObject *a, PyObject *b) {
    return join(a, b, WINNOW_AND);
}

static PyObject *join_or(PyObject *a, PyObject *b) {
    return join(a, b, WINNOW_OR);
}

static PyObject *join_and_not(PyObject *a, PyObject *b) {
    return join(a, b, WINNOW_AND_NOT);
}

static PyObject *join_xor(PyObject *a, PyObject *b) {
    return join(a, b, WINNOW_XOR);
}

static PyObject *invert(PyObject *self) {
    py_source source = {.work = work_new(selection_state(self))};
    py_work *const work = source.work;
    winnow_status status = WINNOW_OK;
    const py_array *like;
    const void *kept = NULL;
    if (!work)
        return NULL;
    py_selection *const selection = (py_selection *)self;
    if (selection->counted == Py_None)
        PyErr_SetString(
            PyExc_ValueError,
            "~ of joined selections whose n= differ: how many items "
            "count is not known");
    const int opened = selection->counted != Py_None &&
                       (kept = selection_bits(work, selection, &like)) &&
                       work_n(work, selection->counted, selection->n) &&
                       begin(&source, selection->x, like, Py_None) &&
                       work_ready(work);
    RUN(winnow_selection_not(CONTEXT, kept, work->n, source.bits,
                             source.made->bytes, LAUNCH));
    return end(&source, opened, status);
}

/* -------------------------------------------------------------------- count */

static PyObject *get_count(PyObject *self, void *unused) {
    py_selection *const selection = (py_selection *)self;
    py_work *const work = work_new(selection_state(self));
    winnow_status status = WINNOW_OK;
    const py_array *like;
    const void *kept = NULL;
    PyObject *made = NULL;
    (void)unused;
    if (!work)
        return NULL;
    const int opened = (kept = selection_bits(work, selection, &like)) &&
                       work_ready(work) && work_count(work, like);
    RUN(winnow_selection_count(CONTEXT, kept, selection->n, work->d_count,
                               LAUNCH));
    if (work_done(work, opened, status))
        made = work->count
                   ? work_like(work->call.state, selection->x, work->count)
                   : array_number(work->call.state, selection->x, work->known);
    work_free(work);
    return made;
}

/* --------------------------------------------------------------------- type */

static Py_ssize_t length(PyObject *self) {
    return (Py_ssize_t)((py_selection *)self)->n;
}

static PyObject *get_n(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(((py_selection *)self)->n);
}

static PyObject *represent(PyObject *self) {
    return PyUnicode_FromFormat("<winnow.Selection of %llu items>",
                                (unsigned long long)((py_selection *)self)->n);
}

static PyGetSetDef attributes[] = {
    {"n", get_n, NULL, "The number of items, kept or not.", NULL},
    {"buffer", get_buffer, NULL,
     "The bits, as an array of the items' library. On the host it is a copy.",
     NULL},
    {"count", get_count, NULL,
     "The number of kept items: an array of int64 without dimensions, on\n"
     "the device of the items.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL}};

#define METHOD(name, function, document)                                       \
    {                                                                          \
        name, (PyCFunction)(void (*)(void))function,                           \
            METH_FASTCALL | METH_KEYWORDS, document                            \
    }

static PyMethodDef methods[] = {
    METHOD(
        "compact", selection_compact,
        "compact($self, x, /, *, out=None, capacity=None, fill=None)\n--\n\n"
        "Pack the items of x that the selection keeps.\n\n"
        "x has n items of any type. In an array of shape (n, 3) an item is\n"
        "a row. x may be a Result; only the items up to its count are kept.\n"
        "The buffer has the value `fill` behind the survivors. Without\n"
        "`fill` it is undefined there. Returns a Result."),
    METHOD(
        "expand", selection_expand,
        "expand($self, packed, /, *, fill=0, out=None)\n--\n\n"
        "Scatter packed items to their places: the reverse of compact().\n\n"
        "All other places get the value `fill`; with fill=None they keep\n"
        "what `out` has. If packed has fewer items than the selection\n"
        "keeps, the remaining kept places count as other places. packed may\n"
        "be a Result. On the host it has as many items as its count says.\n"
        "On a GPU expand() does not wait for the count, and reads the whole\n"
        "buffer."),
    METHOD(
        "fill_holes", selection_fill_holes,
        "fill_holes($self, x, /, arriving=None)\n--\n\n"
        "Replace, in place, the items that are not kept: first by arriving\n"
        "items, then by the last items of x.\n\n"
        "All other items stay where they are. The call moves at most as\n"
        "many items as leave or arrive, so it moves far less than compact()\n"
        "if few leave. It does not keep the order. winnow_fill_holes(3) says\n"
        "where each item goes.\n\n"
        "Parameters\n----------\n"
        "x : array, or mapping of up to 64 arrays\n"
        "    The n items, and behind them room for arriving items. In an\n"
        "    array of shape (n, 3) an item is a row.\n"
        "arriving : array or mapping as x, Result or Rows, optional\n"
        "    Items of x's types. A mapping has columns of the same names. If\n"
        "    there is not room for all, the call does not write the last.\n\n"
        "Returns\n-------\n"
        "Result of x, or Rows of a mapping\n"
        "    The count is the number of items that are left. overflow is true\n"
        "    if x does not have room for all of them."),
    METHOD("indices", selection_indices,
           "indices($self, /, *, out=None, capacity=None)\n--\n\n"
           "The indices of the kept items, of int64, in ascending order."),
    METHOD("mask", selection_mask,
           "mask($self, /, *, out=None)\n--\n\n"
           "An array of bool: True for each kept item."),
    {NULL, NULL, 0, NULL}};

int selection_type_make(PyObject *module, py_state *state) {
    PyType_Slot slots[] = {
        {Py_tp_doc,
         "Which of n items are kept: the result of winnow.select().\n\n"
         "Selections with the same n join by &, |, ^, - and ~."},
        {Py_tp_dealloc, selection_free},
        {Py_tp_traverse, selection_visit},
        {Py_tp_clear, selection_clear},
        {Py_tp_repr, represent},
        {Py_sq_length, length},
        {Py_nb_and, join_and},
        {Py_nb_or, join_or},
        {Py_nb_subtract, join_and_not},
        {Py_nb_xor, join_xor},
        {Py_nb_invert, invert},
        {Py_tp_getset, attributes},
        {Py_tp_methods, methods},
        {0, NULL}};
    PyType_Spec spec = {"winnow.Selection", sizeof(py_selection), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                            Py_TPFLAGS_IMMUTABLETYPE |
                            Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots};
    PyObject *const type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type)
        return -1;
    state->selection_type = (PyTypeObject *)type;
    return PyModule_AddObjectRef(module, "Selection", type);
}

/* selection_bytes(n) */
static PyObject *selection_bytes(PyObject *module, PyObject *number) {
    const unsigned long long n = PyLong_AsUnsignedLongLong(number);
    size_t bytes = 0;
    if (PyErr_Occurred())
        return NULL;
    const winnow_status status = winnow_selection_bytes(n, &bytes);
    return status ? raise_status(state_of(module), status)
                  : PyLong_FromSize_t(bytes);
}

PyMethodDef selection_functions[] = {
    {"select", (PyCFunction)(void (*)(void))select_items, METH_FASTCALL, NULL},
    {"from_bits", from_bits, METH_VARARGS, NULL},
    {"selection_bytes", selection_bytes, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
