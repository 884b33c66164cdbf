/*
 * Tests of strings on a device: the bits are written to the call's memory. The
 * condition's kernel then reads them like a column of bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_strings.h"

#include "core/status.h"
#include "cuda/launch.h"
#include "kernels/string/args.h"
#include "string/test.h"

#include <string.h>

extern const winnow__kernel winnow__test_strings_kernels[WINNOW__STRING_KERNELS]
                                                        [2];
extern const winnow__kernel winnow__find_strings_kernels[2];
extern const winnow__kernel winnow__look_up_bits;

enum {
    /* WINNOW__LONG_STRING for strings that are known to contain a text that the
     * pattern needs. */
    LONG_FOUND = 64,
    /* Operations of a segment for each byte of a string. */
    MOST_SLOW = 1024
};

/* The number of arrays of bits: tests up to the last one of a column of strings. */
static unsigned arrays_of(const winnow__where *where,
                          const winnow__program *made) {
    unsigned number = made->strings;
    while (number != 0 && !winnow__is_of_strings(winnow__string_column_of(
                              where, &made->string[number - 1])))
        number--;
    return number;
}

size_t winnow__where_strings_device_bytes(const winnow__where *where,
                                          uint64_t n) {
    const winnow__program *const made = where->condition->programs[true];
    const unsigned where_none = arrays_of(where, where->condition->programs[0]);
    const unsigned number = arrays_of(where, made);
    size_t bytes = (number > where_none ? number : where_none) *
                   (size_t)winnow__string_bits_bytes(n);
    for (unsigned i = 0; i < made->strings; i++) {
        const winnow_in *const in =
            winnow__string_column_of(where, &made->string[i]);
        if (in->dictionary != NULL)
            bytes += (size_t)winnow__string_bits_bytes(in->dictionary_n);
    }
    return bytes;
}

/* A test of a call's strings. */
typedef struct tested_strings {
    const winnow__string_leaf *string;
    const winnow_in *in;
    const void *pattern; /* NULL, or the device's copy of a large pattern */
} tested_strings;

static winnow__string_kernel kernel_of(const winnow__pattern *pattern) {
    switch (pattern->kind) {
    case WINNOW__PATTERN_LESS:
    case WINNOW__PATTERN_LESS_EQUAL:
        return WINNOW__STRING_ORDER;
    case WINNOW__PATTERN_CONTAINS:
        return WINNOW__STRING_CONTAIN;
    case WINNOW__PATTERN_LIKE:
        return WINNOW__STRING_LIKE;
    case WINNOW__PATTERN_LIST:
        return pattern->number <= WINNOW__STRING_FEW_TEXTS
                   ? WINNOW__STRING_FEW
                   : WINNOW__STRING_TABLE;
    default:
        return WINNOW__STRING_MATCH;
    }
}

/* Does test.cu look at more than 8 bytes of each string? */
static bool are_wide(winnow__string_kernel kind,
                     const winnow__pattern *pattern) {
    if (kind == WINNOW__STRING_FEW)
        return pattern->lengths >> 9 != 0;
    return kind <= WINNOW__STRING_ORDER && pattern->text.bytes > 8;
}

static bool is_search(winnow__string_kernel kind) {
    return kind == WINNOW__STRING_CONTAIN || kind == WINNOW__STRING_LIKE;
}

/* Is the average string long? Offsets tell; views do not. */
static bool are_long(const winnow__string_column *column, uint64_t n,
                     unsigned bytes) {
    return column->layout != WINNOW__STRING_VIEWS && column->size / bytes >= n;
}

/* Is a text searched in the bytes of all strings at once? Not if strings are
 * long and the pattern has a begin or an end, which is faster to test. */
static bool are_scanned(const winnow__string_column *column, uint64_t n,
                        const winnow__pattern *pattern) {
    if (column->layout == WINNOW__STRING_VIEWS)
        return false;
    return pattern->kind == WINNOW__PATTERN_CONTAINS ||
           (pattern->kind == WINNOW__PATTERN_LIKE &&
            pattern->need == WINNOW__PATTERN_CONTAINS &&
            ((pattern->open_front && pattern->open_back) ||
             !are_long(column, n, LONG_FOUND)));
}

/* The number of strings for a block of find.cu, by the average bytes that it
 * searches together. */
static uint32_t find_tile(const winnow__string_column *column, uint64_t n) {
    uint32_t tile = WINNOW__FIND_ITEMS;
    while (tile > 32 && column->size / n > WINNOW__FIND_BYTES / tile)
        tile /= 2;
    return tile;
}

/* The number of strings for a block of test.cu. Searched views may be long, so
 * each multiprocessor gets eight blocks, if there are enough strings. */
static uint32_t test_tile(const winnow__call *call,
                          const winnow__test_strings_args *args,
                          winnow__string_kernel kind, bool wide) {
    const uint64_t blocks =
        UINT64_C(8) * winnow__cuda(call->query.context)->multiprocessors;
    uint32_t tile = wide || kind == WINNOW__STRING_TABLE
                        ? WINNOW__TEST_ITEMS_WIDE
                        : WINNOW__TEST_ITEMS;
    if (args->together)
        return WINNOW__STRING_THREADS;
    if (args->column.layout == WINNOW__STRING_VIEWS && is_search(kind))
        while (tile > WINNOW__STRING_THREADS && args->n / tile < blocks)
            tile /= 2;
    return tile;
}

/* Tests n strings, or *items of them. */
static winnow_status launch_tests(const winnow__call *call,
                                  const tested_strings *of, uint64_t n,
                                  const uint64_t *items, uint32_t *words) {
    const winnow__pattern *const pattern = of->string->test->pattern;
    const winnow__string_kernel kind = kernel_of(pattern);
    winnow__test_strings_args args = {.column = winnow__strings_of(of->in),
                                      .n = n,
                                      .items =
                                          (const unsigned long long *)items,
                                      .words = words,
                                      .pattern = of->pattern,
                                      .inverted = of->string->inverted};
    if (n == 0)
        return WINNOW_OK;
    if (of->pattern == NULL)
        memcpy(args.own, pattern, (size_t)pattern->bytes);
    const bool scanned = are_scanned(&args.column, n, pattern);
    args.together =
        is_search(kind) &&
        are_long(&args.column, n, scanned ? LONG_FOUND : WINNOW__LONG_STRING);
    const bool wide = are_wide(kind, pattern);
    const winnow__kernel *kernel = &winnow__test_strings_kernels[kind][wide];
    args.tile = test_tile(call, &args, kind, wide);
    if (scanned) {
        kernel = &winnow__find_strings_kernels[kind == WINNOW__STRING_LIKE];
        args.tile = find_tile(&args.column, n);
    }
    return winnow__launch(kernel, (unsigned)winnow__divide_up(n, args.tile),
                          &args, call->query.launch.stream);
}

static winnow_status launch_look_up(const winnow__call *call,
                                    const winnow_in *in, const uint32_t *values,
                                    uint32_t *words) {
    const uint64_t n = call->query.n;
    const winnow__type_info *const type = winnow__type(in->type);
    const winnow__look_up_bits_args args = {
        .first = in->d_base,
        .stride = (uint64_t)winnow__stride_of(in),
        .log2_size = type->log2_size,
        .is_signed = type->is_signed != 0,
        .n = n,
        .items = (const unsigned long long *)call->query.launch.d_n,
        .values = values,
        .values_n = in->dictionary_n,
        .valid = in->dictionary->d_valid,
        .valid_offset = in->dictionary->valid_offset,
        .words = words};
    const uint64_t each = WINNOW__STRING_THREADS / 32 * WINNOW__STRING_ITEMS;
    if (n == 0)
        return WINNOW_OK;
    return winnow__launch(&winnow__look_up_bits,
                          (unsigned)winnow__divide_up(n, each), &args,
                          call->query.launch.stream);
}

winnow_status winnow__find_pattern(const winnow_context *context,
                                   const winnow__string_test *test,
                                   const winnow__table_use *use,
                                   const void **pattern_p) {
    *pattern_p = NULL;
    if (test->slow > MOST_SLOW)
        return winnow__unsupported(
            "a pattern of like has %llu bytes with _ behind a text between two "
            "%%: a device takes %u; use a context of WINNOW_DEVICE_HOST",
            (unsigned long long)test->slow, (unsigned)MOST_SLOW);
    return winnow__string_test_is_small(test)
               ? WINNOW_OK
               : winnow__block_of(context, test, test->pattern,
                                  (size_t)test->pattern->bytes, use, pattern_p);
}

winnow_status winnow__find_where_patterns(const winnow_context *context,
                                          const winnow_condition *condition,
                                          const winnow__table_use *use) {
    const winnow__program *const made = condition->programs[true];
    for (unsigned i = 0; i < made->strings; i++) {
        const void *unused;
        if (made->string[i].test != NULL)
            WINNOW__TRY(winnow__find_pattern(context, made->string[i].test, use,
                                             &unused));
    }
    return WINNOW_OK;
}

void winnow__place_where_strings(winnow__where_program *program, void *memory,
                                 uint64_t n) {
    for (unsigned c = 0; c < program->column_count; c++)
        if (program->columns[c].access == WINNOW__BY_STRINGS)
            program->columns[c] =
                (winnow__where_column){.first = memory,
                                       .stride = winnow__string_bits_bytes(n),
                                       .access = WINNOW__BY_BITS};
}

/* Write the bits of a dictionary's test: first of its values, then of the items. */
static winnow_status test_dictionary(const winnow__call *call,
                                     const tested_strings *of, uint32_t *values,
                                     uint32_t *words) {
    const winnow_in *const in = of->in;
    if (of->string->test != NULL)
        WINNOW__TRY(launch_tests(call, of, in->dictionary_n, NULL, values));
    return launch_look_up(call, in, of->string->test != NULL ? values : NULL,
                          words);
}

/* Every index names a value. A kernel that serves all calls reads these bits. */
static winnow_status pass_all(const winnow__call *call, uint32_t *words) {
    return winnow__cuda_status(
        cudaMemsetAsync(words, 0xff,
                        (size_t)winnow__string_bits_bytes(call->query.n),
                        call->query.launch.stream),
        "setting bits");
}

winnow_status winnow__test_where_on_device(const winnow__call *call,
                                           const winnow__bound *bound,
                                           const winnow__table_use *use,
                                           void *memory) {
    const uint64_t n = call->query.n;
    const uint64_t pitch = winnow__string_bits_bytes(n);
    const bool is_whole = bound->program.leaves == bound->made->code.leaves;
    unsigned char *const arrays = memory;
    unsigned char *values =
        arrays + arrays_of(bound->where, bound->made) * pitch;
    winnow_status status = WINNOW_OK;
    for (unsigned i = 0; i < bound->made->strings && status == WINNOW_OK; i++) {
        tested_strings of = {.string = &bound->made->string[i]};
        uint32_t *const words = (uint32_t *)(void *)(arrays + i * pitch);
        of.in = winnow__string_column_of(bound->where, of.string);
        if (of.string->test != NULL)
            status = winnow__find_pattern(call->query.context, of.string->test,
                                          use, &of.pattern);
        if (status != WINNOW_OK || !winnow__is_of_strings(of.in))
            continue;
        if (of.in->dictionary == NULL && of.string->test != NULL)
            status = launch_tests(call, &of, n, call->query.launch.d_n, words);
        else if (of.string->test != NULL || winnow__has_null_values(of.in))
            status =
                test_dictionary(call, &of, (uint32_t *)(void *)values, words);
        else if (is_whole)
            status = pass_all(call, words);
        if (of.in->dictionary != NULL)
            values += winnow__string_bits_bytes(of.in->dictionary_n);
    }
    return status;
}
