/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "array.h"
#include "context.h"
#include "status.h"

#include <stdio.h>
#include <string.h>

/* "keys", "columns[3]". */
static winnow__array_text text_of(winnow__array_name name) {
    winnow__array_text t;
    if (name.number == 0)
        snprintf(t.text, sizeof t.text, "%s", name.name);
    else
        snprintf(t.text, sizeof t.text, "%s[%u]", name.name, name.number - 1);
    return t;
}

winnow__array_text winnow__before_member(winnow__array_name name) {
    winnow__array_text t = {""};
    if (name.name != NULL && name.number == 0)
        snprintf(t.text, sizeof t.text, "%s->", name.name);
    else if (name.name != NULL)
        snprintf(t.text, sizeof t.text, "%s[%u].", name.name, name.number - 1);
    return t;
}

size_t winnow__element_bytes(winnow_type type, uint32_t element_bytes) {
    return element_bytes != 0 ? element_bytes : winnow_type_size(type);
}

int64_t winnow__stride_of(const winnow_in *in) {
    return in->stride_bytes != 0
               ? in->stride_bytes
               : (int64_t)winnow__element_bytes(in->type, in->element_bytes);
}

static winnow_status check_element(winnow__array_name name, winnow_type type,
                                   uint32_t element_bytes) {
    const size_t size = winnow_type_size(type);
    if (winnow__is_special_type(type))
        return winnow__unsupported(
            "%stype is %s, which this call does not take",
            winnow__before_member(name).text, winnow_type_name(type));
    if (type != WINNOW_OPAQUE && winnow__type(type) == NULL)
        return winnow__refuse("%stype %d is no winnow_type",
                              winnow__before_member(name).text, (int)type);
    if (type == WINNOW_OPAQUE && element_bytes == 0)
        return winnow__refuse("%s has no type, and element_bytes is 0",
                              text_of(name).text);
    if (type != WINNOW_OPAQUE && element_bytes != 0 && element_bytes != size)
        return winnow__refuse(
            "%selement_bytes is %u: wanted 0, or %zu, the size of its type, %s",
            winnow__before_member(name).text, (unsigned)element_bytes, size,
            winnow_type_name(type));
    return WINNOW_OK;
}

static winnow_status fail_reserved(winnow__array_name name) {
    return winnow__refuse("%sreserved is not 0",
                          winnow__before_member(name).text);
}

/* Refuse dictionaries and reserved members, for every type. */
static winnow_status check_reserved(winnow__array_name name,
                                    const winnow_in *in) {
    if (in->dictionary != NULL || in->dictionary_n != 0)
        return winnow__unsupported(
            "%s%s is set: this call takes no dictionaries",
            winnow__before_member(name).text,
            in->dictionary != NULL ? "dictionary" : "dictionary_n");
    return in->reserved[0] == 0 && in->reserved[1] == 0 ? WINNOW_OK
                                                        : fail_reserved(name);
}

static winnow_status refuse_validity(winnow__array_name name,
                                     const winnow_in *in) {
    if (in->d_valid != NULL || in->valid_offset != 0)
        return winnow__unsupported(
            "%sd_valid is set: this call takes no nulls; winnow_copy_where(), "
            "winnow_reduce_where() and winnow_accumulate_where() do, by "
            "conditions such as x is not null",
            winnow__before_member(name).text);
    return WINNOW_OK;
}

static winnow_status refuse_offset(winnow__array_name name,
                                   const winnow_in *in) {
    if (in->offset != 0)
        return winnow__refuse(
            "%soffset is %llu: only arrays of WINNOW_BIT have one",
            winnow__before_member(name).text, (unsigned long long)in->offset);
    return WINNOW_OK;
}

/* Arrays whose elements have no size. */
static winnow_status refuse_sizes(winnow__array_name name,
                                  const winnow_in *in) {
    if (in->element_bytes != 0 || in->stride_bytes != 0)
        return winnow__refuse(
            "%s%s is %lld: wanted 0 for %s", winnow__before_member(name).text,
            in->element_bytes != 0 ? "element_bytes" : "stride_bytes",
            in->element_bytes != 0 ? (long long)in->element_bytes
                                   : (long long)in->stride_bytes,
            in->type == WINNOW_BIT ? "bits" : "strings");
    return WINNOW_OK;
}

/* Refuse what numbers, bits and opaque elements do not have. */
static winnow_status check_rest(winnow__array_name name, const winnow_in *in) {
    WINNOW__TRY(refuse_validity(name, in));
    if (in->d_data != NULL || in->data_size != 0)
        return winnow__refuse("%s%s is set: only strings and views have one",
                              winnow__before_member(name).text,
                              in->d_data != NULL ? "d_data" : "data_size");
    return check_reserved(name, in);
}

winnow_status winnow__check_in_with_nulls(winnow__array_name name,
                                          const winnow_in *in) {
    winnow_in values = *in;
    values.d_valid = NULL;
    values.valid_offset = 0;
    return in->type == WINNOW_BIT ? winnow__check_in_of_bits(name, &values)
                                  : winnow__check_in(name, &values);
}

winnow_status winnow__check_in(winnow__array_name name, const winnow_in *in) {
    if (in == NULL)
        return winnow__refuse("%s is NULL", name.name);
    WINNOW__TRY(check_element(name, in->type, in->element_bytes));
    WINNOW__TRY(refuse_offset(name, in));
    return check_rest(name, in);
}

winnow_status winnow__check_in_of_bits(winnow__array_name name,
                                       const winnow_in *in) {
    WINNOW__TRY(refuse_sizes(name, in));
    return check_rest(name, in);
}

/* No address space is larger, and the lengths of a tile's strings cannot overflow. */
#define MOST_DATA (UINT64_C(1) << 48)

winnow_status winnow__check_in_of_strings(winnow__array_name name,
                                          const winnow_in *in) {
    if (in == NULL)
        return winnow__refuse("%s is NULL", name.name);
    if (in->type == WINNOW_VIEW)
        return winnow__unsupported(
            "%stype is view: views are moved as elements of "
            "16 bytes, by winnow_compact_columns()",
            winnow__before_member(name).text);
    if (in->type != WINNOW_STRING32 && in->type != WINNOW_STRING64)
        return winnow__refuse(
            "%stype %d, %s, is neither WINNOW_STRING32 nor WINNOW_STRING64",
            winnow__before_member(name).text, (int)in->type,
            winnow_type_name(in->type));
    WINNOW__TRY(refuse_sizes(name, in));
    WINNOW__TRY(refuse_offset(name, in));
    WINNOW__TRY(refuse_validity(name, in));
    if (in->data_size > MOST_DATA)
        return winnow__unsupported(
            "%sdata_size is %llu: offsets reach 2^48 at most",
            winnow__before_member(name).text,
            (unsigned long long)in->data_size);
    return check_reserved(name, in);
}

/* ------------------------------------------------------- bytes of strings */

/* The number of items of the call. On the host *d_n has been written. */
static uint64_t items_of(const winnow__query *query) {
    uint64_t items = query->n;
    if (query->launch.d_n != NULL)
        memcpy(&items, query->launch.d_n, sizeof items);
    return items < query->n ? items : query->n;
}

/* The length of string i if it lies outside the array. The array may be
 * unaligned: its alignment is checked later. */
static uint64_t named_bytes(const winnow_in *strings, uint64_t i) {
    const unsigned char *const base = strings->d_base;
    uint64_t at[2] = {0, 0};
    uint32_t length;
    if (strings->type == WINNOW_VIEW) {
        memcpy(&length, base + 16 * i, sizeof length);
        return length > 12 ? length : 0;
    }
    const unsigned width = strings->type == WINNOW_STRING32 ? 4 : 8;
    memcpy(&at[0], base + width * i, width); /* little-endian */
    memcpy(&at[1], base + width * (i + 1), width);
    return at[1] > at[0] ? at[1] - at[0] : 0;
}

static bool is_null(const winnow_in *strings, uint64_t i) {
    const unsigned char *const valid = strings->d_valid;
    const uint64_t bit = strings->valid_offset + i;
    return valid != NULL && (valid[bit / 8] >> bit % 8 & 1) == 0;
}

/* Do the offsets or views lie in the address space? A later check reports it if not. */
static bool is_readable(const winnow_in *strings, uint64_t n) {
    return strings->d_base != NULL &&
           n < (UINTPTR_MAX - (uintptr_t)strings->d_base) / 16;
}

winnow_status winnow__check_string_bytes(const winnow__query *query,
                                         winnow__array_name name,
                                         const winnow_in *column) {
    const bool has_dictionary = column->dictionary != NULL;
    const winnow_in *const strings =
        has_dictionary ? column->dictionary : column;
    if (!query->context->backend->is_host || query->launch.plan != NULL ||
        !winnow__is_string_type(strings->type) || strings->d_data != NULL ||
        strings->data_size != 0)
        return WINNOW_OK;
    const uint64_t items = items_of(query);
    const uint64_t n =
        has_dictionary && items != 0 ? column->dictionary_n : items;
    for (uint64_t i = 0; is_readable(strings, n) && i < n; i++) {
        const uint64_t bytes =
            is_null(strings, i) ? 0 : named_bytes(strings, i);
        if (bytes != 0)
            return winnow__refuse(
                "%s%sd_data is NULL, and string %llu has %llu bytes",
                winnow__before_member(name).text,
                has_dictionary ? "dictionary->" : "", (unsigned long long)i,
                (unsigned long long)bytes);
    }
    return WINNOW_OK;
}

winnow_in winnow__as_in(const winnow_out *out) {
    return (winnow_in){.type = out->type,
                       .element_bytes = out->element_bytes,
                       .d_base = out->d_base,
                       .stride_bytes = out->stride_bytes,
                       .offset = out->offset,
                       .reserved = {out->reserved[0], out->reserved[1]}};
}

winnow_status winnow__check_out(winnow__array_name name,
                                const winnow_out *out) {
    if (out == NULL)
        return winnow__refuse("%s is NULL", name.name);
    const winnow_in in = winnow__as_in(out);
    return winnow__check_in(name, &in);
}

winnow_status winnow__check_dense(winnow__array_name name,
                                  const winnow_in *in) {
    const size_t bytes = winnow__element_bytes(in->type, in->element_bytes);
    if (winnow__stride_of(in) != (int64_t)bytes)
        return winnow__unsupported(
            "%sstride_bytes is %lld: wanted 0, for elements side by side",
            winnow__before_member(name).text, (long long)in->stride_bytes);
    return WINNOW_OK;
}

winnow_status winnow__check_numbers(winnow__array_name name,
                                    const winnow_in *in) {
    WINNOW__TRY(winnow__check_in(name, in));
    if (in->type != WINNOW_UINT32 && in->type != WINNOW_UINT64)
        return winnow__refuse("%stype is %s: wanted uint32 or uint64",
                              winnow__before_member(name).text,
                              winnow_type_name(in->type));
    return winnow__check_dense(name, in);
}

static uint64_t distance_of(int64_t stride) {
    return stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
}

winnow_status winnow__check_extent(winnow__array_name name, const winnow_in *in,
                                   uint64_t n) {
    const int64_t stride = winnow__stride_of(in);
    const size_t bytes = winnow__element_bytes(in->type, in->element_bytes);
    const uintptr_t start = (uintptr_t)in->d_base;
    const uint64_t most = stride < 0 ? start : UINTPTR_MAX - start;
    if (n != 0 && in->d_base != NULL &&
        (UINTPTR_MAX - start < bytes ||
         (n - 1 != 0 && distance_of(stride) > (most - bytes) / (n - 1))))
        return winnow__refuse("%s: n is %llu: elements %lld bytes apart run "
                              "past the end of the address space",
                              text_of(name).text, (unsigned long long)n,
                              (long long)stride);
    return WINNOW_OK;
}

winnow__range winnow__in_range(winnow__array_name name, const winnow_in *in,
                               uint64_t n) {
    const int64_t stride = winnow__stride_of(in);
    const uint64_t apart = n == 0 ? 0 : (n - 1) * distance_of(stride);
    const unsigned char *const base = in->d_base;
    return (winnow__range){
        .name = name.name,
        .number = name.number,
        .member = name.number != 0 ? "d_base" : NULL,
        .start = base != NULL && stride < 0 ? base - apart : base,
        .given = base,
        .bytes =
            n == 0 ? 0
                   : apart + winnow__element_bytes(in->type, in->element_bytes),
        .alignment = 1,
        .wanted = n != 0,
        .measure = "n"};
}
