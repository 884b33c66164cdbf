/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report.h"

#include "decimal.h"
#include "fail.h"
#include "streams.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

/* ---------------------------------------------------------------------- text */

/* Of decimals the units, of which `upper` are the upper 64 bits. */
static void print_number(const program_sum *sum, const winnow_number *number,
                         int64_t upper) {
    char text[PROGRAM_DECIMAL_BYTES];
    switch (sum->type) {
    case WINNOW_INT64:
        printf("%" PRId64, number->int64);
        break;
    case WINNOW_UINT64:
        printf("%" PRIu64, number->uint64);
        break;
    case WINNOW_INT128:
        program_write_decimal(upper, number->uint64, sum->scale, text);
        fputs(text, stdout);
        break;
    default: /* 9 digits tell all float32 apart, 17 all float64 */
        printf("%.17g", number->float64);
        break;
    }
}

/* Of a number of 64 bits. */
static int64_t sign_of(const winnow_number *number) {
    return number->int64 < 0 ? -1 : 0;
}

static double mean_of(const program_sum *sum) {
    const winnow_reduction *const made = &sum->made;
    return sum->type != WINNOW_INT128 || sum->overflow || made->count == 0
               ? made->mean
               : program_decimal_mean((int64_t)made->overflow,
                                      made->sum.uint64, sum->scale,
                                      made->count);
}

static void print_sum(const program_sum *sum) {
    const winnow_reduction *const made = &sum->made;
    char *const copy = program_allocate(strlen(sum->text) + 1, 1);
    strcpy(copy, sum->text);
    if (isatty(STDOUT_FILENO) == 1)
        (void)program_make_printable(copy);
    printf("%s: count %" PRIu64, copy, made->count);
    free(copy);
    fputs(" sum ", stdout);
    if (sum->overflow)
        fputs("overflow", stdout);
    else
        print_number(sum, &made->sum, (int64_t)made->overflow);
    if (made->count != 0)
        printf(" mean %.17g", mean_of(sum));
    if (made->count != 0 && sum->has_ends) {
        fputs(" minimum ", stdout);
        print_number(sum, &made->minimum, sign_of(&made->minimum));
        fputs(" maximum ", stdout);
        print_number(sum, &made->maximum, sign_of(&made->maximum));
    }
    putchar('\n');
}

static void print_text(const program_report *report) {
    const program_options *const options = report->options;
    if (options->what == PROGRAM_COUNT)
        printf("%" PRIu64 "\n", report->state.kept);
    for (unsigned i = 0; i < options->reduce_count; i++)
        print_sum(&report->sums[i]);
}

/* ---------------------------------------------------------------------- JSON */

/* A text that is no UTF-8 has no place in JSON: its bytes are taken as Latin-1.
 */
static json_t *text(const char *from) {
    errno = 0;
    json_t *const made = json_string(from);
    if (made != NULL || errno == ENOMEM)
        return made;
    char *const copy = program_allocate(2 * strlen(from) + 1, 1);
    size_t bytes = 0;
    for (; *from != '\0'; from++) {
        const unsigned char c = (unsigned char)*from;
        if (c >= 0x80)
            copy[bytes++] = (char)(0xc0 | c >> 6);
        copy[bytes++] = (char)(c < 0x80 ? c : 0x80 | (c & 63));
    }
    json_t *const latin = json_stringn(copy, bytes);
    free(copy);
    return latin;
}

/* null where JSON has no such number. */
static json_t *real(double number) {
    return isfinite(number) ? json_real(number) : json_null();
}

/* JSON's integers are of 64 bits with a sign here; beyond them, a text, and so are
 * decimals. */
static json_t *whole(const program_sum *sum, const winnow_number *number,
                     int64_t upper) {
    char digits[PROGRAM_DECIMAL_BYTES];
    if (sum->type == WINNOW_INT64)
        return json_integer(number->int64);
    if (sum->type != WINNOW_UINT64 && sum->type != WINNOW_INT128)
        return real(number->float64);
    if (sum->type == WINNOW_UINT64 && number->uint64 <= INT64_MAX)
        return json_integer((json_int_t)number->uint64);
    program_write_decimal(sum->type == WINNOW_INT128 ? upper : 0,
                          number->uint64, sum->scale, digits);
    return json_string(digits);
}

static json_t *sum_object(const program_sum *sum) {
    const winnow_reduction *const made = &sum->made;
    const bool has = made->count != 0 && sum->has_ends;
    return json_pack(
        "{s:o, s:I, s:o, s:b, s:o, s:o, s:o}", "expression", text(sum->text),
        "count", (json_int_t)made->count, "sum",
        sum->overflow ? json_null()
                      : whole(sum, &made->sum, (int64_t)made->overflow),
        "overflow", (int)sum->overflow, "mean", real(mean_of(sum)), "minimum",
        has ? whole(sum, &made->minimum, sign_of(&made->minimum)) : json_null(),
        "maximum",
        has ? whole(sum, &made->maximum, sign_of(&made->maximum))
            : json_null());
}

/* One more; NULL: there is no memory. */
static void put(json_t *array, json_t *one) {
    if (json_array_append_new(array, one) != 0)
        program_fail(PROGRAM_DEVICE, "no memory");
}

static json_t *texts(const char *const *list, unsigned count) {
    json_t *const array = json_array();
    for (unsigned i = 0; i < count; i++)
        put(array, text(list[i]));
    return array;
}

static void print_json(const program_report *report) {
    const program_options *const options = report->options;
    json_t *const reduced = json_array();
    for (unsigned i = 0; i < options->reduce_count; i++)
        put(reduced, sum_object(&report->sums[i]));
    json_t *const object = json_pack(
        "{s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o}", "version",
        winnow_version_string(), "condition", text(options->condition),
        "inputs", texts(options->inputs, options->input_count), "outputs",
        texts(options->outputs, options->output_count), "items",
        (json_int_t)report->state.items, "kept", (json_int_t)report->state.kept,
        "bytes", (json_int_t)report->bytes, "seconds", real(report->seconds),
        "reduced", reduced);
    if (object == NULL)
        program_fail(PROGRAM_DEVICE, "no memory");
    /* json_dumps() leaves out a key for lack of memory. */
    const size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(17) |
                         (isatty(STDOUT_FILENO) == 1 ? JSON_ENSURE_ASCII : 0);
    const size_t bytes = json_dumpb(object, NULL, 0, flags);
    char *const line = program_allocate(bytes + 1, 1);
    if (bytes == 0 || json_dumpb(object, line, bytes, flags) != bytes)
        program_fail(PROGRAM_DEVICE, "no memory");
    puts(line);
    free(line);
    json_decref(object);
}

void program_report_print(const program_report *report) {
    if (report->options->json)
        print_json(report);
    else
        print_text(report);
    program_streams_flush();
}
