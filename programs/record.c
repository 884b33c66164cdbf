/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "record.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

bool record_add(record *to, const char *name, size_t name_bytes,
                const record_field *like) {
    const size_t count = to->field_count;
    if ((count & (count - 1)) == 0) { /* full: the room is a power of two */
        record_field *const more = realloc(
            to->fields, (count != 0 ? 2 * count : 1) * sizeof *to->fields);
        if (more == NULL)
            return false;
        to->fields = more;
    }
    char *const copy = malloc(name_bytes + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, name, name_bytes);
    copy[name_bytes] = '\0';
    to->fields[count] = *like;
    to->fields[count].name = copy;
    to->field_count++;
    return true;
}

void record_clear(record *of) {
    for (size_t i = 0; i < of->field_count; i++)
        free(of->fields[i].name);
    free(of->fields);
    *of = (record){0};
}

static const struct {
    char kind;
    unsigned char bytes;
    winnow_type type;
} numbers[] = {
    {'b', 1, WINNOW_UINT8},   {'i', 1, WINNOW_INT8},
    {'i', 2, WINNOW_INT16},   {'i', 4, WINNOW_INT32},
    {'i', 8, WINNOW_INT64},   {'u', 1, WINNOW_UINT8},
    {'u', 2, WINNOW_UINT16},  {'u', 4, WINNOW_UINT32},
    {'u', 8, WINNOW_UINT64},  {'f', 2, WINNOW_FLOAT16},
    {'f', 4, WINNOW_FLOAT32}, {'f', 8, WINNOW_FLOAT64},
    {'M', 8, WINNOW_INT64},   {'m', 8, WINNOW_INT64},
};

/* Those that the library has. In other units moments are plain numbers. */
static const struct {
    const char *unit, *moment, *duration;
} units[] = {{"[D]", "tdD", NULL},
             {"[s]", "tss:", "tDs"},
             {"[ms]", "tsm:", "tDm"},
             {"[us]", "tsu:", "tDu"},
             {"[ns]", "tsn:", "tDn"}};

static const char *format_of(char kind, const char *unit, size_t bytes) {
    for (size_t i = 0; i < COUNT(units); i++)
        if (bytes == strlen(units[i].unit) &&
            memcmp(unit, units[i].unit, bytes) == 0)
            return kind == 'M' ? units[i].moment : units[i].duration;
    return NULL;
}

bool record_dtype(const char *text, size_t bytes, record_field *field_p,
                  uint64_t *size_p, const char **why_p) {
    const uint64_t most = UINT64_C(1) << 32;
    uint64_t number = 0;
    size_t at = 2;
    *why_p = "a type that NumPy does not write";
    if (bytes < 2 || strchr("<>|=", text[0]) == NULL || text[0] == '\0')
        return false;
    if (text[1] == 'O') {
        *why_p = "a type of Python objects, which are pickled";
        return false;
    }
    if (strchr("biufcSUVMm", text[1]) == NULL || text[1] == '\0')
        return false;
    for (; at < bytes && text[at] >= '0' && text[at] <= '9'; at++) {
        number = 10 * number + (uint64_t)(text[at] - '0');
        if (number > most)
            return false;
    }
    if (at == 2 || (at < bytes && text[1] != 'M' && text[1] != 'm'))
        return false;
    *field_p = (record_field){.type = WINNOW_OPAQUE};
    memcpy(field_p->dtype, text,
           bytes < sizeof field_p->dtype ? bytes : sizeof field_p->dtype - 1);
    *size_p = text[1] == 'U' ? 4 * number : number;
    if (text[0] == '>' && *size_p > 1)
        return true; /* elements of the other byte order are moved alone */
    for (size_t i = 0; i < COUNT(numbers); i++)
        if (numbers[i].kind == text[1] && numbers[i].bytes == *size_p)
            field_p->type = numbers[i].type;
    if (text[1] == 'M' || text[1] == 'm')
        field_p->format = format_of(text[1], text + at, bytes - at);
    return true;
}
