/*
 * Filters of one array. If the condition is one comparison, these calls use a
 * winnow_predicate, for which the library has the fastest kernels. For any
 * other condition, or if some dates are NaT, they use a winnow_condition with
 * one column.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "filters.h"

#include "call.h"
#include "kind.h"
#include "prepared.h"
#include "result.h"
#include "words.h"

#include <stddef.h>
#include <string.h>

enum {
    COPY,
    INDEX,
    COUNT
};

typedef struct py_filter {
    py_call call;
    py_words words;
    int kind;
    py_prepared *condition;
    py_array *x;
    const void *valid; /* validity bits of x, where NaT is null; or NULL */
    uint64_t n, capacity;
    PyObject *out, *count; /* owned references */
    void *d_out;
    winnow_type out_type;
    const py_array *word; /* the count's array; NULL: the count is `known` */
    uint64_t *d_count;
    uint64_t known;
    PyObject *fill;     /* the bytes of fill= as an element, or NULL */
    py_array arrays[8]; /* x, out, count, n, a selection, three workspaces */
} py_filter;

/* Does winnow.torch have to make the call: for a subclass of Tensor, or for a
 * tensor that requires a gradient or is traced? -1 with an exception. *settled_p:
 * see py_call. */
static int is_for_torch(py_state *state, PyObject *x, unsigned *settled_p) {
    const DLPackExchangeAPI *api = NULL;
    int settled = 0;
    if ((PyObject *)Py_TYPE(x) == state->ndarray || cupy_is(state, x))
        return 0;
    if (exchange_find(state, x, &api))
        return -1;
    if (!api) {
        if (!PyObject_HasAttrString((PyObject *)Py_TYPE(x),
                                    "__dlpack_c_exchange_api__"))
            return 0;
        PyObject *const is = library_call(state, "is_tensor", "O", x);
        Py_XDECREF(is);
        return is ? is == Py_True : -1;
    }
    if (!tensor_is(state, x))
        return 0;
    const int traced = tensor_is_traced(state);
    const int is = traced ? traced : tensor_has_gradient(state, x, &settled);
    *settled_p = settled ? ARRAY_SETTLED : (unsigned)ARRAY_UNTRACED;
    return is;
}

static PyObject *pass_to_torch(py_state *state, const char *function,
                               const py_words *words) {
    PyObject *const named = PyDict_New();
    PyObject *made = NULL;
    if (!named)
        return NULL;
    for (int key = 0; key < KEYWORDS; key++)
        if (words->named[key] &&
            PyDict_SetItem(named, state->keywords[key], words->named[key]))
            goto end;
    made = library_call(state, "by_torch", "sOOO", function, words->x,
                        words->predicate, named);
end:
    Py_DECREF(named);
    return made;
}

/* Keep the input's order if PyTorch's deterministic mode is on. */
static int decide_order(py_filter *filter) {
    winnow_order *const order = &filter->call.launch.order;
    if (*order == WINNOW_STABLE || !filter->x->is_tensor)
        return 0;
    PyObject *const is =
        library_call(filter->call.state, "is_deterministic", "()");
    if (is == Py_True)
        *order = WINNOW_STABLE;
    Py_XDECREF(is);
    return is ? 0 : -1;
}

static int open_inputs(py_filter *filter) {
    py_words *const words = &filter->words;
    py_call *const call = &filter->call;
    filter->x = call_array(call, words->x, "x", ARRAY_FLAT | ARRAY_NUMBERS);
    if (!filter->x || array_valid(filter->x, &filter->valid) ||
        decide_order(filter))
        return -1;
    filter->n = filter->x->n;
    filter->condition =
        prepared_find(call->state, words->predicate, filter->x->kind);
    call->condition = filter->condition;
    return !filter->condition || call_n(call, words->named[KEY_N], &filter->n)
               ? -1
               : 0;
}

/* Open or make the output, and find its capacity. */
static int open_out(py_filter *filter) {
    const py_words *const words = &filter->words;
    py_call *const call = &filter->call;
    uint64_t asked =
        call_room(call, words->named[KEY_N], filter->x->n, filter->n);
    const int has_capacity = words->named[KEY_CAPACITY] != NULL;
    PyObject *const out = words->named[KEY_OUT];
    if (filter->kind == COUNT)
        return 0;
    if (has_capacity && call_capacity(call, words->named[KEY_CAPACITY], &asked))
        return -1;
    py_array *const array =
        out ? call_array(call, out, "out", ARRAY_WRITE | ARRAY_FLAT)
            : call_new(call, filter->x, asked,
                       filter->kind == COPY ? NULL : "int64");
    if (!array)
        return -1;
    filter->out = Py_NewRef(array->object);
    array->is_written = out != NULL;
    if (filter->kind == COPY
            ? !array_same_items(filter->x, array)
            : array->item_bytes < 4 || array->type == WINNOW_OPAQUE ||
                  array->type >= WINNOW_FLOAT16) {
        PyErr_Format(PyExc_TypeError, "out is of %s, and should be of %s",
                     array->is_bool ? "bool" : kind_name(array->kind),
                     filter->kind != COPY ? "int64, uint64, int32 or uint32"
                     : filter->x->is_bool ? "bool"
                                          : kind_name(filter->x->kind));
        return -1;
    }
    filter->out_type = array->item_bytes == 4 ? WINNOW_UINT32 : WINNOW_UINT64;
    filter->capacity = array->n;
    if (has_capacity && asked < filter->capacity)
        filter->capacity = asked;
    filter->d_out = array->data;
    return 0;
}

/* Open or make the array of the count. On the host without count=, the call
 * writes the count to `known` instead. */
static int open_count(py_filter *filter) {
    py_call *const call = &filter->call;
    PyObject *const count = filter->words.named[KEY_COUNT];
    if (!count && call->device < 0) {
        filter->d_count = &filter->known;
        return 0;
    }
    py_array *const word =
        count ? call_word(call, count, "count", ARRAY_WRITE)
              : call_new(call, filter->x, NO_DIMENSION, "int64");
    if (!word)
        return -1;
    filter->count = Py_NewRef(word->object);
    word->is_written = count != NULL;
    filter->word = word;
    filter->d_count = word->data;
    return 0;
}

/* Return the condition as a predicate. NULL: it is not one comparison, or there
 * are nulls. */
static const winnow_predicate *predicate_of(const py_filter *filter) {
    return filter->valid ? NULL : filter->condition->predicate;
}

static winnow_status run_predicate(py_filter *filter) {
    const py_call *const call = &filter->call;
    const winnow_predicate *const predicate = predicate_of(filter);
    const winnow_type type = filter->x->type;
    const void *const data = filter->x->data;
    const winnow_launch *const launch = &call->launch;
    switch (filter->kind) {
    case COPY:
        return winnow_copy_if(call->context, predicate, type, data, filter->n,
                              filter->d_out, filter->capacity, filter->d_count,
                              launch);
    case INDEX:
        return winnow_copy_index_if(call->context, predicate, type, data,
                                    filter->n, filter->out_type, filter->d_out,
                                    filter->capacity, filter->d_count, launch);
    default:
        return winnow_count_if(call->context, predicate, type, data, filter->n,
                               filter->d_count, launch);
    }
}

/* Write the indices or the count of the selection that the condition made. */
static winnow_status run_selection(py_filter *filter,
                                   const py_array *selection) {
    const py_call *const call = &filter->call;
    /* The selection keeps no items from d_n on. */
    if (filter->kind == INDEX)
        return winnow_compact_index(
            call->context, selection->data, filter->n, filter->out_type,
            filter->d_out, filter->capacity, filter->d_count, &call->launch);
    return winnow_selection_count(call->context, selection->data, filter->n,
                                  filter->d_count, &call->launch);
}

static winnow_status run_condition(py_filter *filter,
                                   const py_array *selection) {
    py_call *const call = &filter->call;
    const winnow_in column = {.type = filter->x->type,
                              .d_base = filter->x->data,
                              .d_valid = filter->valid};
    const winnow_move move = {.d_in = filter->x->data,
                              .d_out = filter->d_out,
                              .element_bytes = filter->x->item_bytes};
    winnow_status status;
    CALL(call, status,
         filter->kind == COPY
             ? winnow_copy_where(call->context, filter->condition->condition,
                                 &column, 1, filter->n, &move, 1,
                                 filter->capacity, filter->d_count,
                                 &call->launch)
             : winnow_select_where(call->context, filter->condition->condition,
                                   &column, 1, filter->n, selection->data,
                                   selection->n * selection->item_bytes,
                                   &call->launch));
    if (!status && filter->kind != COPY)
        CALL(call, status, run_selection(filter, selection));
    return status;
}

/* Make memory for a selection of the items, as the next array of the call. */
static const py_array *new_selection(py_filter *filter) {
    py_call *const call = &filter->call;
    size_t bytes = 0;
    const winnow_status status = winnow_selection_bytes(filter->n, &bytes);
    if (status)
        return raise_status(call->state, status);
    return call_new(call, filter->x, bytes / filter->x->item_bytes + 1, NULL);
}

/* Fill the output behind the survivors. */
static winnow_status fill(py_filter *filter) {
    py_call *const call = &filter->call;
    char *value = NULL;
    Py_ssize_t bytes = 0;
    winnow_status status = WINNOW_ERR_ARGUMENT;
    if (PyBytes_AsStringAndSize(filter->fill, &value, &bytes))
        return status;
    const winnow_out places = {.element_bytes = (uint32_t)bytes,
                               .d_base = filter->d_out};
    call->launch.d_n = NULL; /* it is a number of items of x, not of out */
    CALL(call, status,
         winnow_fill(call->context, filter->d_count, filter->capacity, value,
                     &places, &call->launch));
    return status;
}

/* Convert fill= to bytes. A wrong value must raise before anything is
 * written. */
static int read_fill(py_filter *filter) {
    PyObject *const value = filter->words.named[KEY_FILL];
    if (!value || filter->kind == COUNT)
        return 0;
    const py_array *const out = &filter->call.arrays[filter->call.count - 1];
    static const char zeros[8];
    if (out->type != WINNOW_OPAQUE && PyLong_CheckExact(value) &&
        !PyObject_IsTrue(value)) {
        filter->fill =
            PyBytes_FromStringAndSize(zeros, (Py_ssize_t)out->element_bytes);
        return filter->fill ? 0 : -1;
    }
    filter->call.ran_python = 1;
    filter->fill = library_call(filter->call.state, "element_bytes", "OiO",
                                filter->out, out->kind, value);
    return filter->fill ? 0 : -1;
}

static int run(py_filter *filter) {
    py_call *const call = &filter->call;
    const py_array *selection = NULL;
    winnow_status status;
    if ((!predicate_of(filter) && filter->kind != COPY &&
         !(selection = new_selection(filter))) ||
        call_ready(call))
        return -1;
    if (predicate_of(filter))
        CALL(call, status, run_predicate(filter));
    else
        status = run_condition(filter, selection);
    if (!status && call->device < 0)
        filter->known = *filter->d_count;
    if (!status && filter->fill)
        status = fill(filter);
    if (status)
        call_failed(call, status);
    return status || call_done(call) ? -1 : 0;
}

/* stream= requires that the call allocates nothing: a library's allocations
 * belong to its current stream. */
static int check_stream(const py_filter *filter) {
    const py_words *const words = &filter->words;
    if (!words->named[KEY_STREAM] ||
        ((filter->kind == COUNT || words->named[KEY_OUT]) &&
         words->named[KEY_COUNT]))
        return 0;
    PyErr_SetString(PyExc_ValueError,
                    "stream= needs out= and count=: what a call allocates "
                    "belongs to its library's current stream");
    return -1;
}

/* Return the array to filter. x may be a Result: then this is its buffer, and
 * n= becomes its count. A new reference. */
static PyObject *unpack(const py_state *state, py_words *words) {
    if (!result_is(state, words->x))
        return Py_NewRef(words->x);
    if (!result_counts(words->x, &words->named[KEY_N]))
        return NULL;
    return PyObject_GetAttr(words->x,
                            (PyObject *)Py_TYPE(words->x) == state->rows_class
                                ? state->name_buffers
                                : state->name_buffer);
}

static PyObject *result_of(py_filter *filter) {
    const py_state *const state = filter->call.state;
    const py_words *const words = &filter->words;
    PyObject *made = NULL;
    if (filter->kind == COUNT)
        return filter->count ? Py_NewRef(filter->count)
                             : array_number(filter->call.state,
                                            filter->x->object, filter->known);
    PyObject *const buffer =
        words->named[KEY_OUT] || array_is_plain(filter->call.state, words->x)
            ? Py_NewRef(filter->out)
            : library_call(filter->call.state, "like", "OO", words->x,
                           filter->out);
    if (buffer)
        made = result_new(state, NULL, buffer, filter->word, filter->known,
                          filter->capacity);
    Py_XDECREF(buffer);
    return made;
}

static PyObject *filter_call(PyObject *module, int kind, const char *function,
                             unsigned allowed, PyObject *const *args,
                             Py_ssize_t positional, PyObject *names) {
    py_state *const state = state_of(module);
    py_filter filter;
    PyObject *made = NULL;
    memset(&filter, 0, offsetof(py_filter, arrays));
    filter.kind = kind;
    call_begin(&filter.call, state, filter.arrays,
               sizeof filter.arrays / sizeof filter.arrays[0]);
    py_words *const words = &filter.words;
    if (words_read(state, words, function, 2, allowed, args, positional,
                   names) ||
        words_order(state, words->named[KEY_ORDER],
                    &filter.call.launch.order) ||
        check_stream(&filter))
        return NULL;
    PyObject *const x = words->x = unpack(state, words);
    if (!x)
        return NULL;
    const int for_torch = is_for_torch(state, x, &filter.call.settled);
    if (for_torch)
        made = for_torch < 0 ? NULL : pass_to_torch(state, function, words);
    else if (!call_stream(&filter.call, words->named[KEY_STREAM]) &&
             !open_inputs(&filter) && !open_out(&filter) &&
             !read_fill(&filter) && !open_count(&filter) && !run(&filter))
        made = result_of(&filter);
    call_end(&filter.call);
    Py_XDECREF((PyObject *)filter.condition);
    Py_XDECREF(filter.out);
    Py_XDECREF(filter.count);
    Py_XDECREF(filter.fill);
    Py_DECREF(x);
    return made;
}

#define BIT(key) (1u << (key))

static PyObject *copy_if(PyObject *module, PyObject *const *args,
                         Py_ssize_t positional, PyObject *names) {
    return filter_call(module, COPY, "copy_if", BIT(KEY_ARRIVING) - 1, args,
                       positional, names);
}

static PyObject *index_if(PyObject *module, PyObject *const *args,
                          Py_ssize_t positional, PyObject *names) {
    return filter_call(module, INDEX, "index_if", BIT(KEY_ARRIVING) - 1, args,
                       positional, names);
}

static PyObject *count_if(PyObject *module, PyObject *const *args,
                          Py_ssize_t positional, PyObject *names) {
    return filter_call(module, COUNT, "count_if",
                       BIT(KEY_COUNT) | BIT(KEY_N) | BIT(KEY_STREAM), args,
                       positional, names);
}

#define COMMON                                                                 \
    "x : array of one dimension\n"                                             \
    "    Its elements are int8 to int64, uint8 to uint64, float16 to\n"        \
    "    float64, bfloat16, bool or dates. It belongs to NumPy, PyTorch,\n"    \
    "    CuPy or any library with DLPack or the CUDA array interface. An\n"    \
    "    array with gaps is copied.\n"                                         \
    "predicate : str, Condition or Prepared\n"                                 \
    "    'x > 0', or winnow.col('x') > 0.\n"
#define KEYS                                                                   \
    "n : int, Result or array of one int64, optional\n"                        \
    "    The number of elements of x that count: a number, or the count of\n"  \
    "    an earlier call. The call does not wait for a count on the device.\n" \
    "stream : int or object with __cuda_stream__, optional\n"                  \
    "    The CUDA stream to use in place of the one of x's library. It\n"      \
    "    needs out= and count=.\n"

PyMethodDef filter_functions[] = {
    {"copy_if", (PyCFunction)(void (*)(void))copy_if,
     METH_FASTCALL | METH_KEYWORDS,
     "copy_if($module, x, predicate, /, *, out=None, count=None, "
     "capacity=None, order='input', fill=None, n=None, stream=None)\n--\n\n"
     "Pack the elements of x that pass.\n\n"
     "On a GPU the call enqueues its work and returns.\n\n"
     "Parameters\n----------\n" COMMON "out : array, optional\n"
     "    The array to write to, of x's type. With order='input' x itself\n"
     "    packs in place. By default x's library makes an array of\n"
     "    `capacity` elements.\n"
     "count : array of one int64, optional\n"
     "    Receives the number of elements that pass.\n"
     "capacity : int, optional\n"
     "    The greatest number of elements to write; by default all of x.\n"
     "order : 'input' or 'any'\n"
     "    'any' is faster on a GPU.\n"
     "fill : number, optional\n"
     "    The value of the buffer behind the survivors. Without it the\n"
     "    buffer is undefined there.\n" KEYS "\nReturns\n-------\nResult"},
    {"index_if", (PyCFunction)(void (*)(void))index_if,
     METH_FASTCALL | METH_KEYWORDS,
     "index_if($module, x, predicate, /, *, out=None, count=None, "
     "capacity=None, order='input', fill=None, n=None, stream=None)\n--\n\n"
     "The indices of the elements of x that pass, like numpy.flatnonzero.\n\n"
     "Parameters\n----------\n" COMMON "out : array, optional\n"
     "    The array to write to, of int64, uint64, int32 or uint32. By\n"
     "    default x's library makes an array of int64.\n"
     "count, capacity, order, fill\n    As for copy_if().\n" KEYS
     "\nReturns\n-------\nResult"},
    {"count_if", (PyCFunction)(void (*)(void))count_if,
     METH_FASTCALL | METH_KEYWORDS,
     "count_if($module, x, predicate, /, *, count=None, n=None, "
     "stream=None)\n--\n\n"
     "The number of elements of x that pass, like numpy.count_nonzero.\n\n"
     "Parameters\n----------\n" COMMON "count : array of one int64, optional\n"
     "    Receives the number.\n" KEYS
     "\nReturns\n-------\narray of int64 without dimensions, on x's device"},
    {NULL, NULL, 0, NULL}};
