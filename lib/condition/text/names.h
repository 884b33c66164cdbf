/*
 * The names of columns, and how they are found in a text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fields.h"

#include <stddef.h>

/* A table of the fields, by their names. */
typedef struct winnow__names {
    const winnow_field *fields;
    winnow__refusal *refusals; /* NULL: of each field, that of its type */
    unsigned number;
    uint32_t *slots;  /* the numbers of fields, counted from 1; 0: free */
    uint32_t mask;    /* slots - 1 */
    uint64_t seed[2]; /* of their hash */
} winnow__names;

/* The names of fields that are right; an error otherwise, with the detail. */
winnow_status winnow__names_create(winnow__names *names,
                                   const winnow_field *fields,
                                   winnow__refusal *refusals, unsigned number);
void winnow__names_destroy(winnow__names *names);
/* The number of a field; WINNOW_NO_FIELD: none has the name. */
uint32_t winnow__names_find(const winnow__names *names, const char *name,
                            size_t length);
winnow__refusal winnow__names_refusal(const winnow__names *names,
                                      uint32_t field);
/* The column that may be meant, in a sentence of a message: one that differs in
 * letters' case alone, or the first ones. */
void winnow__names_suggest(const winnow__names *names, const char *name,
                           size_t length, char *to, size_t bytes);
