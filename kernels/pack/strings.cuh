/*
 * Copies the bytes of strings to known places.
 *
 * The output is cut into pieces of at most 16 bytes, each of one string. Every
 * thread moves the same number of pieces, so that no thread waits for another's
 * long string. A piece is read in aligned words, shifted to its place in the
 * output's words, and joined with others in shared memory. From there whole
 * vectors go to memory. Two windows of pieces alternate in shared memory: one
 * is written out while the next is made, with one barrier for each.
 *
 * If no string has more than 16 bytes, each string is a piece. Otherwise each
 * vector of the output that a string touches is a piece of it; the last one may
 * be empty. String i begins at piece i + (vectors from the first string's
 * beginning to its own). A warp finds the string of its first piece by a
 * search, and the strings of the others by a bit for each piece in which a
 * string begins.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "strings.h"
#include "kernels/selection/use.cuh"

namespace winnow::pack {

using namespace selection;

using StringWords = SelectedWords<WINNOW__BATCH_TILES>;
using StringUnit = Unit<WINNOW__BATCH_TILES>;

/* Strings that are staged together. */
constexpr unsigned int EACH_STRING = 4;
constexpr unsigned int STAGED_STRINGS = EACH_STRING * SINK_THREADS;
static_assert(STAGED_STRINGS == WARP * WARP, "a search has two steps");

/* Pieces of a window. A thread loads all of its pieces before it stores any. */
constexpr unsigned int EACH_PIECE = 2;
constexpr unsigned int WINDOW = EACH_PIECE * SINK_THREADS;
constexpr unsigned int PIECE_BYTES = 16;

/* String i goes from byte from[i] of the input to byte at[i] of the output. */
template <class Offset>
struct StagedStrings {
    Offset at[STAGED_STRINGS + 1];
    Offset from[STAGED_STRINGS];
    /* The windows' words, 0 where nothing was put. Windows share a vector. */
    alignas(16) uint32_t made[2][4 * (WINDOW + 1)];
    Offset ends[2]; /* of the windows */
};

/* Where a string begins, and its length. */
template <class Offset>
struct String {
    Offset begin, bytes;

    __device__ __forceinline__ String(Offset first, Offset end, uint64_t size) {
        const Offset most = static_cast<Offset>(size);
        begin = min(first, most);
        end = min(end, most);
        bytes = end > begin ? end - begin : 0;
    }
};

/* Bytes of a string, for byte `begin` of the output from an aligned address. */
template <class Offset>
struct Piece {
    Offset begin, from;
    unsigned int bytes;

    /* The piece has the bytes from lead() to end() - 1 of its words. */
    __device__ __forceinline__ unsigned int lead() const {
        return static_cast<unsigned int>(begin) % 4;
    }

    __device__ __forceinline__ unsigned int end() const {
        return lead() + bytes;
    }
};

/* A piece in WORDS words of the output: 5 for any alignment, 4 in a vector.
 * Bytes before it are 0; bytes behind it are unspecified. */
template <unsigned int WORDS>
struct PieceWords {
    uint32_t input[WORDS + 1];
    unsigned int shift; /* bytes */

    __device__ __forceinline__ uint32_t word(unsigned int i) const {
        return __funnelshift_r(input[i], input[i + 1], 8 * shift);
    }
};

/* The bytes of the input strings. No other byte is read. */
template <class Offset>
struct StringBytes {
    const winnow__strings_args &args;

    /* Words that extend beyond the input are read in bytes. */
    template <unsigned int WORDS>
    __device__ __forceinline__ void load(const Piece<Offset> &piece,
                                         PieceWords<WORDS> &to) const {
        static_assert(4 * (WORDS + 1) <= WINNOW__STRING_REACH,
                      "it may be read");
        /* A wrapped, large number if the piece begins before `words`. */
        const Offset first = piece.from - args.head - piece.lead();
        to.shift = static_cast<unsigned int>(first) % 4;
#pragma unroll
        for (unsigned int i = 0; i <= WORDS; i++)
            to.input[i] = 0;
        if (first >= static_cast<Offset>(args.open)) {
            load_bytes(piece, to);
            return;
        }
        const uint32_t *const words =
            static_cast<const uint32_t *>(args.words) + first / 4;
        const unsigned int end = to.shift + piece.end();
#pragma unroll
        for (unsigned int i = 0; i <= WORDS; i++)
            if (4 * i < end)
                to.input[i] = words[i];
    }

  private:
    template <unsigned int WORDS>
    __device__ __forceinline__ void load_bytes(const Piece<Offset> &piece,
                                               PieceWords<WORDS> &to) const {
        const unsigned int begin = to.shift + piece.lead();
        const uint8_t *const bytes =
            static_cast<const uint8_t *>(args.words) - args.head + piece.from;
#pragma unroll
        for (unsigned int w = 0; w <= WORDS; w++) {
#pragma unroll 1
            for (unsigned int i = 4 * w; i < 4 * w + 4; i++)
                if (i - begin < piece.bytes)
                    to.input[w] |= static_cast<uint32_t>(bytes[i - begin])
                                   << 8 * (i % 4);
        }
    }
};

/* Puts a piece into words, with its first byte at byte `place`. Words that
 * pieces share get each by atomicOr. Each piece sets only its own bytes, so the
 * order does not matter, and words are read behind a barrier. */
template <class Offset, unsigned int WORDS>
__device__ __forceinline__ void put_piece(const Piece<Offset> &piece,
                                          const PieceWords<WORDS> &words,
                                          uint32_t *made, unsigned int place) {
    const unsigned int lead = piece.lead(), end = piece.end();
    uint32_t *const to = made + place / 4;
    if (WORDS == 4 && piece.bytes == PIECE_BYTES) { /* a vector */
        *reinterpret_cast<uint4 *>(to) = make_uint4(
            words.word(0), words.word(1), words.word(2), words.word(WORDS - 1));
        return;
    }
    if (piece.bytes == 0)
        return;
    uint32_t last = words.word(0) & ~0u << 8 * lead;
    if (end >= 4)
        atomicOr(to, last);
#pragma unroll
    for (unsigned int i = 1; i < WORDS; i++) {
        if (end >= 4 * i)
            last = words.word(i);
        if (end >= 4 * i + 4)
            to[i] = last;
    }
    if (end % 4 != 0)
        atomicOr(to + end / 4, last & ((1u << 8 * (end % 4)) - 1));
}

/*
 * An output of consecutive strings, by all threads of a block: add() staged
 * strings, any number of times, then finish(). Bytes count from an aligned
 * address.
 */
template <class Offset>
class StringOutput {
  public:
    /* Begins at byte `begin` of the output. A barrier has to follow. */
    __device__ __forceinline__ StringOutput(StagedStrings<Offset> &strings,
                                            const winnow__strings_args &args,
                                            Offset begin)
        : strings_(strings), bytes_{args}, turn_(0) {
        const uintptr_t address = reinterpret_cast<uintptr_t>(args.out);
        out_ = reinterpret_cast<uint4 *>(address & ~uintptr_t(15));
        skip_ = static_cast<Offset>(address % 16);
        begin_ = end_ = begin + skip_;
    }

    __device__ __forceinline__ static void
    clear(StagedStrings<Offset> &strings) {
        uint4 *const vectors = reinterpret_cast<uint4 *>(strings.made);
        for (unsigned int v = threadIdx.x; v < 2 * (WINDOW + 1);
             v += SINK_THREADS)
            vectors[v] = make_uint4(0, 0, 0, 0);
    }

    /* Appends staged strings. A barrier has to follow before the next ones. */
    __device__ __forceinline__ void add(unsigned int number, bool are_short) {
        if (are_short)
            add_short(number);
        else
            add_long(number);
    }

    /* Behind a barrier: writes the last vector, which has other bytes, too. */
    __device__ __forceinline__ void finish() {
        if (threadIdx.x >= 4)
            return;
        uint32_t &made = strings_.made[turn_][threadIdx.x];
        const uint32_t word = made;
        const Offset place = (end_ & ~Offset(15)) + 4 * threadIdx.x;
        made = 0;
        uint8_t *const to = reinterpret_cast<uint8_t *>(out_) + place;
#pragma unroll
        for (unsigned int i = 0; i < 4; i++)
            if (begin_ <= place + i && place + i < end_)
                to[i] = static_cast<uint8_t>(word >> 8 * i);
    }

  private:
    StagedStrings<Offset> &strings_;
    const StringBytes<Offset> bytes_;
    uint4 *out_;
    Offset skip_;        /* bytes of vector 0 before the output */
    Offset begin_, end_; /* of the strings added */
    unsigned int turn_;

    __device__ __forceinline__ Offset at(unsigned int string) const {
        return strings_.at[string] + skip_;
    }

    /* By all threads: puts pieces of a window, or its last ones. */
    template <unsigned int WORDS>
    __device__ __forceinline__ void
    put_pieces(const Piece<Offset> (&pieces)[EACH_PIECE]) {
        const Offset first = end_ & ~Offset(15);
        PieceWords<WORDS> words[EACH_PIECE];
#pragma unroll
        for (unsigned int k = 0; k < EACH_PIECE; k++)
            bytes_.load(pieces[k], words[k]);
#pragma unroll
        for (unsigned int k = 0; k < EACH_PIECE; k++)
            put_piece(pieces[k], words[k], strings_.made[turn_],
                      static_cast<unsigned int>(pieces[k].begin - first));
    }

    /* Behind a barrier: writes the vectors that the window completes, and
     * carries an incomplete one over to the next window. */
    __device__ __forceinline__ void end_window(Offset end) {
        const Offset first = end_ / 16;
        const unsigned int vectors =
            static_cast<unsigned int>(end / 16 - first);
        uint4 *const made = reinterpret_cast<uint4 *>(strings_.made[turn_]);
        for (unsigned int v = threadIdx.x; v < vectors; v += SINK_THREADS) {
            const uint4 vector = made[v];
            made[v] = make_uint4(0, 0, 0, 0);
            if (16 * (first + v) >= begin_)
                __stcs(out_ + first + v, vector);
            else
                write_head(vector);
        }
        turn_ ^= 1;
        const unsigned int word = threadIdx.x - (SINK_THREADS - 4);
        if (word < 4 && 4 * word < end % 16) {
            uint32_t &last = reinterpret_cast<uint32_t *>(made + vectors)[word];
            atomicOr(&strings_.made[turn_][word], last);
            last = 0;
        }
        end_ = end;
    }

    /* Writes the first vector, which has other bytes, too. */
    __device__ __forceinline__ void write_head(const uint4 &vector) const {
        const uint32_t words[4] = {vector.x, vector.y, vector.z, vector.w};
        uint8_t *const to =
            reinterpret_cast<uint8_t *>(out_) + (begin_ & ~Offset(15));
#pragma unroll
        for (unsigned int i = 0; i < 16; i++)
            if (i >= begin_ % 16)
                to[i] = static_cast<uint8_t>(words[i / 4] >> 8 * (i % 4));
    }

    __device__ __forceinline__ void add_short(unsigned int number) {
#pragma unroll 1
        for (unsigned int window = 0; window < number; window += WINDOW) {
            const unsigned int end = min(window + WINDOW, number);
            Piece<Offset> pieces[EACH_PIECE];
#pragma unroll
            for (unsigned int k = 0; k < EACH_PIECE; k++) {
                const unsigned int i = window + k * SINK_THREADS + threadIdx.x;
                pieces[k] = {0, 0, 0};
                if (i >= end)
                    continue;
                pieces[k].begin = at(i);
                pieces[k].from = strings_.from[i];
                pieces[k].bytes =
                    static_cast<unsigned int>(at(i + 1) - pieces[k].begin);
            }
            put_pieces<5>(pieces);
            __syncthreads();
            end_window(at(end));
        }
    }

    /* The number of the first `number` strings that begin in or before a piece.
     * By all lanes. `first`: the vector in which the first string begins. */
    __device__ __forceinline__ unsigned int
    strings_upto(Offset piece, unsigned int number, Offset first) const {
        unsigned int found = 0;
#pragma unroll
        for (unsigned int step = WARP; step != 0; step /= WARP) {
            const unsigned int i = found + step * lane_id();
            const bool before = i < number && at(i) / 16 - first + i <= piece;
            const unsigned int count = __popc(__ballot_sync(ALL_LANES, before));
            found += step == 1 ? count : step * (count - 1);
        }
        return found;
    }

    __device__ __forceinline__ void add_long(unsigned int number) {
        const Offset first = at(0) / 16;
        const Offset all = at(number) / 16 - first + number;
        const unsigned int upto = lanes_below() << 1 | 1;
#pragma unroll 1
        for (Offset window = 0; window < all; window += WINDOW) {
            Offset piece = window + warp_id() * EACH_PIECE * WARP;
            Piece<Offset> pieces[EACH_PIECE];
            unsigned int before =
                piece < all ? strings_upto(piece, number, first) - 1 : 0;
#pragma unroll
            for (unsigned int k = 0; k < EACH_PIECE; k++, piece += WARP) {
                pieces[k] = {0, 0, 0};
                if (piece >= all)
                    continue;
                /* A bit for each of the warp's pieces that begins a string. */
                const unsigned int next = before + 1 + lane_id();
                const Offset starts =
                    next < number ? at(next) / 16 - first + next - piece : WARP;
                const unsigned int begun =
                    reduce_or(starts < WARP ? 1u << starts : 0);
                const unsigned int i = before + __popc(begun & upto);
                before += __popc(begun);
                const Offset mine = piece + lane_id();
                if (mine >= all)
                    continue;
                const Offset begin = at(i), low = 16 * (mine - i + first);
                const Offset from = max(begin, low);
                const Offset end = min(at(i + 1), low + 16);
                pieces[k].begin = from;
                pieces[k].from = strings_.from[i] + (from - begin);
                pieces[k].bytes =
                    end > from ? static_cast<unsigned int>(end - from) : 0;
                if (mine == all - 1 || mine == window + WINDOW - 1)
                    strings_.ends[turn_] = max(from, end);
            }
            put_pieces<4>(pieces);
            __syncthreads();
            end_window(strings_.ends[turn_]);
        }
    }
};

} // namespace winnow::pack
