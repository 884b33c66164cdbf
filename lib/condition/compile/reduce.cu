/*
 * A kernel that reduces the values of the items that pass, in the order of
 * kernels/reduce/args.h. A block reduces one part, in tiles of 4096 items. In
 * step k warp w has items 512 k + 128 w to 512 k + 128 w + 127 of a tile. So
 * the four items of a thread are at the same four places of every stripe, and
 * the thread has a sum for each place.
 *
 * Warps work independently, with no barrier before the end of the part. A later
 * kernel of the stream reads the blocks' results (kernels/aggregate/finish.cu).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef __CUDACC_RTC__
#define WINNOW__SHARED(NAME, ...) __shared__ __VA_ARGS__ NAME
#else
#define WINNOW__SHARED(NAME, ...)                                              \
    static char NAME##_key;                                                    \
    auto &NAME = simt::shared_variable<__VA_ARGS__>(&NAME##_key)
#endif

constexpr u32 WARPS = 4, TILE = 4096;
static_assert(STRIDE == WARPS * STEP && TILE == STEPS * STRIDE,
              "the chunks of a block's warps are a tile");

/* ----------------------------------------------------------- what is found */

struct Floats {
    f64 of[4] = {0, 0, 0, 0}; /* by place */
};

struct Integers {
    u64 low = 0, high = 0;
};

/* The least rank, and the first item with it. */
struct End {
    u64 rank = ~u64(0), item = ~u64(0);
};

/*
 * The value of an item, and whether it is not null, both returned by a
 * function. When a function that was not inlined wrote to a bool parameter, and
 * was called for 32 items in a row, NVRTC 13.0 did not end; for 16, 20 and 24
 * items it took 0.7, 1.5 and 19 seconds.
 */
template <class T>
struct Value {
    T value;
    bool ok;
};

/* `place` is a constant if the caller's loop is unrolled. Otherwise it is not,
 * and registers cannot be indexed. */
__device__ inline void add(Floats &sum, u32 place, f64 value) {
#pragma unroll
    for (u32 j = 0; j < 4; j++)
        if (place == j)
            sum.of[j] += value;
}

__device__ inline void add(Integers &sum, u64 x) {
    sum.low += x;
    sum.high += sum.low < x;
}

__device__ inline void lower(End &end, u64 rank, u64 item) {
    if (rank < end.rank || (rank == end.rank && item < end.item)) {
        end.rank = rank;
        end.item = item;
    }
}

/* A float's bits in two's complement, minus those of -infinity. */
__device__ inline u64 rank_of(f64 value, u64 bias) {
    const u64 bits = bits_as<u64>(value);
    return (bits ^ (u64(i64(bits) >> 63) & ~u64(0) >> 1)) - bias;
}

/* ----------------------------------------------------------------- elements */

__device__ inline u64 item_at(u64 first, u32 at) {
    return first + at / 4 * STRIDE + at % 4;
}

/* ALIGNED: to the size of its type. */
template <bool ALIGNED, class T>
__device__ inline T load_element(const Column &column, u64 item) {
    const u8 *const from = column.first + item * column.stride;
    return ALIGNED ? *reinterpret_cast<const T *>(from) : load_bytes<T>(from);
}

/* ------------------------------------------------------------------ a block */

/* The totals of some items, in the order of winnow__reduce_totals: the count,
 * the sum of integers, its upper half, two ranks, and two items. */
typedef u64 Words[7];

template <bool SUM, bool ENDS>
__device__ inline void merge(u64 *into, const u64 *other) {
    into[0] += other[0];
    if (SUM) {
        into[1] += other[1];
        into[2] += other[2] + (into[1] < other[1]);
    }
    if (ENDS)
#pragma unroll
        for (u32 e = 0; e < 2; e++)
            if (other[3 + e] < into[3 + e] ||
                (other[3 + e] == into[3 + e] && other[5 + e] < into[5 + e])) {
                into[3 + e] = other[3 + e];
                into[5 + e] = other[5 + e];
            }
}

/* Merges the words of all threads, in thread 0. */
template <bool SUM, bool ENDS>
__device__ WINNOW__FINISH void merge_block(const Args &, Words &words) {
    using Warps = u64[WARPS][7];
    WINNOW__SHARED(warps, Warps);
#pragma unroll 1
    for (u32 step = 16; step != 0; step /= 2) {
        Words other;
#pragma unroll
        for (u32 i = 0; i < 7; i++)
            other[i] = __shfl_xor_sync(ALL, words[i], step);
        merge<SUM, ENDS>(words, other);
    }
    __syncthreads(); /* those of the aggregate before may still be read */
    if (lane() == 0)
#pragma unroll
        for (u32 i = 0; i < 7; i++)
            warps[threadIdx.x / 32][i] = words[i];
    __syncthreads();
    if (threadIdx.x == 0)
#pragma unroll 1
        for (u32 w = 1; w < WARPS; w++)
            merge<SUM, ENDS>(words, warps[w]);
}

/* The tree over the part's 512 sums, in thread 0. Lane l of warp w has the sums
 * of places 128 w + 4 l and on: 256 places are two warps, 4 are one lane. Two
 * calls are separated by the barriers of merge_block(). `sum` is a copy: if the
 * address of a thread's sums were taken, they would not be in registers. */
__device__ WINNOW__FINISH f64 fold(const Args &, Floats sum) {
    using Sums = f64[WARPS][4][32];
    WINNOW__SHARED(memory, Sums);
#pragma unroll
    for (u32 j = 0; j < 4; j++)
        memory[threadIdx.x / 32][j][lane()] = sum.of[j];
    __syncthreads();
    if (threadIdx.x >= 32)
        return 0;
    f64 of[4];
#pragma unroll
    for (u32 j = 0; j < 4; j++)
        of[j] = (memory[0][j][lane()] + memory[2][j][lane()]) +
                (memory[1][j][lane()] + memory[3][j][lane()]);
#pragma unroll 1
    for (u32 step = 16; step != 0; step /= 2)
#pragma unroll
        for (u32 j = 0; j < 4; j++)
            of[j] += __shfl_xor_sync(ALL, of[j], step);
    return (of[0] + of[2]) + (of[1] + of[3]);
}

/* Thread 0 writes an aggregate's words: arrays with a word for each part. */
template <bool ENDS>
__device__ inline void put_words(const Args &a, u32 aggregate,
                                 const Words &words) {
    if (threadIdx.x == 0)
#pragma unroll
        for (u32 i = 0; i < (ENDS ? 7 : 3); i++)
            a.words[(u64(aggregate) * 7 + i) * gridDim.x + blockIdx.x] =
                words[i];
}

/* ------------------------------------------------------------------- a part */

/* Reduces the block's part: a.tiles tiles. The call's source defines Found, a
 * thread's results, and add_items(), which adds a chunk's live items. */
template <class Found>
__device__ inline void reduce_part(const Args &a, Found &found) {
    const u64 items = a.items != nullptr && *a.items < a.n ? *a.items : a.n;
    const u64 begin = blockIdx.x * a.tiles * TILE + threadIdx.x / 32 * STEP;
#pragma unroll 1
    for (u64 t = 0; t < a.tiles; t++) {
        const u64 chunk = begin + t * TILE;
        if (chunk >= items)
            break;
        const bool by_vectors = a.by_vectors && chunk + CHUNK <= items;
        const u32 live = decide(a, chunk, items,
                                fields_of(inside(items - chunk)), by_vectors);
        if (__any_sync(ALL, live != 0))
            add_items(a, chunk, items, live, by_vectors, found);
    }
}
