/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fields.h"

#include "fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The type of `bytes` characters, and its size; 0: there is none. */
static uint64_t find_type(const char *text, size_t bytes,
                          record_field *field_p) {
    static const char opaque[] = "bytes";
    const size_t start = sizeof opaque - 1;
    *field_p = (record_field){.type = WINNOW_OPAQUE};
    if (bytes == 4 && memcmp(text, "bool", 4) == 0) {
        field_p->type = WINNOW_UINT8;
        strcpy(field_p->dtype, "|b1");
        return 1;
    }
    for (int type = WINNOW_INT8; type <= WINNOW_FLOAT64; type++) {
        const char *const name = winnow_type_name((winnow_type)type);
        const size_t size = winnow_type_size((winnow_type)type);
        if (strlen(name) != bytes || memcmp(name, text, bytes) != 0)
            continue;
        field_p->type = (winnow_type)type;
        snprintf(field_p->dtype, sizeof field_p->dtype, "%s%c%zu",
                 size == 1 ? "|" : "<",
                 type == WINNOW_BFLOAT16 ? 'V' /* which NumPy has not */
                                         : name[0],
                 size);
        return size;
    }
    if (bytes <= start || memcmp(text, opaque, start) != 0)
        return 0;
    uint64_t size = 0;
    for (size_t i = start; i < bytes && size <= 4096; i++) {
        if (text[i] < '0' || text[i] > '9')
            return 0;
        size = 10 * size + (uint64_t)(text[i] - '0');
    }
    snprintf(field_p->dtype, sizeof field_p->dtype, "|V%" PRIu64, size);
    return size <= 4096 ? size : 0;
}

/* "'name'", as Python writes it. */
static char *quote(char *to, const char *name) {
    *to++ = '\'';
    for (; *name != '\0'; name++) {
        if (*name == '\'' || *name == '\\')
            *to++ = '\\';
        *to++ = *name;
    }
    *to++ = '\'';
    return to;
}

/* "'<f4'" of a single field, else "[('x', '<f4'), ('id', '<i8')]". */
static char *describe(const record *of) {
    size_t bytes = 8;
    for (size_t i = 0; i < of->field_count; i++)
        bytes += 2 * strlen(of->fields[i].name) + 40;
    char *const made = program_allocate(bytes, 1);
    char *at = made;
    if (of->field_count == 1) {
        sprintf(made, "'%s'", of->fields[0].dtype);
        return made;
    }
    *at++ = '[';
    for (size_t i = 0; i < of->field_count; i++) {
        *at++ = '(';
        at = quote(at, of->fields[i].name);
        at += sprintf(at, ", '%s')%s", of->fields[i].dtype,
                      i + 1 < of->field_count ? ", " : "]");
    }
    return made;
}

/* Without the blanks around it. */
static const char *trim(const char *at, size_t *bytes_p) {
    while (*bytes_p != 0 && at[*bytes_p - 1] == ' ')
        --*bytes_p;
    for (; *bytes_p != 0 && *at == ' '; at++)
        --*bytes_p;
    return at;
}

void program_fields_parse(npy_array *array, const char *text) {
    *array = (npy_array){.version = 1, .items = WINNOW_NO_LIMIT};
    record *const item = &array->item;
    for (const char *at = text; at != NULL;) {
        const char *const comma = strchr(at, ',');
        const size_t bytes = comma != NULL ? (size_t)(comma - at) : strlen(at);
        const char *const colon = memchr(at, ':', bytes);
        size_t name_bytes = colon != NULL ? (size_t)(colon - at) : 0;
        size_t type_bytes = colon != NULL ? bytes - name_bytes - 1 : 0;
        const char *const name = trim(at, &name_bytes);
        const char *const type =
            colon != NULL ? trim(colon + 1, &type_bytes) : "";
        record_field field;
        const uint64_t size =
            name_bytes != 0 ? find_type(type, type_bytes, &field) : 0;
        if (size == 0)
            program_fail(PROGRAM_USAGE,
                         "--fields: '%.*s' is not understood: wanted "
                         "NAME:TYPE, where TYPE is int8 to int64, uint8 to "
                         "uint64, float16, bfloat16, float32, float64, bool, "
                         "or bytesN of 1 to 4096 bytes",
                         (int)bytes, at);
        field.offset = item->bytes;
        if (!record_add(item, name, name_bytes, &field))
            program_fail(PROGRAM_DEVICE, "no memory");
        item->bytes += size;
        at = comma != NULL ? comma + 1 : NULL;
    }
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at >= 128) /* names in UTF-8, which 1 has not */
            array->version = 3;
    array->descr = describe(item);
}
