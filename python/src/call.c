/*
 * Open the arrays of a call, and order the call with the work of their
 * libraries.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "call.h"

#include "result.h"
#include "view.h"

#include <string.h>
#include <time.h>

void call_begin(py_call *call, py_state *state, py_array *arrays,
                unsigned room) {
    memset(call, 0, sizeof *call);
    call->state = state;
    call->launch.size = sizeof call->launch;
    call->launch.order = WINNOW_STABLE;
    call->device = DEVICE_ANY;
    call->arrays = arrays;
    call->room = room;
}

static void place(int device, char *text, size_t bytes) {
    if (device >= 0)
        PyOS_snprintf(text, bytes, "GPU %d", device);
    else
        PyOS_snprintf(text, bytes, "the CPU");
}

/* Check that an array is on the device of the call's other arrays. */
static int join_device(py_call *call, const py_array *array) {
    char here[32], there[32];
    if (array->device == DEVICE_ANY)
        return 0;
    if (call->device == DEVICE_ANY) {
        call->device = array->device;
        call->decided_by = array;
    } else if (call->device != array->device) {
        place(array->device, here, sizeof here);
        place(call->device, there, sizeof there);
        PyErr_Format(PyExc_ValueError, "%s is on %s, and %s is on %s",
                     array_name(array), here, array_name(call->decided_by),
                     there);
        return -1;
    }
    return 0;
}

static int join_stream(py_call *call, const py_array *array) {
    if (array->device == DEVICE_ANY || !array->has_stream)
        return 0;
    if (!call->has_stream) {
        call->launch.stream = array->stream;
        call->has_stream = 1;
    } else if (call->launch.stream != array->stream) {
        PyErr_Format(PyExc_ValueError,
                     "%s is used on stream %p, and the call runs on %p: use "
                     "one stream for all arrays of a call",
                     array_name(array), (void *)array->stream,
                     (void *)call->launch.stream);
        return -1;
    }
    return 0;
}

static py_array *next_array(py_call *call) {
    if (call->count < call->room)
        return &call->arrays[call->count];
    PyErr_SetString(PyExc_ValueError, "too many arrays for one call");
    return NULL;
}

static const winnow_stream *stream_of(const py_call *call) {
    return call->has_stream ? &call->launch.stream : NULL;
}

static py_array *join(py_call *call, py_array *array) {
    call->count++;
    call->bytes += array->n * array->item_bytes;
    if (array->is_tensor)
        call->settled |=
            array->is_settled ? ARRAY_SETTLED : (unsigned)ARRAY_UNTRACED;
    return join_device(call, array) || join_stream(call, array) ? NULL : array;
}

py_array *call_column(py_call *call, PyObject *object, py_name name,
                      unsigned use) {
    py_array *const array = next_array(call);
    const winnow_stream *const stream = stream_of(call);
    use |= call->settled;
    if (!array || array_open(call->state, array, object, name, use, stream))
        return NULL;
    call->ran_python |= !array->api && (PyObject *)Py_TYPE(array->object) !=
                                           call->state->ndarray;
    return join(call, array);
}

py_array *call_array(py_call *call, PyObject *object, const char *name,
                     unsigned use) {
    return call_column(call, object, (py_name){name, NULL}, use);
}

py_array *call_new(py_call *call, const py_array *like, uint64_t n,
                   const char *type) {
    py_array *const array = next_array(call);
    if (!array ||
        array_make(call->state, array, like, n, type, stream_of(call)))
        return NULL;
    return join(call, array);
}

py_array *call_again(py_call *call, py_array *array, unsigned use) {
    if (array_fits(array, use))
        return array;
    py_array *const again = next_array(call);
    if (!again)
        return NULL;
    array_borrow(again, array, array->object);
    if (array_use(call->state, again, use, stream_of(call))) {
        array_close(again);
        return NULL;
    }
    return join(call, again);
}

py_array *call_word(py_call *call, PyObject *object, const char *name,
                    unsigned use) {
    py_array *const array = call_array(call, object, name, use);
    if (array &&
        (array->n != 1 || array->item_bytes != 8 ||
         (array->type != WINNOW_INT64 && array->type != WINNOW_UINT64))) {
        PyErr_Format(PyExc_TypeError,
                     "%s must have one element of int64 or uint64",
                     array_name(array));
        return NULL;
    }
    return array;
}

PyObject *call_number(py_call *call, PyObject *object, const char *name) {
    if (PyLong_CheckExact(object))
        return Py_NewRef(object);
    call->ran_python = 1;
    if (!PyObject_HasAttrString(object, "filled"))
        return PyNumber_Index(object);
    PyErr_Format(PyExc_TypeError, "%s is a masked array", name);
    return NULL;
}

int call_capacity(py_call *call, PyObject *object, uint64_t *capacity_p) {
    PyObject *const number = call_number(call, object, "capacity");
    const unsigned long long capacity =
        number ? PyLong_AsUnsignedLongLong(number) : 0;
    if (number && (PyErr_Occurred() || capacity > INT64_MAX))
        PyErr_Format(PyExc_ValueError, "capacity is %S", number);
    Py_XDECREF(number);
    *capacity_p = capacity;
    return PyErr_Occurred() ? -1 : 0;
}

static int n_of_host(py_call *call, PyObject *object, uint64_t *n_p) {
    PyObject *const number = call_number(call, object, "n");
    const unsigned long long n = number ? PyLong_AsUnsignedLongLong(number) : 0;
    if (number && (PyErr_Occurred() || n > *n_p))
        PyErr_Format(PyExc_ValueError, "n is %S, and there are %llu items",
                     number, (unsigned long long)*n_p);
    Py_XDECREF(number);
    *n_p = n;
    return PyErr_Occurred() ? -1 : 0;
}

/* On the host check that the number is not negative. The library reads it as
 * unsigned, so that a negative number would mean all items. */
int call_n_is_number(const py_array *word) {
    if (word->device != WINNOW_DEVICE_HOST || word->type != WINNOW_INT64 ||
        *(const int64_t *)word->data >= 0)
        return 1;
    PyErr_Format(PyExc_ValueError, "n is %lld",
                 (long long)*(const int64_t *)word->data);
    return 0;
}

/* Read n= as an array of one number. On the host the count of a result is known, and
 * may exceed the capacity. */
static int n_of_array(py_call *call, PyObject *object, int is_count,
                      uint64_t *n_p) {
    const py_array *const word = call_word(call, object, "n", ARRAY_READ);
    if (!word || !call_n_is_number(word))
        return -1;
    if (!is_count || word->device != WINNOW_DEVICE_HOST)
        call->launch.d_n = word->data;
    else if (*(const uint64_t *)word->data < *n_p)
        *n_p = *(const uint64_t *)word->data;
    return 0;
}

int call_counted(py_call *call, PyObject *result, uint64_t *n_p) {
    PyObject *const count = result_count(call->state, result, n_p);
    int status = -1;
    if (count && (PyLong_Check(count) || !array_is(call->state, count))) {
        PyObject *const known = PyNumber_Index(count);
        const unsigned long long kept =
            known ? PyLong_AsUnsignedLongLong(known) : 0;
        Py_XDECREF(known);
        *n_p = kept < *n_p ? kept : *n_p;
        status = PyErr_Occurred() ? -1 : 0;
    } else if (count) {
        status = n_of_array(call, count, 1, n_p);
    }
    Py_XDECREF(count);
    return status;
}

int call_n(py_call *call, PyObject *object, uint64_t *n_p) {
    if (!object || object == Py_None)
        return 0;
    if (result_is(call->state, object))
        return call_counted(call, object, n_p);
    return array_is(call->state, object) ? n_of_array(call, object, 0, n_p)
                                         : n_of_host(call, object, n_p);
}

uint64_t call_room(const py_call *call, PyObject *object, uint64_t items,
                   uint64_t n) {
    return object && result_is(call->state, object) ? items : n;
}

int call_stream(py_call *call, PyObject *object) {
    if (!object || object == Py_None)
        return 0;
    PyObject *const number =
        library_call(call->state, "stream_number", "O", object);
    if (!number)
        return -1;
    call->launch.stream = PyLong_AsVoidPtr(number);
    call->has_stream = call->stream_is_named = 1;
    Py_DECREF(number);
    return PyErr_Occurred() ? -1 : 0;
}

/* Order the call and the work of an array's library, which are on different
 * streams. `before`: the call waits for the library; else the library waits for
 * the call. */
static int order(const py_call *call, const py_array *array, int before) {
    PyObject *const own = array->own
                              ? Py_NewRef(array->own)
                              : PyLong_FromVoidPtr((void *)array->stream);
    PyObject *const other = PyLong_FromVoidPtr((void *)call->launch.stream);
    PyObject *const done =
        own && other
            ? library_call(call->state, "order", "OOi", before ? own : other,
                           before ? other : own, array->device)
            : NULL;
    Py_XDECREF(own);
    Py_XDECREF(other);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* Check that the arrays to which the condition points are on the call's device,
 * and order the call with their streams. A captured call cannot wait for
 * another stream, so these arrays must be ready before the capture. */
static int order_held(py_call *call, int before) {
    PyObject *const held = call->condition ? call->condition->held : NULL;
    for (Py_ssize_t i = 0; held && i < PyTuple_Size(held); i++) {
        const py_array *const array =
            &((const py_view *)PyTuple_GetItem(held, i))->array;
        if (before && join_device(call, array))
            return -1;
        if (array->stream != call->launch.stream && order(call, array, before))
            return -1;
    }
    return 0;
}

int call_ready(py_call *call) {
    for (unsigned i = 0; call->ran_python && i < call->count; i++)
        if (!call->arrays[i].is_borrowed &&
            array_look_again(call->state, &call->arrays[i]))
            return -1;
    if (order_held(call, 1))
        return -1;
    const int device =
        call->device == DEVICE_ANY ? WINNOW_DEVICE_HOST : call->device;
    call->context = state_context(call->state, device);
    return call->context ? 0 : -1;
}

int call_done(py_call *call) {
    if (tensors_written(call->state, call->arrays, call->count))
        return -1;
    for (unsigned i = 0; i < call->count; i++) {
        const py_array *const array = &call->arrays[i];
        if (array->own && array->own_stream != call->launch.stream &&
            !call->stream_is_named && order(call, array, 0))
            return -1;
    }
    return order_held(call, 0);
}

int call_is_captured(const py_call *call) {
    /* CUDA's default stream is never captured. */
    if (call->device < 0 || !call->launch.stream || !call->count ||
        !call->arrays[0].is_tensor || call->stream_is_named)
        return 0;
    PyObject *const is =
        PyObject_CallNoArgs(call->state->torch[TORCH_CAPTURES]);
    if (!is)
        PyErr_Clear(); /* PyTorch is built without CUDA */
    Py_XDECREF(is);
    return is == Py_True;
}

int call_may_have_more(const py_call *call, winnow_status status) {
    return status == WINNOW_ERR_MEMORY && call->device >= 0 && call->count;
}

/* Ask the framework to free memory that it caches, so that winnow's library can
 * allocate it. */
static int makes_room(const py_call *call) {
    PyObject *const made =
        library_call(call->state, "make_room", "O", call->arrays[0].object);
    if (!made)
        PyErr_Clear(); /* the call's own error says what is wrong */
    Py_XDECREF(made);
    return made == Py_True;
}

winnow_status call_more_memory(py_call *call, size_t bytes) {
    const int captured = call_is_captured(call);
    if (bytes == 0 && captured)
        return WINNOW_OK;
    /* Nothing orders a stream that the caller named with the allocator of the
     * arrays' library, so do not allocate there. */
    const py_array *const made =
        bytes && !call->stream_is_named
            ? call_new(call, &call->arrays[0], bytes, "bool")
            : NULL;
    if (made) {
        call->launch.d_workspace = made->data;
        call->launch.workspace_bytes = bytes;
        return WINNOW_OK;
    }
    if (captured)
        return WINNOW_ERR_MEMORY;
    PyErr_Clear();
    return makes_room(call) ? WINNOW_OK : WINNOW_ERR_MEMORY;
}

/* Report an overlap with Python's names of the arrays; the library's message
 * has names of C. */
static int named_overlap(const py_call *call, winnow_status status) {
    if (status != WINNOW_ERR_ARGUMENT ||
        !strstr(winnow_last_error(), "overlap"))
        return 0;
    for (unsigned i = 0; i < call->count; i++)
        for (unsigned j = 0; j < call->count; j++) {
            const py_array *const a = &call->arrays[j], *const b =
                                                            &call->arrays[i];
            if (i == j || !b->is_written || array_apart(a, b))
                continue;
            PyErr_Format(call->state->errors[status],
                         "%s and %s overlap: pass arrays that are apart",
                         array_name(a), array_name(b));
            return 1;
        }
    return 0;
}

void call_failed(const py_call *call, winnow_status status) {
    PyObject *type, *error, *trace;
    if (!PyErr_Occurred() /* the framework's allocator may have set one */
        && !named_overlap(call, status))
        raise_status(call->state, status);
    if (status != WINNOW_ERR_MEMORY || call->device < 0 || !call->count)
        return;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    PyObject *const other = library_call(call->state, "out_of_memory", "OO",
                                         call->arrays[0].object, error);
    if (other)
        PyErr_SetObject((PyObject *)Py_TYPE(other), other);
    Py_XDECREF(other);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
}

void call_clock(py_state *state, int sign) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    state->took += sign * (now.tv_sec * INT64_C(1000000000) + now.tv_nsec);
}

int call_unlocks(const py_call *call) {
    return call->device >= 0 || call->bytes > BYTES_WITH_THE_LOCK;
}

void call_end(py_call *call) {
    while (call->count)
        array_close(&call->arrays[--call->count]);
}
