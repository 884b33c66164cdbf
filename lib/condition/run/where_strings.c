/*
 * Tests of strings on the host. Strings are tested in place. The values of a
 * dictionary are tested first, once each; then items look up their bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_strings.h"

#include "core/round.h"
#include "core/status.h"
#include "kernels/string/index.h"
#include "string/loops.h"

#include <stdio.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* ------------------------------------------------------------------ checks */

static unsigned width_of(winnow_type type) {
    return type == WINNOW_STRING32 ? 4 : type == WINNOW_STRING64 ? 8 : 16;
}

static winnow_status check_plain(const char *before, const winnow_in *strings) {
    if (!winnow__is_string_type(strings->type))
        return winnow__refuse("%stype is %s, and the condition tests strings",
                              before, winnow_type_name(strings->type));
    if (strings->stride_bytes != 0 &&
        (strings->type != WINNOW_VIEW || strings->stride_bytes != 16))
        return winnow__refuse(
            "%sstride_bytes is %lld: strings lie side by side", before,
            (long long)strings->stride_bytes);
    if (strings->element_bytes != 0 &&
        (strings->type != WINNOW_VIEW || strings->element_bytes != 16))
        return winnow__refuse("%selement_bytes is %u: wanted 0 for strings",
                              before, strings->element_bytes);
    if (strings->offset != 0)
        return winnow__refuse(
            "%soffset is %llu: only arrays of WINNOW_BIT have "
            "one",
            before, (unsigned long long)strings->offset);
    if (strings->reserved[0] != 0 || strings->reserved[1] != 0)
        return winnow__refuse("%sreserved is not 0", before);
    return WINNOW_OK;
}

/* Do the strings lie in the address space? */
static winnow_status check_size(const char *before, const winnow_in *strings,
                                uint64_t n) {
    const uint64_t most = UINT64_C(1) << 48;
    const uint64_t each =
        strings->type == WINNOW_VIEW ? sizeof(winnow_buffer) : 1;
    if (strings->data_size > most / each)
        return winnow__unsupported(
            "%sdata_size is %llu: at most %llu are possible", before,
            (unsigned long long)strings->data_size,
            (unsigned long long)(most / each));
    if (n > most / 16)
        return winnow__unsupported("%s%llu strings: at most %llu are possible",
                                   before, (unsigned long long)n,
                                   (unsigned long long)(most / 16));
    return WINNOW_OK;
}

static winnow_mask validity_of(const winnow_in *values) {
    return (winnow_mask){.kind = WINNOW_MASK_BITS,
                         .d_flags = values->d_valid,
                         .offset = values->valid_offset};
}

/* Values are not checked. */
winnow_status winnow__check_indices(winnow__array_name name,
                                    const winnow_in *column, uint64_t n) {
    const winnow__array_text before = winnow__before_member(name);
    const winnow__type_info *const type = winnow__type(column->type);
    const winnow_mask valid = validity_of(column->dictionary);
    winnow_in indices = *column;
    char inside[80];
    if (type == NULL || type->infinity != 0)
        return winnow__refuse(
            "%stype is %s: indices of a dictionary are integers", before.text,
            winnow_type_name(column->type));
    if (column->dictionary->dictionary != NULL ||
        column->dictionary->dictionary_n != 0)
        return winnow__unsupported("%sdictionary has a dictionary of its own",
                                   before.text);
    indices.dictionary = NULL;
    indices.dictionary_n = 0;
    winnow_status status = winnow__check_in_with_nulls(name, &indices);
    if (status == WINNOW_OK)
        status = winnow__check_extent(name, &indices, n);
    if (status != WINNOW_OK || valid.d_flags == NULL)
        return status;
    snprintf(inside, sizeof inside, "%sdictionary->valid_", before.text);
    return winnow__check_flags(inside, &valid, column->dictionary_n);
}

static winnow_status check_dictionary(winnow__array_name name,
                                      const winnow_in *column, uint64_t n) {
    char inside[80];
    winnow_status status = winnow__check_indices(name, column, n);
    snprintf(inside, sizeof inside, "%sdictionary->",
             winnow__before_member(name).text);
    if (status == WINNOW_OK)
        status = check_plain(inside, column->dictionary);
    return status == WINNOW_OK
               ? check_size(inside, column->dictionary, column->dictionary_n)
               : status;
}

winnow_status winnow__check_strings(winnow__array_name name,
                                    const winnow_in *column, uint64_t n) {
    const winnow__array_text before = winnow__before_member(name);
    if (column->dictionary != NULL)
        return check_dictionary(name, column, n);
    if (column->dictionary_n != 0)
        return winnow__refuse("%sdictionary_n is %llu, and dictionary is NULL",
                              before.text,
                              (unsigned long long)column->dictionary_n);
    winnow_status status = check_plain(before.text, column);
    return status == WINNOW_OK ? check_size(before.text, column, n) : status;
}

/* ------------------------------------------------------------------ ranges */

/* The ranges of the strings, and of their bytes or buffers. */
static int plain_ranges(winnow__array_name name, const winnow_in *strings,
                        uint64_t n, const char *const members[2],
                        winnow__range *list) {
    const unsigned width = width_of(strings->type);
    const bool views = strings->type == WINNOW_VIEW;
    list[0] = (winnow__range){.name = name.name,
                              .number = name.number,
                              .member = members[0],
                              .start = strings->d_base,
                              .given = strings->d_base,
                              .bytes = n == 0 ? 0 : (n + !views) * width,
                              .alignment = views ? 8 : width,
                              .wanted = n != 0,
                              .measure = "n"};
    list[1] = (winnow__range){
        .name = name.name,
        .number = name.number,
        .member = members[1],
        .start = strings->d_data,
        .given = strings->d_data,
        .bytes = n == 0
                     ? 0
                     : strings->data_size * (views ? sizeof(winnow_buffer) : 1),
        .alignment = views ? 8 : 1,
        .wanted = n != 0 && strings->data_size != 0,
        .measure = "data_size"};
    return 2;
}

static winnow__range range_of_valid(winnow__array_name name,
                                    const winnow_in *values, uint64_t number) {
    const winnow_mask valid = validity_of(values);
    winnow__range range = winnow__mask_range(name.name, &valid, number);
    range.number = name.number;
    range.member = "dictionary->d_valid";
    return range;
}

int winnow__strings_ranges(winnow__array_name name, const winnow_in *column,
                           uint64_t n, bool values, winnow__range *list) {
    static const char *const own[2] = {"d_base", "d_data"};
    static const char *const of_dictionary[2] = {"dictionary->d_base",
                                                 "dictionary->d_data"};
    const uint64_t entries = n == 0 ? 0 : column->dictionary_n;
    int number = 0;
    if (column->dictionary == NULL)
        return plain_ranges(name, column, n, own, list);
    list[number++] = winnow__in_range(name, column, n);
    if (winnow__has_null_values(column))
        list[number++] = range_of_valid(name, column->dictionary, entries);
    if (values)
        number += plain_ranges(name, column->dictionary, entries, of_dictionary,
                               list + number);
    return number;
}

/* ----------------------------------------------------------------- columns */

winnow__string_column winnow__strings_of(const winnow_in *column) {
    const winnow_in *const strings =
        column->dictionary != NULL ? column->dictionary : column;
    const bool short_offsets = strings->type == WINNOW_STRING32;
    return (winnow__string_column){
        .strings = strings->d_base,
        .data = strings->d_data,
        .size = short_offsets && strings->data_size > INT32_MAX
                    ? INT32_MAX
                    : strings->data_size,
        .layout = short_offsets                      ? WINNOW__STRING_OFFSETS_32
                  : strings->type == WINNOW_STRING64 ? WINNOW__STRING_OFFSETS_64
                                                     : WINNOW__STRING_VIEWS};
}

/* For the list of bits. */
static size_t pointers_bytes(const winnow__program *made) {
    return (size_t)winnow__round_up(made->strings * sizeof(uint32_t *), 16);
}

/* A call that tests a dictionary uses the program in which anything may be
 * null. */
size_t winnow__where_strings_host_bytes(const winnow__where *where) {
    const winnow__program *const made = where->condition->programs[true];
    size_t bytes = 0;
    for (unsigned i = 0; i < made->strings; i++) {
        const winnow_in *const in =
            winnow__string_column_of(where, &made->string[i]);
        if (in->dictionary != NULL)
            bytes += (size_t)winnow__string_bits_bytes(in->dictionary_n);
    }
    return bytes != 0 ? bytes + pointers_bytes(made) : 0;
}

/* Whole words are inverted. */
static void invert(uint32_t *words, unsigned items) {
    for (unsigned w = 0; w < (items + 31) / 32; w++)
        words[w] = ~words[w];
}

/* Clear the bits of values that are null. */
static void take_valid(const winnow_in *dictionary, const winnow__span *span,
                       uint32_t *words) {
    const winnow__where_column valid =
        winnow__bits(dictionary->d_valid, dictionary->valid_offset);
    uint32_t bits[WINNOW__SELECTION_WORDS];
    winnow__read_bits(&valid, 0, span, bits);
    for (unsigned w = 0; w < (span->items + 31) / 32; w++)
        words[w] &= bits[w];
}

/* Test one tile at a time, so that a span's number does not overflow. */
static void test_values(const winnow__string_leaf *string, const winnow_in *in,
                        uint32_t *bits) {
    const winnow__string_column values = winnow__strings_of(in);
    const uint64_t n = in->dictionary_n;
    for (uint64_t first = 0; first < n; first += WINNOW__SELECTION_TILE) {
        const uint64_t left = n - first;
        const winnow__span span = {.first = first,
                                   .items = left < WINNOW__SELECTION_TILE
                                                ? (unsigned)left
                                                : WINNOW__SELECTION_TILE,
                                   .all = n};
        uint32_t *const words = bits + first / 32;
        if (string->test == NULL)
            memset(words, 0xff, (span.items + 31) / 32 * sizeof words[0]);
        else
            winnow__test_strings(&values, string->test, first, span.items, NULL,
                                 words);
        if (string->inverted)
            invert(words, span.items);
        if (in->dictionary->d_valid != NULL)
            take_valid(in->dictionary, &span, words);
    }
}

void winnow__test_dictionaries(winnow__bound *bound, void *memory) {
    const winnow__program *const made = bound->made;
    uint32_t **const bits = memory;
    unsigned char *room = (unsigned char *)memory + pointers_bytes(made);
    bound->bits = NULL;
    for (unsigned i = 0; i < made->strings; i++) {
        const winnow__string_leaf *const string = &made->string[i];
        const winnow_in *const in =
            winnow__string_column_of(bound->where, string);
        if (in->dictionary == NULL)
            continue;
        bound->bits = bits;
        bits[i] = (uint32_t *)(void *)room;
        room += winnow__string_bits_bytes(in->dictionary_n);
        test_values(string, in, bits[i]);
    }
}

/* ------------------------------------------------------------------- items */

INLINE void look_up(const winnow_in *in, const uint32_t *bits,
                    unsigned log2_size, bool is_signed, uint64_t stride,
                    const winnow__span *span, const uint32_t *wanted,
                    uint32_t *words) {
    const uint64_t n = in->dictionary_n;
    const uintptr_t from = (uintptr_t)in->d_base + span->first * stride;
    for (unsigned start = 0; start < span->items; start += 32) {
        const unsigned left = span->items - start;
        uint32_t word = 0;
        if (wanted != NULL && wanted[start / 32] == 0)
            continue;
        for (unsigned i = 0; i < 32 && i < left; i++) {
            const uint64_t index = winnow__load_index(
                (const unsigned char *)(from + (start + i) * stride), log2_size,
                is_signed);
            /* a branch, which is always taken unless an index is wrong */
            if (index < n)
                word |= (bits[index / 32] >> index % 32 & 1) << i;
        }
        words[start / 32] = word;
    }
}

#define LOOK_UP(LOG2_SIZE, SIGNED)                                             \
    do {                                                                       \
        if (stride == 1u << (LOG2_SIZE))                                       \
            look_up(in, bits, LOG2_SIZE, SIGNED, 1u << (LOG2_SIZE), span,      \
                    wanted, words);                                            \
        else                                                                   \
            look_up(in, bits, LOG2_SIZE, SIGNED, stride, span, wanted, words); \
    } while (0)

static void look_up_span(const winnow_in *in, const uint32_t *bits,
                         const winnow__span *span, const uint32_t *wanted,
                         uint32_t *words) {
    const uint64_t stride = (uint64_t)winnow__stride_of(in);
    switch (in->type) {
    case WINNOW_INT8:
        LOOK_UP(0, true);
        break;
    case WINNOW_INT16:
        LOOK_UP(1, true);
        break;
    case WINNOW_INT32:
        LOOK_UP(2, true);
        break;
    case WINNOW_UINT8:
        LOOK_UP(0, false);
        break;
    case WINNOW_UINT16:
        LOOK_UP(1, false);
        break;
    case WINNOW_UINT32:
        LOOK_UP(2, false);
        break;
    default: /* 8 bytes: negative numbers are above all others */
        LOOK_UP(3, false);
    }
}

void winnow__test_where_strings(const winnow__bound *bound, unsigned number,
                                const winnow__span *span,
                                const uint32_t *wanted, uint32_t *words) {
    const winnow__string_leaf *const string = &bound->made->string[number];
    const winnow_in *const in = winnow__string_column_of(bound->where, string);
    if (in->dictionary != NULL) {
        look_up_span(in, bound->bits[number], span, wanted, words);
        return;
    }
    const winnow__string_column column = winnow__strings_of(in);
    winnow__test_strings(&column, string->test, span->first, span->items,
                         wanted, words);
    if (string->inverted)
        invert(words, span->items);
}
