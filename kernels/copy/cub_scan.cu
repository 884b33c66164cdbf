/*
 * WINNOW_CUB_SCAN: cub::DeviceSelect::If as CUB ships it.
 *
 * A single pass that finds each tile's offset by decoupled look-back (D.
 * Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled
 * Look-back", 2016). Stable.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define CCCL_DISABLE_NVTX       /* no tracing from inside a library */
#define CCCL_DISABLE_EXCEPTIONS /* errors are returned */
/*
 * CUB includes <iostream>, whose only effect here would be the standard
 * streams' static initialiser, and with it the C++ runtime in a C library.
 * libstdc++'s include guard leaves it out; its declarations come from these.
 */
#include <istream>
#include <ostream>
#define _GLIBCXX_IOSTREAM 1
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "cub_iterators.cuh"
#include "cub_scan.h"
#include "kernels/core/predicate.cuh"

#include <climits>

namespace winnow::copy {

/* CUB takes long to compile, and its kernels are large. So one kernel serves
 * all kinds of tests, and another all calls in place, with a capacity, or with
 * several candidates. */
template <class U>
cudaError_t select(const winnow__args &args, void *temporary, size_t *bytes,
                   cudaStream_t stream) {
    const U *const in = static_cast<const U *>(args.in);
    U *const out = static_cast<U *>(args.sink.out);
    const auto n = static_cast<int64_t>(args.n);
    const Predicate<U, ANY> passes(args.test);
    if (args.candidate == 0 && in != out && args.sink.capacity >= args.n)
        return cub::DeviceSelect::If(temporary, *bytes, in, out,
                                     args.sink.count, n, passes, stream);
    return cub::DeviceSelect::If(
        temporary, *bytes, Capped<U>(args), args.sink.count, n,
        GatedTest<Predicate<U, ANY>>(args, passes), stream);
}

/* Does the item at an index pass? */
template <class U>
class IndexTest {
  public:
    explicit IndexTest(const winnow__args &args)
        : in_(static_cast<const U *>(args.in)), passes_(args.test) {
    }
    __device__ bool operator()(int64_t i) const {
        return passes_(in_[i]);
    }

  private:
    const U *in_;
    Predicate<U, ANY> passes_;
};

template <class U>
cudaError_t select_indices(const winnow__args &args, void *temporary,
                           size_t *bytes, cudaStream_t stream) {
    const thrust::counting_iterator<int64_t> indices(0);
    const IndexTest<U> passes(args);
    return cub::DeviceSelect::If(temporary, *bytes, indices, IndexOutput(args),
                                 args.sink.count, static_cast<int64_t>(args.n),
                                 GatedTest<IndexTest<U>>(args, passes), stream);
}

} // namespace winnow::copy

/* Releases before 2.8 took an int, and did not check for overflow. */
uint64_t winnow__cub_most_items(void) {
    return CUB_VERSION < 200800 ? INT_MAX : INT64_MAX;
}

cudaError_t winnow__cub_scan(unsigned int log2_size, const winnow__args *args,
                             void *temporary, size_t *bytes,
                             cudaStream_t stream) {
    using namespace winnow::copy;
    switch (log2_size) {
    case 0:
        return select<uint8_t>(*args, temporary, bytes, stream);
    case 1:
        return select<uint16_t>(*args, temporary, bytes, stream);
    case 2:
        return select<uint32_t>(*args, temporary, bytes, stream);
    case 3:
        return select<uint64_t>(*args, temporary, bytes, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

/* One kernel for both sizes of indices, too. */
cudaError_t winnow__cub_index(unsigned int log2_size, const winnow__args *args,
                              void *temporary, size_t *bytes,
                              cudaStream_t stream) {
    using namespace winnow::copy;
    switch (log2_size) {
    case 0:
        return select_indices<uint8_t>(*args, temporary, bytes, stream);
    case 1:
        return select_indices<uint16_t>(*args, temporary, bytes, stream);
    case 2:
        return select_indices<uint32_t>(*args, temporary, bytes, stream);
    case 3:
        return select_indices<uint64_t>(*args, temporary, bytes, stream);
    default:
        return cudaErrorInvalidValue;
    }
}
