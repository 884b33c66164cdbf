/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "core/array.h"
#include "core/context.h"
#include "core/status.h"

int winnow__sum_of(const winnow__type_info *type) {
    const int narrow =
        type->infinity != 0 ? WINNOW__SUM_FLOAT32 : WINNOW__SUM_UINT32;
    return narrow + (type->size == 8);
}

winnow__accumulate_arrays
winnow__accumulate_arrays_of(const winnow__call *call) {
    const winnow__accumulation *const a = call->query.details;
    winnow__accumulate_arrays arrays = {.value_stride = a->value_stride,
                                        .out_stride = a->sum_stride};
    for (unsigned j = 0; j < a->components; j++) {
        arrays.values[j] = a->values[j].d_base;
        arrays.out[j] = a->sums[j].d_base;
    }
    return arrays;
}

/* ------------------------------------------------------------------ checks */

static winnow__array_name name_of(const char *name, unsigned component) {
    return (winnow__array_name){.name = name, .number = component + 1};
}

/* Fail unless the component is like the first one. *stride_p: its stride in
 * elements. */
static winnow_status check_same(const char *name, unsigned component,
                                winnow_type type, winnow_type first_type,
                                int64_t bytes, int64_t first_bytes,
                                uint64_t *stride_p) {
    const int64_t size = (int64_t)winnow_type_size(type);
    if (type != first_type)
        return winnow__refuse(
            "%s[%u].type is %s, and %s[0].type is %s: all have "
            "one type",
            name, component, winnow_type_name(type), name,
            winnow_type_name(first_type));
    if (bytes != 0 && (bytes < 0 || bytes % size != 0))
        return winnow__unsupported(
            "%s[%u].stride_bytes is %lld: wanted 0, or a "
            "positive multiple of the %lld bytes of its type",
            name, component, (long long)bytes, (long long)size);
    *stride_p = bytes == 0 ? 1 : (uint64_t)(bytes / size);
    if ((first_bytes == 0 ? size : first_bytes) != (int64_t)*stride_p * size)
        return winnow__unsupported(
            "%s[%u].stride_bytes is %lld, and "
            "%s[0].stride_bytes is %lld: all have one stride",
            name, component, (long long)bytes, name, (long long)first_bytes);
    return WINNOW_OK;
}

static winnow_status check_values(winnow__accumulation *a) {
    for (unsigned j = 0; j < a->components; j++) {
        const winnow_in *const in = &a->values[j];
        WINNOW__TRY(winnow__check_in(name_of("values", j), in));
        if (winnow_type_size(in->type) < 4)
            return winnow__refuse(
                "values[%u].type is %s, which is not summed: wanted "
                "int32, int64, uint32, uint64, float32 or float64",
                j, winnow_type_name(in->type));
        WINNOW__TRY(check_same("values", j, in->type, a->values->type,
                               in->stride_bytes, a->values->stride_bytes,
                               &a->value_stride));
    }
    return WINNOW_OK;
}

/* The 8-byte type that can hold all values of a type. */
static winnow_type widest_of(winnow_type type) {
    switch (type) {
    case WINNOW_INT32:
        return WINNOW_INT64;
    case WINNOW_UINT32:
        return WINNOW_UINT64;
    case WINNOW_FLOAT32:
        return WINNOW_FLOAT64;
    default:
        return type;
    }
}

static winnow_status check_sums(winnow__accumulation *a) {
    const winnow_type value = a->values->type, wide = widest_of(value);
    for (unsigned j = 0; j < a->components; j++) {
        const winnow_out *const out = &a->sums[j];
        WINNOW__TRY(winnow__check_out(name_of("sums", j), out));
        if (out->type != value && out->type != wide)
            return winnow__refuse(
                "sums[%u].type is %s, and values are %s: "
                "wanted %s%s%s",
                j, winnow_type_name(out->type), winnow_type_name(value),
                winnow_type_name(value), wide != value ? " or " : "",
                wide != value ? winnow_type_name(wide) : "");
        WINNOW__TRY(check_same("sums", j, out->type, a->sums->type,
                               out->stride_bytes, a->sums->stride_bytes,
                               &a->sum_stride));
    }
    return WINNOW_OK;
}

static winnow_status check_fits(uint64_t items, const char *measure,
                                uint64_t stride,
                                const winnow__type_info *type) {
    if (items > UINTPTR_MAX / stride / type->size)
        return winnow__refuse("%s is %llu: that many elements %llu bytes apart "
                              "do not fit in the address space",
                              measure, (unsigned long long)items,
                              (unsigned long long)(stride * type->size));
    return WINNOW_OK;
}

winnow_status winnow__check_accumulation(winnow__query *query) {
    const winnow__accumulation *const a = query->details;
    query->type = winnow__type(a->key_type);
    WINNOW__TRY(check_fits(query->n, "n", a->value_stride, a->value_type));
    return check_fits(a->key_bound, "key_bound", a->sum_stride, a->sum_type);
}

/* ------------------------------------------------------------------ ranges */

static winnow__range array_range(const char *name, unsigned component,
                                 const void *start, uint64_t items,
                                 uint64_t stride, const winnow__type_info *type,
                                 const char *measure) {
    return (winnow__range){
        .name = name,
        .number = component + 1,
        .member = "d_base",
        .start = start,
        .bytes = items == 0 ? 0 : ((items - 1) * stride + 1) * type->size,
        .alignment = type->size,
        .wanted = items != 0,
        .measure = measure};
}

/* The component with the lowest address among those not in `done`. */
static unsigned lowest(const winnow__accumulation *a, unsigned done) {
    unsigned low = WINNOW__MOST_COMPONENTS;
    for (unsigned j = 0; j < a->components; j++)
        if ((done >> j & 1) == 0 &&
            (low == WINNOW__MOST_COMPONENTS ||
             (uintptr_t)a->sums[j].d_base < (uintptr_t)a->sums[low].d_base))
            low = j;
    return low;
}

/* Components that begin within one stride interleave. They form one range,
 * which includes everything between them. */
static int sums_ranges(const winnow__accumulation *a, winnow__range *list) {
    const unsigned size = a->sum_type->size;
    unsigned done = 0;
    uint64_t before = 0; /* from the range's start to its last component */
    int number = 0;
    for (unsigned i = 0; i < a->components; i++) {
        const unsigned j = lowest(a, done);
        winnow__range own =
            array_range("sums", j, a->sums[j].d_base, a->key_bound,
                        a->sum_stride, a->sum_type, "key_bound");
        winnow__range *const last = number != 0 ? &list[number - 1] : NULL;
        const uint64_t after =
            last != NULL ? (uintptr_t)own.start - (uintptr_t)last->start : 0;
        own.written = true;
        done |= 1u << j;
        if (last != NULL && last->start != NULL && after > before &&
            after % size == 0 && after / size < a->sum_stride) {
            last->bytes = own.bytes == 0 ? 0 : after + own.bytes;
            before = after;
        } else {
            list[number++] = own;
            before = 0;
        }
    }
    return number;
}

int winnow__accumulation_ranges(const winnow__call *call, winnow__range *list) {
    const winnow__accumulation *const a = call->query.details;
    int number = 0;
    list[number] = winnow__input_range(call);
    list[number++].name = "keys->d_base";
    for (unsigned j = 0; j < a->components; j++)
        list[number++] =
            array_range("values", j, a->values[j].d_base, call->query.n,
                        a->value_stride, a->value_type, "n");
    number += sums_ranges(a, list + number);
    list[number] =
        winnow__result_range("d_beyond", a->beyond, sizeof *a->beyond);
    list[number++].wanted = false;
    return number;
}

static const winnow__operation operation = {
    .name = "accumulate_by_key",
    .takes = WINNOW__TAKES_N,
    .predicate = WINNOW__NO_PREDICATE,
    .check = winnow__check_accumulation,
    .ranges = winnow__accumulation_ranges,
    .run_on_host = winnow__accumulate_on_host,
    .plan = WINNOW__IF_CUDA(winnow__accumulate_plan),
    .enqueue = WINNOW__IF_CUDA(winnow__accumulate_enqueue),
};

/* --------------------------------------------------------------------- API */

winnow_status winnow__take_accumulation(winnow__accumulation *a,
                                        const winnow_in *keys) {
    WINNOW__TRY(
        winnow__check_numbers((winnow__array_name){.name = "keys"}, keys));
    if (a->components < 1 || a->components > WINNOW__MOST_COMPONENTS)
        return winnow__refuse("components is %u: wanted 1 to %d", a->components,
                              WINNOW__MOST_COMPONENTS);
    WINNOW__TRY(winnow__need(a->values, "values"));
    WINNOW__TRY(winnow__need(a->sums, "sums"));
    WINNOW__TRY(check_values(a));
    WINNOW__TRY(check_sums(a));
    a->key_type = keys->type;
    a->value_type = winnow__type(a->values->type);
    a->sum_type = winnow__type(a->sums->type);
    return WINNOW_OK;
}

winnow_status winnow__accumulate_call(winnow_context *context,
                                      const winnow_in *keys, uint64_t n,
                                      winnow__accumulation *a,
                                      const winnow_launch *launch) {
    WINNOW__TRY(winnow__take_accumulation(a, keys));
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = a},
                         .in = keys->d_base};
    return winnow__do(&call, launch);
}

winnow_status
winnow_accumulate_by_key(winnow_context *context, const winnow_in *keys,
                         const winnow_in *values, unsigned components,
                         uint64_t n, uint64_t key_bound, const winnow_out *sums,
                         uint64_t *d_beyond, const winnow_launch *launch) {
    winnow__accumulation a = {.key_bound = key_bound,
                              .components = components,
                              .values = values,
                              .sums = sums,
                              .beyond = d_beyond};
    return winnow__accumulate_call(context, keys, n, &a, launch);
}
