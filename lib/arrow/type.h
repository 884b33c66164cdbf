/*
 * The types of Arrow's C data interface, and the library's types for them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "condition/text/fields.h"

#include <winnow/arrow.h>

/* How an array stores its elements. */
typedef enum winnow__arrow_kind {
    WINNOW__ARROW_NULL,       /* no buffers */
    WINNOW__ARROW_BITS,       /* one bit for each element */
    WINNOW__ARROW_FIXED,      /* element_bytes for each element */
    WINNOW__ARROW_STRINGS,    /* bytes, and offsets of offset_bytes */
    WINNOW__ARROW_VIEWS,      /* views of 16 bytes, and any number of buffers */
    WINNOW__ARROW_LIST,       /* a child, and offsets of offset_bytes */
    WINNOW__ARROW_FIXED_LIST, /* a child, with list_size elements for each list */
    WINNOW__ARROW_STRUCT,
    WINNOW__ARROW_UNION /* a byte for each element, and children, sparse or with
                           offsets of offset_bytes */
} winnow__arrow_kind;

typedef struct winnow__arrow_type {
    winnow__arrow_kind kind;
    winnow_type
        type; /* in conditions; WINNOW_OPAQUE: conditions cannot test it */
    uint64_t element_bytes;
    unsigned offset_bytes; /* 4 or 8; 0: a sparse union */
    uint64_t list_size;
} winnow__arrow_type;

/* The place of an array in a record batch, for messages. */
typedef struct winnow__arrow_path {
    const struct winnow__arrow_path *parent; /* NULL: the batch itself */
    const char *name; /* of a child; or what the array is */
} winnow__arrow_path;

/* Record an error of an array, "column 'a.b': ...". Returns its status. */
winnow_status winnow__arrow_fail(const winnow__arrow_path *path,
                                 winnow_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The type of a schema's array; for a dictionary, that of its indices. Fails if
 * the format is wrong or the type cannot be filtered. */
winnow_status winnow__arrow_type_of(const winnow__arrow_path *path,
                                    const struct ArrowSchema *schema,
                                    winnow__arrow_type *type_p);

/* The field of a schema's column, for parsing conditions. Returns why
 * conditions cannot test it, if they cannot. Names belong to the schema. */
winnow__refusal winnow__arrow_field(const struct ArrowSchema *schema,
                                    winnow_field *field);

/* Check that a schema is a struct and not released, without the types of its
 * children. */
winnow_status
winnow__arrow_check_batch_schema(const struct ArrowSchema *schema);

/* Check the types of a schema and of all its descendants. */
winnow_status winnow__arrow_check_types(const winnow__arrow_path *path,
                                        const struct ArrowSchema *schema);

/* The maximum depth of nested arrays. */
enum {
    WINNOW__ARROW_MOST_DEPTH = 64
};
