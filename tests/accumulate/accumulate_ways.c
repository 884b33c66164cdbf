/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accumulate_ways.h"

static winnow_status call(const struct accumulate *t,
                          const struct backend *backend,
                          const struct accumulated *a, const winnow_in *keys,
                          const winnow_in *values, const winnow_out *sums,
                          const winnow_launch *launch) {
    winnow__accumulation details = {
        .key_bound = t->bound,
        .components = t->components,
        .values = values,
        .sums = sums,
        .beyond = t->beyond && a != NULL ? a->d_beyond : NULL,
        .way = (winnow__way)t->way,
        .d_way = t->d_way};

    return winnow__accumulate_call(backend->context, keys, t->n, &details,
                                   launch);
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
