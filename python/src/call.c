/*
 * What every call does with its arrays.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "call.h"

#include "result.h"

#include <string.h>

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

/* All arrays of a call are on one device, and ready on one stream. */
static int join_device(py_call *call, const py_array *array, const char *name) {
    char here[32], there[32];
    if (array->device == DEVICE_ANY)
        return 0;
    if (call->device == DEVICE_ANY) {
        call->device = array->device;
        call->decided_by = name;
    } else if (call->device != array->device) {
        place(array->device, here, sizeof here);
        place(call->device, there, sizeof there);
        PyErr_Format(PyExc_ValueError, "%s is on %s, and %s is on %s", name,
                     here, call->decided_by, there);
        return -1;
    }
    if (!array->has_stream)
        return 0;
    if (!call->has_stream) {
        call->launch.stream = array->stream;
        call->has_stream = 1;
    } else if (call->launch.stream != array->stream) {
        PyErr_Format(PyExc_ValueError,
                     "%s is used on stream %p, and the call runs on %p: make "
                     "them one, or synchronise and pass an array that is done",
                     name, (void *)array->stream, (void *)call->launch.stream);
        return -1;
    }
    return 0;
}

py_array *call_array(py_call *call, PyObject *object, const char *name,
                     unsigned use) {
    if (call->count == call->room) {
        PyErr_SetString(PyExc_ValueError, "too many arrays for one call");
        return NULL;
    }
    py_array *const array = &call->arrays[call->count];
    if (array_open(call->state, array, object, name, use,
                   call->has_stream ? &call->launch.stream : NULL))
        return NULL;
    call->count++;
    call->bytes += array->n * array->item_bytes;
    return join_device(call, array, name) ? NULL : array;
}

py_array *call_word(py_call *call, PyObject *object, const char *name,
                    unsigned use) {
    py_array *const array = call_array(call, object, name, use);
    if (array &&
        (array->n != 1 || array->item_bytes != 8 ||
         (array->type != WINNOW_INT64 && array->type != WINNOW_UINT64))) {
        PyErr_Format(PyExc_TypeError,
                     "%s must have one element of int64 or uint64", name);
        return NULL;
    }
    return array;
}

static int n_of_host(PyObject *object, uint64_t *n_p) {
    const Py_ssize_t n = PyNumber_AsSsize_t(object, PyExc_OverflowError);
    if (n == -1 && PyErr_Occurred())
        return -1;
    if (n < 0 || (uint64_t)n > *n_p) {
        PyErr_Format(PyExc_ValueError, "n is %zd, and there are %llu items", n,
                     (unsigned long long)*n_p);
        return -1;
    }
    *n_p = (uint64_t)n;
    return 0;
}

/* Of the host a number can be looked at: the library takes it as unsigned, and a
 * negative one would be all items. */
int call_n_is_number(const py_array *word) {
    if (word->device != WINNOW_DEVICE_HOST || word->type != WINNOW_INT64 ||
        *(const int64_t *)word->data >= 0)
        return 1;
    PyErr_Format(PyExc_ValueError, "n is %lld",
                 (long long)*(const int64_t *)word->data);
    return 0;
}

int call_n(py_call *call, PyObject *object, uint64_t *n_p) {
    if (!object || object == Py_None)
        return 0;
    if (Py_TYPE(object) == call->state->result_type) {
        const py_result *const before = (const py_result *)object;
        if (!before->count) { /* of the host, and known */
            const uint64_t kept = result_length(before);
            *n_p = kept < *n_p ? kept : *n_p;
            return 0;
        }
        object = before->count;
    }
    if (!array_is(call->state, object))
        return n_of_host(object, n_p);
    const py_array *const word = call_word(call, object, "n", ARRAY_READ);
    if (!word)
        return -1;
    call->launch.d_n = word->data;
    return call_n_is_number(word) ? 0 : -1;
}

int call_stream(py_call *call, PyObject *object) {
    if (!object || object == Py_None)
        return 0;
    PyObject *const number =
        library_call(call->state, "stream_number", "O", object);
    if (!number)
        return -1;
    call->launch.stream = PyLong_AsVoidPtr(number);
    call->has_stream = 1;
    Py_DECREF(number);
    return PyErr_Occurred() ? -1 : 0;
}

int call_ready(py_call *call) {
    const int device =
        call->device == DEVICE_ANY ? WINNOW_DEVICE_HOST : call->device;
    call->context = state_context(call->state, device);
    return call->context ? 0 : -1;
}

int call_unlocks(const py_call *call) {
    return call->device >= 0 || call->bytes > BYTES_WITH_THE_LOCK;
}

void call_end(py_call *call) {
    while (call->count)
        array_close(&call->arrays[--call->count]);
}
