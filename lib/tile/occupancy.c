/*
 * How many blocks of a kernel the device can run together. A context asks once for
 * each kernel; two threads that ask at the same time get the same answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "shapes.h"
#include "core/status.h"

typedef winnow_status question(const winnow__cuda_context *context,
                               const winnow__kernel *kernel,
                               unsigned *blocks_p);

static winnow_status ask_once(const winnow__input *input, winnow__shape shape,
                              question *ask, unsigned *blocks_p) {
    atomic_uint *const known =
        &input->device->resident[shape][input->key.log2_size][input->key.kind];
    *blocks_p = atomic_load_explicit(known, memory_order_relaxed);
    if (*blocks_p != 0)
        return WINNOW_OK;
    bool entered;
    WINNOW__TRY(winnow__enter(&input->context->base, &entered));
    winnow_status status =
        ask(input->context, winnow__find_kernel(shape, input->key), blocks_p);
    winnow__leave(&input->context->base, entered);
    if (status == WINNOW_OK)
        atomic_store_explicit(known, *blocks_p, memory_order_relaxed);
    return status;
}

static winnow_status ask_resident(const winnow__cuda_context *context,
                                  const winnow__kernel *kernel,
                                  unsigned *blocks_p) {
    int each = 0;
    cudaError_t error = cudaFuncSetAttribute(
        kernel->function, cudaFuncAttributeMaxDynamicSharedMemorySize,
        (int)kernel->shared_bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &each, kernel->function, (int)kernel->threads,
            kernel->shared_bytes);
    if (error != cudaSuccess)
        return winnow__cuda_status(error, "preparing a kernel");
    if (each == 0)
        return winnow__unsupported(
            "device %d cannot hold a block of this strategy", context->device);
    *blocks_p = (unsigned)each * context->multiprocessors;
    return WINNOW_OK;
}

static const char asking_of_clusters[] = "asking how large clusters may be";

/* Can the device run a cluster of `blocks` blocks? The device reports an error for
 * a size that it does not support; that is no error of the call. */
static bool fits_cluster(const winnow__kernel *kernel, unsigned blocks,
                         winnow_status *status_p) {
    cudaLaunchAttribute size = {.id = cudaLaunchAttributeClusterDimension,
                                .val.clusterDim = {blocks, 1, 1}};
    const cudaLaunchConfig_t config = {.gridDim = {blocks, 1, 1},
                                       .blockDim = {kernel->threads, 1, 1},
                                       .attrs = &size,
                                       .numAttrs = 1};
    int clusters = 0;
    return winnow__cuda_answers(cudaOccupancyMaxActiveClusters(
                                    &clusters, kernel->function, &config),
                                asking_of_clusters, status_p) &&
           clusters > 0;
}

/* More than 8 blocks have to be allowed explicitly; not every device allows
 * them. */
static winnow_status ask_cluster(const winnow__cuda_context *context,
                                 const winnow__kernel *kernel,
                                 unsigned *blocks_p) {
    unsigned blocks = context->clusters ? WINNOW__MOST_CLUSTER : 1;
    winnow_status status = WINNOW_OK;
    if (context->clusters)
        (void)winnow__cuda_answers(
            cudaFuncSetAttribute(kernel->function,
                                 cudaFuncAttributeNonPortableClusterSizeAllowed,
                                 1),
            asking_of_clusters, &status);
    while (status == WINNOW_OK && blocks > 1 &&
           !fits_cluster(kernel, blocks, &status))
        blocks /= 2;
    *blocks_p = blocks;
    return status;
}

winnow_status winnow__resident_blocks(const winnow__input *input,
                                      winnow__shape shape, unsigned *blocks_p) {
    return ask_once(input, shape, ask_resident, blocks_p);
}

winnow_status winnow__cluster_blocks(const winnow__input *input,
                                     winnow__shape shape, unsigned *blocks_p) {
    return ask_once(input, shape, ask_cluster, blocks_p);
}
