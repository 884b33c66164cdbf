/*
 * The types of Arrow's C data interface, and what they are to the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "condition/text/fields.h"

#include <winnow/arrow.h>

/* How the elements of an array are stored. */
typedef enum winnow__arrow_kind {
    WINNOW__ARROW_NULL,       /* no buffers */
    WINNOW__ARROW_BITS,       /* a bit each */
    WINNOW__ARROW_FIXED,      /* element_bytes each */
    WINNOW__ARROW_STRINGS,    /* bytes behind offsets of offset_bytes */
    WINNOW__ARROW_VIEWS,      /* 16 bytes each, into buffers of any number */
    WINNOW__ARROW_LIST,       /* a child behind offsets of offset_bytes */
    WINNOW__ARROW_FIXED_LIST, /* list_size elements of a child each */
    WINNOW__ARROW_STRUCT,
    WINNOW__ARROW_UNION /* a byte each, and children: as those of a struct, or
                           behind offsets of offset_bytes */
} winnow__arrow_kind;

typedef struct winnow__arrow_type {
    winnow__arrow_kind kind;
    winnow_type type; /* in conditions; WINNOW_OPAQUE: none takes it */
    uint64_t element_bytes;
    unsigned offset_bytes; /* 4 or 8; 0: of a sparse union */
    uint64_t list_size;
} winnow__arrow_type;

/* Where an array is in a record batch: for messages. */
typedef struct winnow__arrow_path {
    const struct winnow__arrow_path *parent; /* NULL: the batch itself */
    const char *name;                        /* of a child, or what it is */
} winnow__arrow_path;

/* Record an error of an array: "column 'a.b': ..."; its status. */
winnow_status winnow__arrow_fail(const winnow__arrow_path *path,
                                 winnow_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The type of a schema's array; of a dictionary's, that of the indices. An error
 * where the format has no meaning, or the type is not filtered. */
winnow_status winnow__arrow_type_of(const winnow__arrow_path *path,
                                    const struct ArrowSchema *schema,
                                    winnow__arrow_type *type_p);

/* The field of a schema's column, for the text of conditions, and what keeps it
 * out of them. The names are the schema's. */
winnow__refusal winnow__arrow_field(const struct ArrowSchema *schema,
                                    winnow_field *field);

/* Check a schema, but for the types of children: of a struct, not released. */
winnow_status
winnow__arrow_check_batch_schema(const struct ArrowSchema *schema);

/* Check the types of a schema and of all below it. */
winnow_status winnow__arrow_check_types(const winnow__arrow_path *path,
                                        const struct ArrowSchema *schema);

/* The deepest that arrays may be nested. */
enum {
    WINNOW__ARROW_MOST_DEPTH = 64
};
