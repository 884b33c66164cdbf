/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "context.h"
#include "status.h"

winnow_status winnow_copy_if_workspace(winnow_context *context,
                                       const winnow_predicate *predicate,
                                       uint64_t n,
                                       const winnow_options *options,
                                       size_t *bytes_p) {
    winnow__call call = {.operation = WINNOW__COPY_IF,
                         .context = context,
                         .predicate = predicate,
                         .n = n};
    winnow_status status = winnow__check_shape(&call, options);
    if (status == WINNOW_OK && bytes_p == NULL)
        status = winnow__fail(WINNOW_ERR_ARGUMENT, "bytes_p is NULL");
    if (status == WINNOW_OK)
        status = context->backend->workspace(&call, bytes_p);
    return status;
}

winnow_status winnow_copy_if(winnow_context *context,
                             const winnow_predicate *predicate,
                             const void *d_in, uint64_t n, void *d_out,
                             uint64_t *d_count, const winnow_options *options,
                             void *d_workspace, size_t workspace_bytes,
                             winnow_stream stream) {
    winnow__call call = {.operation = WINNOW__COPY_IF,
                         .context = context,
                         .predicate = predicate,
                         .in = d_in,
                         .n = n,
                         .out = d_out,
                         .count = d_count,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};
    winnow_status status = winnow__check_shape(&call, options);
    if (status == WINNOW_OK)
        status = winnow__run(&call);
    return status;
}
