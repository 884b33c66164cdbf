/*
 * A call on tables, selections or keys, with the memory that it needs: what all
 * of these do alike. The functions give 1, or 0 with an exception, so that a
 * call is a row of them.
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
    py_prepared *condition; /* a reference of its own, or NULL */
    uint64_t n;             /* items that the call takes */
    uint64_t limit;         /* of capacity=, or WINNOW_NO_LIMIT */
    uint64_t capacity;      /* of what is written: at most the limit */
    py_array *table;        /* the columns of a table, in a row */
    unsigned width;         /* how many there are */
    unsigned tests;         /* columns that are read */
    /* The count: an array on a GPU, else `known`. */
    py_array *count;
    uint64_t *d_count;
    uint64_t known;
    winnow_in columns[MOST_COLUMNS];
    winnow_move moves[MOST_COLUMNS];
    winnow_out sums[MOST_COLUMNS];
    py_array *more; /* where the arrays are, if they are many */
    py_array arrays[MOST_ARRAYS];
} py_work;

/* NULL with an exception. */
py_work *work_new(py_state *state);
/* The end of the library's call, if the arrays were opened. */
int work_done(py_work *work, int opened, winnow_status status);
void work_free(py_work *work);

/* n= of a call on so many items: work->n. */
int work_n(py_work *work, PyObject *object, uint64_t items);
/* capacity=, or None. */
int work_limit(py_work *work, PyObject *object);
/* out=, or None for a new array like another one of as many items as the
 * limit has, or n: work->capacity falls to what it has room for. NULL with an
 * exception. */
py_array *work_out(py_work *work, PyObject *out, const py_array *like,
                   uint64_t n, const char *type);
/* Are its items as few bytes as the library moves? */
int can_move(const py_array *x);
/* The next of the moves: of x to an array of the same items, or to a new
 * one. */
int work_move(py_work *work, unsigned i, py_array *x, PyObject *out);
/* A value as the bytes of an item of an array; NULL of None. */
int work_item(py_work *work, const py_array *array, PyObject *value,
              PyObject **bytes_p);
/* What the first move leaves over gets such bytes, if there are any. */
winnow_status work_fill(py_work *work, PyObject *bytes);
/* Where the call counts. */
int work_count(py_work *work, const py_array *like);
/* The context, and what a condition points to. */
int work_ready(py_work *work);
int has_items(const py_array *array, uint64_t n);
int same_items(const py_array *in, const py_array *out);
/* A mask is an array of one byte for each item, of bool or integers. */
int work_mask(py_work *work, PyObject *object, const py_array **flags_p,
              winnow_mask *mask);

/* A column that a call reads, as the next one of work->columns. */
int work_column(py_work *work, py_array *array);

/* What a call takes for x: of a Result or of Rows what they have, with which n=
 * is, if it is none. A new reference, or NULL. */
PyObject *work_unpack(py_state *state, PyObject *x, PyObject **n);
/* What was made of x, as its library has it: a new reference, or NULL. */
PyObject *work_like(py_state *state, PyObject *x, const py_array *made);
/* A Result of what was made of x; with out= of that. */
PyObject *work_result(py_work *work, PyObject *x, const py_array *made,
                      PyObject *out);

/* Lets other Python threads run, if the call is long. */
#define RUN(expression)                                                        \
    do {                                                                       \
        if (opened)                                                            \
            CALL(&work->call, status, expression);                             \
    } while (0)
#define CONTEXT work->call.context
#define LAUNCH &work->call.launch

#endif
