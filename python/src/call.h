/*
 * A call of the library: its arrays, and the device and stream that they
 * decide.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_CALL_H
#define WINNOW_PYTHON_CALL_H

#include "array.h"
#include "prepared.h"

/* Enough for a call with 64 columns to test, 64 inputs and 64 outputs. */
#define MOST_ARRAYS 200

/* With up to this number of bytes, a call on the host ends before another
 * thread could take the interpreter's lock. */
#define BYTES_WITH_THE_LOCK 65536

typedef struct py_call {
    py_state *state;
    winnow_launch launch;
    winnow_context *context;
    int device;
    const py_array *decided_by; /* the array that decided the device */
    int has_stream;
    int stream_is_named;          /* the caller passed stream=, and orders it */
    const py_prepared *condition; /* may point to arrays; or NULL */
    uint64_t bytes;               /* of all arrays */
    unsigned settled;             /* ARRAY_SETTLED or _UNTRACED once known */
    int ran_python; /* code that may have freed the memory of open arrays */
    unsigned count;
    unsigned room;
    py_array *arrays;
} py_call;

/* Begin a call with room for `room` arrays. The caller owns `arrays`. */
void call_begin(py_call *call, py_state *state, py_array *arrays,
                unsigned room);
/* Open the next array, which must be on the device of the others. NULL with an
 * exception. */
py_array *call_array(py_call *call, PyObject *object, const char *name,
                     unsigned use);
py_array *call_column(py_call *call, PyObject *object, py_name name,
                      unsigned use);
/* Make a new array, as array_new() does, as the next array of the call. */
py_array *call_new(py_call *call, const py_array *like, uint64_t n,
                   const char *type);
/* Return an array of the call for another use: the array itself or, if its
 * layout does not fit, a copy. */
py_array *call_again(py_call *call, py_array *array, unsigned use);
/* Open an array of one 64-bit number. NULL with an exception. */
py_array *call_word(py_call *call, PyObject *object, const char *name,
                    unsigned use);
/* Return the integer that the argument `name` is. NULL with an exception, also for a
 * masked value. */
PyObject *call_number(py_call *call, PyObject *object, const char *name);
/* Read capacity=. Returns 0, or -1 with an exception. */
int call_capacity(py_call *call, PyObject *object, uint64_t *capacity_p);
/* Can this number be n? On the host a negative number is refused with an
 * exception. */
int call_n_is_number(const py_array *word);

/* Read n=: None, a number, a Result, or an array of one number. A number on the
 * host replaces *n_p, and must not exceed it. A Result's count on the host is
 * limited to *n_p. */
int call_n(py_call *call, PyObject *object, uint64_t *n_p);
/* Read the count of a Result as call_n() does. */
int call_counted(py_call *call, PyObject *result, uint64_t *n_p);
/* Return the default of capacity= for x of `items`, where call_n() gave n. The count
 * of a Result leaves it as it is: on a GPU it is not known. */
uint64_t call_room(const py_call *call, PyObject *object, uint64_t items,
                   uint64_t n);
/* Read stream=: an integer, or an object with __cuda_stream__. */
int call_stream(py_call *call, PyObject *object);
/* Find the context of the call, once all arrays are open. Returns 0, or -1 with
 * an exception. */
int call_ready(py_call *call);
/* Tell the arrays' libraries that the call was made: autograd counts writes to
 * tensors, and a library whose stream is another one waits for the call.
 * Returns 0, or -1 with an exception. */
int call_done(py_call *call);
/* Is the call captured in a CUDA graph by PyTorch? Then PyTorch allocates its
 * workspace, which is allowed during a capture. */
int call_is_captured(const py_call *call);
/* Can the call be made again with more memory, after this status? */
int call_may_have_more(const py_call *call, winnow_status status);
/* Get a workspace of this size from the arrays' library, on the call's stream.
 * If it cannot allocate one, make it free cached memory. Returns WINNOW_OK if
 * the call should be made again; else there may be an exception. */
winnow_status call_more_memory(py_call *call, size_t bytes);
/* Raise the exception of a status, unless one is set. */
void call_failed(const py_call *call, winnow_status status);
/* Close the arrays. */
void call_end(py_call *call);

/* Add the current time to the time that calls took (sign 1) or subtract it
 * (-1). bench/calls.py measures the library's part of a call by this. */
void call_clock(py_state *state, int sign);

/* Does the call release the interpreter's lock? */
int call_unlocks(const py_call *call);

/* status = EXPRESSION, one call of the library with the call's launch. Other
 * Python threads can run meanwhile. If the library finds no memory, or during a
 * capture, the call's plan gives the size of the workspace, which the framework
 * allocates. */
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
