/*
 * What the source of each compiled condition begins with, behind types.cu and
 * kernels/expression/scalar.h. It includes nothing: CUDA's headers take ten times
 * as long as all of this.
 *
 * A warp makes a tile of a selection, a chunk of 1024 items at a time. A chunk
 * has eight steps; in step k lane l has the items 128 k + 4 l to 128 k + 4 l + 3,
 * of every column: so that it loads whole vectors of columns of any type. Bits
 * of items are kept as fields: field k of a lane's word has those of its four
 * items of step k.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* As winnow__compiled_column of lib/compile/args.h. */
struct Column {
    const u8 *first;
    u64 stride;
    u32 skip, is_aligned;
};

struct Args {
    u32 *keep;
    u16 *counts;
    const u64 *items;
    u64 n;
    u64 tiles;
    u64 by_vectors;
    Column column[COLUMNS];
    u64 constant[CONSTANTS];
};

constexpr u32 ALL = 0xffffffffu;
constexpr u32 CHUNK = 1024, CHUNKS = 4, STEPS = 8;

__device__ inline u32 lane() {
    return threadIdx.x % 32;
}

/* Swap lanes and fields of eight lanes side by side. */
__device__ inline u32 transpose(u32 x) {
#pragma unroll
    for (u32 step = 1; step < 8; step *= 2) {
        const u32 low = ALL / ((1u << step * 4) + 1);
        const u32 other = __shfl_xor_sync(ALL, x, step);
        x = lane() & step ? (x & ~low) | ((other >> step * 4) & low)
                          : (x & low) | ((other & low) << step * 4);
    }
    return x;
}

/* From words, of which lane i has that of the items from 32 i on. */
__device__ inline u32 fields_of(u32 word) {
    return transpose(__shfl_sync(ALL, word, lane() % 8 * 4 + lane() / 8));
}

__device__ inline u32 words_of(u32 fields) {
    return __shfl_sync(ALL, transpose(fields), lane() % 4 * 8 + lane() / 4);
}

/* A value of another type with the same bits. */
template <class T, class F>
__device__ inline T bits_as(F from) {
    static_assert(sizeof(T) == sizeof(F), "of one size");
    T to;
    memcpy(&to, &from, sizeof to);
    return to;
}

template <u32 BYTES>
struct Vector;
template <>
struct Vector<4> {
    typedef u32 type;
};
template <>
struct Vector<8> {
    typedef uint2 type;
};
template <>
struct Vector<16> {
    typedef uint4 type;
};

/* An element of 128 bits. */
struct i128 {
    u64 low;
    i64 high;
};

/* The four items of a lane, side by side and aligned. */
template <class T>
__device__ inline void load_vectors(const Column &column, u64 item, T (&x)[4]) {
    constexpr u32 BYTES = 4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16;
    typedef typename Vector<BYTES>::type V;
    const V *const from =
        reinterpret_cast<const V *>(column.first + item * sizeof(T));
    V v[4 * sizeof(T) / BYTES];
#pragma unroll
    for (u32 i = 0; i < 4 * sizeof(T) / BYTES; i++)
        v[i] = __ldcs(from + i);
    memcpy(x, v, sizeof x);
}

/* An element of no alignment. It is rare, and takes little code. */
template <class T>
__device__ __noinline__ T load_bytes(const u8 *from) {
    T x;
    u8 bytes[sizeof(T)];
#pragma unroll 1
    for (u32 b = 0; b < sizeof(T); b++)
        bytes[b] = from[b];
    memcpy(&x, bytes, sizeof x);
    return x;
}

/* Those that are wanted, of any layout. */
template <class T>
__device__ inline void load_elements(const Column &column, u64 item, u32 want,
                                     T (&x)[4]) {
#pragma unroll
    for (u32 j = 0; j < 4; j++) {
        const u8 *const from = column.first + (item + j) * column.stride;
        x[j] = T();
        if (want >> j & 1)
            x[j] = column.is_aligned ? *reinterpret_cast<const T *>(from)
                                     : load_bytes<T>(from);
    }
}

/* Those of a step, if one of them is wanted. */
template <bool BY_VECTORS, class T>
__device__ inline void load_step(const Column &column, u64 item, u32 want,
                                 T (&x)[4]) {
    if (want == 0) {
#pragma unroll
        for (u32 j = 0; j < 4; j++)
            x[j] = T();
    } else if (BY_VECTORS) {
        load_vectors(column, item, x);
    } else {
        load_elements(column, item, want, x);
    }
}

/* An array of bits as aligned words. A word that only a part of belongs to the
 * array's bytes is read byte by byte: nothing else is ever read. */
struct BitWords {
    const u32 *words;
    u64 first;      /* the bit of the words that is item 0's */
    u64 begin, end; /* the array's bytes, counted from words */

    __device__ inline BitWords(const Column &column, u64 array, u64 items) {
        const u64 address =
            reinterpret_cast<u64>(column.first + array * column.stride);
        words = reinterpret_cast<const u32 *>(address & ~u64(3));
        begin = address % 4;
        first = begin * 8 + column.skip;
        end = (first + items + 7) / 8;
    }

    __device__ inline u32 word(u64 i) const {
        if (begin <= 4 * i && 4 * i + 4 <= end)
            return __ldcs(words + i);
        u32 word = 0;
        const u8 *const bytes = reinterpret_cast<const u8 *>(words);
#pragma unroll
        for (u32 j = 0; j < 4; j++)
            if (begin <= 4 * i + j && 4 * i + j < end)
                word |= u32(bytes[4 * i + j]) << 8 * j;
        return word;
    }
};

/* Of each lane's items of a chunk, as fields; those of dead items may be any. A
 * validity that there is none of is of items that are all valid. */
__device__ __noinline__ u32 load_bits(const Column &column, u64 array,
                                      u64 chunk, u64 items, u32 live) {
    if (column.first == nullptr)
        return ALL;
    u32 bits = 0;
    if (words_of(live) != 0) {
        const BitWords from(column, array, items);
        const u64 bit = from.first + chunk + 32 * lane();
        const u32 shift = u32(bit % 32);
        bits = __funnelshift_r(from.word(bit / 32),
                               shift != 0 ? from.word(bit / 32 + 1) : 0, shift);
    }
    return fields_of(bits);
}

/* An element x passes: KEYED, of either sign; MASKED, under a mask. */
template <bool KEYED, bool MASKED, class U>
__device__ inline bool passes(U x, const u64 *test) {
    if (KEYED) {
        const U sign = x >> (8 * sizeof(U) - 1) ? U(~U(0)) : U(0);
        x = U(x ^ (sign & U(test[0])));
    }
    if (MASKED)
        x = U(x & U(test[1]));
    return U(x - U(test[2])) <= U(test[3]);
}

/* ------------------------------------------------------------------- kernel */

/* Those that are kept of the live items of a chunk, as fields; `items` are looked
 * at in all. */
template <bool BY_VECTORS>
__device__ u32 decide(const Args &a, u64 chunk, u64 items, u32 live);

/* A word for each lane, of the chunk's first items. */
__device__ inline u32 inside(u64 items) {
    const u64 first = 32 * lane();
    return items >= first + 32 ? ALL
           : items <= first    ? 0
                               : (1u << (items - first)) - 1;
}

extern "C" __global__ void __launch_bounds__(256)
    winnow_kernel(const __grid_constant__ Args a) {
    const u64 tile = u64(blockIdx.x) * 8 + threadIdx.x / 32;
    if (tile >= a.tiles)
        return;
    const u64 items = a.items != nullptr && *a.items < a.n ? *a.items : a.n;
    u32 kept = 0;
#pragma unroll 1
    for (u32 c = 0; c < CHUNKS; c++) {
        const u64 chunk = (tile * CHUNKS + c) * CHUNK;
        u32 word = 0;
        if (a.by_vectors && chunk + CHUNK <= items)
            word = words_of(decide<true>(a, chunk, items, ALL));
        else if (chunk < items)
            word = words_of(decide<false>(a, chunk, items,
                                          fields_of(inside(items - chunk))));
        a.keep[(tile * CHUNKS + c) * 32 + lane()] = word;
        kept += __popc(word);
    }
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2)
        kept += __shfl_xor_sync(ALL, kept, step);
    if (lane() == 0 && a.counts != nullptr)
        a.counts[tile] = u16(kept);
}
