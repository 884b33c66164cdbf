/*
 * Finds the strings that contain a text, in columns with offsets. A block
 * searches the bytes of all its strings as one sequence: a bit in shared memory
 * says for each place whether the text begins there. A string passes if one of
 * its places has its bit set. In a text of more than 16 bytes the block
 * searches for up to 16 bytes from its rarest word on; in a pattern of LIKE,
 * for a text that it needs. Strings with such a hit are then tested themselves.
 *
 * Offsets may be wrong. If a string of a block ends before it begins, all
 * strings of the block are tested one by one. So are they if whole vectors
 * would reach beyond an end of the data.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "key.cuh"
#include "look.cuh"

namespace winnow::string {

constexpr unsigned int ROWS = WINNOW__FIND_ITEMS / THREADS;
constexpr unsigned int CHUNK = WINNOW__FIND_BYTES;
constexpr unsigned int STEP = THREADS * 16;
constexpr unsigned int TOGETHER = 2; /* vectors that a thread loads at once */

struct Hits {
    union {
        uint32_t words[CHUNK / 32]; /* not all need be written */
        uint16_t of_vectors[CHUNK / 16];
    };
};

/* The search in the bytes of a block's strings for the text from its rarest
 * word on. Place 0 begins the vector that has the strings' first byte. */
struct Scan {
    const uint32_t *text;
    uint32_t bytes; /* of the text: 1 to WINNOW__FIND_TEXT */
    Key key;
    const unsigned char *vectors;
    uint32_t begin, end; /* the places of the strings' bytes */

    __device__ __forceinline__ Scan(const winnow__string_column &column,
                                    const winnow__pattern *pattern,
                                    uint64_t from, uint64_t to)
        : key(pattern) {
        const auto *const first =
            static_cast<const unsigned char *>(column.data) + from;
        text = words_of(reinterpret_cast<const unsigned char *>(pattern),
                        &pattern->text) +
               pattern->rare / 4;
        bytes = min(pattern->text.bytes - pattern->rare,
                    uint32_t(WINNOW__FIND_TEXT));
        begin = reinterpret_cast<uintptr_t>(first) % 16;
        end = begin + static_cast<uint32_t>(to - from);
        vectors = first - begin;
    }

    /* Are all vectors, and the word behind the last one, within the data? */
    static __device__ __forceinline__ bool
    are_whole(const winnow__string_column &column, uint64_t from, uint64_t to) {
        const uintptr_t data = reinterpret_cast<uintptr_t>(column.data);
        return (data + from) % 16 <= from &&
               (data + to + 15) / 16 * 16 + 4 <= data + column.size;
    }

    __device__ __forceinline__ uint32_t word(uint32_t at) const {
        return __ldg(reinterpret_cast<const uint32_t *>(vectors + at));
    }

    /* Compare the other bytes at the places where the first 4 are equal. */
    __device__ __forceinline__ uint32_t rest(uint32_t at, uint32_t hits) const {
        uint32_t found = 0;
        for (; hits != 0; hits &= hits - 1) {
            const uint32_t place = at + __ffs(static_cast<int>(hits)) - 1;
            uint32_t differ = place + bytes > end;
            for (uint32_t i = 4; i < bytes && differ == 0; i += 4) {
                const uint32_t from = (place + i) / 4 * 4;
                differ = (__funnelshift_r(word(from), word(from + 4),
                                          8 * (place % 4)) ^
                          text[i / 4]) &
                         first_bytes(bytes - i);
            }
            if (differ == 0)
                found |= 1u << (place - at);
        }
        return found;
    }

    /* The places of a vector where the text begins. Bits of places before or
     * behind the strings are unspecified. */
    __device__ __forceinline__ uint32_t hits(uint32_t at, const uint4 &v,
                                             uint32_t next) const {
        const uint32_t word[5] = {v.x, v.y, v.z, v.w, next};
        uint32_t begins[4], hits = 0;
#pragma unroll
        for (unsigned int i = 0; i < 4; i++)
            begins[i] = key.begins(word[i], word[i + 1]);
        if ((begins[0] | begins[1] | begins[2] | begins[3]) == 0)
            return 0;
#pragma unroll
        for (unsigned int i = 0; i < 4; i++)
            hits |= four_bits(begins[i]) << 4 * i;
        return bytes <= 4 ? hits : rest(at, hits);
    }

    /* Find the bits of a chunk. Returns whether this thread has set any. */
    __device__ __forceinline__ bool chunk(uint32_t start, Hits &to) const {
        const uint32_t stop = min(end, start + CHUNK);
        uint32_t any = 0;
#pragma unroll 1
        for (uint32_t warp = start + warp_id() * WARP * 16; warp < stop;
             warp += TOGETHER * STEP) {
            const uint32_t first = warp + lane_id() * 16;
            uint4 v[TOGETHER];
            uint32_t next[TOGETHER];
#pragma unroll
            for (unsigned int k = 0; k < TOGETHER; k++) {
                const uint32_t at = first + k * STEP;
                v[k] = make_uint4(0, 0, 0, 0);
                next[k] = 0;
                if (at < stop)
                    v[k] = __ldg(reinterpret_cast<const uint4 *>(vectors + at));
                if ((lane_id() == WARP - 1) & (at < stop))
                    next[k] = word(at + 16);
            }
#pragma unroll
            for (unsigned int k = 0; k < TOGETHER; k++) {
                const uint32_t at = first + k * STEP;
                const uint32_t behind = __shfl_down_sync(ALL_LANES, v[k].x, 1);
                if (lane_id() != WARP - 1)
                    next[k] = behind;
                if (at >= stop)
                    continue;
                const uint32_t found = hits(at, v[k], next[k]);
                to.of_vectors[(at - start) / 16] = static_cast<uint16_t>(found);
                any |= found;
            }
        }
        return any != 0;
    }
};

/* Is any bit from `from` to `end` - 1 set? There is at least one bit. */
__device__ __forceinline__ bool has_bit(const Hits &hits, uint32_t from,
                                        uint32_t end) {
    const uint32_t last = (end - 1) / 32;
    uint32_t w = from / 32;
    uint32_t word = hits.words[w] & ~0u << from % 32;
    for (; w != last; word = hits.words[++w])
        if (word != 0)
            return true;
    return (word & ~0u >> (31 - (end - 1) % 32)) != 0;
}

/* Where the strings of a block begin, relative to the first one; unused places
 * have the end of the last one. */
struct alignas(16) Places {
    uint32_t at[WINNOW__FIND_ITEMS + 4];
};

/* All threads load the places. Returns whether an offset is too large for one;
 * ascending offsets of 32 bits never are. */
template <class OFFSET>
__device__ __forceinline__ bool load_places(const OFFSET *offsets, OFFSET low,
                                            unsigned int count,
                                            Places &places) {
    bool is_far = false;
    OFFSET place[ROWS];
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++)
        place[r] = __ldg(offsets + min(threadIdx.x + r * THREADS, count));
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++) {
        if constexpr (sizeof(OFFSET) == 8)
            is_far |= place[r] - low > INT32_MAX;
        places.at[threadIdx.x + r * THREADS] =
            static_cast<uint32_t>(place[r] - low);
    }
    return is_far;
}

/* Does a string end before it begins? A thread tests others than in hit(). */
__device__ __forceinline__ bool descend(const Places &places) {
    bool wrong = false;
#pragma unroll
    for (unsigned int i = 0; i < ROWS; i += 4) {
        const uint32_t *const at = places.at + i * THREADS + 4 * threadIdx.x;
        const uint4 v = *reinterpret_cast<const uint4 *>(at);
        wrong |= (v.x > v.y) | (v.y > v.z) | (v.z > v.w) | (v.w > at[4]);
    }
    return wrong;
}

/* The thread's strings with a hit in a chunk; the block's first string begins
 * at place `skew`. */
__device__ __forceinline__ uint32_t hit(const Places &places,
                                        unsigned int count, const Hits &hits,
                                        const winnow__pattern *pattern,
                                        uint32_t skew, uint32_t start) {
    uint32_t found = 0;
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++) {
        const unsigned int i = threadIdx.x + r * THREADS;
        if (i >= count || places.at[i + 1] - places.at[i] < pattern->least)
            continue;
        /* The places where the text's rarest word may begin. */
        const uint32_t word = skew + pattern->rare;
        const uint32_t begin = max(places.at[i] + word, start);
        const uint32_t end = min(
            places.at[i + 1] + word - pattern->text.bytes + 1, start + CHUNK);
        if (begin < end && has_bit(hits, begin - start, end - start))
            found |= 1u << r;
    }
    return found;
}

/* Which strings have a hit. If *scanned is false, any string may have one. */
template <class OFFSET>
__device__ __forceinline__ uint32_t find(const winnow__string_column &column,
                                         uint64_t first, unsigned int count,
                                         const winnow__pattern *pattern,
                                         Hits &hits, Places &places,
                                         bool *scanned) {
    const OFFSET *const offsets =
        static_cast<const OFFSET *>(column.strings) + first;
    const OFFSET low = __ldg(offsets), high = __ldg(offsets + count);
    const bool is_far = load_places(offsets, low, count, places);
    if (threadIdx.x == 0)
        places.at[WINNOW__FIND_ITEMS] = static_cast<uint32_t>(high - low);
    /* Conditions that are the same in all threads need no barrier. */
    *scanned = low <= high && high <= column.size &&
               high - low <= OFFSET(INT32_MAX) &&
               Scan::are_whole(column, low, high);
    if (!*scanned)
        return ~0u;
    const Scan scan(column, pattern, low, high);
    __syncthreads();
    const bool wrong = is_far | descend(places);
    uint32_t found = 0;
    if (scan.end == scan.begin) /* no bytes, but the offsets may be wrong */
        *scanned = !__syncthreads_or(wrong);
#pragma unroll 1
    for (uint32_t start = 0; start < scan.end && *scanned; start += CHUNK) {
        if (!__syncthreads_or(scan.chunk(start, hits) | wrong))
            continue;
        *scanned = !__syncthreads_or(wrong);
        found |= hit(places, count, hits, pattern, scan.begin, start);
        __syncthreads(); /* all have read this chunk's bits */
    }
    return *scanned ? found : ~0u;
}

template <winnow__string_kernel KERNEL>
__global__ void __launch_bounds__(THREADS,
                                  KERNEL == WINNOW__STRING_CONTAIN ? 6 : 5)
    find_strings(const __grid_constant__ winnow__test_strings_args args) {
    WINNOW__SHARED(hits, Hits);
    WINNOW__SHARED(places, Places);
    const winnow__pattern *const pattern = pattern_of(args);
    const uint64_t n = items_of(args);
    const uint64_t first = static_cast<uint64_t>(blockIdx.x) * args.tile;
    if (first >= n)
        return;
    const unsigned int count = static_cast<unsigned int>(
        min(static_cast<uint64_t>(args.tile), n - first));
    bool scanned;
    const uint32_t found =
        args.column.layout == WINNOW__STRING_OFFSETS_32
            ? find<uint32_t>(args.column, first, count, pattern, hits, places,
                             &scanned)
            : find<uint64_t>(args.column, first, count, pattern, hits, places,
                             &scanned);
    const bool decided = KERNEL == WINNOW__STRING_CONTAIN && scanned &&
                         pattern->text.bytes <= WINNOW__FIND_TEXT;
    finish<KERNEL, ROWS, false>(args, pattern, first, count,
                                decided ? found : 0, !decided, found);
}

} // namespace winnow::string

#define WINNOW__FIND_ENTRY(KIND)                                               \
    WINNOW__ENTRY(WINNOW__STRING_THREADS, 0, 0, 0,                             \
                  winnow::string::find_strings<KIND>)

/* For CONTAIN and LIKE. */
extern "C" const winnow__kernel winnow__find_strings_kernels[2];
const winnow__kernel winnow__find_strings_kernels[2] = {
    WINNOW__FIND_ENTRY(WINNOW__STRING_CONTAIN),
    WINNOW__FIND_ENTRY(WINNOW__STRING_LIKE)};
