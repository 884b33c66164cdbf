/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "core/status.h"

/* ----------------------------------------------------------------- checks */

winnow_status winnow__check_wanted(const char *of, unsigned wanted) {
    const unsigned ends = WINNOW_REDUCE_MINIMUM | WINNOW_REDUCE_MAXIMUM;
    const unsigned all = ends | WINNOW_REDUCE_COUNT | WINNOW_REDUCE_SUM |
                         WINNOW_REDUCE_INDEX | WINNOW_REDUCE_PARTIAL;
    if (wanted == 0)
        return winnow__refuse("%swanted is 0: nothing is to be computed", of);
    if (wanted & ~all)
        return winnow__refuse(
            "%swanted 0x%x has bits that are no winnow_reduce", of, wanted);
    if (wanted == WINNOW_REDUCE_PARTIAL)
        return winnow__refuse("%swanted is WINNOW_REDUCE_PARTIAL alone: "
                              "nothing is to be computed",
                              of);
    if ((wanted & WINNOW_REDUCE_INDEX) && !(wanted & ends))
        return winnow__refuse("%swanted has WINNOW_REDUCE_INDEX, and neither "
                              "WINNOW_REDUCE_MINIMUM nor WINNOW_REDUCE_MAXIMUM",
                              of);
    return WINNOW_OK;
}

static winnow_status check(winnow__query *query) {
    const winnow__reduce_details *const details = query->details;
    return winnow__check_wanted("", details->wanted);
}

/* -------------------------------------------------------------- operation */

winnow__test winnow__reduce_test(const winnow__query *query) {
    const uint64_t full = winnow__all_bits(query->type);
    return query->predicate != NULL
               ? query->predicate->test
               : (winnow__test){.mask = full, .span = full};
}

winnow__reduce_type winnow__reduce_type_of(winnow_type of) {
    const bool is_decimal = of == WINNOW_INT128;
    const winnow__type_info *const info =
        winnow__type(is_decimal ? WINNOW_INT64 : of);
    const uint64_t full = winnow__all_bits(info);
    const uint64_t sign = full ^ full >> 1;
    winnow__reduce_type type = {
        .order = {.bias = info->is_signed ? sign : 0, .last = full},
        .log2_size = (uint8_t)info->log2_size,
        .is_signed = info->is_signed != 0,
        .type = (uint8_t)of,
        .is_float = info->infinity != 0,
        .is_decimal = is_decimal};
    if (type.is_float) {
        /* -infinity in two's complement, less by one than minus infinity's
         * bits. */
        type.order.bias = ~info->infinity & full;
        type.order.last = (info->infinity - type.order.bias) & full;
    }
    return type;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    list[0] = winnow__input_range(call);
    list[1] =
        winnow__result_range("d_result", call->out, sizeof(winnow_reduction));
    list[1].alignment = _Alignof(winnow_reduction);
    return 2;
}

const winnow__operation winnow__reduce_operation = {
    .name = "reduce_if",
    .takes = WINNOW__TAKES_TYPE | WINNOW__TAKES_N,
    .predicate = WINNOW__OPTIONAL_PREDICATE,
    .check = check,
    .ranges = ranges,
    .host_bytes = winnow__reduce_host_bytes,
    .run_on_host = winnow__reduce_on_host,
    .plan = WINNOW__IF_CUDA(winnow__reduce_plan),
    .enqueue = WINNOW__IF_CUDA(winnow__reduce_enqueue),
};

winnow_status winnow_reduce_if(winnow_context *context,
                               const winnow_predicate *predicate,
                               winnow_type type, const void *d_in, uint64_t n,
                               unsigned wanted, winnow_reduction *d_result,
                               const winnow_launch *launch) {
    const winnow__reduce_details details = {wanted, WINNOW__REDUCE_PARTS};
    winnow__call call = {.query = {.operation = &winnow__reduce_operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .given = type,
                                   .n = n,
                                   .details = &details},
                         .in = d_in,
                         .out = d_result};
    return winnow__do(&call, launch);
}

uint64_t winnow_no_index(void) {
    return WINNOW_NO_INDEX;
}
