/*
 * The names of columns, and how a text's names are looked up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fields.h"

#include <stddef.h>

/* A table of the fields, by their names. */
typedef struct winnow__names {
    const winnow_field *fields;
    winnow__refusal *refusals; /* NULL: fields are refused by their types */
    unsigned number;
    uint32_t *slots;  /* 1 + the index of a field; 0: free */
    uint32_t mask;    /* slots - 1 */
    uint64_t seed[2]; /* of the hash */
} winnow__names;

/* Check the names of fields, and make the table. After an error the detail is set. */
winnow_status winnow__names_create(winnow__names *names,
                                   const winnow_field *fields,
                                   winnow__refusal *refusals, unsigned number);
void winnow__names_destroy(winnow__names *names);
/* The index of a field; WINNOW_NO_FIELD: no field has the name. */
uint32_t winnow__names_find(const winnow__names *names, const char *name,
                            size_t length);
winnow__refusal winnow__names_refusal(const winnow__names *names,
                                      uint32_t field);
/* Write a sentence that suggests a column: one whose name differs only in case,
 * or the first ones. */
void winnow__names_suggest(const winnow__names *names, const char *name,
                           size_t length, char *to, size_t bytes);
