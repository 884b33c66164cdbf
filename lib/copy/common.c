/*
 * The common part of operations that pack survivors: copy_if and copy_index_if
 * differ in the elements of their outputs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common.h"
#include "core/status.h"
#include "host.h"

/* Bytes of an element of the output. */
static unsigned size_of(const winnow__query *query) {
    const winnow__type_info *const index_type = winnow__index_type(query);
    return index_type != NULL ? index_type->size : query->type->size;
}

/* Check how many elements the output may have. */
winnow_status winnow__compaction_check(winnow__query *query) {
    const uint64_t capacity = query->capacity, n = query->n;
    const uint64_t most = UINTPTR_MAX / size_of(query);
    if (query->launch.d_position != NULL && capacity > most)
        return winnow__refuse(
            "capacity is %llu: with launch->d_position it is the true number "
            "of elements that there is room for",
            (unsigned long long)capacity);
    if (n <= UINTPTR_MAX / query->type->size && capacity > most && n > most)
        return winnow__refuse(
            "n is %llu: that many indices do not fit in the address space",
            (unsigned long long)n);
    return WINNOW_OK;
}

int winnow__compaction_ranges(const winnow__call *call, winnow__range *ranges) {
    const winnow__query *const query = &call->query;
    const bool indices = winnow__index_type(query) != NULL;
    const unsigned size = size_of(query);
    const bool in_place = !indices && query->launch.order == WINNOW_STABLE &&
                          query->launch.d_position == NULL;
    static const char allowed[] =
        "d_out == d_in with WINNOW_STABLE, and without launch->d_position";
    ranges[0] = winnow__input_range(call);
    ranges[0].in_place = in_place;
    ranges[0].allowed = indices ? NULL : allowed;
    ranges[1] = (winnow__range){
        .name = indices ? "d_indices" : "d_out",
        .start = call->out,
        .bytes = query->capacity * size,
        .alignment = size,
        .wanted = query->capacity != 0,
        .measure = query->launch.d_position != NULL ? "capacity" : "n",
        .written = true,
        .in_place = in_place,
        .allowed = ranges[0].allowed};
    ranges[2] =
        winnow__result_range("d_count", call->count, sizeof *call->count);
    ranges[2].wanted = false;
    return 3;
}

winnow_status winnow__compaction_run_on_host(const winnow__call *call,
                                             const winnow__host_task *task) {
    const winnow__query *const query = &call->query;
    uint64_t *const position = query->launch.d_position;
    uint64_t start = position != NULL ? *position : 0;
    if (start > query->capacity)
        start = query->capacity;
    const winnow__host_copy copy = {.task = *task,
                                    .index_type = winnow__index_type(query),
                                    .out = (unsigned char *)call->out +
                                           start * size_of(query),
                                    .capacity = query->capacity - start};
    const uint64_t count = winnow__host_copy_if(&copy);
    if (position != NULL)
        *position += count < copy.capacity ? count : copy.capacity;
    if (call->count != NULL)
        *call->count = count;
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
void winnow__compaction_set_results(const winnow__call *call,
                                    const struct winnow__plan *plan,
                                    winnow__args *args) {
    (void)plan;
    const winnow__query *const query = &call->query;
    args->sink.out = call->out;
    args->sink.capacity = query->capacity;
    args->sink.count = (unsigned long long *)call->count;
    args->sink.position = query->launch.d_position;
    args->indices.wide = winnow__index_type(query) != NULL &&
                         winnow__index_type(query)->size == 8;
}
#endif
