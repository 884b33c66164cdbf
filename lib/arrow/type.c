/*
 * Arrow's format strings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "type.h"
#include "condition/text/format.h"
#include "core/status.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- messages */

/* Write the names of the path, from the outermost on, separated by points. */
static size_t write_path(const winnow__arrow_path *path, char *to,
                         size_t bytes) {
    size_t length = 0;
    if (path->parent != NULL && path->parent->parent != NULL) {
        length = write_path(path->parent, to, bytes);
        if (length + 2 < bytes)
            to[length++] = '.';
    }
    const int more = snprintf(to + length, bytes - length, "%.100s",
                              path->name == NULL ? "" : path->name);
    const size_t room = bytes - length - 1;
    return length + ((size_t)more < room ? (size_t)more : room);
}

winnow_status winnow__arrow_fail(const winnow__arrow_path *path,
                                 winnow_status status, const char *format,
                                 ...) {
    char name[320], what[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (path->parent == NULL)
        return winnow__fail(status, "the batch: %s", what);
    write_path(path, name, sizeof name);
    return winnow__fail(status, "column '%s': %s", name, what);
}

/* ------------------------------------------------------------------ formats */

/* Formats that lib/condition/text/format.c does not have, with the bytes of
 * elements and of offsets. */
static const struct {
    const char *format;
    winnow__arrow_type type;
} plain[] = {
    {"n", {WINNOW__ARROW_NULL, WINNOW_OPAQUE, 0, 0, 0}},
    /* Intervals: of months; of days and milliseconds; of months, days and
     * nanoseconds. Int128 and UInt128 of polars. */
    {"tiM", {WINNOW__ARROW_FIXED, WINNOW_OPAQUE, 4, 0, 0}},
    {"tiD", {WINNOW__ARROW_FIXED, WINNOW_OPAQUE, 8, 0, 0}},
    {"tin", {WINNOW__ARROW_FIXED, WINNOW_OPAQUE, 16, 0, 0}},
    {"_pli128", {WINNOW__ARROW_FIXED, WINNOW_OPAQUE, 16, 0, 0}},
    {"_plu128", {WINNOW__ARROW_FIXED, WINNOW_OPAQUE, 16, 0, 0}},
    {"u", {WINNOW__ARROW_STRINGS, WINNOW_STRING32, 0, 4, 0}},
    {"z", {WINNOW__ARROW_STRINGS, WINNOW_STRING32, 0, 4, 0}},
    {"U", {WINNOW__ARROW_STRINGS, WINNOW_STRING64, 0, 8, 0}},
    {"Z", {WINNOW__ARROW_STRINGS, WINNOW_STRING64, 0, 8, 0}},
    {"vu", {WINNOW__ARROW_VIEWS, WINNOW_VIEW, 16, 0, 0}},
    {"vz", {WINNOW__ARROW_VIEWS, WINNOW_VIEW, 16, 0, 0}},
    {"+l", {WINNOW__ARROW_LIST, WINNOW_OPAQUE, 0, 4, 0}},
    {"+m", {WINNOW__ARROW_LIST, WINNOW_OPAQUE, 0, 4, 0}}, /* a map */
    {"+L", {WINNOW__ARROW_LIST, WINNOW_OPAQUE, 0, 8, 0}},
    {"+s", {WINNOW__ARROW_STRUCT, WINNOW_OPAQUE, 0, 0, 0}},
};

static const char *refused_name(const char *format) {
    if (strcmp(format, "+r") == 0)
        return "run-end encoded arrays";
    if (strcmp(format, "+vl") == 0 || strcmp(format, "+vL") == 0)
        return "list views";
    return NULL;
}

static bool starts_with(const char *format, const char *prefix) {
    return strncmp(format, prefix, strlen(prefix)) == 0;
}

/* A decimal number of at most INT32_MAX, without any other character. */
static bool read_number(const char *text, const char **end_p,
                        uint64_t *number_p) {
    uint64_t number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && number <= INT32_MAX; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    *end_p = at;
    *number_p = number;
    return at != text && number <= INT32_MAX;
}

static bool read_decimal(const char *format, winnow__arrow_type *type_p) {
    winnow__decimal d;
    if (!winnow__split_decimal(format, &d) || d.precision == 0 ||
        (d.bits != 32 && d.bits != 64 && d.bits != 128 && d.bits != 256))
        return false;
    *type_p = (winnow__arrow_type){.kind = WINNOW__ARROW_FIXED,
                                   .type = d.bits == 32    ? WINNOW_INT32
                                           : d.bits == 64  ? WINNOW_INT64
                                           : d.bits == 128 ? WINNOW_INT128
                                                           : WINNOW_OPAQUE,
                                   .element_bytes = (unsigned)d.bits / 8};
    return true;
}

/* Read "w:BYTES" or "+w:ELEMENTS". */
static bool read_fixed(const char *format, winnow__arrow_type *type_p) {
    const char *at;
    uint64_t number;
    if (!read_number(strchr(format, ':') + 1, &at, &number) || *at != '\0')
        return false;
    *type_p = *format == 'w'
                  ? (winnow__arrow_type){.kind = WINNOW__ARROW_FIXED,
                                         .element_bytes = number}
                  : (winnow__arrow_type){.kind = WINNOW__ARROW_FIXED_LIST,
                                         .list_size = number};
    return true;
}

static bool read_union(const char *format, winnow__arrow_type *type_p) {
    *type_p = (winnow__arrow_type){.kind = WINNOW__ARROW_UNION,
                                   .offset_bytes = format[2] == 'd' ? 4 : 0};
    return true;
}

static bool read_format(const char *format, winnow__arrow_type *type_p) {
    for (unsigned i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(plain[i].format, format) == 0) {
            *type_p = plain[i].type;
            return true;
        }
    const winnow_type type = winnow__type_of_format(format);
    if (type != WINNOW_OPAQUE) {
        *type_p = (winnow__arrow_type){.kind = type == WINNOW_BIT
                                                   ? WINNOW__ARROW_BITS
                                                   : WINNOW__ARROW_FIXED,
                                       .type = type,
                                       .element_bytes = winnow_type_size(type)};
        return true;
    }
    if (starts_with(format, "d:"))
        return read_decimal(format, type_p);
    if (starts_with(format, "+us:") || starts_with(format, "+ud:"))
        return read_union(format, type_p);
    return (starts_with(format, "w:") || starts_with(format, "+w:")) &&
           read_fixed(format, type_p);
}

static bool is_index(const winnow__arrow_type *type, const char *format) {
    return type->kind == WINNOW__ARROW_FIXED &&
           strchr("cCsSiIlL", format[0]) != NULL && format[1] == '\0';
}

static bool has_children(const winnow__arrow_type *type, int64_t number) {
    if (type->kind == WINNOW__ARROW_STRUCT || type->kind == WINNOW__ARROW_UNION)
        return number >= 0;
    return number == (type->kind == WINNOW__ARROW_LIST ||
                      type->kind == WINNOW__ARROW_FIXED_LIST);
}

static winnow_status check_children(const winnow__arrow_path *path,
                                    const struct ArrowSchema *schema,
                                    const winnow__arrow_type *type) {
    if (!has_children(type, schema->n_children))
        return winnow__arrow_fail(
            path, WINNOW_ERR_ARGUMENT,
            "the schema's n_children is %lld, of format '%.20s'",
            (long long)schema->n_children, schema->format);
    if (schema->n_children > 0 && schema->children == NULL)
        return winnow__arrow_fail(path, WINNOW_ERR_ARGUMENT,
                                  "the schema's children is NULL");
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i] == NULL)
            return winnow__arrow_fail(path, WINNOW_ERR_ARGUMENT,
                                      "the schema's children[%lld] is NULL",
                                      (long long)i);
    return WINNOW_OK;
}

winnow_status winnow__arrow_type_of(const winnow__arrow_path *path,
                                    const struct ArrowSchema *schema,
                                    winnow__arrow_type *type_p) {
    if (schema->release == NULL)
        return winnow__arrow_fail(path, WINNOW_ERR_ARGUMENT,
                                  "the schema was released");
    if (schema->format == NULL)
        return winnow__arrow_fail(path, WINNOW_ERR_ARGUMENT,
                                  "the schema's format is NULL");
    const char *const refused = refused_name(schema->format);
    if (refused != NULL)
        return winnow__arrow_fail(path, WINNOW_ERR_UNSUPPORTED,
                                  "%s are not filtered (format '%.20s')",
                                  refused, schema->format);
    if (!read_format(schema->format, type_p))
        return winnow__arrow_fail(path, WINNOW_ERR_UNSUPPORTED,
                                  "the format '%.40s' is not known",
                                  schema->format);
    if (schema->dictionary != NULL && !is_index(type_p, schema->format))
        return winnow__arrow_fail(
            path, WINNOW_ERR_ARGUMENT,
            "the format '%.20s' is none of a dictionary's indices",
            schema->format);
    return check_children(path, schema, type_p);
}

winnow_status
winnow__arrow_check_batch_schema(const struct ArrowSchema *schema) {
    const winnow__arrow_path batch = {0};
    winnow__arrow_type type;
    WINNOW__TRY(winnow__need(schema, "schema"));
    WINNOW__TRY(winnow__arrow_type_of(&batch, schema, &type));
    if (type.kind != WINNOW__ARROW_STRUCT)
        return winnow__refuse("the schema is of format '%.20s': wanted a "
                              "record batch, which is a struct, '+s'",
                              schema->format);
    return WINNOW_OK;
}

static winnow_status check_types(const winnow__arrow_path *path,
                                 const struct ArrowSchema *schema,
                                 unsigned depth) {
    winnow__arrow_type type;
    WINNOW__TRY(winnow__arrow_type_of(path, schema, &type));
    if (depth > WINNOW__ARROW_MOST_DEPTH)
        return winnow__arrow_fail(path, WINNOW_ERR_UNSUPPORTED,
                                  "it is nested deeper than %d",
                                  WINNOW__ARROW_MOST_DEPTH);
    for (int64_t i = 0; i < schema->n_children; i++) {
        const winnow__arrow_path child = {path, schema->children[i]->name};
        WINNOW__TRY(check_types(&child, schema->children[i], depth + 1));
    }
    if (schema->dictionary == NULL)
        return WINNOW_OK;
    const winnow__arrow_path values = {path, "dictionary"};
    return check_types(&values, schema->dictionary, depth + 1);
}

winnow_status winnow__arrow_check_types(const winnow__arrow_path *path,
                                        const struct ArrowSchema *schema) {
    return check_types(path, schema, 0);
}

/* --------------------------------------------------------------- conditions */

/* Conditions test the values of a dictionary. */
static bool read_tested(const struct ArrowSchema *schema,
                        winnow__arrow_type *type_p) {
    const struct ArrowSchema *const tested =
        schema->dictionary == NULL ? schema : schema->dictionary;
    return tested->format != NULL && tested->dictionary == NULL &&
           read_format(tested->format, type_p);
}

winnow__refusal winnow__arrow_field(const struct ArrowSchema *schema,
                                    winnow_field *field) {
    winnow__arrow_type type;
    winnow__refusal refusal = {.why = NULL};
    *field = (winnow_field){.name = schema->name == NULL ? "" : schema->name};
    if (schema->dictionary != NULL && schema->dictionary->dictionary != NULL)
        return (winnow__refusal){
            .why = "is a dictionary of a dictionary, which cannot be tested",
            .wholly = true};
    if (!read_tested(schema, &type)) {
        refusal.why =
            "has a type that is not known: only 'is null' can test it";
        return refusal;
    }
    field->type = type.type;
    switch (type.kind) {
    case WINNOW__ARROW_STRINGS:
    case WINNOW__ARROW_VIEWS:
        refusal.ordered = schema->dictionary != NULL &&
                          (schema->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
        break;
    case WINNOW__ARROW_BITS:
    case WINNOW__ARROW_FIXED:
        field->format = schema->format;
        if (schema->dictionary != NULL)
            refusal.why =
                "is a dictionary of other values than strings: only 'is "
                "null' can test it";
        else if (type.type == WINNOW_OPAQUE)
            refusal.why = "has a type that only 'is null' can test";
        break;
    case WINNOW__ARROW_NULL:
        refusal.of_nulls = true;
        break;
    case WINNOW__ARROW_UNION: /* only its children have nulls */
        return (winnow__refusal){.why = "is a union, which cannot be tested",
                                 .wholly = true};
    default:
        refusal.why = "is nested: only 'is null' can test it";
    }
    return refusal;
}
