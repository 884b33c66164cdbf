/*
 * In place of CUB, whose kernels are not the library's: the contract of
 * kernels/copy/cub_scan.h, by one thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/core/ptx.cuh"

#include "kernels/copy/cub_scan.h"
#include "kernels/core/predicate.cuh"
#include "simt.h"

namespace {

/* Another candidate was chosen: CUB's kernels run, and write to their memory,
 * and a count of 0. */
bool is_passed_over(const winnow__args &args) {
    return args.candidate != 0 && args.cursor->decision != args.candidate;
}

/* All of the memory that it may write to is written to. */
template <class U>
__global__ void filter(const winnow__args args, unsigned char *temporary,
                       size_t bytes) {
    std::memset(temporary, 0xc3, bytes);
    if (is_passed_over(args)) {
        *args.sink.count = 0;
        return;
    }
    const winnow::Predicate<U, winnow::ANY> passes(args.test);
    const U *const in = static_cast<const U *>(args.in);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < args.n; i++) {
        const U x = in[i];
        if (!passes(x))
            continue;
        if (kept < args.sink.capacity)
            static_cast<U *>(args.sink.out)[kept] = x;
        kept++;
    }
    *args.sink.count = kept;
}

/* The same, which selects indices. */
template <class U>
__global__ void filter_indices(const winnow__args args,
                               unsigned char *temporary, size_t bytes) {
    std::memset(temporary, 0xc3, bytes);
    if (is_passed_over(args)) {
        *args.sink.count = 0;
        return;
    }
    const winnow::Predicate<U, winnow::ANY> passes(args.test);
    const U *const in = static_cast<const U *>(args.in);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < args.n; i++) {
        if (!passes(in[i]))
            continue;
        if (kept < args.sink.capacity && args.indices.wide)
            static_cast<uint64_t *>(args.sink.out)[kept] = i;
        else if (kept < args.sink.capacity)
            static_cast<uint32_t *>(args.sink.out)[kept] =
                static_cast<uint32_t>(i);
        kept++;
    }
    *args.sink.count = kept;
}

/* As CUB's do, the variant in place, or with less room, needs more, and that of
 * a candidate most. */
size_t temporary_bytes(const winnow__args &args) {
    if (args.candidate != 0)
        return 6144;
    return args.in == args.sink.out || args.sink.capacity < args.n ? 4096
                                                                   : 2048;
}

} // namespace

uint64_t winnow__cub_most_items(void) {
    return simt_settings.cub_items;
}

static cudaError_t run(const void *kernel, const winnow__args *args,
                       void *temporary, size_t *bytes, cudaStream_t stream) {
    if (args->n > simt_settings.cub_items)
        return cudaErrorInvalidValue;
    if (temporary == nullptr) {
        *bytes = temporary_bytes(*args);
        return cudaSuccess;
    }
    if (*bytes < temporary_bytes(*args))
        return cudaErrorInvalidValue;
    void *arguments[] = {const_cast<winnow__args *>(args), &temporary, bytes};
    return cudaLaunchKernel(kernel, 1u, 1u, arguments, 0, stream);
}

cudaError_t winnow__cub_scan(unsigned int log2_size, const winnow__args *args,
                             void *temporary, size_t *bytes,
                             cudaStream_t stream) {
    const void *const kernels[] = {
        WINNOW__KERNEL(filter<uint8_t>), WINNOW__KERNEL(filter<uint16_t>),
        WINNOW__KERNEL(filter<uint32_t>), WINNOW__KERNEL(filter<uint64_t>)};
    return run(kernels[log2_size], args, temporary, bytes, stream);
}

cudaError_t winnow__cub_index(unsigned int log2_size, const winnow__args *args,
                              void *temporary, size_t *bytes,
                              cudaStream_t stream) {
    const void *const kernels[] = {WINNOW__KERNEL(filter_indices<uint8_t>),
                                   WINNOW__KERNEL(filter_indices<uint16_t>),
                                   WINNOW__KERNEL(filter_indices<uint32_t>),
                                   WINNOW__KERNEL(filter_indices<uint64_t>)};
    return run(kernels[log2_size], args, temporary, bytes, stream);
}
