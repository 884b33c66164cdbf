/*
 * The arguments of the fast calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_WORDS_H
#define WINNOW_PYTHON_WORDS_H

#include "state.h"

typedef struct py_words {
    PyObject *x, *predicate;
    PyObject *named[KEYWORDS]; /* NULL: not given, or None */
    unsigned none;             /* bits of those that are None */
} py_words;

/* Read x, with two positional arguments the predicate, and those keywords
 * that are bits of `allowed`. 0, or -1 with an exception. */
int words_read(const py_state *state, py_words *words, const char *function,
               Py_ssize_t wanted, unsigned allowed, PyObject *const *args,
               Py_ssize_t positional, PyObject *names);
/* What is named, or None. */
PyObject *words_get(const py_words *words, int key);
/* order=: "input", the default, or "any". */
int words_order(const py_state *state, PyObject *object, winnow_order *order_p);
/* capacity=: not below 0. */
int words_capacity(PyObject *object, uint64_t *capacity_p);

#endif
