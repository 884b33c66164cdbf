/*
 * partition_by_key: scatters each chunk, whose offsets are in the table.
 *
 * A block goes through its chunk tile by tile. Each warp has a contiguous piece
 * of the tile and ranks it in rounds, an item for each lane: the lanes with the
 * same digit find each other by ballots, and the first of them adds their
 * number to the warp's count of that digit. A scan over digits and warps turns
 * the ranks into positions in a tile that is sorted by digit, stably. All
 * columns are staged in shared memory at these positions, and written from
 * there in order, so that each digit's items leave together.
 *
 * Warps load single elements, not vectors: a round has to have neighbours.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "partition.cuh"

#include <type_traits>

namespace winnow {
namespace partition {

/* Items of a thread, for keys of a size: 16 KiB of keys for each 256 threads.
 */
template <class Key>
constexpr unsigned int EACH = sizeof(Key) == 4 ? 16 : 8;

template <class Key, unsigned int BITS>
struct Shape {
    static constexpr unsigned int ITEMS = THREADS * EACH<Key>;
    static constexpr unsigned int TILE_BYTES = ITEMS * sizeof(Key);
    /* Digits of a thread in the scan. */
    static constexpr unsigned int OWN = (DIGITS<BITS> + THREADS - 1) / THREADS;
    /* Of dynamic shared memory, beside the buffer. Where there are columns,
     * their places lie where the counts were. */
    static constexpr unsigned int DELTA_BYTES = DIGITS<BITS> * 8;
    static constexpr unsigned int COUNT_BYTES = WARPS * DIGITS<BITS> * 2;
    static constexpr unsigned int PLACE_BYTES = ITEMS * (BITS <= 8 ? 3 : 4);
    static constexpr unsigned int KEYS_BYTES = DELTA_BYTES + COUNT_BYTES;
    static constexpr unsigned int COLUMNS_BYTES =
        DELTA_BYTES + (COUNT_BYTES > PLACE_BYTES ? COUNT_BYTES : PLACE_BYTES);

    static_assert(ITEMS < 0xffff && DIGITS<BITS> <= 0x10000,
                  "a position and a digit in one word");
};

/* What a thread knows of an item of its own: its digit, above, and its rank,
 * which becomes its position. */
constexpr unsigned int POSITION = 0xffff;
constexpr unsigned int DIGIT_SHIFT = 16;
constexpr unsigned int NO_ITEM = POSITION;

/* A thread's number, which the compiler takes for a new one: it would compute
 * all that follows from it once, before the loops, and keep that, which takes
 * more registers than there are. */
__device__ __forceinline__ unsigned int thread_number() {
    unsigned int thread = threadIdx.x;
    pin(thread);
    return thread;
}

/* Which of the tile's items is a thread's first? Others are a warp apart. */
template <class Key>
__device__ __forceinline__ unsigned int first_item(unsigned int thread) {
    return thread / WARP * (WARP * EACH<Key>)+thread % WARP;
}

/* What a block has in its dynamic shared memory. */
template <class Key, unsigned int BITS>
struct Memory {
    using SlotDigit = std::conditional_t<BITS <= 8, uint8_t, uint16_t>;

    unsigned char *buffer; /* where a column is staged */
    uint64_t *delta;       /* of a digit: output less place in the buffer */
    uint16_t *counts;      /* of a warp and a digit; later */
    uint16_t *positions;   /* of an item in the buffer, or NO_ITEM, */
    SlotDigit *digits;     /* and of what is in the buffer */

    __device__ __forceinline__ Memory(unsigned char *shared,
                                      const winnow__partition_args &args)
        : buffer(shared),
          delta(reinterpret_cast<uint64_t *>(shared + args.buffer_bytes)),
          counts(reinterpret_cast<uint16_t *>(delta + DIGITS<BITS>)),
          positions(counts), digits(reinterpret_cast<SlotDigit *>(
                                 positions + Shape<Key, BITS>::ITEMS)) {
    }
};

/* ---------------------------------------------------------------- columns */

/* The columns of a tile whose places are in shared memory. */
template <class Key, unsigned int BITS>
class Columns {
    static constexpr unsigned int ITEMS = Shape<Key, BITS>::ITEMS;

  public:
    __device__ __forceinline__ Columns(const winnow__partition_args &args,
                                       unsigned char *shared, uint64_t begin,
                                       unsigned int staged)
        : args_(args), memory_(shared, args), begin_(begin), staged_(staged) {
    }

    /* They lie in the order of their widths. */
    __device__ __forceinline__ void move() const {
        unsigned int c = 0;
        move_wide<uint8_t>(c);
        move_wide<uint16_t>(c);
        move_wide<uint32_t>(c);
        move_wide<uint64_t>(c);
        move_wide<uint4>(c);
    }

  private:
    template <class T>
    __device__ __forceinline__ void move_wide(unsigned int &c) const {
        for (; c < args_.moves && args_.move[c].bytes == sizeof(T); c++)
            move_one<T>(args_.move[c]);
    }

    /* Of a wide column the buffer holds some of the slots: then these first. */
    template <class T>
    __device__ __forceinline__ void
    move_one(const winnow__partition_move &column) const {
        const unsigned int room = args_.buffer_bytes / sizeof(T);
        for (unsigned int first = 0; first < staged_; first += room) {
            __syncthreads();
            stage(static_cast<const T *>(column.in) + begin_, first, room);
            __syncthreads();
            write(static_cast<T *>(column.out), first,
                  min(staged_, first + room));
        }
    }

    template <class T>
    __device__ __forceinline__ void stage(const T *from, unsigned int first,
                                          unsigned int room) const {
        /* Loads that are under way together, in registers. */
        constexpr unsigned int BATCH = sizeof(T) <= 4 ? 4 : 16 / sizeof(T);
        static_assert(EACH<Key> % BATCH == 0, "whole batches");
        T *const to = reinterpret_cast<T *>(memory_.buffer);
        unsigned int item = first_item<Key>(threadIdx.x);
#pragma unroll 1
        for (unsigned int i = 0; i < EACH<Key>; i += BATCH) {
            unsigned int positions[BATCH];
            T elements[BATCH];
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++) {
                /* Beyond ITEMS where it is not among these slots. */
                positions[k] = memory_.positions[item + k * WARP] - first;
                if (positions[k] < min(room, ITEMS))
                    elements[k] = __ldcs(from + item + k * WARP);
            }
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                if (positions[k] < min(room, ITEMS))
                    to[positions[k]] = elements[k];
            item += BATCH * WARP;
        }
    }

    template <class T>
    __device__ __forceinline__ void write(T *to, unsigned int first,
                                          unsigned int last) const {
        const T *const from = reinterpret_cast<const T *>(memory_.buffer);
#pragma unroll 4
        for (unsigned int s = first + threadIdx.x; s < last; s += THREADS)
            to[memory_.delta[memory_.digits[s]] + s] = from[s - first];
    }

    const winnow__partition_args &args_;
    const Memory<Key, BITS> memory_;
    const uint64_t begin_;
    const unsigned int staged_;
};

/* A function that is called: inlined, it would leave the rest of the kernel too
 * few registers. */
template <class Key, unsigned int BITS>
__device__ WINNOW__NOINLINE void
move_columns(const winnow__partition_args &args, uint64_t begin,
             unsigned int staged) {
    WINNOW__DYNAMIC_SHARED(shared);
    Columns<Key, BITS>(args, shared, begin, staged).move();
}

/* ------------------------------------------------------------------- tiles */

template <class Key, unsigned int BITS>
class Scatter {
    static constexpr unsigned int ITEMS = Shape<Key, BITS>::ITEMS;
    static constexpr unsigned int OWN = Shape<Key, BITS>::OWN;
    static constexpr unsigned int ALL_DIGITS = DIGITS<BITS>;

  public:
    __device__ __forceinline__ Scatter(const winnow__partition_args &args,
                                       unsigned char *shared,
                                       unsigned int *sums)
        : args_(args), digit_of_(args), memory_(shared, args), sums_(sums) {
    }

    /* Where the chunk's digits begin, and, by one block, where all do. */
    __device__ __forceinline__ void begin(const Chunk &chunk,
                                          unsigned long long *sums) {
        unsigned long long totals[OWN], all = 0, sum;
#pragma unroll
        for (unsigned int j = 0; j < OWN; j++) {
            totals[j] = owns(j) ? args_.totals[own(j)] : 0;
            all += totals[j];
        }
        unsigned long long offset = exclusive_sum<WARPS>(all, sums, &sum);
#pragma unroll
        for (unsigned int j = 0; j < OWN; j++) {
            if (blockIdx.x == 0 && own(j) < args_.digits)
                args_.offsets[own(j)] = offset;
            next_[j] = offset;
            if (chunk.exists && owns(j))
                next_[j] +=
                    args_.table[uint64_t(blockIdx.x) * ALL_DIGITS + own(j)];
            offset += totals[j];
        }
        if (blockIdx.x == 0 && threadIdx.x == 0)
            args_.offsets[args_.digits] = sum;
    }

    /* The items from begin on, up to a tile of them. */
    __device__ __forceinline__ void tile(uint64_t begin, uint64_t end) {
        Key keys[EACH<Key>];
        unsigned int places[EACH<Key>];
        const unsigned int items =
            static_cast<unsigned int>(min(end - begin, uint64_t(ITEMS)));
        load(static_cast<const Key *>(args_.keys) + begin, items, keys);
        clear_counts();
        rank(items, keys, places);
        __syncthreads();
        const unsigned int staged = sum_up();
        __syncthreads();
        stage_keys(keys, places);
        __syncthreads();
        if (args_.keys_out != nullptr)
            write_keys(staged);
        if (args_.moves != 0) {
            keep_places(staged, places);
            move_columns<Key, BITS>(args_, begin, staged);
        }
        __syncthreads();
    }

  private:
    __device__ __forceinline__ static bool owns(unsigned int j) {
        return own(j) < ALL_DIGITS;
    }
    __device__ __forceinline__ static unsigned int own(unsigned int j) {
        return threadIdx.x * OWN + j;
    }

    __device__ __forceinline__ void load(const Key *from, unsigned int items,
                                         Key (&keys)[EACH<Key>]) const {
        const unsigned int item = first_item<Key>(thread_number());
        from += item;
#pragma unroll
        for (unsigned int i = 0; i < EACH<Key>; i++)
            keys[i] =
                item + i * WARP < items ? __ldcs(from + i * WARP) : Key(0);
    }

    /* The warp's own counts. */
    __device__ __forceinline__ uint16_t *own_counts() const {
        return memory_.counts + warp_id() * ALL_DIGITS;
    }

    __device__ __forceinline__ void clear_counts() const {
        constexpr unsigned int VECTORS = ALL_DIGITS * sizeof(uint16_t) / 16;
        uint4 *const vectors = reinterpret_cast<uint4 *>(own_counts());
#pragma unroll
        for (unsigned int v = 0; v < VECTORS; v += WARP)
            if (v + lane_id() < VECTORS)
                vectors[v + lane_id()] = make_uint4(0, 0, 0, 0);
        __syncwarp();
    }

    /* The lanes with an item of the same digit, among some lanes. */
    __device__ __forceinline__ static unsigned int
    find_peers(unsigned int lanes, unsigned int digit) {
#pragma unroll
        for (unsigned int b = 0; b < BITS; b++) {
            const bool is_set = digit >> b & 1;
            const unsigned int set = __ballot_sync(ALL_LANES, is_set);
            lanes &= is_set ? set : ~set;
        }
        return lanes;
    }

    /* Each item's rank among those of its digit in the warp. A count is read
     * by all peers, then written by the first: barriers of the warp between. */
    __device__ __forceinline__ void
    rank(unsigned int items, const Key (&keys)[EACH<Key>],
         unsigned int (&places)[EACH<Key>]) const {
        uint16_t *const counts = own_counts();
        const unsigned int item = first_item<Key>(thread_number());
#pragma unroll
        for (unsigned int i = 0; i < EACH<Key>; i++) {
            const bool exists =
                item + i * WARP < items && digit_of_.has_part(keys[i]);
            const unsigned int digit = exists ? digit_of_(keys[i]) : 0;
            const unsigned int peers =
                find_peers(__ballot_sync(ALL_LANES, exists), digit);
            const unsigned int before = counts[digit];
            const unsigned int below = __popc(peers & lanes_below());
            __syncwarp();
            if (exists && below == 0)
                counts[digit] = static_cast<uint16_t>(before + __popc(peers));
            __syncwarp();
            places[i] =
                exists ? digit << DIGIT_SHIFT | (before + below) : NO_ITEM;
        }
    }

    /* From the warps' counts to where their items are staged; and from a place
     * in the buffer to one in the output. Returns how many items are staged. */
    __device__ __forceinline__ unsigned int sum_up() {
        unsigned int totals[OWN], all = 0, staged;
#pragma unroll
        for (unsigned int j = 0; j < OWN; j++) {
            totals[j] = owns(j) ? count_digit(own(j)) : 0;
            all += totals[j];
        }
        unsigned int start = exclusive_sum<WARPS>(all, sums_, &staged);
#pragma unroll
        for (unsigned int j = 0; j < OWN; j++) {
            if (owns(j)) {
                memory_.delta[own(j)] = next_[j] - start;
                start_warps(own(j), start);
            }
            next_[j] += totals[j];
            start += totals[j];
        }
        return staged;
    }

    __device__ __forceinline__ unsigned int
    count_digit(unsigned int digit) const {
        unsigned int total = 0;
#pragma unroll 4
        for (unsigned int w = 0; w < WARPS; w++)
            total += memory_.counts[w * ALL_DIGITS + digit];
        return total;
    }

    /* Each warp's count of a digit becomes the start of its items. */
    __device__ __forceinline__ void start_warps(unsigned int digit,
                                                unsigned int start) const {
#pragma unroll 4
        for (unsigned int w = 0; w < WARPS; w++) {
            uint16_t &entry = memory_.counts[w * ALL_DIGITS + digit];
            const unsigned int here = entry;
            entry = static_cast<uint16_t>(start);
            start += here;
        }
    }

    __device__ __forceinline__ void
    stage_keys(const Key (&keys)[EACH<Key>],
               unsigned int (&places)[EACH<Key>]) const {
        const uint16_t *const starts = own_counts();
        Key *const to = reinterpret_cast<Key *>(memory_.buffer);
#pragma unroll
        for (unsigned int i = 0; i < EACH<Key>; i++) {
            if (places[i] == NO_ITEM)
                continue;
            places[i] =
                starts[places[i] >> DIGIT_SHIFT] + (places[i] & POSITION);
            to[places[i]] = keys[i];
        }
    }

    __device__ __forceinline__ void write_keys(unsigned int staged) const {
        const Key *const from = reinterpret_cast<const Key *>(memory_.buffer);
        Key *const to = static_cast<Key *>(args_.keys_out);
#pragma unroll 4
        for (unsigned int s = threadIdx.x; s < staged; s += THREADS) {
            const Key key = from[s];
            to[memory_.delta[digit_of_(key)] + s] = key;
        }
    }

    /* Where each item is staged, and which digit each slot has. All threads
     * are done with the counts. */
    __device__ __forceinline__ void
    keep_places(unsigned int staged,
                const unsigned int (&places)[EACH<Key>]) const {
        using SlotDigit = typename Memory<Key, BITS>::SlotDigit;
        const Key *const from = reinterpret_cast<const Key *>(memory_.buffer);
        const unsigned int item = first_item<Key>(thread_number());
#pragma unroll
        for (unsigned int i = 0; i < EACH<Key>; i++)
            memory_.positions[item + i * WARP] =
                static_cast<uint16_t>(places[i]);
#pragma unroll 4
        for (unsigned int s = threadIdx.x; s < staged; s += THREADS)
            memory_.digits[s] = static_cast<SlotDigit>(digit_of_(from[s]));
    }

    const winnow__partition_args &args_;
    const Digit<Key> digit_of_;
    const Memory<Key, BITS> memory_;
    unsigned int *const sums_;
    uint64_t next_[OWN]; /* offsets of the next tile's own digits */
};

template <class Key, unsigned int BITS>
__global__ void __launch_bounds__(THREADS, resident(THREADS, 2))
    scatter(const __grid_constant__ winnow__partition_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    using Sums = Array<unsigned int, WARPS>;
    using LongSums = Array<unsigned long long, WARPS>;
    WINNOW__SHARED(sums, Sums);
    WINNOW__SHARED(long_sums, LongSums);
    const Chunk chunk(args);
    if (!chunk.exists && blockIdx.x != 0)
        return;
    Scatter<Key, BITS> work(args, shared, sums.at);
    work.begin(chunk, long_sums.at);
    if (!chunk.exists)
        return;
    for (uint64_t i = chunk.begin; i < chunk.end; i += Shape<Key, BITS>::ITEMS)
        work.tile(i, chunk.end);
}

} // namespace partition
} // namespace winnow

#define ENTRY(KEY, BITS)                                                       \
    WINNOW__ENTRY(winnow::partition::THREADS,                                  \
                  (winnow::partition::Shape<KEY, BITS>::TILE_BYTES),           \
                  sizeof(KEY),                                                 \
                  (winnow::partition::Shape<KEY, BITS>::KEYS_BYTES),           \
                  winnow::partition::scatter<KEY, BITS>)
const winnow__kernel winnow__partition_scatter[2][WINNOW__PARTITION_CLASSES] = {
    {ENTRY(uint32_t, 4), ENTRY(uint32_t, 8), ENTRY(uint32_t, 10)},
    {ENTRY(uint64_t, 4), ENTRY(uint64_t, 8), ENTRY(uint64_t, 10)}};
#define COLUMNS(KEY, BITS) winnow::partition::Shape<KEY, BITS>::COLUMNS_BYTES
const unsigned int
    winnow__partition_columns_bytes[2][WINNOW__PARTITION_CLASSES] = {
        {COLUMNS(uint32_t, 4), COLUMNS(uint32_t, 8), COLUMNS(uint32_t, 10)},
        {COLUMNS(uint64_t, 4), COLUMNS(uint64_t, 8), COLUMNS(uint64_t, 10)}};
