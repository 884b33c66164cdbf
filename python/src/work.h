/*
 * The common parts of calls on tables, selections or keys. Most functions
 * return 1, or 0 with an exception, so that a call can join them by &&.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_WORK_H
#define WINNOW_PYTHON_WORK_H

#include "call.h"

#define MOST_COLUMNS 64
#define MOST_ITEM_BYTES 4096 /* winnow_compact_columns(3) */

typedef struct py_work {
    py_call call;
    py_prepared *condition; /* an owned reference, or NULL */
    uint64_t n;             /* items that the call reads */
    uint64_t room;          /* the default of capacity=: see call_room() */
    uint64_t limit;         /* capacity=, or WINNOW_NO_LIMIT */
    uint64_t capacity;      /* items that can be written: at most the limit */
    py_array *table;        /* the columns of a table, an array of `width` */
    unsigned width;         /* the number of columns of the table */
    unsigned tests;         /* the number of columns that are read */
    /* The count: an array on a GPU, else `known`. */
    py_array *count;
    uint64_t *d_count;
    uint64_t known;
    winnow_in columns[MOST_COLUMNS];
    winnow_move moves[MOST_COLUMNS];
    winnow_out sums[MOST_COLUMNS];
    py_array *more; /* memory for more than MOST_ARRAYS arrays, or NULL */
    py_array arrays[MOST_ARRAYS];
} py_work;

/* Begin a call. NULL with an exception. */
py_work *work_new(py_state *state);
/* Begin a function of the module that takes `wanted` arguments. */
py_work *work_begin(PyObject *module, const char *function, Py_ssize_t count,
                    Py_ssize_t wanted);
/* End the library's call. `opened` is 0 if opening the arrays failed. */
int work_done(py_work *work, int opened, winnow_status status);
void work_free(py_work *work);

/* Read n= of a call on an array of this number of items. Sets work->n. */
int work_n(py_work *work, PyObject *object, uint64_t items);
/* Read capacity=, or None. Sets work->limit. */
int work_limit(py_work *work, PyObject *object);
/* Open out= or, if it is None, make an array like `like`. The new array has
 * work->limit items, or n if there is no limit. Sets work->capacity. NULL with
 * an exception. */
py_array *work_out(py_work *work, PyObject *out, const py_array *like,
                   uint64_t n, const char *type);
/* Do the items have a size that the library can move? */
int can_move(const py_array *x);
/* Set move i: from x to out=, an array of the same items, or to a new array of
 * work->limit items, or of work->room if there is no limit. */
int work_move(py_work *work, unsigned i, py_array *x, PyObject *out);
/* Convert a value to the bytes of an item of an array. Leaves *bytes_p if the
 * value is None. */
int work_item(py_work *work, const py_array *array, PyObject *value,
              PyObject **bytes_p);
/* Fill the rest of the first move's output with these bytes, unless they are
 * NULL. */
winnow_status work_fill(py_work *work, PyObject *bytes);
/* Set the place to which the call writes the count: a new array, or `known`. */
int work_count(py_work *work, const py_array *like);
/* Find the context, and order the call with the arrays of the condition. */
int work_ready(py_work *work);
int has_items(const py_array *array, uint64_t n);
int has_as_many(const py_array *array, const py_array *first);
int same_items(const py_array *in, const py_array *out);
/* Open a mask: an array of bool or of 8-bit integers. */
int work_mask(py_work *work, PyObject *object, const py_array **flags_p,
              winnow_mask *mask);

/* Add a column that the call reads to work->columns. */
int work_column(py_work *work, py_array *array);

/* Return the array or table that a call on x reads. If x is a Result or Rows,
 * these are its buffers, and *n becomes x. A new reference, or NULL with an
 * exception. */
PyObject *work_unpack(py_state *state, PyObject *x, PyObject **n);
/* Convert an array that a call made from x to an array of x's library. A new
 * reference, or NULL with an exception. */
PyObject *work_like(py_state *state, PyObject *x, const py_array *made);
/* Make a Result of an array that a call made from x, or of out=. */
PyObject *work_result(py_work *work, PyObject *x, const py_array *made,
                      PyObject *out);

/* Make a call of the library, if the arrays were opened. Other Python threads
 * can run meanwhile, if the call is long. */
#define RUN(expression)                                                        \
    do {                                                                       \
        if (opened)                                                            \
            CALL(&work->call, status, expression);                             \
    } while (0)
#define FUNCTION(name)                                                         \
    { #name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL }
#define CONTEXT work->call.context
#define LAUNCH &work->call.launch

#endif
