/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source.h"
#include "cuda/run.h"

/* Does the query have a source with this function? */
#define HAS(QUERY, FUNCTION)                                                   \
    ((QUERY)->source != NULL && (QUERY)->source->kind->FUNCTION != NULL)

winnow_status winnow__check_source(winnow__query *query) {
    if (HAS(query, check))
        WINNOW__TRY(query->source->kind->check(query->source->of, query));
    return winnow__check_selection(query);
}

int winnow__source_ranges(const winnow__call *call, winnow__range *list) {
    const winnow__source *const source = call->query.source;
    return source != NULL ? source->kind->ranges(source->of, call, list) : 0;
}

unsigned winnow__source_most_ranges(const winnow__query *query) {
    return HAS(query, most_ranges)
               ? query->source->kind->most_ranges(query->source->of)
               : 2;
}

winnow_status winnow__explain_source(const winnow__query *query,
                                     struct winnow__text *text,
                                     winnow_strategy *strategy_p) {
    (void)strategy_p; /* sources have no strategy */
    return HAS(query, explain)
               ? query->source->kind->explain(query->source->of, query, text)
               : WINNOW_OK;
}

size_t winnow__source_host_bytes(const winnow__query *query) {
    return HAS(query, host_bytes)
               ? query->source->kind->host_bytes(query->source->of, query)
               : 0;
}

#ifdef WINNOW_CUDA
size_t winnow__source_device_bytes(const winnow__query *query) {
    return HAS(query, device_bytes)
               ? query->source->kind->device_bytes(query->source->of, query)
               : 0;
}

/* Memory allocated during capture stays part of the graph, even after an error.
 * So prepare(), which may fail, comes first. */
winnow_status winnow__run_source(const winnow__call *call,
                                 const winnow__constraints *constraints,
                                 bool captured) {
    const winnow__query *const query = &call->query;
    if (captured && HAS(query, prepare))
        WINNOW__TRY(query->source->kind->prepare(query->source->of, call));
    return winnow__run_planned(call, constraints, captured);
}
#endif
