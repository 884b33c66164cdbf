/*
 * Sums by key in a warp: first each lane finds its peers, the lanes that have
 * the same key; then the values of all peers are summed by sub-trees, those of
 * all keys at once; then one atomic is made for each distinct key. Peers found
 * once serve any number of sums.
 *
 * The algorithm is that of E. Westphal, "Voting and Shuffling to Optimize
 * Atomic Operations" (2015).
 *
 * `mask` is the lanes that take part. All of them make the same call with the
 * same mask, and no other lane does. `peers` is what match_peers() returned to
 * this lane for that mask.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_DEVICE_PEERS_CUH
#define WINNOW_DEVICE_PEERS_CUH

#include "atomic.cuh"

namespace winnow::device {

/* The lanes of the mask that have the same key as this one, which is among
 * them. A key has 4 or 8 bytes, which are compared: 0.0 is not -0.0. */
template <class Key>
__device__ __forceinline__ unsigned int match_peers(unsigned int mask,
                                                    Key key) {
    static_assert(sizeof(Key) == 4 || sizeof(Key) == 8, "4 or 8 bytes");
    return __match_any_sync(mask, copy_bits<Word<Key>>(key));
}

/*
 * The same by votes: the lowest lane that has no peers yet tells its key, those
 * who have it vote, and are done. It goes round once for each distinct key. Who
 * has not been found goes round again, so these are the lanes of each vote.
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
 * From whom a lane takes a value in each round of a sum over its peers: made
 * once, it serves any number of sums, of a shuffle in each round.
 *
 * In each round every second peer that is left hands its value, which stands
 * for itself and those that it took before, to the peer before it, and leaves.
 */
class PeerTree {
  public:
    /* Nobody from anybody. */
    __device__ __forceinline__ PeerTree() : sources(0), rounds(0) {
    }

    __device__ __forceinline__ PeerTree(unsigned int mask, unsigned int peers)
        : sources(0), rounds(0) {
        unsigned int rank = rank_in(peers);
        unsigned int later = peers & ~lanes_below() & ~(1u << lane_id());
        while (__any_sync(mask, later != 0)) {
            /* Who has left may go on: nobody takes from it again. */
            const bool stays = (rank & 1) == 0;
            const unsigned int source =
                later != 0 && stays ? TAKES | lowest_lane(later) : lane_id();
            sources |= source << BITS * rounds;
            later &= __ballot_sync(mask, stays);
            rank /= 2;
            rounds++;
        }
    }

    /* By all lanes of the mask: the values of the peers, put together by `op`,
     * in the lowest of them. What others get means nothing. */
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
    static constexpr unsigned int TAKES = 32; /* beside a lane's number */
    static constexpr unsigned int BITS = 6;

    unsigned int sources; /* five rounds of BITS each */
    unsigned int rounds;  /* the same in all lanes */
};

/*
 * The values of all peers, in the order of their lanes, put together by an
 * associative operator, which need not be commutative: in the lowest lane of
 * them. In other lanes it is a part of that, or more than that: they must not
 * use it.
 */
template <class T, class Op = Plus>
__device__ __forceinline__ T reduce_peers_to_lowest(unsigned int mask,
                                                    unsigned int peers, T value,
                                                    Op op = Op()) {
    return PeerTree(mask, peers).reduce(mask, value, op);
}

/* As above, in all of the peers. */
template <class T, class Op = Plus>
__device__ __forceinline__ T reduce_peers(unsigned int mask, unsigned int peers,
                                          T value, Op op = Op()) {
    return shuffle(mask, reduce_peers_to_lowest(mask, peers, value, op),
                   lowest_lane(peers));
}

/* The values of the peers up to this one, it included, in the order of their
 * lanes. Each takes from the peer before it, then from that of which that one
 * had taken, and so on: at most five rounds. */
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

/* The peers' lowest lane makes the atomic for all. */
template <class T, class Op>
__device__ __forceinline__ void
accumulate_tree(unsigned int mask, unsigned int peers, const PeerTree &tree,
                T *to, T value, Op op) {
    const T all = tree.reduce(mask, value, op);
    if ((peers & lanes_below()) == 0)
        (void)atomic_update(to, all, op);
}

/* *to = op(*to, value) for the values of all peers, who have the same `to`: by
 * one atomic. */
template <class T, class Op = Plus>
__device__ __forceinline__ void accumulate_peers(unsigned int mask,
                                                 unsigned int peers, T *to,
                                                 Same<T> value, Op op = Op()) {
    accumulate_tree<T>(mask, peers, PeerTree(mask, peers), to, value, op);
}

/* Of N components, of which number i of this key is at to[i * stride]. */
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
 * distinct key. Lanes of the same key have the same `to`; those of different
 * keys may.
 */
template <class Key, class T, class Op = Plus>
__device__ __forceinline__ void accumulate_by_key(unsigned int mask, Key key,
                                                  T *to, Same<T> value,
                                                  Op op = Op()) {
    accumulate_peers(mask, match_peers(mask, key), to, value, op);
}

/* Of N components: the peers are found once. */
template <class Key, class T, unsigned int N, class Op = Plus>
__device__ __forceinline__ void
accumulate_components_by_key(unsigned int mask, Key key, T *to,
                             unsigned long long stride, const T (&values)[N],
                             Op op = Op()) {
    accumulate_components(mask, match_peers(mask, key), to, stride, values, op);
}

} // namespace winnow::device

#endif
