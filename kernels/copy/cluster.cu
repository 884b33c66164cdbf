/*
 * WINNOW_TILE_SCAN for at most as many tiles as a cluster has blocks: every
 * block writes the count of its tile to the shared memory of all later blocks.
 * The call needs no workspace.
 *
 * In place is safe: a tile's survivors are written after all earlier tiles were
 * loaded, and no survivor moves towards the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/tile/cluster_exchange.cuh"
#include "kernels/tile/striped.cuh"

namespace winnow::copy {

using namespace tile;

template <class Select, class Sink, unsigned int PER_THREAD>
__global__ void __launch_bounds__(STRIPED_THREADS)
    cluster(const __grid_constant__ winnow__args args) {
    WINNOW__SHARED(own_counts, WarpCounts<STRIPED_THREADS>);
    WINNOW__SHARED(own_exchange, ClusterExchange);

    wait_for_stream();
    StripedTile<Select, PER_THREAD> tile;
    if (!tile.fetch(args, blockIdx.x))
        return;
    own_exchange.prepare();
    WarpCounts<STRIPED_THREADS> &counts = at_hand(own_counts);
    ClusterExchange &exchange = at_hand(own_exchange);
    fetch_arguments(args);
    tile.fetch_capacity(args);
    const uint32_t target = exchange.find_target(args);
    tile.test(args);
    counts.write(tile.kept());
    __syncthreads();
    exchange.wait_until_ready();
    unsigned int total = 0;
    if (warp_id() == 0) {
        total = counts.total_soon();
        exchange.signal(target, total);
    }
    tile.rank(counts.before());
    report_strategy(args);
    trigger_dependents(); /* keeps ptxas from computing ranks after it */
    const unsigned int offset = exchange.wait();
    tile.template scatter<Sink>(args, blockIdx.x, offset);
    if (blockIdx.x == args.blocks - 1 && threadIdx.x == 0)
        store_count(args, offset + total);
}

} // namespace winnow::copy

#define ENTRY(U, KIND, SINK, PER_THREAD)                                       \
    WINNOW__STRIPED_ENTRY(                                                     \
        U, PER_THREAD, STRIPED_THREADS,                                        \
        winnow::copy::cluster<winnow::Compare<U, KIND>, winnow::copy::SINK<U>, \
                              PER_THREAD>)

#define BY_2(U, KIND) ENTRY(U, KIND, Values, 2)
WINNOW__TABLE(winnow__cluster_2, WINNOW__ANY_KIND(BY_2));
#define BY_4(U, KIND) ENTRY(U, KIND, Values, 4)
WINNOW__TABLE(winnow__cluster_4, WINNOW__ANY_KIND(BY_4));
#define BY_8(U, KIND) ENTRY(U, KIND, Values, 8)
WINNOW__TABLE(winnow__cluster_8, WINNOW__ANY_KIND(BY_8));
#define BY_16(U, KIND) ENTRY(U, KIND, Values, 16)
WINNOW__TABLE(winnow__cluster_16, WINNOW__ANY_KIND(BY_16));
#define INDICES(U, KIND) ENTRY(U, KIND, Indices, 4)
WINNOW__TABLE(winnow__index_cluster, WINNOW__ANY_KIND(INDICES));
