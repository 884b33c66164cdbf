/*
 * Conditions that are kept by their text and the columns that they are for, as
 * the module re keeps patterns: what was used least recently goes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_KEPT_H
#define WINNOW_PYTHON_KEPT_H

#include "array.h"

/* As many are kept, of so many bytes together. */
#define KEPT_MOST 512
#define KEPT_BYTES (64u << 20)

/* What a condition is kept by: its text, or a tuple of texts, and either the
 * open arrays of a table, whose names are their keys, or the kind of one
 * array. */
typedef struct py_key {
    PyObject *text;
    const py_array *columns; /* or NULL */
    unsigned count;          /* of columns */
    int kind;                /* without columns */
} py_key;

/* What is kept; a new reference, or NULL: there is nothing, or an exception. */
PyObject *kept_find(py_state *state, const py_key *key);
/* A call found what it looked for, or not. */
void kept_count(py_state *state, int found);
/* Keep it, if it is small enough. 0, or -1 with an exception. */
int kept_add(py_state *state, const py_key *key, PyObject *value);
/* Drop all. */
void kept_clear(py_state *state);
/* In a child of fork(): what is kept may be in use by a thread of the
 * parent's, and is left to it. */
void kept_forget(py_state *state);

/* Functions of the module. */
extern PyMethodDef kept_functions[];

#endif
