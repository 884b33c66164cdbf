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
extern kernels winnow__tile_aggregated;
extern kernels winnow__tile_scan_large;
extern kernels winnow__tile_scan_small;
extern kernels winnow__tile_cluster;
extern kernels winnow__count;
extern kernels winnow__estimate;
extern const winnow__kernel winnow__store;

static kernels *const by_strategy[] = {
    [WINNOW_GLOBAL_ATOMIC] = &winnow__global_atomic,
    [WINNOW_SHARED_ATOMIC] = &winnow__shared_atomic,
    [WINNOW_WARP_AGGREGATED] = &winnow__warp_aggregated,
    [WINNOW_WARP_SHARED] = &winnow__warp_shared,
    [WINNOW_TILE_AGGREGATED] = &winnow__tile_aggregated,
};

static const winnow__kernel *find(kernels *table,
                                  const winnow_predicate *predicate) {
    return &(*table)[predicate->type->log2_size][predicate->kind];
}

/*
 * TILE_SCAN's tiles: large ones are faster where they fill the device, small
 * ones where they do not, or where a block lacks the shared memory.
 */
static bool large_tiles(const winnow__cuda_context *context, uint64_t bytes) {
    const winnow__kernel *large = &winnow__tile_scan_large[0][0];
    enum {
        OTHER_SHARED = 1024
    }; /* what the kernel has beside its stages */
    enum {
        RESIDENT = 2
    }; /* blocks of it on a multiprocessor */
    return large->shared_bytes + OTHER_SHARED <= context->shared_bytes &&
           bytes / large->tile_bytes >= RESIDENT * context->multiprocessors;
}

const winnow__kernel *winnow__kernel_of(winnow_strategy strategy,
                                        const winnow__call *call) {
    const winnow__cuda_context *context =
        (const winnow__cuda_context *)call->context;
    if (strategy == WINNOW_TILE_SCAN)
        return find(large_tiles(context, call->n * call->predicate->type->size)
                        ? &winnow__tile_scan_large
                        : &winnow__tile_scan_small,
                    call->predicate);
    if ((int)strategy < 0 ||
        (size_t)strategy >= sizeof by_strategy / sizeof by_strategy[0] ||
        by_strategy[strategy] == NULL)
        return NULL;
    return find(by_strategy[strategy], call->predicate);
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

static winnow_status launch(const winnow__kernel *kernel, unsigned blocks,
                            cudaLaunchAttribute *attribute,
                            const winnow__args *args, cudaStream_t stream) {
    const cudaLaunchConfig_t config = {.gridDim = {blocks, 1, 1},
                                       .blockDim = {kernel->threads, 1, 1},
                                       .dynamicSmemBytes = kernel->shared_bytes,
                                       .attrs = attribute,
                                       .numAttrs = attribute != NULL,
                                       .stream = stream};
    void *arguments[] = {(void *)(uintptr_t)args};
    return winnow__cuda_status(
        cudaLaunchKernelExC(&config, kernel->function, arguments),
        "launching a kernel");
}

winnow_status winnow__launch(const winnow__kernel *kernel, unsigned blocks,
                             const winnow__args *args, cudaStream_t stream) {
    return launch(kernel, blocks, NULL, args, stream);
}

/* Tiles are cut at aligned addresses (kernels/load.cuh): one more may come. */
winnow_status winnow__check_tiles(const winnow__kernel *kernel, uint64_t n,
                                  unsigned size) {
    const uint64_t most_tiles =
        (UINT64_C(1) << (64 - WINNOW__SURVIVOR_BITS)) - 1;
    const uint64_t most_items = UINT64_C(1) << WINNOW__SURVIVOR_BITS;
    if (n >= most_items || n * size / kernel->tile_bytes + 2 > most_tiles)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "n is %llu: this strategy takes fewer than 2^%d "
                            "elements in fewer than 2^%d tiles of %u bytes",
                            (unsigned long long)n, WINNOW__SURVIVOR_BITS,
                            64 - WINNOW__SURVIVOR_BITS, kernel->tile_bytes);
    return WINNOW_OK;
}

uint64_t winnow__tiles(const winnow__kernel *kernel, const void *in, uint64_t n,
                       unsigned size) {
    const uint64_t bytes = (uintptr_t)in % 16 + n * size;
    return (bytes + kernel->tile_bytes - 1) / kernel->tile_bytes;
}

/*
 * The kernels that wait by themselves for a workspace to be clear may be
 * launched before it is, where the device can do that.
 */
static winnow_status launch_overlapped(const winnow__call *call,
                                       const winnow__kernel *kernel,
                                       unsigned blocks, bool overlap,
                                       const winnow__args *args) {
    const winnow__cuda_context *context =
        (const winnow__cuda_context *)call->context;
    cudaLaunchAttribute early = {
        .id = cudaLaunchAttributeProgrammaticStreamSerialization};
    early.val.programmaticStreamSerializationAllowed = 1;
    return launch(kernel, blocks, overlap && context->overlap ? &early : NULL,
                  args, call->stream);
}

winnow_status winnow__launch_tiles(const winnow__call *call,
                                   winnow_strategy strategy, bool overlap,
                                   const winnow__args *args) {
    const winnow__kernel *kernel = winnow__kernel_of(strategy, call);
    const uint64_t tiles =
        winnow__tiles(kernel, args->in, args->n, call->predicate->type->size);
    return launch_overlapped(call, kernel, (unsigned)tiles,
                             overlap && strategy == WINNOW_TILE_AGGREGATED,
                             args);
}

/*
 * How many blocks of a kernel that goes through many tiles fill a device. It
 * is asked once for each kernel of a context; two threads that ask at the same
 * time get the same answer.
 */
static winnow_status resident_blocks(winnow__cuda_context *context,
                                     const winnow__kernel *kernel,
                                     const winnow_predicate *predicate,
                                     unsigned *blocks_p) {
    const bool large = kernel == find(&winnow__tile_scan_large, predicate);
    atomic_uint *const known =
        &context
             ->scan_blocks[large][predicate->type->log2_size][predicate->kind];
    *blocks_p = atomic_load_explicit(known, memory_order_relaxed);
    if (*blocks_p != 0)
        return WINNOW_OK;
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
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "device %d cannot hold a block of this strategy",
                            context->device);
    *blocks_p = (unsigned)each * context->multiprocessors;
    atomic_store_explicit(known, *blocks_p, memory_order_relaxed);
    return WINNOW_OK;
}

winnow_status winnow__launch_scan(const winnow__call *call, bool overlap,
                                  const winnow__args *args) {
    const winnow__kernel *kernel = winnow__kernel_of(WINNOW_TILE_SCAN, call);
    const uint64_t tiles =
        winnow__tiles(kernel, args->in, args->n, call->predicate->type->size);
    unsigned blocks;
    winnow_status status =
        resident_blocks((winnow__cuda_context *)call->context, kernel,
                        call->predicate, &blocks);
    if (status != WINNOW_OK)
        return status;
    return launch_overlapped(
        call, kernel, tiles < blocks ? (unsigned)tiles : blocks, overlap, args);
}

/* How many blocks a cluster of the kernel can have; asked once, as above. */
static winnow_status most_cluster(winnow__cuda_context *context,
                                  const winnow__kernel *kernel,
                                  const winnow_predicate *predicate,
                                  unsigned *most_p) {
    *most_p = 1;
    if (!context->clusters)
        return WINNOW_OK;
    atomic_uint *const known =
        &context->cluster_blocks[predicate->type->log2_size][predicate->kind];
    *most_p = atomic_load_explicit(known, memory_order_relaxed);
    if (*most_p != 0)
        return WINNOW_OK;
    const cudaLaunchConfig_t config = {.gridDim = {WINNOW__MOST_CLUSTER, 1, 1},
                                       .blockDim = {kernel->threads, 1, 1},
                                       .dynamicSmemBytes =
                                           kernel->shared_bytes};
    int most = 0;
    cudaError_t error = cudaFuncSetAttribute(
        kernel->function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxPotentialClusterSize(&most, kernel->function,
                                                     &config);
    if (error != cudaSuccess)
        return winnow__cuda_status(error, "preparing a kernel");
    *most_p = most < 1                      ? 1
              : most > WINNOW__MOST_CLUSTER ? WINNOW__MOST_CLUSTER
                                            : (unsigned)most;
    atomic_store_explicit(known, *most_p, memory_order_relaxed);
    return WINNOW_OK;
}

winnow_status winnow__cluster_blocks(const winnow__call *call,
                                     unsigned *blocks_p) {
    const winnow__kernel *kernel = find(&winnow__tile_cluster, call->predicate);
    const uint64_t tiles =
        winnow__tiles(kernel, call->in, call->n, call->predicate->type->size);
    *blocks_p = 0;
    if (tiles > WINNOW__MOST_CLUSTER)
        return WINNOW_OK;
    unsigned blocks = 1, most;
    while (blocks < tiles)
        blocks *= 2;
    winnow_status status = most_cluster((winnow__cuda_context *)call->context,
                                        kernel, call->predicate, &most);
    if (status == WINNOW_OK && blocks <= most)
        *blocks_p = blocks;
    return status;
}

winnow_status winnow__launch_cluster(const winnow__call *call, unsigned blocks,
                                     const winnow__args *args) {
    cudaLaunchAttribute cluster = {.id = cudaLaunchAttributeClusterDimension};
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = 1;
    cluster.val.clusterDim.z = 1;
    return launch(find(&winnow__tile_cluster, call->predicate), blocks,
                  blocks > 1 ? &cluster : NULL, args, call->stream);
}
