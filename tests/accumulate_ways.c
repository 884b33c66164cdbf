/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accumulate_ways.h"

winnow_status
accumulated_in_way(winnow__way way, int32_t *d_way, winnow_context *context,
                   winnow_type key_type, const void *d_keys, uint64_t n,
                   uint64_t key_bound, winnow_type value_type,
                   unsigned components, const void *const *d_values,
                   void *const *d_out, uint64_t *d_beyond,
                   const winnow_accumulate_options *options, void *d_workspace,
                   size_t workspace_bytes, winnow_stream stream) {
    const winnow__accumulation a = {.key_type = key_type,
                                    .key_bound = key_bound,
                                    .value_type = winnow__type(value_type),
                                    .components = components,
                                    .options = *options,
                                    .way = way,
                                    .d_way = d_way};
    const winnow__accumulated memory = {
        .values = d_values, .out = d_out, .beyond = d_beyond};
    winnow__call call = {.query = {.operation = &winnow__accumulate_operation,
                                   .context = context,
                                   .n = n,
                                   .details = &a},
                         .in = d_keys,
                         .memory = &memory,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};

    return winnow__do(&call, NULL);
}

static winnow_status call(const struct accumulate *t,
                          const struct backend *backend,
                          const struct accumulated *a,
                          const void *const *values, void *const *out,
                          void *workspace, size_t bytes) {
    return accumulated_in_way((winnow__way)t->way, t->d_way, backend->context,
                              t->key_type, a->d_keys + accumulated_keys_gap(t),
                              t->n, t->bound, t->value_type, t->components,
                              values, out, t->beyond ? a->d_beyond : NULL,
                              &t->options, workspace, bytes, backend->stream);
}

bool accumulated_run_way(const struct accumulate *t,
                         const struct backend *backend, int32_t *way_p,
                         struct report *report) {
    struct accumulate here = *t;
    int32_t way = 77;
    bool ok;

    here.call = call;
    here.d_way = backend_alloc(backend, sizeof(way));
    backend_upload(backend, here.d_way, &way, sizeof(way));
    ok = accumulated_run(&here, backend, report);
    backend_download(backend, &way, here.d_way, sizeof(way));
    backend_free(backend, here.d_way);
    if (way_p != NULL)
        *way_p = way;
    if (ok && (way < WINNOW__WAY_AUTO || way > WINNOW__WAY_SHARED ||
               (t->way != WINNOW__WAY_AUTO && way != t->way)))
        return report_fail(report, "way %d, not %d", (int)way, t->way);
    return ok;
}
