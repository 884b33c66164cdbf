/*
 * Every kernel of ours is found in one table and started in one place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"
#include "status.h"

typedef const winnow__kernel kernels[WINNOW__SIZES][WINNOW__TEST_KINDS];

/* Defined by kernels/NAME.cu. */
extern kernels winnow__global_atomic;
extern kernels winnow__shared_atomic;
extern kernels winnow__warp_aggregated;
extern kernels winnow__warp_shared;
extern kernels winnow__count;
extern kernels winnow__estimate;
extern const winnow__kernel winnow__store;

static kernels *const by_strategy[] = {
    [WINNOW_GLOBAL_ATOMIC] = &winnow__global_atomic,
    [WINNOW_SHARED_ATOMIC] = &winnow__shared_atomic,
    [WINNOW_WARP_AGGREGATED] = &winnow__warp_aggregated,
    [WINNOW_WARP_SHARED] = &winnow__warp_shared,
};

static const winnow__kernel *find(kernels *table,
                                  const winnow_predicate *predicate) {
    return &(*table)[predicate->type->log2_size][predicate->kind];
}

const winnow__kernel *winnow__kernel_of(winnow_strategy strategy,
                                        const winnow_predicate *predicate) {
    if ((int)strategy < 0 ||
        (size_t)strategy >= sizeof by_strategy / sizeof by_strategy[0] ||
        by_strategy[strategy] == NULL)
        return NULL;
    return find(by_strategy[strategy], predicate);
}

const winnow__kernel *winnow__count_kernel(const winnow_predicate *predicate) {
    return find(&winnow__count, predicate);
}

const winnow__kernel *
winnow__estimate_kernel(const winnow_predicate *predicate) {
    return find(&winnow__estimate, predicate);
}

const winnow__kernel *winnow__store_kernel(void) {
    return &winnow__store;
}

winnow_status winnow__launch(const winnow__kernel *kernel, unsigned blocks,
                             const winnow__args *args, cudaStream_t stream) {
    const cudaLaunchConfig_t config = {.gridDim = {blocks, 1, 1},
                                       .blockDim = {kernel->threads, 1, 1},
                                       .stream = stream};
    void *arguments[] = {(void *)(uintptr_t)args};
    return winnow__cuda_status(
        cudaLaunchKernelExC(&config, kernel->function, arguments),
        "launching a kernel");
}

winnow_status winnow__launch_tiles(const winnow__kernel *kernel,
                                   const winnow__args *args, unsigned size,
                                   cudaStream_t stream) {
    /* Tiles are cut at aligned addresses; see kernels/load.cuh. */
    const uint64_t bytes = (uintptr_t)args->in % 16 + args->n * size;
    const uint64_t tiles =
        (bytes + kernel->tile_bytes - 1) / kernel->tile_bytes;
    if (tiles > INT32_MAX)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "n is %llu: more than 2^31 - 1 tiles of %u bytes",
                            (unsigned long long)args->n, kernel->tile_bytes);
    return winnow__launch(kernel, (unsigned)tiles, args, stream);
}
