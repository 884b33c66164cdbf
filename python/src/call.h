/*
 * A call of the library: its arrays, and the device and stream that they say.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_CALL_H
#define WINNOW_PYTHON_CALL_H

#include "array.h"
#include "prepared.h"

/* As many as a call of 64 columns in, out, and beside, and some more. */
#define MOST_ARRAYS 200

/* Below as many bytes a call of the host is over before another thread would
 * have the lock of the interpreter. */
#define BYTES_WITH_THE_LOCK 65536

typedef struct py_call {
    py_state *state;
    winnow_launch launch;
    winnow_context *context;
    int device;
    const py_array *decided_by; /* the array that the device is of */
    int has_stream;
    int stream_is_named;          /* by the caller, who orders it */
    const py_prepared *condition; /* what it points to is read, too; or NULL */
    uint64_t bytes;               /* of all arrays */
    unsigned settled;             /* ARRAY_SETTLED, once it is known */
    unsigned count;
    unsigned room;
    py_array *arrays;
} py_call;

/* A call with room for `room` arrays, which the caller owns. */
void call_begin(py_call *call, py_state *state, py_array *arrays,
                unsigned room);
/* Open the next array: on the device of the others. NULL with an exception. */
py_array *call_array(py_call *call, PyObject *object, const char *name,
                     unsigned use);
py_array *call_column(py_call *call, PyObject *object, py_name name,
                      unsigned use);
/* A new array, as array_new() makes it. */
py_array *call_new(py_call *call, const py_array *like, uint64_t n,
                   const char *type);
/* An array of the call once more, for another use: it is copied, if it does not
 * fit. */
py_array *call_again(py_call *call, py_array *array, unsigned use);
/* One 64-bit number in memory of the device; NULL with an exception. */
py_array *call_word(py_call *call, PyObject *object, const char *name,
                    unsigned use);
/* May the word of a call be its n? Of the host, it is not negative. */
int call_n_is_number(const py_array *word);

/* n=: None, a number, a result, or an array of one number. Not above *n_p,
 * which a number on the host replaces. */
int call_n(py_call *call, PyObject *object, uint64_t *n_p);
/* stream=: an integer, or an object with __cuda_stream__. */
int call_stream(py_call *call, PyObject *object);
/* The context, once all arrays are there. 0, or -1 with an exception. */
int call_ready(py_call *call);
/* Tell the libraries of the arrays that the call was made: autograd counts what
 * is written to, and a library that works on another stream waits for it. 0, or
 * -1 with an exception. */
int call_done(py_call *call);
/* Is the call captured in a graph? Its workspace is the framework's, which may be
 * asked during a capture. */
int call_is_captured(const py_call *call);
/* May another try find memory, after this status? */
int call_may_have_more(const py_call *call, winnow_status status);
/* A workspace of so many bytes from the library of the arrays, on the stream of the
 * call; if it has none to give, but has given other memory back, none. After WINNOW_OK
 * the call is made; else maybe with an exception. */
winnow_status call_more_memory(py_call *call, size_t bytes);
/* Raise what a status is. */
void call_failed(const py_call *call, winnow_status status);
/* Close the arrays. */
void call_end(py_call *call);

/* Add the time now, or subtract it, to what calls took: bench/calls.py asks for the
 * library's part of a call. */
void call_clock(py_state *state, int sign);

/* Does the call work without the lock of the interpreter? */
int call_unlocks(const py_call *call);

/* status = EXPRESSION, one call of the library's with the call's launch, with other
 * Python threads running meanwhile. Where the library finds no memory, and during a
 * capture, the plan of the call says what workspace it wants. */
#define CALL(call, status, expression)                                         \
    do {                                                                       \
        winnow_plan plan = {.size = sizeof plan};                              \
        (status) = WINNOW_ERR_MEMORY;                                          \
        if (!call_is_captured(call))                                           \
            CALL_ONCE(call, status, expression);                               \
        if (!call_may_have_more(call, status))                                 \
            break;                                                             \
        (call)->launch.plan = &plan;                                           \
        (status) = (expression);                                               \
        (call)->launch.plan = NULL;                                            \
        if (!(status))                                                         \
            (status) = call_more_memory(call, plan.workspace_bytes);           \
        if (!(status))                                                         \
            CALL_ONCE(call, status, expression);                               \
        (call)->launch.d_workspace = NULL;                                     \
        (call)->launch.workspace_bytes = 0;                                    \
    } while (0)
#define CALL_ONCE(call, status, expression)                                    \
    do {                                                                       \
        if (call_unlocks(call)) {                                              \
            PyThreadState *const thread = PyEval_SaveThread();                 \
            CALL_TIMED((call)->state, status, expression);                     \
            PyEval_RestoreThread(thread);                                      \
        } else {                                                               \
            CALL_TIMED((call)->state, status, expression);                     \
        }                                                                      \
    } while (0)
#define CALL_TIMED(state, status, expression)                                  \
    do {                                                                       \
        unsigned again = (state)->repeats;                                     \
        if (again)                                                             \
            call_clock(state, -1);                                             \
        do                                                                     \
            (status) = (expression);                                           \
        while (again > 1 && again--);                                          \
        if ((state)->repeats)                                                  \
            call_clock(state, 1);                                              \
    } while (0)

#endif
