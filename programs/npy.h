/*
 * The header of a .npy file, as NumPy writes it: versions 1 to 3. It has a
 * Python dictionary:
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (10,), }
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_NPY_H
#define WINNOW_PROGRAMS_NPY_H

#include "record.h"

enum {
    NPY_MAGIC_BYTES = 8,           /* "\x93NUMPY", and the version */
    NPY_MOST_TEXT_BYTES = 1 << 20, /* of the dictionary */
    NPY_TAIL_BYTES = 64
};

typedef struct npy_array {
    unsigned version; /* 1 to 3 */
    char *descr;      /* the text of its type, as it stands in the header */
    uint64_t items;   /* the first dimension */
    char tail[NPY_TAIL_BYTES]; /* the others, ", 3, 4"; or "" */
    record item;
} npy_array;

/* How many bytes behind the magic have the length of the text: 2 or 4; 0: these
 * are not the first 8 bytes of a .npy file. */
unsigned npy_length_bytes(const unsigned char *magic, unsigned *version_p);

/* Read the text. A field of an array that has no fields is called `name`.
 * False: why, of `why_bytes`, says what is wrong, and there is no array; errno
 * is ENOMEM for lack of memory. */
bool npy_parse(npy_array *array_p, unsigned version, const char *text,
               size_t bytes, const char *name, char *why, size_t why_bytes);
void npy_clear(npy_array *array);

/*
 * A whole header of at least `bytes`, in memory that the caller frees, and a
 * multiple of 64: of n items. NULL: there is no memory.
 */
char *npy_write(const npy_array *like, uint64_t n, size_t bytes,
                size_t *bytes_p);

#endif
