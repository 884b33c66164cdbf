/*
 * Capture a filter in a CUDA graph once, and replay it on data that changes.
 * After the capture the host decides nothing: each replay counts the survivors
 * on the device.
 *
 * Exits with 77, which automake counts as skipped, where there is no device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <winnow.h>

#define N (1 << 20)

static void cuda(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "gpu_graph: %s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

static void winnow(winnow_status status) {
    if (status != WINNOW_OK) {
        fprintf(stderr, "gpu_graph: %s\n", winnow_last_error());
        exit(1);
    }
}

/* Element i of round `round`; a different part of them passes in each. */
static int32_t element(int i, int round) {
    return (int32_t)(((uint32_t)i * 2654435761u) >> 12) - round * 300000;
}

int main(void) {
    const int32_t zero = 0;
    winnow_context *context = NULL;
    winnow_predicate *positive = NULL;
    winnow_plan plan = {.size = sizeof plan};
    winnow_launch launch = {.size = sizeof launch, .order = WINNOW_STABLE};
    int32_t *in, *out, *d_in, *d_out;
    uint64_t *d_count;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    winnow_status status = winnow_context_create(&context, 0);
    int right = 1;

    if (status == WINNOW_ERR_NO_DEVICE) {
        printf("skipped: no CUDA device (%s)\n", winnow_last_error());
        return 77;
    }
    winnow(status);
    winnow(winnow_predicate_compare(&positive, WINNOW_INT32, WINNOW_GT, &zero));

    /* What workspace does the call need? */
    launch.plan = &plan;
    winnow(winnow_copy_if(context, positive, WINNOW_INT32, NULL, N, NULL, N,
                          NULL, &launch));
    launch.plan = NULL;
    launch.workspace_bytes = plan.workspace_bytes;

    /* Pinned host memory, so that the copies can be part of the graph. */
    cuda(cudaMallocHost((void **)&in, N * sizeof(*in)), "pinned input");
    cuda(cudaMallocHost((void **)&out, N * sizeof(*out)), "pinned output");
    cuda(cudaMalloc((void **)&d_in, N * sizeof(*d_in)), "input");
    cuda(cudaMalloc((void **)&d_out, N * sizeof(*d_out)), "output");
    cuda(cudaMallocManaged((void **)&d_count, sizeof(*d_count),
                           cudaMemAttachGlobal),
         "count");
    cuda(cudaMalloc(&launch.d_workspace, launch.workspace_bytes), "workspace");
    cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    launch.stream = stream;

    cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
         "begin capture");
    cuda(cudaMemcpyAsync(d_in, in, N * sizeof(*in), cudaMemcpyHostToDevice,
                         stream),
         "copy in");
    winnow(winnow_copy_if(context, positive, WINNOW_INT32, d_in, N, d_out, N,
                          d_count, &launch));
    cuda(cudaMemcpyAsync(out, d_out, N * sizeof(*out), cudaMemcpyDeviceToHost,
                         stream),
         "copy out");
    cuda(cudaStreamEndCapture(stream, &graph), "end capture");
    cuda(cudaGraphInstantiateWithFlags(&exec, graph, 0), "instantiate");

    for (int round = 0; round < 3; round++) {
        uint64_t expected = 0;

        for (int i = 0; i < N; i++)
            in[i] = element(i, round);
        cuda(cudaGraphLaunch(exec, stream), "launch");
        cuda(cudaStreamSynchronize(stream), "synchronize");
        for (int i = 0; i < N; i++) {
            if (in[i] > 0) {
                right = right && expected < *d_count && out[expected] == in[i];
                expected++;
            }
        }
        right = right && *d_count == expected;
        printf("round %d: %llu of %d kept, %s\n", round,
               (unsigned long long)*d_count, N, right ? "right" : "WRONG");
    }

    cuda(cudaGraphExecDestroy(exec), "destroy the executable graph");
    cuda(cudaGraphDestroy(graph), "destroy the graph");
    cuda(cudaStreamDestroy(stream), "destroy the stream");
    cuda(cudaFree(launch.d_workspace), "free");
    cuda(cudaFree(d_count), "free");
    cuda(cudaFree(d_out), "free");
    cuda(cudaFree(d_in), "free");
    cuda(cudaFreeHost(out), "free");
    cuda(cudaFreeHost(in), "free");
    winnow_predicate_destroy(positive);
    winnow_context_destroy(context);
    return right ? 0 : 1;
}
