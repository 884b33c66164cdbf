/*
 * The names of columns: a hash table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "names.h"
#include "core/ascii.h"
#include "core/status.h"
#include "core/type.h"
#include "format.h"
#include "string/hash.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_name(const winnow_field *field, const char *name,
                    size_t length) {
    return strncmp(field->name, name, length) == 0 &&
           field->name[length] == '\0';
}

/* The slot of a name, or the free slot for it. */
static uint32_t *slot_of(const winnow__names *names, const char *name,
                         size_t length) {
    uint32_t i = (uint32_t)winnow__string_hash(
                     names->seed, (const unsigned char *)name, length) &
                 names->mask;
    while (names->slots[i] != 0 &&
           !is_name(&names->fields[names->slots[i] - 1], name, length))
        i = (i + 1) & names->mask;
    return &names->slots[i];
}

/* For fields with refusals: names may be repeated. */
static void add_any(winnow__names *names, unsigned i) {
    const char *const name = names->fields[i].name;
    if (*name == '\0')
        return;
    uint32_t *const slot = slot_of(names, name, strlen(name));
    if (*slot == 0)
        *slot = i + 1;
    else
        names->refusals[*slot - 1] =
            (winnow__refusal){.why = "is there more than once", .wholly = true};
}

static winnow_status add(winnow__names *names, unsigned i) {
    const winnow_field *const field = &names->fields[i];
    winnow__meaning meaning;
    if (names->refusals != NULL) {
        add_any(names, i);
        return WINNOW_OK;
    }
    if (field->name == NULL)
        return winnow__refuse("fields[%u].name is NULL", i);
    if (winnow__tested_type(field->type) == NULL && field->type != WINNOW_BIT &&
        !winnow__is_string_type(field->type) && field->type != WINNOW_OPAQUE) {
        char argument[32];
        snprintf(argument, sizeof argument, "fields[%u].type", i);
        return winnow__fail_type(argument, field->type);
    }
    if (field->reserved[0] != 0 || field->reserved[1] != 0)
        return winnow__refuse("fields[%u].reserved is not 0", i);
    WINNOW__TRY(winnow__read_format(i, field, &meaning));
    if (*field->name == '\0') /* no text can contain this name */
        return WINNOW_OK;
    uint32_t *const slot = slot_of(names, field->name, strlen(field->name));
    if (*slot != 0)
        return winnow__refuse("fields[%u] and fields[%u] are both '%.100s'",
                              *slot - 1, i, field->name);
    *slot = i + 1;
    return WINNOW_OK;
}

winnow_status winnow__names_create(winnow__names *names,
                                   const winnow_field *fields,
                                   winnow__refusal *refusals, unsigned number) {
    uint32_t slots = 16;
    WINNOW__TRY(winnow__need(fields, "fields"));
    if (number > UINT16_MAX + 1u)
        return winnow__unsupported("field_count is %u: at most %u are possible",
                                   number, UINT16_MAX + 1u);
    while (slots / 2 < number)
        slots *= 2;
    *names = (winnow__names){.fields = fields,
                             .refusals = refusals,
                             .number = number,
                             .slots = calloc(slots, sizeof names->slots[0]),
                             .mask = slots - 1};
    if (names->slots == NULL)
        return winnow__no_memory("the names of fields");
    winnow__string_seed(0, names->seed);
    for (unsigned i = 0; i < number; i++) {
        winnow_status status = add(names, i);
        if (status != WINNOW_OK) {
            winnow__names_destroy(names);
            return status;
        }
    }
    return WINNOW_OK;
}

void winnow__names_destroy(winnow__names *names) {
    free(names->slots);
}

uint32_t winnow__names_find(const winnow__names *names, const char *name,
                            size_t length) {
    return *slot_of(names, name, length) - 1;
}

winnow__refusal winnow__names_refusal(const winnow__names *names,
                                      uint32_t field) {
    if (names->refusals != NULL)
        return names->refusals[field];
    return (winnow__refusal){.why =
                                 names->fields[field].type == WINNOW_OPAQUE
                                     ? "is opaque: only 'is null' can test it"
                                     : NULL};
}

/* ------------------------------------------------------------- suggestions */

static const char *other_case(const winnow__names *names, const char *name,
                              size_t length) {
    for (unsigned i = 0; i < names->number; i++)
        if (winnow__ascii_same(names->fields[i].name, name, length) &&
            names->fields[i].name[length] == '\0')
            return names->fields[i].name;
    return NULL;
}

/* Can it be written without quotes? */
static bool is_plain(const char *name) {
    static const char *const words[] = {"and",     "or",   "not",   "in",
                                        "between", "true", "false", "null"};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (winnow__ascii_same_text(name, words[i]))
            return false;
    if (*name >= '0' && *name <= '9')
        return false;
    for (; *name != '\0'; name++)
        if (!((*name >= 'a' && *name <= 'z') ||
              (*name >= 'A' && *name <= 'Z') ||
              (*name >= '0' && *name <= '9') || *name == '_' ||
              (unsigned char)*name >= 0x80))
            return false;
    return true;
}

/* Write a name as it appears in a text. */
static size_t write_name(const char *name, char *to) {
    const bool plain = is_plain(name);
    size_t length = 0;
    if (!plain)
        to[length++] = '"';
    for (; *name != '\0'; name++) {
        if (*name == '"')
            to[length++] = '"';
        to[length++] = *name;
    }
    if (!plain)
        to[length++] = '"';
    to[length] = '\0';
    return length;
}

/* List as many names as there is room for. */
static void list(const winnow__names *names, char *to, size_t bytes) {
    static const char more[] = ", ...";
    size_t length = (size_t)snprintf(to, bytes, "The columns are ");
    unsigned listed = 0;
    for (unsigned i = 0; i < names->number; i++) {
        const char *const name = names->fields[i].name;
        if (*name == '\0') /* no text can contain this name */
            continue;
        if (length + 2 * strlen(name) + 4 + sizeof more > bytes) {
            snprintf(to + length, bytes - length, "%s",
                     listed == 0 ? "too long to be listed" : more);
            return;
        }
        length += (size_t)snprintf(to + length, bytes - length, "%s",
                                   listed++ == 0 ? "" : ", ");
        length += write_name(name, to + length);
    }
    if (listed == 0)
        snprintf(to, bytes, "The columns have no names");
}

void winnow__names_suggest(const winnow__names *names, const char *name,
                           size_t length, char *to, size_t bytes) {
    const char *const other = other_case(names, name, length);
    if (names->number == 0)
        snprintf(to, bytes, "There are no columns");
    else if (other != NULL && strlen(other) <= 100)
        snprintf(to, bytes, "There is '%s': upper and lower case differ",
                 other);
    else
        list(names, to, bytes);
}
