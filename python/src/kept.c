/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kept.h"

#include <string.h>

#define NONE KEPT_MOST
#define BUCKETS (2 * KEPT_MOST)
/* The estimated bytes of a condition for each character of its text. A number
 * of two characters is 8 bytes in the condition, and again in a set's table and
 * in a program. */
#define BYTES_OF_CHARACTER 16
#define BYTES_AT_LEAST 1024
/* A larger condition is not kept, since it would displace many others. */
#define MOST_BYTES_OF_ONE (KEPT_BYTES / 8)

typedef struct py_entry {
    PyObject *text, *value;
    PyObject *names; /* tuple of the columns' names; NULL: for one array */
    int *kinds;
    Py_hash_t hash;
    size_t bytes;
    unsigned next;         /* next entry of the bucket */
    unsigned newer, older; /* neighbours in the order of last use */
} py_entry;

struct py_kept {
    py_entry entries[KEPT_MOST];
    unsigned buckets[BUCKETS];
    unsigned count; /* entries[0] to entries[count - 1] are in use */
    unsigned newest, oldest;
    size_t bytes;
    unsigned long long hits, misses;
};

static struct py_kept *kept_of(py_state *state) {
    if (state->kept)
        return state->kept;
    struct py_kept *const made = PyMem_Calloc(1, sizeof *made);
    if (!made) {
        PyErr_NoMemory();
        return NULL;
    }
    for (unsigned i = 0; i < BUCKETS; i++)
        made->buckets[i] = NONE;
    made->newest = made->oldest = NONE;
    return state->kept = made;
}

/* ------------------------------------------------------------------- keys */

static int kind_at(const py_key *key, unsigned i) {
    return key->columns ? key->columns[i].kind : key->kind;
}

static unsigned kinds_of(const py_key *key) {
    return key->columns ? key->count : 1;
}

/* Returns -1 with an exception. */
static Py_hash_t hash_of(const py_key *key) {
    size_t hash = (size_t)PyObject_Hash(key->text) ^ (key->columns != NULL);
    for (unsigned i = 0; i < kinds_of(key); i++) {
        hash = (hash ^ (size_t)kind_at(key, i)) * 1099511628211u;
        if (key->columns)
            hash = (hash ^ (size_t)PyObject_Hash(key->columns[i].key)) *
                   1099511628211u;
    }
    hash ^= hash >> 32;
    return PyErr_Occurred() ? -1 : (Py_hash_t)(hash >> 1);
}

/* Compare texts, or tuples of texts, numbers and None. A subclass of str may
 * have its own __eq__(), which could change the cache meanwhile, so it is not
 * called. */
static int same_text(PyObject *a, PyObject *b) {
    if (a == b)
        return 1;
    if (PyUnicode_Check(a) && PyUnicode_Check(b))
        return PyUnicode_Compare(a, b) == 0;
    if (PyLong_CheckExact(a) && PyLong_CheckExact(b))
        return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
    if (!PyTuple_CheckExact(a) || !PyTuple_CheckExact(b) ||
        PyTuple_Size(a) != PyTuple_Size(b))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(a); i++)
        if (!same_text(PyTuple_GetItem(a, i), PyTuple_GetItem(b, i)))
            return 0;
    return 1;
}

static int is(const py_entry *entry, const py_key *key, Py_hash_t hash) {
    if (entry->hash != hash || (entry->names == NULL) != !key->columns ||
        (key->columns &&
         PyTuple_Size(entry->names) != (Py_ssize_t)key->count) ||
        !same_text(entry->text, key->text))
        return 0;
    for (unsigned i = 0; i < kinds_of(key); i++)
        if (entry->kinds[i] != kind_at(key, i) ||
            (key->columns &&
             !same_text(PyTuple_GetItem(entry->names, i), key->columns[i].key)))
            return 0;
    return 1;
}

/* ---------------------------------------------------------------- the order */

static void take_out(struct py_kept *kept, unsigned i) {
    const py_entry *const entry = &kept->entries[i];
    if (entry->newer != NONE)
        kept->entries[entry->newer].older = entry->older;
    else
        kept->newest = entry->older;
    if (entry->older != NONE)
        kept->entries[entry->older].newer = entry->newer;
    else
        kept->oldest = entry->newer;
}

static void put_first(struct py_kept *kept, unsigned i) {
    py_entry *const entry = &kept->entries[i];
    entry->newer = NONE;
    entry->older = kept->newest;
    if (kept->newest != NONE)
        kept->entries[kept->newest].newer = i;
    else
        kept->oldest = i;
    kept->newest = i;
}

static unsigned *bucket_of(struct py_kept *kept, Py_hash_t hash) {
    return &kept->buckets[(size_t)hash % BUCKETS];
}

/* Drop an entry. Its destructors may run Python code, which may use the cache,
 * so they run after the entry was removed. */
static void drop(struct py_kept *kept, unsigned i) {
    const py_entry dropped = kept->entries[i];
    unsigned *link = bucket_of(kept, dropped.hash);
    while (*link != i)
        link = &kept->entries[*link].next;
    *link = dropped.next;
    take_out(kept, i);
    kept->bytes -= dropped.bytes;
    /* Move the last entry to the free place, so that the entries stay
     * contiguous. */
    const unsigned last = --kept->count;
    if (last != i) {
        py_entry *const moved = &kept->entries[i];
        *moved = kept->entries[last];
        link = bucket_of(kept, moved->hash);
        while (*link != last)
            link = &kept->entries[*link].next;
        *link = i;
        if (moved->newer != NONE)
            kept->entries[moved->newer].older = i;
        else
            kept->newest = i;
        if (moved->older != NONE)
            kept->entries[moved->older].newer = i;
        else
            kept->oldest = i;
    }
    PyMem_Free(dropped.kinds);
    Py_DECREF(dropped.text);
    Py_XDECREF(dropped.names);
    Py_DECREF(dropped.value);
}

/* -------------------------------------------------------------------- calls */

static py_entry *find(struct py_kept *kept, const py_key *key, Py_hash_t hash) {
    unsigned i = *bucket_of(kept, hash);
    while (i != NONE && !is(&kept->entries[i], key, hash))
        i = kept->entries[i].next;
    return i != NONE ? &kept->entries[i] : NULL;
}

PyObject *kept_find(py_state *state, const py_key *key) {
    struct py_kept *const kept = kept_of(state);
    const Py_hash_t hash = kept ? hash_of(key) : -1;
    if (hash == -1)
        return NULL;
    const py_entry *const found = find(kept, key, hash);
    if (!found)
        return NULL;
    const unsigned i = (unsigned)(found - kept->entries);
    if (i != kept->newest) {
        take_out(kept, i);
        put_first(kept, i);
    }
    return Py_NewRef(found->value);
}

void kept_count(py_state *state, int found) {
    if (state->kept && found)
        state->kept->hits++;
    else if (state->kept)
        state->kept->misses++;
}

/* Return the number of characters of a text, or of all texts of a tuple. */
static size_t length_of(PyObject *text) {
    size_t length = 0;
    if (!PyTuple_Check(text))
        return PyUnicode_Check(text) ? (size_t)PyUnicode_GetLength(text) : 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(text); i++)
        length += length_of(PyTuple_GetItem(text, i));
    return length;
}

/* Set the names and kinds of an entry. Returns 0, or -1 with an exception. */
static int describe(py_entry *entry, const py_key *key) {
    entry->kinds = PyMem_Malloc((kinds_of(key) + 1) * sizeof *entry->kinds);
    if (!entry->kinds) {
        PyErr_NoMemory();
        return -1;
    }
    for (unsigned i = 0; i < kinds_of(key); i++)
        entry->kinds[i] = kind_at(key, i);
    if (!key->columns)
        return 0;
    entry->names = PyTuple_New(key->count);
    for (unsigned i = 0; entry->names && i < key->count; i++)
        PyTuple_SetItem(entry->names, i, Py_NewRef(key->columns[i].key));
    return entry->names ? 0 : -1;
}

int kept_add(py_state *state, const py_key *key, PyObject *value) {
    struct py_kept *const kept = kept_of(state);
    const Py_hash_t hash = kept ? hash_of(key) : -1;
    py_entry made = {.hash = hash};
    made.bytes = BYTES_AT_LEAST + BYTES_OF_CHARACTER * length_of(key->text) +
                 64 * kinds_of(key);
    if (hash == -1)
        return -1;
    if (made.bytes > MOST_BYTES_OF_ONE || find(kept, key, hash))
        return 0;
    if (describe(&made, key)) {
        PyMem_Free(made.kinds);
        return -1;
    }
    made.text = Py_NewRef(key->text);
    made.value = Py_NewRef(value);
    while (kept->count == KEPT_MOST || kept->bytes + made.bytes > KEPT_BYTES)
        drop(kept, kept->oldest);
    unsigned *const bucket = bucket_of(kept, hash);
    made.next = *bucket;
    *bucket = kept->count;
    kept->entries[kept->count] = made;
    kept->bytes += made.bytes;
    put_first(kept, kept->count++);
    return 0;
}

void kept_clear(py_state *state) {
    struct py_kept *const kept = state->kept;
    state->kept = NULL;
    while (kept && kept->count)
        drop(kept, kept->oldest);
    PyMem_Free(kept);
}

void kept_forget(py_state *state) {
    state->kept = NULL;
}

/* kept_info(): return hits, misses, the greatest number of entries, and the
 * number of entries. */
static PyObject *info(PyObject *module, PyObject *nothing) {
    const struct py_kept *const kept = state_of(module)->kept;
    (void)nothing;
    return kept ? Py_BuildValue("KKiI", kept->hits, kept->misses, KEPT_MOST,
                                kept->count)
                : Py_BuildValue("iiii", 0, 0, KEPT_MOST, 0);
}

static PyObject *clear(PyObject *module, PyObject *nothing) {
    (void)nothing;
    kept_clear(state_of(module));
    return Py_NewRef(Py_None);
}

PyMethodDef kept_functions[] = {{"kept_info", info, METH_NOARGS, NULL},
                                {"kept_clear", clear, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};
