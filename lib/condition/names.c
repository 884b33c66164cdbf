/*
 * The names of columns: a hash table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "names.h"
#include "core/status.h"
#include "core/type.h"
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* FNV-1a */
static uint32_t hash_of(const char *name, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash;
}

static bool is_name(const winnow_field *field, const char *name,
                    size_t length) {
    return strncmp(field->name, name, length) == 0 &&
           field->name[length] == '\0';
}

/* The slot of a name, or the free one where it belongs. */
static uint32_t *slot_of(const winnow__names *names, const char *name,
                         size_t length) {
    uint32_t i = hash_of(name, length) & names->mask;
    while (names->slots[i] != 0 &&
           !is_name(&names->fields[names->slots[i] - 1], name, length))
        i = (i + 1) & names->mask;
    return &names->slots[i];
}

/* Of fields with refusals: any name may be there any number of times. */
static void add_any(winnow__names *names, unsigned i) {
    const char *const name = names->fields[i].name;
    if (*name == '\0')
        return;
    uint32_t *const slot = slot_of(names, name, strlen(name));
    if (*slot == 0)
        *slot = i + 1;
    else
        names->refusals[*slot - 1] = "is there more than once";
}

static winnow_status add(winnow__names *names, unsigned i) {
    const winnow_field *const field = &names->fields[i];
    winnow__meaning meaning;
