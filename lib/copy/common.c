/*
 * What the operations that pack survivors share: copy_if and copy_index_if
 * differ in what an element of the output is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "common.h"
#include "host.h"

int winnow__compaction_ranges(const winnow__call *call, winnow__range *ranges) {
    const winnow__query *const query = &call->query;
    const winnow__type_info *const index_type = winnow__index_type(query);
    const bool indices = index_type != NULL;
    const unsigned size = indices ? index_type->size : query->type->size;
    const bool in_place = !indices && query->options.order == WINNOW_STABLE;
    static const char allowed[] = "d_out == d_in with WINNOW_STABLE";
    ranges[0] = winnow__input_range(call);
    ranges[0].in_place = in_place;
    ranges[0].allowed = indices ? NULL : allowed;
    ranges[1] = (winnow__range){.name = indices ? "d_indices" : "d_out",
                                .start = call->out,
                                .bytes = query->options.capacity * size,
                                .alignment = size,
                                .wanted = query->options.capacity != 0,
                                .measure = "n",
                                .written = true,
                                .in_place = in_place,
                                .allowed = ranges[0].allowed};
    ranges[2] =
        winnow__result_range("d_count", call->count, sizeof *call->count);
    return 3;
}

winnow_status winnow__compaction_run_on_host(const winnow__call *call,
                                             const winnow__host_task *task) {
    const winnow__host_copy copy = {.task = *task,
                                    .index_type =
                                        winnow__index_type(&call->query),
                                    .out = call->out,
                                    .capacity = call->query.options.capacity};
    *call->count = winnow__host_copy_if(&copy);
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
    args->indices.wide = winnow__index_type(query) != NULL &&
                         winnow__index_type(query)->size == 8;
}
#endif
