/*
 * A cache of conditions by their text and their columns, like the cache of
 * patterns in the module re. It drops the least recently used conditions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_KEPT_H
#define WINNOW_PYTHON_KEPT_H

#include "array.h"

/* The greatest number of entries, and the limit for the bytes of all
 * entries. */
#define KEPT_MOST 512
#define KEPT_BYTES (64u << 20)

/* The key of an entry: a text or a tuple of texts, and either the open columns
 * of a table, whose names are in py_array.key, or the kind of one array. */
typedef struct py_key {
    PyObject *text;
    const py_array *columns; /* or NULL */
    unsigned count;          /* of columns */
    int kind;                /* without columns */
} py_key;

/* Find an entry's value. Returns a new reference, or NULL if there is no entry,
 * perhaps with an exception. */
PyObject *kept_find(py_state *state, const py_key *key);
/* Count a hit or a miss. */
void kept_count(py_state *state, int found);
/* Add a value, if it is small enough. Returns 0, or -1 with an exception. */
int kept_add(py_state *state, const py_key *key, PyObject *value);
/* Drop all entries. */
void kept_clear(py_state *state);
/* Forget the cache in a child of fork(), without freeing it: a thread of the
 * parent may have been changing it during the fork. */
void kept_forget(py_state *state);

/* Functions of the module. */
extern PyMethodDef kept_functions[];

#endif
