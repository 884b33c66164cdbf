/*
 * Read arguments in the form in which the interpreter passes them to fast
 * calls, without a tuple or a dictionary.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "words.h"

#include <string.h>

PyObject *words_get(const py_words *words, int key) {
    return words->named[key] ? words->named[key] : Py_None;
}

int words_read(const py_state *state, py_words *words, const char *function,
               Py_ssize_t wanted, unsigned allowed, PyObject *const *args,
               Py_ssize_t positional, PyObject *names) {
    memset(words, 0, sizeof *words);
    if (positional != wanted) {
        PyErr_Format(
            PyExc_TypeError,
            "%s() takes %zd positional arguments%s, but %zd were given",
            function, wanted, wanted == 2 ? ", an array and a condition" : "",
            positional);
        return -1;
    }
    words->x = wanted > 0 ? args[0] : NULL;
    words->predicate = wanted > 1 ? args[1] : NULL;
    const Py_ssize_t count = names ? PyTuple_Size(names) : 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *const name = PyTuple_GetItem(names, i);
        int key = 0;
        while (key < KEYWORDS && name != state->keywords[key])
            key++;
        if (key == KEYWORDS)
            for (key = 0; key < KEYWORDS &&
                          PyUnicode_Compare(name, state->keywords[key]);)
                key++;
        if (key == KEYWORDS || !(allowed >> key & 1)) {
            PyErr_Format(PyExc_TypeError,
                         "%s() got an unexpected keyword argument '%U'",
                         function, name);
            return -1;
        }
        PyObject *const value = args[positional + i];
        words->named[key] = value == Py_None ? NULL : value;
        words->none |= (unsigned)(value == Py_None) << key;
    }
    return 0;
}

int words_order(const py_state *state, PyObject *object,
                winnow_order *order_p) {
    if (!object || object == state->order_input ||
        (PyUnicode_Check(object) &&
         PyUnicode_Compare(object, state->order_input) == 0)) {
        *order_p = WINNOW_STABLE;
        return 0;
    }
    if (object == state->order_any ||
        (PyUnicode_Check(object) &&
         PyUnicode_Compare(object, state->order_any) == 0)) {
        *order_p = WINNOW_UNORDERED;
        return 0;
    }
    PyErr_Format(PyExc_ValueError, "order is 'input' or 'any', not %R", object);
    return -1;
}
