/*
 * The kernel that makes a selection of the items that pass a condition over
 * several columns.
 *
 * A warp processes a tile in chunks of 1024 items and runs the program for each
 * chunk. Each lane has 32 consecutive items, one bit of a word for each. The
 * word of live items is in a register; the words of saved sets are in shared
 * memory. Only the lane itself reads and writes its words.
 *
 * Columns of aligned vectors are loaded in vectors: lane l loads vectors l, l +
 * 32, and so on, each only if it has a live item. The resulting bits are
 * shuffled to the lanes that have the items. In other columns each lane loads
 * one element at a time, only for live items, and a ballot makes a word of 32
 * results. In a column of bits each lane loads its own word, if an item is
 * live.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "where.h"

#include "kernels/selection/make.cuh"
#include "kernels/core/bit_words.cuh"
#include "kernels/core/predicate.cuh"

namespace winnow::select {

using namespace selection;

constexpr unsigned int CHUNK_ITEMS = WINNOW__WHERE_CHUNK;
constexpr unsigned int TILE_CHUNKS = TILE_ITEMS / CHUNK_ITEMS;
static_assert(CHUNK_ITEMS == 32 * WARP, "a word for each lane");

/* A program whose lists are in the kernel argument. */
struct Lists {
    static constexpr bool STORED = false;
    const winnow__select_where_args &args;

    __device__ __forceinline__ Lists(const winnow__select_where_args &a,
                                     const unsigned char *)
        : args(a) {
    }
    __device__ __forceinline__ const winnow__where_column &
    column(unsigned int i) const {
        return args.lists.columns[i];
    }
    __device__ __forceinline__ const winnow__where_leaf &
    leaf(unsigned int i) const {
        return args.lists.leaf[i];
    }
    __device__ __forceinline__ unsigned int op(unsigned int i) const {
        return args.lists.op[i];
    }
    __device__ __forceinline__ const winnow__test *tests() const {
        return args.lists.test;
    }
    __device__ __forceinline__ const winnow__set_ref *sets() const {
        return args.lists.set;
    }
};

/* A stored program, whose lists the block has copied to shared memory. */
struct StoredLists {
    static constexpr bool STORED = true;
    const winnow__select_where_args &args;
    const unsigned char *copy;

    __device__ __forceinline__ StoredLists(const winnow__select_where_args &a,
                                           const unsigned char *shared)
        : args(a), copy(shared) {
    }
    template <class T>
    __device__ __forceinline__ const T *at(uint32_t place) const {
        return reinterpret_cast<const T *>(copy + place);
    }
    __device__ __forceinline__ const winnow__where_column &
    column(unsigned int i) const {
        return at<winnow__where_column>(0)[i];
    }
    __device__ __forceinline__ const winnow__where_leaf &
    leaf(unsigned int i) const {
        return at<winnow__where_leaf>(args.stored.leaf)[i];
    }
    __device__ __forceinline__ unsigned int op(unsigned int i) const {
        return at<uint16_t>(args.stored.op)[i];
    }
    __device__ __forceinline__ const winnow__test *tests() const {
        return at<winnow__test>(args.stored.test);
    }
    __device__ __forceinline__ const winnow__set_ref *sets() const {
        return at<winnow__set_ref>(args.stored.set);
    }
};

/* The tests of a leaf, and the column that it loads. Shared is data that all
 * leaves of a kind use; these need none. */
struct Tests {
    struct Shared {};

    const winnow__where_column &column;
    const winnow__test *tests;
    unsigned int number;

    template <class Program>
    __device__ __forceinline__ Tests(const Program &program,
                                     const winnow__where_leaf &leaf,
                                     const Shared &)
        : column(program.column(leaf.column)),
          tests(program.tests() + leaf.first), number(leaf.tests) {
    }

    /* Call visit(passes) for each test of a vector or of an element. */
    template <class U, class Visit>
    __device__ __forceinline__ void visit_vectors(Visit visit) const {
#pragma unroll 1
        for (unsigned int t = 0; t < number; t++)
            visit(VectorPredicate<U, ANY>(tests[t]));
    }

    template <class U, class Visit>
    __device__ __forceinline__ void visit_elements(Visit visit) const {
#pragma unroll 1
        for (unsigned int t = 0; t < number; t++)
            visit(Predicate<U, ANY>(tests[t]));
    }
};

/* ------------------------------------------------------- a chunk's vectors */

/*
 * A chunk has FIELDS vectors for each lane. The bits of vector k are field k of
 * the lane's word. In words of 32 consecutive items, vector k of lane l is
 * field l % FIELDS of word k * EACH + l / FIELDS.
 */
template <class U>
struct ChunkVectors {
    static constexpr unsigned int EACH = VECTOR_ITEMS<U>;
    static constexpr unsigned int FIELDS = WARP / EACH;

    /* From words of 32 consecutive items, word i in lane i, to fields. */
    __device__ __forceinline__ static uint32_t from_words(uint32_t word) {
        return transpose<EACH>(
            __shfl_sync(ALL_LANES, word,
                        lane_id() % FIELDS * EACH + lane_id() / FIELDS),
            lane_id());
    }

    __device__ __forceinline__ static uint32_t to_words(uint32_t fields) {
        return __shfl_sync(ALL_LANES, transpose<EACH>(fields, lane_id()),
                           lane_id() % EACH * FIELDS + lane_id() / EACH);
    }
};

/* Which live items of a whole chunk pass; bits of others are unspecified. */
template <class U, class Leaf>
__device__ __forceinline__ uint32_t test_vectors(const Leaf &leaf,
                                                 uint64_t first_item,
                                                 uint32_t live) {
    using Vectors = ChunkVectors<U>;
    constexpr unsigned int EACH = Vectors::EACH;
    constexpr unsigned int FIELDS = Vectors::FIELDS;
    /* Loads in flight: fewer for 8 bytes, to save registers. */
    constexpr unsigned int BATCH = FIELDS <= 8 ? FIELDS : 4;
    const uint4 *const in = reinterpret_cast<const uint4 *>(
                                leaf.column.first + first_item * sizeof(U)) +
                            lane_id();
    const uint32_t wanted = Vectors::from_words(live);
    uint32_t pass = 0;
#pragma unroll 1
    for (unsigned int first = 0; first < FIELDS; first += BATCH) {
        uint4 vector[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            vector[k] = make_uint4(0, 0, 0, 0);
            if ((wanted >> (first + k) * EACH & ALL_ITEMS<U>) != 0)
                vector[k] = __ldcs(in + (first + k) * WARP);
        }
        leaf.template visit_vectors<U>([&](const auto &passes) {
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                pass |= passes(vector[k]) << (first + k) * EACH;
        });
    }
    return Vectors::to_words(pass);
}

/* ------------------------------------------------------ a chunk's elements */

template <class U, winnow__access ACCESS>
__device__ __forceinline__ U load_element(const unsigned char *from) {
    if constexpr (ACCESS == WINNOW__BY_ELEMENTS) {
        return __ldcs(reinterpret_cast<const U *>(from));
    } else {
        U element = 0;
#pragma unroll
        for (unsigned int i = 0; i < sizeof(U); i++)
            element |=
                static_cast<U>(static_cast<U>(__ldcs(from + i)) << 8 * i);
        return element;
    }
}

/* As test_vectors(), but only the live items need exist. */
template <class U, winnow__access ACCESS, class Leaf>
__device__ __forceinline__ uint32_t test_elements(const Leaf &leaf,
                                                  uint64_t first_item,
                                                  uint32_t live) {
    /* Words whose loads are in flight, limited by registers. */
    constexpr unsigned int BATCH = ACCESS == WINNOW__BY_BYTES ? 16 / sizeof(U)
                                   : sizeof(U) == 8           ? 4
                                                              : 8;
    const uint64_t stride = leaf.column.stride;
    const unsigned char *const in =
        leaf.column.first + (first_item + lane_id()) * stride;
    const uint32_t words = __ballot_sync(ALL_LANES, live != 0);
    uint32_t pass = 0;
#pragma unroll 1
    for (unsigned int first = 0; first < WARP; first += BATCH) {
        if ((words >> first & ((1u << BATCH) - 1)) == 0)
            continue;
        U element[BATCH];
        uint32_t passed = 0; /* bit k: this lane's item of word first + k */
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            const uint32_t word = __shfl_sync(ALL_LANES, live, first + k);
            element[k] = 0;
            if ((word >> lane_id() & 1) != 0)
                element[k] =
                    load_element<U, ACCESS>(in + (first + k) * WARP * stride);
        }
        leaf.template visit_elements<U>([&](const auto &passes) {
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                if (passes(element[k]))
                    passed |= 1u << k;
        });
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            const uint32_t word =
                __ballot_sync(ALL_LANES, (passed >> k & 1) != 0);
            if (lane_id() == first + k)
                pass = word;
        }
    }
    return pass;
}

/* ---------------------------------------------------------- a chunk's bits */

/* As test_vectors(), for a column of bits, which has `items` items from
 * first_item on. */
__device__ __forceinline__ uint32_t
test_bits(const winnow__where_column &column, const winnow__where_leaf &leaf,
          uint64_t first_item, unsigned int items, uint32_t live) {
    if (live == 0)
        return 0;
    const BitWords bits(column.first + leaf.first * column.stride, column.skip,
                        first_item + items);
    return bits.bits(first_item + WARP * lane_id());
}

/* -------------------------------------------------------------- the program */

template <class U, class Leaf>
__device__ __forceinline__ uint32_t test_chunk(const Leaf &leaf,
                                               uint64_t first_item, bool whole,
                                               uint32_t live) {
    if (leaf.column.access == WINNOW__BY_VECTORS && whole)
        return test_vectors<U>(leaf, first_item, live);
    if (sizeof(U) == 1 || leaf.column.access != WINNOW__BY_BYTES)
        return test_elements<U, WINNOW__BY_ELEMENTS>(leaf, first_item, live);
    return test_elements<U, WINNOW__BY_BYTES>(leaf, first_item, live);
}

template <class Leaf>
__device__ __forceinline__ uint32_t test_column(const Leaf &leaf,
                                                uint64_t first_item, bool whole,
                                                uint32_t live) {
    switch (leaf.column.log2_size) {
    case 0:
        return test_chunk<uint8_t>(leaf, first_item, whole, live);
    case 1:
        return test_chunk<uint16_t>(leaf, first_item, whole, live);
    case 2:
        return test_chunk<uint32_t>(leaf, first_item, whole, live);
    default:
        return test_chunk<uint64_t>(leaf, first_item, whole, live);
    }
}

/* The operations of a program, in the order of the text. */
template <class Program>
struct TextOps {
    const Program program;

    __device__ __forceinline__ unsigned int number() const {
        return program.args.ops;
    }

    __device__ __forceinline__ unsigned int operator[](unsigned int i) const {
        return program.op(i);
    }
};

/* The operations in the order that an earlier launch of order.cu has written.
 * Each lane keeps one of the first 32, as loads of columns evict them from
 * cache. */
class SampledOps {
  public:
    __device__ __forceinline__ explicit SampledOps(const uint16_t *order)
        : op_(order + 1), number_(order[0]),
          mine_(lane_id() < number_ ? op_[lane_id()] : 0) {
    }

    __device__ __forceinline__ unsigned int number() const {
        return number_;
    }

    __device__ __forceinline__ unsigned int operator[](unsigned int i) const {
        return i < WARP ? __shfl_sync(ALL_LANES, mine_, i) : op_[i];
    }

  private:
    const uint16_t *op_;
    unsigned int number_, mine_;
};

/* This lane's words of the sets of live items that are saved. */
class Saved {
  public:
    __device__ __forceinline__ Saved(unsigned char *shared, unsigned int depth)
        : words_(reinterpret_cast<uint32_t *>(shared) +
                 warp_id() * depth * WARP + lane_id()) {
    }

    __device__ __forceinline__ uint32_t &operator[](unsigned int set) {
        return words_[set * WARP];
    }

  private:
    uint32_t *words_;
};

/* Which items of a chunk are kept. There are `items` items from first_item on,
 * maybe more than a chunk. */
template <class Leaf, class Program, class Ops>
__device__ __forceinline__ uint32_t decide_chunk(
    const Program &program, const Ops &ops, uint64_t first_item,
    unsigned int items, Saved &saved, const typename Leaf::Shared &shared) {
    const bool whole = items >= CHUNK_ITEMS;
    uint32_t live = winnow__bits_inside(WARP * lane_id(), items);
    unsigned int sets = 0; /* sets that are saved */
#pragma unroll 1
    for (unsigned int i = 0; i < ops.number(); i++) {
        const unsigned int op = ops[i];
        if (op < WINNOW__WHERE_OPEN) {
            if (__ballot_sync(ALL_LANES, live != 0) == 0)
                continue;
            const winnow__where_leaf &leaf = program.leaf(op);
            const winnow__where_column &column = program.column(leaf.column);
            const uint32_t pass =
                column.access == WINNOW__BY_BITS
                    ? test_bits(column, leaf, first_item, items, live)
                    : test_column(Leaf(program, leaf, shared), first_item,
                                  whole, live);
            live &= leaf.negated ? ~pass : pass;
        } else if (op == WINNOW__WHERE_OPEN) {
            saved[sets++] = live;
        } else {
            live = saved[sets - 1] & ~live;
            sets -= op == WINNOW__WHERE_CLOSE;
        }
    }
    return live;
}

/* ------------------------------------------------------------------ kernel */

/* How many items are tested. */
__device__ __forceinline__ uint64_t
items_looked_at(const winnow__select_where_args &args) {
    return args.n != nullptr && *args.n < args.to.n ? *args.n : args.to.n;
}

/* How many of them there are from the tile's first item on, limited to the tile
 * and the next 32 items: in a column of bits, these may share a word with the
 * tile's last items. */
__device__ __forceinline__ unsigned int
items_looked_at(const winnow__select_where_args &args, uint64_t tile) {
    constexpr unsigned int MOST = TILE_ITEMS + 32;
    const uint64_t first = tile * TILE_ITEMS;
    const uint64_t n = items_looked_at(args);
    if (n <= first)
        return 0;
    return n - first < MOST ? static_cast<unsigned int>(n - first) : MOST;
}

/* Three blocks per multiprocessor leave 80 registers per thread: no spills. */
constexpr unsigned int WHERE_BLOCKS = 3;

/* Prefetch the bits of a tile, a cache line in each lane. Otherwise each chunk
 * would wait for its bits before it loads elements. */
template <class Program>
__device__ __forceinline__ void
prefetch_bits(const Program &program, uint64_t tile, unsigned int items) {
    constexpr unsigned int LINE = 128; /* bytes */
    const unsigned int bit = lane_id() * LINE * 8;
    if (bit >= items)
        return;
#pragma unroll 1
    for (unsigned int i = 0; i < program.args.leaves; i++) {
        const winnow__where_leaf &leaf = program.leaf(i);
        const winnow__where_column &column = program.column(leaf.column);
        if (column.access == WINNOW__BY_BITS)
            prefetch(column.first + leaf.first * column.stride +
                     (tile * TILE_ITEMS + bit) / 8);
    }
}

template <class Leaf, class Program, class Ops>
__device__ __forceinline__ void
decide_tile(const Program &program, const Ops &ops, uint64_t tile, Saved &saved,
            const typename Leaf::Shared &shared) {
    const winnow__selection &to = program.args.to;
    const unsigned int items = items_looked_at(program.args, tile);
    unsigned int kept = 0;
    prefetch_bits(program, tile, items);
#pragma unroll 1
    for (unsigned int chunk = 0; chunk < TILE_CHUNKS; chunk++) {
        const unsigned int before = chunk * CHUNK_ITEMS;
        uint32_t keep = 0;
        if (before < items)
            keep = decide_chunk<Leaf>(program, ops, tile * TILE_ITEMS + before,
                                      items - before, saved, shared);
        to.keep[tile * TILE_WORDS + chunk * WARP + lane_id()] = keep;
        kept += __popc(keep);
    }
    put_count(to, tile, kept);
}

template <bool ORDERED, class Program>
__device__ __forceinline__ auto ops_of(const Program &program) {
    if constexpr (ORDERED)
        return SampledOps(program.args.order);
    else
        return TextOps<Program>{program};
}

} // namespace winnow::select
