/*
 * The beginning of each compiled condition's source, behind types.cu,
 * kernels/expression/scalar.h and args.h. It includes nothing: compiling CUDA's
 * headers takes ten times as long as all of this.
 *
 * A warp decides a chunk of 1024 items at a time. A chunk has eight steps of
 * 128 adjacent items; steps begin STRIDE items apart. In step k lane l has
 * items STRIDE k + 4 l to STRIDE k + 4 l + 3 of every column, so that it loads
 * whole vectors of columns of any type. Bits of items are kept as fields: field
 * k of a lane's word has the bits of its four items of step k.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
typedef winnow__compiled_column Column;
struct Args : winnow__compiled_args {
    Column column[COLUMNS];
    u64 constant[CONSTANTS];
};

constexpr u32 ALL = 0xffffffffu;
constexpr u32 STEPS = 8, STEP = 128;
/* The number of items from a chunk's first to its last. */
constexpr u32 CHUNK = (STEPS - 1) * STRIDE + STEP;

__device__ inline u32 lane() {
    return threadIdx.x % 32;
}

/* Transposes the fields of eight adjacent lanes: halves, bytes, fields. */
__device__ inline u32 transpose(u32 x) {
    const u32 other = __shfl_xor_sync(ALL, x, 4);
    x = __byte_perm(x, other, lane() & 4 ? 0x3276 : 0x5410);
    const u32 next = __shfl_xor_sync(ALL, x, 2);
    x = __byte_perm(x, next, lane() & 2 ? 0x3715 : 0x6240);
    const u32 last = __shfl_xor_sync(ALL, x, 1);
    return lane() & 1 ? (x & 0xf0f0f0f0) | (last >> 4 & 0x0f0f0f0f)
                      : (x & 0x0f0f0f0f) | (last << 4 & 0xf0f0f0f0);
}

/* The first of the chunk's items that are in a lane's word of 32 items. */
__device__ inline u32 word_place() {
    return lane() / 4 * STRIDE + lane() % 4 * 32;
}

/* From the words of all lanes, and back. */
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

/*
 * Quotients as in kernels/expression/scalar.h, in 32 bits. The factor for 64
 * bits is 2^(63 + l) / d rounded up. Its upper half, rounded up, is right for
 * dividends up to 2^31; 2^(32 + l) / d rounded up, without its bit 32, for
 * dividends up to 2^32 - 1.
 */
__device__ inline u32 half_quotient(u32 x, const u64 *by) {
    const u32 factor = u32(by[1] >> 32) + (u32(by[1]) != 0);
    return __umulhi(x, factor) >> u32(by[2]);
}

__device__ inline i32 winnow__do_FLOOR_DIVIDE_INT64_BY(i32 x, const u64 *by) {
    const i32 sign = x >> 31;
    return i32(half_quotient(u32(x ^ sign), by)) ^ sign;
}

__device__ inline i32 winnow__do_REMAINDER_INT64_BY(i32 x, const u64 *by) {
    const u32 size = x < 0 ? 0 - u32(x) : u32(x);
    const u32 rest = size - half_quotient(size, by) * u32(by[0]);
    return i32(x < 0 ? 0 - rest : rest);
}

__device__ inline u32 winnow__do_FLOOR_DIVIDE_INT64_BY(u32 x, const u64 *by) {
    const u32 factor = u32(by[1] >> 31) + (u32(by[1]) << 1 != 0);
    const u32 high = __umulhi(x, factor);
    return (high + ((x - high) >> 1)) >> u32(by[2]);
}

__device__ inline u32 winnow__do_REMAINDER_INT64_BY(u32 x, const u64 *by) {
    return x - winnow__do_FLOOR_DIVIDE_INT64_BY(x, by) * u32(by[0]);
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

struct i128 {
    u64 low;
    i64 high;
};

/* Loads a lane's four adjacent, aligned items, if any is wanted. */
template <class T>
__device__ inline void load_vectors(const Column &column, u64 item, u32 want,
                                    T (&x)[4]) {
    constexpr u32 BYTES = 4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16;
    typedef typename Vector<BYTES>::type V;
    const V *const from =
        reinterpret_cast<const V *>(column.first + item * sizeof(T));
    V v[4 * sizeof(T) / BYTES];
#pragma unroll
    for (u32 i = 0; i < 4 * sizeof(T) / BYTES; i++)
        v[i] = want != 0 ? __ldcs(from + i) : V();
    memcpy(x, v, sizeof x);
}

/* Loads an element of any alignment. */
template <class T>
__device__ inline T load_bytes(const u8 *from) {
    T x;
    u8 bytes[sizeof(T)];
#pragma unroll 1
    for (u32 b = 0; b < sizeof(T); b++)
        bytes[b] = from[b];
    memcpy(&x, bytes, sizeof x);
    return x;
}

/* Rotates a lane's four items, since registers cannot be indexed. */
template <class T>
__device__ inline void shift_in(T (&x)[4], T last) {
    x[0] = x[1];
    x[1] = x[2];
    x[2] = x[3];
    x[3] = last;
}

/* Loads the wanted items, of any layout. */
template <class T>
__device__ inline void load_elements(const Column &column, u64 item, u32 want,
                                     T (&x)[4]) {
    const u8 *const from = column.first + item * column.stride;
    if (column.is_aligned) {
#pragma unroll
        for (u32 j = 0; j < 4; j++)
            x[j] = want >> j & 1
                       ? *reinterpret_cast<const T *>(from + j * column.stride)
                       : T();
    } else {
#pragma unroll 1
        for (u32 j = 0; j < 4; j++)
            shift_in(x, want >> j & 1 ? load_bytes<T>(from + j * column.stride)
                                      : T());
    }
}

/* An array of bits as aligned words. If only some bytes of a word belong to the
 * array, these are read byte by byte. No other bytes are read. */
struct BitWords {
    const u32 *words;
    u64 first;      /* item 0's bit, counted from words */
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
#pragma unroll 1
        for (u32 j = 0; j < 4; j++)
            if (begin <= 4 * i + j && 4 * i + j < end)
                word |= u32(bytes[4 * i + j]) << 8 * j;
        return word;
    }
};

/* The bits of a chunk's items, as fields; unspecified for dead items. */
__device__ WINNOW__LOAD_BITS u32 read_bits(const Column &column, u64 array,
                                           u64 chunk, u64 items, u32 live) {
    if (!__any_sync(ALL, live != 0))
        return 0;
    const BitWords from(column, array, items);
    const u64 bit = from.first + chunk + word_place();
    u64 bits = 0;
#pragma unroll 1
    for (u32 i = 0; i <= (bit % 32 != 0); i++)
        bits |= u64(from.word(bit / 32 + i)) << 32 * i;
    return fields_of(u32(bits >> bit % 32));
}

/* The same for a validity, too: if there is none, all items are valid. */
__device__ inline u32 load_bits(const Column &column, u64 array, u64 chunk,
                                u64 items, u32 live) {
    return column.first == nullptr
               ? ALL
               : read_bits(column, array, chunk, items, live);
}

/* Does x pass? KEYED: negative patterns are flipped; MASKED: under a mask. */
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

/* The live items of a chunk that are kept, as fields. `items`: of the call. */
__device__ u32 decide(const Args &a, u64 chunk, u64 items, u32 live,
                      bool by_vectors);

/* A lane's word, with a bit for each of the chunk's first `items` items. */
__device__ inline u32 inside(u64 items) {
    const u64 first = word_place();
    return items >= first + 32 ? ALL
           : items <= first    ? 0
                               : (1u << (items - first)) - 1;
}
