/*
 * Sums by key in a warp. First each lane finds its peers, the lanes with the
 * same key. Then trees add the values of all peers, for all keys at the same
 * time. Then one atomic is executed for each distinct key. The same peers can
 * serve any number of sums.
 *
 * The algorithm is that of E. Westphal, "Voting and Shuffling to Optimize
 * Atomic Operations" (2015).
 *
 * `mask` has the lanes that take part. All of them make the same call with the
 * same mask, and no other lane makes it. `peers` is the result of match_peers()
 * in this lane for that mask.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_DEVICE_PEERS_CUH
#define WINNOW_DEVICE_PEERS_CUH

#include "atomic.cuh"

namespace winnow::device {

/* The lanes of the mask with the same key as this lane, including this lane. A
 * key has 4 or 8 bytes; bytes are compared, so 0.0 differs from -0.0. */
template <class Key>
__device__ __forceinline__ unsigned int match_peers(unsigned int mask,
                                                    Key key) {
    static_assert(sizeof(Key) == 4 || sizeof(Key) == 8, "4 or 8 bytes");
    return __match_any_sync(mask, copy_bits<Word<Key>>(key));
}

/*
 * The same by ballots. In each round the lowest lane without peers broadcasts
 * its key, and the lanes with that key are its peers. There is one round for
 * each distinct key. Only the lanes without peers take part in the next ballot.
 */
template <class Key>
__device__ __forceinline__ unsigned int match_peers_by_ballot(unsigned int mask,
                                                              Key key) {
    static_assert(sizeof(Key) == 4 || sizeof(Key) == 8, "4 or 8 bytes");
    const Word<Key> own = copy_bits<Word<Key>>(key);
    unsigned int unclaimed = mask;
    for (;;) {
        const Word<Key> other = shuffle(unclaimed, own, lowest_lane(unclaimed));
        const bool same = own == other;
        const unsigned int peers = __ballot_sync(unclaimed, same);
        if (same)
            return peers;
        unclaimed &= ~peers;
    }
}

/*
 * A tree for sums over a lane's peers. It has the lane from which this lane
 * takes a value in each round. It is made once, and can serve any number of
 * sums, with a shuffle in each round.
 *
 * In each round every second remaining peer passes its sum to the remaining
 * peer before it, and leaves. The sum has the peer's own value and the values
 * that it took in earlier rounds.
 */
class PeerTree {
  public:
    /* No lane takes a value. */
    __device__ __forceinline__ PeerTree() : sources(0), rounds(0) {
    }

    __device__ __forceinline__ PeerTree(unsigned int mask, unsigned int peers)
        : sources(0), rounds(0) {
        unsigned int rank = rank_in(peers);
        unsigned int later = peers & ~lanes_below() & ~(1u << lane_id());
        while (__any_sync(mask, later != 0)) {
            /* A lane that has left may go on: no lane takes its value. */
            const bool stays = (rank & 1) == 0;
            const unsigned int source =
                later != 0 && stays ? TAKES | lowest_lane(later) : lane_id();
            sources |= source << BITS * rounds;
            later &= __ballot_sync(mask, stays);
            rank /= 2;
            rounds++;
        }
    }

    /* All lanes of the mask make the call. The lowest peer gets the values of
     * all peers, combined by `op`; the results of the others have no
     * meaning. */
    template <class T, class Op = Plus>
    __device__ __forceinline__ T reduce(unsigned int mask, T value,
                                        Op op = Op()) const {
        unsigned int left = sources;
        for (unsigned int i = 0; i < rounds; i++) {
            const T other = shuffle(mask, value, left % TAKES);
            if (left & TAKES)
                value = op(value, other);
            left >>= BITS;
        }
        return value;
    }

  protected:
    static constexpr unsigned int TAKES = 32; /* a flag above a lane's number */
    static constexpr unsigned int BITS = 6;

    unsigned int sources; /* five rounds of BITS each */
    unsigned int rounds;  /* the same in all lanes */
};

/*
 * The values of all peers, combined in the order of lanes by an associative
 * operator, which need not be commutative. Only the lowest lane of the peers
 * gets the result; other lanes must not use theirs.
 */
template <class T, class Op = Plus>
__device__ __forceinline__ T reduce_peers_to_lowest(unsigned int mask,
                                                    unsigned int peers, T value,
                                                    Op op = Op()) {
    return PeerTree(mask, peers).reduce(mask, value, op);
}

/* The same, with the result in all peers. */
template <class T, class Op = Plus>
__device__ __forceinline__ T reduce_peers(unsigned int mask, unsigned int peers,
                                          T value, Op op = Op()) {
    return shuffle(mask, reduce_peers_to_lowest(mask, peers, value, op),
                   lowest_lane(peers));
}

/* The values of the peers up to and including this lane, combined in the order
 * of lanes. Each lane takes a value from the peer before it. In the next round
 * it takes one from the peer from which that peer took its last value. There
 * are at most five rounds. */
template <class T, class Op = Plus>
__device__ __forceinline__ T scan_peers(unsigned int mask, unsigned int peers,
                                        T value, Op op = Op()) {
    const unsigned int none = lane_id();
    const unsigned int before = peers & lanes_below();
    unsigned int previous = before != 0 ? highest_lane(before) : none;
    while (__any_sync(mask, previous != none)) {
        const T other = shuffle(mask, value, previous);
        const unsigned int of_that = shuffle(mask, previous, previous);
        if (previous != none) {
            value = op(other, value);
            previous = of_that == previous ? none : of_that;
        }
    }
    return value;
}

/* The lowest lane of the peers executes the atomic for all. */
template <class T, class Op>
__device__ __forceinline__ void
accumulate_tree(unsigned int mask, unsigned int peers, const PeerTree &tree,
                T *to, T value, Op op) {
    const T all = tree.reduce(mask, value, op);
    if ((peers & lanes_below()) == 0)
        (void)atomic_update(to, all, op);
}

/* *to = op(*to, value) for the values of all peers, by one atomic. All peers
 * have the same `to`. */
template <class T, class Op = Plus>
__device__ __forceinline__ void accumulate_peers(unsigned int mask,
                                                 unsigned int peers, T *to,
                                                 Same<T> value, Op op = Op()) {
    accumulate_tree<T>(mask, peers, PeerTree(mask, peers), to, value, op);
}

/* The same for N components; component i of this key is at to[i * stride]. */
template <class T, unsigned int N, class Op = Plus>
__device__ __forceinline__ void
accumulate_components(unsigned int mask, unsigned int peers, T *to,
                      unsigned long long stride, const T (&values)[N],
                      Op op = Op()) {
    const PeerTree tree(mask, peers);
#pragma unroll
    for (unsigned int i = 0; i < N; i++)
        accumulate_tree(mask, peers, tree, to + i * stride, values[i], op);
}

/*
 * *to = op(*to, value) for every lane of the mask, by one atomic for each
 * distinct key. Lanes with the same key have the same `to`; lanes with
 * different keys may share a `to`.
 */
template <class Key, class T, class Op = Plus>
__device__ __forceinline__ void accumulate_by_key(unsigned int mask, Key key,
                                                  T *to, Same<T> value,
                                                  Op op = Op()) {
    accumulate_peers(mask, match_peers(mask, key), to, value, op);
}

/* The same for N components; the peers are found once. */
template <class Key, class T, unsigned int N, class Op = Plus>
__device__ __forceinline__ void
accumulate_components_by_key(unsigned int mask, Key key, T *to,
                             unsigned long long stride, const T (&values)[N],
                             Op op = Op()) {
    accumulate_components(mask, match_peers(mask, key), to, stride, values, op);
}

} // namespace winnow::device

#endif
