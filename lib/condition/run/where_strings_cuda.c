/*
 * Tests of strings on a device: their bits are written to the call's memory
 * before the condition's kernel reads them, as arrays of columns of bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "where_strings.h"

#include "core/status.h"
#include "cuda/launch.h"
#include "kernels/string/args.h"
#include "string/test.h"

#include <string.h>

extern const winnow__kernel
    winnow__test_strings_kernels[WINNOW__STRING_KERNELS];
extern const winnow__kernel winnow__test_long_strings_kernels[2];
extern const winnow__kernel winnow__look_up_bits;

enum {
    /* Bytes of a string, on the average, from which on a warp tests it. An
     * estimate: a lane alone would read as many words one after the other. */
    LONG = 256,
    /* Of a segment, for each byte of a string. */
    MOST_SLOW = 1024
};

size_t winnow__where_strings_device_bytes(const winnow_condition *condition,
                                          const winnow_in *columns,
                                          uint64_t n) {
    size_t bytes = winnow__where_strings_host_bytes(condition, columns);
    for (unsigned i = 0; i < condition->number; i++)
        if (winnow__tests_strings(&condition->nodes[i], columns))
            bytes += (size_t)winnow__string_bits_bytes(n);
    return bytes;
}

static winnow__string_kernel kernel_of(const winnow__pattern *pattern) {
    switch (pattern->kind) {
    case WINNOW__PATTERN_CONTAINS:
        return WINNOW__STRING_CONTAIN;
    case WINNOW__PATTERN_LIKE:
        return WINNOW__STRING_LIKE;
    case WINNOW__PATTERN_LIST:
        return WINNOW__STRING_LIST;
    default:
        return WINNOW__STRING_COMPARE;
    }
}

/* Offsets say how many bytes a string has on the average; views do not. */
static bool are_long(const winnow__string_column *column, uint64_t n) {
    return column->layout != WINNOW__STRING_VIEWS && column->size / LONG >= n;
}

/* Of n strings, or of as many as *items says. */
static winnow_status launch_tests(const winnow__call *call,
                                  const winnow__where_string *string,
                                  uint64_t n, const uint64_t *items,
                                  uint32_t *words) {
    const winnow__string_kernel kind = kernel_of(string->test->pattern);
    const uint64_t warps = WINNOW__STRING_THREADS / 32;
    winnow__test_strings_args args = {.column = winnow__strings_of(string->in),
                                      .n = n,
                                      .items =
                                          (const unsigned long long *)items,
                                      .words = words,
                                      .pattern = string->pattern,
                                      .inverted = string->inverted};
    const winnow__pattern *const pattern = string->test->pattern;
    if (n == 0)
        return WINNOW_OK;
    if (string->pattern == NULL)
        memcpy(args.own, pattern, (size_t)pattern->bytes);
    const bool wide =
        (kind == WINNOW__STRING_CONTAIN || kind == WINNOW__STRING_LIKE) &&
        are_long(&args.column, n);
    const winnow__kernel *const kernel =
        wide ? &winnow__test_long_strings_kernels[kind == WINNOW__STRING_LIKE]
             : &winnow__test_strings_kernels[kind];
    const uint64_t each =
        warps * (wide ? WINNOW__STRING_ITEMS_WIDE : WINNOW__STRING_ITEMS);
    return winnow__launch(kernel, (unsigned)winnow__divide_up(n, each), &args,
                          call->query.launch.stream);
}

static winnow_status launch_look_up(const winnow__call *call,
                                    const winnow__where_string *string,
                                    uint64_t n, const uint64_t *items,
                                    const uint32_t *values, uint32_t *words) {
    const winnow__type_info *const type = winnow__type(string->in->type);
    const winnow__look_up_bits_args args = {
        .first = string->in->d_base,
        .stride = (uint64_t)winnow__stride_of(string->in),
        .log2_size = type->log2_size,
        .is_signed = type->is_signed != 0,
        .n = n,
        .items = (const unsigned long long *)items,
        .values = values,
        .values_n = string->in->dictionary_n,
        .valid = string->in->dictionary->d_valid,
        .valid_offset = string->in->dictionary->valid_offset,
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
        return winnow__fail(
            WINNOW_ERR_UNSUPPORTED,
            "a pattern of like has %llu bytes with _ behind a text between two "
            "%%: a device takes %u; use a context of WINNOW_DEVICE_HOST",
            (unsigned long long)test->slow, (unsigned)MOST_SLOW);
    return winnow__string_test_is_small(test)
               ? WINNOW_OK
               : winnow__block_of(context, test, test->pattern,
                                  (size_t)test->pattern->bytes, use, pattern_p);
}

winnow_status winnow__find_where_patterns(const winnow_context *context,
                                          winnow__compiled *compiled,
                                          const winnow__table_use *use) {
    winnow_status status = WINNOW_OK;
    for (unsigned i = 0; i < compiled->strings && status == WINNOW_OK; i++) {
        winnow__where_string *const string = &compiled->string[i];
        string->pattern = NULL;
        if (string->test != NULL)
            status = winnow__find_pattern(context, string->test, use,
                                          &string->pattern);
    }
    return status;
}

void winnow__place_where_strings(winnow__compiled *compiled, void *memory,
                                 uint64_t n) {
    for (unsigned c = 0; c < compiled->program.column_count; c++)
        if (compiled->program.columns[c].access == WINNOW__BY_STRINGS)
            compiled->program.columns[c] =
                (winnow__where_column){.first = memory,
                                       .stride = winnow__string_bits_bytes(n),
                                       .access = WINNOW__BY_BITS};
}

winnow_status winnow__test_where_on_device(const winnow__call *call,
                                           const winnow__compiled *compiled,
                                           void *memory) {
    const uint64_t n = call->query.n;
    const uint64_t *const items = call->query.launch.d_n;
    const uint64_t pitch = winnow__string_bits_bytes(n);
    unsigned char *const arrays = memory;
    unsigned char *values = arrays + compiled->strings * pitch;
    winnow_status status = WINNOW_OK;
    for (unsigned i = 0; i < compiled->strings && status == WINNOW_OK; i++) {
        const winnow__where_string *const string = &compiled->string[i];
        uint32_t *const words = (uint32_t *)(void *)(arrays + i * pitch);
        if (string->in->dictionary == NULL) {
            status = launch_tests(call, string, n, items, words);
            continue;
        }
        const uint64_t number = string->in->dictionary_n;
        uint32_t *const bits =
            string->test == NULL ? NULL : (uint32_t *)(void *)values;
        values += winnow__string_bits_bytes(number);
        if (bits != NULL)
            status = launch_tests(call, string, number, NULL, bits);
        if (status == WINNOW_OK)
            status = launch_look_up(call, string, n, items, bits, words);
    }
    return status;
}
