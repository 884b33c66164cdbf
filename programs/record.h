/*
 * What an element of an input consists of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_RECORD_H
#define WINNOW_PROGRAMS_RECORD_H

#include <winnow.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct record_field {
    char *name;         /* UTF-8 */
    char dtype[24];     /* as NumPy writes it, "<f4", for messages */
    uint64_t offset;    /* in the element */
    winnow_type type;   /* WINNOW_OPAQUE: no condition can test it */
    const char *format; /* as in winnow_field */
} record_field;

typedef struct record {
    record_field *fields;
    size_t field_count;
    uint64_t bytes; /* of an element */
} record;

/* False: there is no memory, and the record is as it was. */
bool record_add(record *to, const char *name, size_t name_bytes,
                const record_field *like);
void record_clear(record *of);

/*
 * What NumPy's text of a type means, "<f4" or "|S10": its bytes, and the type
 * by which a condition tests it. False: it is none, and *why_p says why.
 */
bool record_dtype(const char *text, size_t bytes, record_field *field_p,
                  uint64_t *size_p, const char **why_p);

#endif
