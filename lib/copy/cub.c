/*
 * WINNOW_CUB_SCAN: CUB's memory for a call, and its launch.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "copy.h"
#include "core/status.h"
#include "cuda/launch.h"
#include "kernels/copy/cub_scan.h"

static winnow__cub_call *cub_of(const winnow__query *query) {
    return winnow__index_type(query) != NULL ? winnow__cub_index
                                             : winnow__cub_scan;
}

/* Ask the current device. Values have two variants. */
static winnow_status ask_cub(const winnow__query *query, bool is_one_of_several,
                             size_t *bytes_p) {
    winnow__args args = {.n = query->n,
                         .test = query->predicate->test,
                         .candidate = is_one_of_several};
    char apart; /* any address but in, for a variant with in != out */
    size_t bytes[2] = {0, 0};
    const int variants =
        winnow__index_type(query) != NULL || is_one_of_several ? 1 : 2;
    for (int i = 0; i < variants; i++) {
        args.sink.out = i == 0 ? NULL : &apart;
        args.sink.capacity = query->n;
        cudaError_t error = cub_of(query)(query->predicate->type->log2_size,
                                          &args, NULL, &bytes[i], NULL);
        if (error != cudaSuccess)
            return winnow__cuda_status(error, "asking CUB for its workspace");
    }
    *bytes_p = bytes[0] > bytes[1] ? bytes[0] : bytes[1];
    return WINNOW_OK;
}

winnow_status winnow__check_cub(const winnow__query *query) {
    const uint64_t most = winnow__cub_most_items();
    if (query->n > most)
        return winnow__unsupported(
            "n is %llu: the release of CUB that this libwinnow was built with "
            "takes at most %llu elements",
            (unsigned long long)query->n, (unsigned long long)most);
    return WINNOW_OK;
}

/* CUB's memory for any variant that a call may use. */
winnow_status winnow__cub_bytes(const winnow__query *query,
                                bool is_one_of_several, size_t *bytes_p) {
    bool entered;
    WINNOW__TRY(winnow__enter(query->context, &entered));
    winnow_status status = ask_cub(query, is_one_of_several, bytes_p);
    winnow__leave(query->context, entered);
    return status;
}

winnow_status winnow__launch_cub(const winnow__call *call,
                                 const winnow__plan *plan,
                                 const winnow__workspace *memory,
                                 winnow__args *args) {
    size_t bytes = plan->other - WINNOW__CUB_COUNT_BYTES;
    if (args->sink.count == NULL)
        args->sink.count = (void *)((char *)memory->other + bytes);
    WINNOW__TRY(winnow__cuda_status(
        cub_of(&call->query)(call->query.predicate->type->log2_size, args,
                             memory->other, &bytes, call->query.launch.stream),
        "running cub::DeviceSelect"));
    winnow__count_launch();
    if (args->chosen == NULL)
        return WINNOW_OK;
    args->sink.count = NULL;
    return winnow__launch(&winnow__store, 1, args, call->query.launch.stream);
}
