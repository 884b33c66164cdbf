/*
 * Formats of fields.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format.h"
#include "core/status.h"

#include <string.h>

#define MICROSECOND UINT64_C(1000)
#define MILLISECOND (1000 * MICROSECOND)
#define SECOND (1000 * MILLISECOND)
#define DAY (86400 * SECOND)

/* After a colon at the end of a format comes the name of a zone. If there are
 * two types, the first is Arrow's; NumPy counts days in 64 bits. */
static const struct {
    const char *format;
    winnow_type type;
    winnow__meaning_kind kind;
    uint64_t unit;
} formats[] = {
    {"c", WINNOW_INT8, WINNOW__NUMBERS, 0},
    {"C", WINNOW_UINT8, WINNOW__NUMBERS, 0},
    {"s", WINNOW_INT16, WINNOW__NUMBERS, 0},
    {"S", WINNOW_UINT16, WINNOW__NUMBERS, 0},
    {"i", WINNOW_INT32, WINNOW__NUMBERS, 0},
    {"I", WINNOW_UINT32, WINNOW__NUMBERS, 0},
    {"l", WINNOW_INT64, WINNOW__NUMBERS, 0},
    {"L", WINNOW_UINT64, WINNOW__NUMBERS, 0},
    {"e", WINNOW_FLOAT16, WINNOW__NUMBERS, 0},
    {"f", WINNOW_FLOAT32, WINNOW__NUMBERS, 0},
    {"g", WINNOW_FLOAT64, WINNOW__NUMBERS, 0},
    {"b", WINNOW_BIT, WINNOW__NUMBERS, 0},
    {"tdD", WINNOW_INT32, WINNOW__DATES, DAY},
    {"tdD", WINNOW_INT64, WINNOW__DATES, DAY},
    {"tdm", WINNOW_INT64, WINNOW__DATES, MILLISECOND},
    {"tts", WINNOW_INT32, WINNOW__TIMES, SECOND},
    {"ttm", WINNOW_INT32, WINNOW__TIMES, MILLISECOND},
    {"ttu", WINNOW_INT64, WINNOW__TIMES, MICROSECOND},
    {"ttn", WINNOW_INT64, WINNOW__TIMES, 1},
    {"tss:", WINNOW_INT64, WINNOW__TIMESTAMPS, SECOND},
    {"tsm:", WINNOW_INT64, WINNOW__TIMESTAMPS, MILLISECOND},
    {"tsu:", WINNOW_INT64, WINNOW__TIMESTAMPS, MICROSECOND},
    {"tsn:", WINNOW_INT64, WINNOW__TIMESTAMPS, 1},
    {"tDs", WINNOW_INT64, WINNOW__DURATIONS, SECOND},
    {"tDm", WINNOW_INT64, WINNOW__DURATIONS, MILLISECOND},
    {"tDu", WINNOW_INT64, WINNOW__DURATIONS, MICROSECOND},
    {"tDn", WINNOW_INT64, WINNOW__DURATIONS, 1},
};
enum {
    FORMATS = sizeof formats / sizeof formats[0]
};

static winnow_status fail_unknown(unsigned i, const winnow_field *field) {
    return winnow__unsupported(
        "fields[%u].format is '%.100s', which is not known: "
        "wanted that of numbers, dates, times or decimals of "
        "at most 128 bits",
        i, field->format);
}

static winnow_status check_type(unsigned i, const winnow_field *field,
                                winnow_type wanted) {
    if (field->type == wanted)
        return WINNOW_OK;
    return winnow__refuse("fields[%u].format is '%.100s', which is of %s, and "
                          "its type is %s",
                          i, field->format, winnow_type_name(wanted),
                          winnow_type_name(field->type));
}

/* ---------------------------------------------------------------- decimals */

/* Read a number of at most three digits, and the character after it, from *at.
 * False: there is none. */
static bool read_number(const char **at, int *number) {
    unsigned digits = 0;
    *number = 0;
    for (; **at >= '0' && **at <= '9' && digits < 3; digits++)
        *number = 10 * *number + (*(*at)++ - '0');
    return digits != 0;
}

bool winnow__split_decimal(const char *format, winnow__decimal *d) {
    const char *at = format + strlen("d:");
    d->bits = 128;
    if (strncmp(format, "d:", 2) != 0 || !read_number(&at, &d->precision) ||
        *at++ != ',')
        return false;
    const bool negative = *at == '-';
    at += negative;
    if (!read_number(&at, &d->scale))
        return false;
    if (negative)
        d->scale = -d->scale;
    return (*at != ',' || (at++, read_number(&at, &d->bits))) && *at == '\0';
}

static winnow_status read_decimal(unsigned i, const winnow_field *field,
                                  winnow__meaning *meaning) {
    winnow__decimal d;
    if (!winnow__split_decimal(field->format, &d))
        return fail_unknown(i, field);
    const int bits = d.bits;
    if (bits != 32 && bits != 64 && bits != 128)
        return fail_unknown(i, field);
    const int most = bits == 32 ? 9 : bits == 64 ? 18 : 38;
    if (d.precision < 1 || d.precision > most)
        return winnow__refuse("fields[%u].format is '%.100s': decimals of %d "
                              "bits have 1 to %d digits",
                              i, field->format, bits, most);
    *meaning = (winnow__meaning){
        .kind = WINNOW__DECIMALS, .scale = -d.scale, .precision = d.precision};
    return check_type(i, field,
                      bits == 32   ? WINNOW_INT32
                      : bits == 64 ? WINNOW_INT64
                                   : WINNOW_INT128);
}

/* ------------------------------------------------------------------ others */

/* What follows format f: the name of a zone, or "". NULL: it is another format. */
static const char *behind(unsigned f, const char *format) {
    const size_t length = strlen(formats[f].format);
    const bool zoned = formats[f].format[length - 1] == ':';
    return strncmp(format, formats[f].format, length) == 0 &&
                   (zoned || format[length] == '\0')
               ? format + length
               : NULL;
}

winnow_type winnow__type_of_format(const char *format) {
    for (unsigned f = 0; f < FORMATS; f++)
        if (behind(f, format) != NULL)
            return formats[f].type;
    return WINNOW_OPAQUE;
}

winnow_status winnow__read_format(unsigned i, const winnow_field *field,
                                  winnow__meaning *meaning) {
    const char *const format = field->format;
    *meaning = (winnow__meaning){.kind = WINNOW__NUMBERS};
    if (format == NULL)
        return WINNOW_OK;
    if (strncmp(format, "d:", 2) == 0)
        return read_decimal(i, field, meaning);
    winnow_type wanted = WINNOW_OPAQUE;
    for (unsigned f = 0; f < FORMATS; f++) {
        const char *const zone = behind(f, format);
        if (zone == NULL)
            continue;
        meaning->kind = formats[f].kind;
        meaning->unit = formats[f].unit;
        if (*zone != '\0')
            meaning->zone = zone;
        if (field->type == formats[f].type)
            return WINNOW_OK;
        if (wanted == WINNOW_OPAQUE)
            wanted = formats[f].type;
    }
    return wanted != WINNOW_OPAQUE ? check_type(i, field, wanted)
                                   : fail_unknown(i, field);
}
