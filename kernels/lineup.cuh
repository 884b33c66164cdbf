/*
 * Line up: have a tile's survivors, of one byte, in registers, in the order of
 * the output, so that little is left to do when it is known where they go.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_LINEUP_CUH
#define WINNOW_KERNELS_LINEUP_CUH

#include "place.cuh"

namespace winnow {

/*
 * Every thread has some aligned 8 bytes of the output, put together from 16
 * staged ones, as the output need not be aligned as the stage is. The survivors
 * at the ends are for the last threads, one to each.
 */
template <unsigned int THREADS, unsigned int ITEMS>
class Lineup {
    static constexpr unsigned int EACH = sizeof(uint2);
    static constexpr unsigned int TURNS = ITEMS / (EACH * THREADS);
    static_assert(TURNS * EACH * THREADS == ITEMS && 2 * EACH <= WARP, "");

  public:
    /* `staged`: aligned to 8 bytes; of all ITEMS, `count` are survivors. */
    __device__ __forceinline__ Lineup(const uint8_t *staged, unsigned int count)
        : count_(count), at_(end_index(count)) {
        const uint2 *const from = reinterpret_cast<const uint2 *>(staged);
#pragma unroll
        for (unsigned int k = 0; k < TURNS; k++) {
            const unsigned int i = threadIdx.x + k * THREADS;
            low_[k] = from[i == 0 ? 0 : i - 1];
            high_[k] = from[i];
        }
        if (is_at_end() && at_ < count)
            end_ = staged[at_];
    }

    /* Write them to the output, from `out` on. */
    __device__ __forceinline__ void put(uint8_t *out) const {
        const uintptr_t address = reinterpret_cast<uintptr_t>(out);
        /* How many bytes before ours the first 8 of the output hold. */
        const unsigned int ahead = address % EACH;
        uint2 *const to = reinterpret_cast<uint2 *>(out - ahead) + threadIdx.x;
#pragma unroll
        for (unsigned int k = 0; k < TURNS; k++) {
            const unsigned int i = threadIdx.x + k * THREADS;
            const uint2 bytes = straddle(low_[k], high_[k], ahead);
            if ((i != 0 || ahead == 0) && (i + 1) * EACH <= ahead + count_)
                __stcs(to + k * THREADS, bytes);
        }
        if (!is_at_end())
            return;
        /* Where the first 8 bytes end, and the last begin: nowhere if they are
         * the same, which is beyond all others then. */
        const unsigned int first = ahead == 0 ? 0 : min(EACH - ahead, count_);
        const unsigned int last = (ahead + count_) / EACH * EACH - ahead;
        if (is_first() ? at_ < first : at_ >= last && at_ < count_)
            __stcs(out + at_, end_);
    }

  private:
    unsigned int count_;
    unsigned int at_; /* of a thread's survivor at the ends */
    uint2 low_[TURNS], high_[TURNS];
    uint8_t end_;

    __device__ __forceinline__ static bool is_at_end() {
        return threadIdx.x >= THREADS - 2 * EACH;
    }

    __device__ __forceinline__ static bool is_first() {
        return threadIdx.x < THREADS - EACH;
    }

    /* The first EACH survivors, then the last. */
    __device__ __forceinline__ static unsigned int
    end_index(unsigned int count) {
        return threadIdx.x -
               (is_first() ? THREADS - 2 * EACH : THREADS - count);
    }
};

} // namespace winnow

#endif
