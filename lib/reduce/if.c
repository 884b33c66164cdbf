/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "core/context.h"
#include "core/operation.h"
#include "details.h"
#include "core/status.h"

static const char *const strategy_names[] = {"host",           "auto",
                                             "element_atomic", "block_atomic",
                                             "two_passes",     "last_block"};

static bool exists(winnow_reduce_strategy strategy) {
    return (int)strategy >= WINNOW_REDUCE_BY_HOST &&
           (int)strategy <= WINNOW_REDUCE_BY_LAST_BLOCK;
}

const char *winnow_reduce_strategy_name(winnow_reduce_strategy strategy) {
    return exists(strategy)
               ? strategy_names[(int)strategy - WINNOW_REDUCE_BY_HOST]
               : "unknown";
}

/* ----------------------------------------------------------------- checks */

static winnow_status check_wanted(unsigned wanted) {
    const unsigned ends = WINNOW_REDUCE_MINIMUM | WINNOW_REDUCE_MAXIMUM;
    const unsigned all =
        ends | WINNOW_REDUCE_COUNT | WINNOW_REDUCE_SUM | WINNOW_REDUCE_INDEX;
    if (wanted == 0)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "wanted is 0: nothing is to be computed");
    if (wanted & ~all)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "wanted 0x%x has bits that are no winnow_reduce",
                            wanted);
    if ((wanted & WINNOW_REDUCE_INDEX) && !(wanted & ends))
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "wanted has WINNOW_REDUCE_INDEX, and neither "
                            "WINNOW_REDUCE_MINIMUM nor WINNOW_REDUCE_MAXIMUM");
    return WINNOW_OK;
}

/* Atomics add floats in any order, and know no tile to search. */
static winnow_status check_atomics(const winnow__query *query,
                                   const winnow__reduce_details *details) {
    const char *const name = winnow_reduce_strategy_name(details->strategy);
    if (details->strategy != WINNOW_REDUCE_BY_ELEMENT_ATOMIC &&
        details->strategy != WINNOW_REDUCE_BY_BLOCK_ATOMIC)
        return WINNOW_OK;
    if (details->wanted & WINNOW_REDUCE_INDEX)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "strategy %s finds no index", name);
    if ((details->wanted & WINNOW_REDUCE_SUM) && query->type->infinity != 0)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "strategy %s has no order in which to add %s", name,
                            query->type->name);
    return WINNOW_OK;
}

static winnow_status check_strategy(const winnow__query *query,
                                    const winnow__reduce_details *details) {
    const winnow_reduce_strategy strategy = details->strategy;
    if (!exists(strategy))
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "strategy %d is no winnow_reduce_strategy",
                            (int)strategy);
    if (strategy == WINNOW_REDUCE_BY_AUTO)
        return WINNOW_OK;
    if (query->context->backend->is_host && strategy != WINNOW_REDUCE_BY_HOST)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "strategy %s needs a GPU, and the context is "
                            "WINNOW_DEVICE_HOST",
                            winnow_reduce_strategy_name(strategy));
    if (!query->context->backend->is_host && strategy == WINNOW_REDUCE_BY_HOST)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "strategy host needs a WINNOW_DEVICE_HOST "
                            "context");
    return check_atomics(query, details);
}

static winnow_status check(winnow__query *query) {
    const winnow__reduce_details *const details = query->details;
    const winnow__type_info *const type = winnow__type(details->type);
    if (type == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "type %d is no winnow_type",
                            (int)details->type);
    if (query->predicate != NULL && query->predicate->type != type)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "type is %s, and the predicate is of %s",
                            type->name, query->predicate->type->name);
    query->type = type;
    winnow_status status = check_wanted(details->wanted);
    return status == WINNOW_OK ? check_strategy(query, details) : status;
}

/* -------------------------------------------------------------- operation */

winnow__test winnow__reduce_test(const winnow__query *query) {
    const uint64_t full = UINT64_MAX >> (64 - 8 * query->type->size);
    return query->predicate != NULL
               ? query->predicate->test
               : (winnow__test){.mask = full, .span = full};
}

winnow__reduce_type winnow__reduce_type_of(const winnow__query *query) {
    const winnow__reduce_details *const details = query->details;
    const winnow__type_info *const info = query->type;
    const uint64_t full = UINT64_MAX >> (64 - 8 * info->size);
    const uint64_t sign = full ^ full >> 1;
    winnow__reduce_type type = {
        .order = {.bias = info->is_signed ? sign : 0, .last = full},
        .log2_size = (uint8_t)info->log2_size,
        .is_signed = info->is_signed != 0,
        .type = (uint8_t)details->type,
        .is_float = info->infinity != 0};
    if (type.is_float) {
        /* -infinity in two's complement, less by one than minus infinity's
         * bits. */
        type.order.bias = ~info->infinity & full;
        type.order.last = (info->infinity - type.order.bias) & full;
    }
    return type;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__reduce_memory *const memory = call->memory;
    list[0] = winnow__input_range(call);
    list[1] = winnow__result_range("d_result", memory->result,
                                   sizeof *memory->result);
    list[1].alignment = _Alignof(winnow_reduction);
    return 2;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__reduce_memory *const memory = call->memory;
    *memory->result = winnow__host_reduce_if(&call->query, task);
    return WINNOW_OK;
}

static const winnow__operation operation = {
    .without_predicate = true, /* may be without one */
    .check = check,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(winnow__cuda_reduce_plan),
    .enqueue = WINNOW__IF_CUDA(winnow__cuda_reduce_enqueue),
};

winnow_status winnow_reduce_if_workspace(winnow_context *context,
                                         const winnow_predicate *predicate,
                                         winnow_type type, uint64_t n,
                                         unsigned wanted,
                                         winnow_reduce_strategy strategy,
                                         size_t *bytes_p) {
    const winnow__reduce_details details = {type, wanted, strategy};
    winnow__query query = {.operation = &operation,
                           .context = context,
                           .predicate = predicate,
                           .n = n,
                           .details = &details};
    return winnow__query_workspace(&query, NULL, bytes_p);
}

winnow_status winnow_reduce_if(winnow_context *context,
                               const winnow_predicate *predicate,
                               winnow_type type, const void *d_in, uint64_t n,
                               unsigned wanted, winnow_reduction *d_result,
                               winnow_reduce_strategy strategy,
                               void *d_workspace, size_t workspace_bytes,
                               winnow_stream stream) {
    const winnow__reduce_details details = {type, wanted, strategy};
    const winnow__reduce_memory memory = {d_result};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .n = n,
                                   .details = &details},
                         .in = d_in,
                         .memory = &memory,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
