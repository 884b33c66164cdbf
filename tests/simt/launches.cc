/*
 * Kernels: their attributes, and launching them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "runtime.hpp"

using namespace simt;

namespace {

constexpr int MOST_PORTABLE_CLUSTER = 8; /* blocks */

unsigned early_launches;

/* Can the device run such a cluster, of this kernel? */
cudaError_t check_cluster(const Kernel &kernel, unsigned int blocks) {
    const auto size = static_cast<int>(blocks);
    if (simt_settings.most_cluster == 0)
        return cudaErrorNotSupported;
    if (size > simt_settings.most_cluster ||
        (size > MOST_PORTABLE_CLUSTER && !kernel.large_clusters))
        return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

/* Attributes that a launch comes with. */
cudaError_t read_attributes(const cudaLaunchConfig_t &config, Work &work) {
    for (unsigned int i = 0; i < config.numAttrs; i++) {
        const cudaLaunchAttributeValue &value = config.attrs[i].val;
        switch (config.attrs[i].id) {
        case cudaLaunchAttributeCooperative:
            work.launch.cooperative = value.cooperative != 0;
            break;
        case cudaLaunchAttributeClusterDimension:
            work.launch.cluster = value.clusterDim.x;
            break;
        case cudaLaunchAttributeProgrammaticStreamSerialization:
            work.overlaps = value.programmaticStreamSerializationAllowed != 0;
            break;
        default:
            return cudaErrorInvalidValue;
        }
    }
    return cudaSuccess;
}

cudaError_t check(const Launch &launch) {
    if (launch.blocks == 0 || launch.threads == 0 || launch.threads > 1024)
        return cudaErrorInvalidConfiguration;
    if (is_too_much(*launch.kernel, launch.shared_bytes))
        return cudaErrorInvalidValue;
    if (launch.cluster > 1) {
        const cudaError_t error = check_cluster(*launch.kernel, launch.cluster);
        if (error != cudaSuccess)
            return error;
        if (launch.blocks % launch.cluster != 0)
            return cudaErrorInvalidConfiguration;
    }
    if (launch.cooperative && !simt_settings.cooperative)
        return cudaErrorNotSupported;
    if (!has_room(launch))
        return launch.cooperative   ? cudaErrorCooperativeLaunchTooLarge
               : launch.cluster > 1 ? cudaErrorInvalidClusterSize
                                    : cudaErrorLaunchOutOfResources;
    return cudaSuccess;
}

cudaError_t launch(const cudaLaunchConfig_t &config, const void *function,
                   void **arguments) {
    CUstream_st &stream = find_stream(config.stream);
    Work work;
    work.type = cudaGraphNodeTypeKernel;
    Launch &launch = work.launch;
    launch.kernel = find_kernel(function);
    if (launch.kernel == nullptr)
        return cudaErrorInvalidDeviceFunction;
    launch.blocks = config.gridDim.x;
    launch.threads = config.blockDim.x;
    launch.shared_bytes = config.dynamicSmemBytes;
    launch.device = stream.device;
    launch.multiprocessors = stream.multiprocessors;
    cudaError_t error = read_attributes(config, work);
    if (error == cudaSuccess)
        error = check(launch);
    if (error != cudaSuccess)
        return error;
    for (size_t i = 0; i < launch.kernel->sizes.size(); i++) {
        const auto *from = static_cast<const unsigned char *>(arguments[i]);
        launch.arguments.emplace_back(from, from + launch.kernel->sizes[i]);
    }
    early_launches += work.overlaps;
    enqueue_on(stream, std::move(work));
    progress_by_chance();
    return cudaSuccess;
}

} // namespace

unsigned simt_early_launches(void) {
    const Lock lock;
    return early_launches;
}

extern "C" {

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                  const void *function) {
    SIMT_CALL(cudaFuncGetAttributes);
    if (find_kernel(function) == nullptr)
        return say(cudaErrorInvalidDeviceFunction);
    *attributes = {simt_settings.ptx_version, 1024,
                   find_kernel(function)->shared_bytes};
    return say(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *function,
                                 enum cudaFuncAttribute attribute, int value) {
    SIMT_CALL(cudaFuncSetAttribute);
    Kernel *const kernel = find_kernel(function);
    if (kernel == nullptr)
        return say(cudaErrorInvalidDeviceFunction);
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value + static_cast<int>(kernel->shared_bytes) >
            simt_settings.shared_per_block)
            return say(cudaErrorInvalidValue);
        kernel->told_dynamic = static_cast<size_t>(value);
        return say(cudaSuccess);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        if (simt_settings.most_cluster == 0)
            return say(cudaErrorInvalidValue);
        kernel->large_clusters = value != 0;
        return say(cudaSuccess);
    }
    return say(cudaErrorInvalidValue);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *function, void **arguments) {
    SIMT_CALL(cudaLaunchKernelExC);
    return say(launch(*config, function, arguments));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *function,
                                                          int threads,
                                                          size_t shared_bytes) {
    SIMT_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor);
    const Kernel *const kernel = find_kernel(function);
    if (kernel == nullptr)
        return say(cudaErrorInvalidDeviceFunction);
    *blocks = static_cast<int>(most_resident(
        *kernel, static_cast<unsigned int>(threads), shared_bytes));
    return say(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config) {
    SIMT_CALL(cudaOccupancyMaxActiveClusters);
    const Kernel *const kernel = find_kernel(function);
    if (kernel == nullptr)
        return say(cudaErrorInvalidDeviceFunction);
    const unsigned int blocks = config->attrs[0].val.clusterDim.x;
    const cudaError_t error = check_cluster(*kernel, blocks);
    if (error != cudaSuccess)
        return say(error);
    const unsigned int each =
        most_resident(*kernel, config->blockDim.x, config->dynamicSmemBytes);
    *clusters = static_cast<int>(
        each * static_cast<unsigned int>(simt_settings.multiprocessors) /
        blocks);
    return say(cudaSuccess);
}

} // extern "C"

/* Declared for C++ alone. */
cudaError_t cudaLaunchKernel(const void *function, simt_dim3 blocks,
                             simt_dim3 threads, void **arguments,
                             size_t shared_bytes, cudaStream_t stream) {
    SIMT_CALL(cudaLaunchKernel);
    const cudaLaunchConfig_t config = {blocks, threads, shared_bytes,
                                       stream, nullptr, 0};
    return say(launch(config, function, arguments));
}
