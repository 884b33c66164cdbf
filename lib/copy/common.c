/*
 * What the operations that pack survivors share: copy_if and copy_index_if
 * differ in what an element of the output is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "core/operation.h"
#include "core/status.h"

winnow_status winnow__check_index_type(winnow_type type, uint64_t n) {
    if (type != WINNOW_UINT32 && type != WINNOW_UINT64)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "index_type %d is neither WINNOW_UINT32 nor "
                            "WINNOW_UINT64",
                            (int)type);
    if (type == WINNOW_UINT32 && n > UINT64_C(1) << 32)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "n is %llu: its indices do not fit in "
                            "WINNOW_UINT32",
                            (unsigned long long)n);
    return WINNOW_OK;
}

int winnow__compaction_ranges(const winnow__call *call, winnow__range *ranges) {
    const winnow__query *const query = &call->query;
    const bool indices = query->index_type != NULL;
    const unsigned size = indices ? query->index_type->size : query->type->size;
    ranges[0] = winnow__input_range(call);
    ranges[1] = (winnow__range){.name = indices ? "d_indices" : "d_out",
                                .start = call->out,
                                .bytes = query->options.capacity * size,
                                .alignment = size,
                                .wanted = query->options.capacity != 0,
                                .measure = "n",
                                .written = true};
    ranges[2] =
        winnow__result_range("d_count", call->count, sizeof *call->count);
    return 3;
}

winnow_status winnow__compaction_run_on_host(const winnow__call *call,
                                             const winnow__host_task *task) {
    *call->count = winnow__host_copy_if(task);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
void winnow__compaction_set_results(const winnow__call *call,
                                    const struct winnow__plan *plan,
                                    winnow__args *args) {
    (void)plan;
    const winnow__query *const query = &call->query;
    args->sink.out = call->out;
    args->sink.capacity = query->options.capacity;
    args->sink.count = (unsigned long long *)call->count;
    args->indices.wide =
        query->index_type != NULL && query->index_type->size == 8;
}
#endif
