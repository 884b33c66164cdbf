/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "context.h"
#include "status.h"

winnow_status
winnow_estimate_selectivity_workspace(winnow_context *context,
                                      const winnow_predicate *predicate,
                                      uint64_t n, size_t *bytes_p) {
    winnow__call call = {.operation = WINNOW__ESTIMATE,
                         .context = context,
                         .predicate = predicate,
                         .n = n};
    winnow_status status = winnow__check_shape(&call, NULL);
    if (status == WINNOW_OK && bytes_p == NULL)
        status = winnow__fail(WINNOW_ERR_ARGUMENT, "bytes_p is NULL");
    if (status == WINNOW_OK)
        status = context->backend->workspace(&call, bytes_p);
    return status;
}

winnow_status winnow_estimate_selectivity(
    winnow_context *context, const winnow_predicate *predicate,
    const void *d_in, uint64_t n, double *d_selectivity, void *d_workspace,
    size_t workspace_bytes, winnow_stream stream) {
    winnow__call call = {.operation = WINNOW__ESTIMATE,
                         .context = context,
                         .predicate = predicate,
                         .in = d_in,
                         .n = n,
                         .estimate = d_selectivity,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};
    winnow_status status = winnow__check_shape(&call, NULL);
    if (status == WINNOW_OK)
        status = winnow__run(&call);
    return status;
}
