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
    PyObject *named[KEYWORDS]; /* keyword arguments; NULL: missing or None */
    unsigned none;             /* bits of the arguments that are None */
} py_words;

/* Read `wanted` positional arguments, first x and then the predicate, and the
 * keyword arguments whose bits are in `allowed`. Returns 0, or -1 with an
 * exception. */
int words_read(const py_state *state, py_words *words, const char *function,
               Py_ssize_t wanted, unsigned allowed, PyObject *const *args,
               Py_ssize_t positional, PyObject *names);
/* Return a keyword argument, or None if it is missing. */
PyObject *words_get(const py_words *words, int key);
/* Read order=: "input", the default, or "any". */
int words_order(const py_state *state, PyObject *object, winnow_order *order_p);

#endif
