/*
 * WINNOW_SOFTWARE_ATOMIC: one addition to the cursor per warp, as
 * WINNOW_WARP_AGGREGATED has (atomics.cu), but without hardware atomics. Warps
 * send requests; block 0, the coordinator, adds for them and returns the old
 * values (winnow/software_atomic.cuh).
 *
 * A client block waits for the coordinator, so all blocks have to be resident:
 * the launch is cooperative, and a device that cannot hold the grid refuses it.
 * The other blocks, which do not wait for each other, share the tiles.
 *
 * Order of memory, all at the scope of the device: the store of a slot's mark
 * releases a warp's request, and the coordinator's load of the mark acquires
 * it. The store that removes the mark releases the old value, and the load by
 * which the warp waits acquires it. A client also signs off by a release, which
 * the coordinator's load acquires: so it reads the count after all additions.
 * The coordinator alone accesses the cursor, with barriers of the block between
 * its threads. The kernel that clears the slots ends before this one begins.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/tile/sink_values.cuh"

#include <winnow/software_atomic.cuh>

namespace winnow::copy {

using namespace tile;

/* More threads than in atomics.cu: the coordinator has one for each slot that
 * it polls at a time. A warp's part of a tile is the same. */
constexpr unsigned int THREADS = 512, VECTORS = 2;

static_assert(sizeof(device::SoftwareAtomicSlot) == WINNOW__SLOT_BYTES &&
                  alignof(device::SoftwareAtomicSlot) == WINNOW__SLOT_BYTES,
              "what the host plans");

/* The grid's slots. The workspace is aligned to 16 bytes, and a slot to more:
 * the host adds the difference to the workspace. */
__device__ __forceinline__ device::SoftwareAtomic
shared_slots(const winnow__args &args) {
    const uintptr_t start = reinterpret_cast<uintptr_t>(args.software.slots);
    const uintptr_t aligned = (start + WINNOW__SLOT_BYTES - 1) /
                              WINNOW__SLOT_BYTES * WINNOW__SLOT_BYTES;
    return {reinterpret_cast<device::SoftwareAtomicSlot *>(aligned), nullptr,
            gridDim.x - 1, THREADS / WARP};
}

/* Serve all clients, then write the count, and set the cursor to 0 again. */
__device__ __forceinline__ void coordinate(const winnow__args &args,
                                           const device::SoftwareAtomic &all) {
    WINNOW__SHARED(shared, device::SoftwareAtomicCoordinator<THREADS>);
    device::software_atomic_serve(all, shared);
    if (threadIdx.x != 0)
        return;
    store_count(args, args.cursor->survivors);
    args.cursor->survivors = 0;
}

/* Select from each `all.clients`-th tile. */
template <class Select, class Sink>
__device__ __forceinline__ void select_tiles(const winnow__args &args,
                                             const device::SoftwareAtomic &all,
                                             unsigned int client) {
    using TileType = Tile<Select, THREADS, VECTORS>;
    WINNOW__SHARED(shared, device::SoftwareAtomicClient<THREADS>);
    device::software_atomic_begin(shared);
    const Source<Select> source(args);
    const uint64_t tiles = (source.end + TileType::ITEMS - 1) / TileType::ITEMS;
    for (uint64_t i = client; i < tiles; i += all.clients) {
        TileType tile;
        tile.load(source, i);
        const unsigned int kept = sum(tile.kept());
        if (kept == 0)
            continue;
        unsigned long long offset = 0;
        if (lane_id() == 0)
            offset = device::software_atomic_add(all, shared, client,
                                                 &args.cursor->survivors, kept);
        offset = __shfl_sync(ALL_LANES, offset, 0);
        const uint64_t first = TileType::first_index(source, i);
        rank_by_ballot(tile, [&](unsigned int rank, typename Select::U item,
                                 unsigned int local) {
            Sink::scatter(args, offset + rank, item, first + local);
        });
    }
    device::software_atomic_end(all, client);
}

template <class Select, class Sink>
__global__ void __launch_bounds__(THREADS)
    software_atomic(const __grid_constant__ winnow__args args) {
    report_strategy(args);
    const device::SoftwareAtomic all = shared_slots(args);
    const device::SoftwareAtomicRole role =
        device::software_atomic_role_by_index();
    if (role.coordinates)
        coordinate(args, all);
    else
        select_tiles<Select, Sink>(args, all, role.client);
}

} // namespace winnow::copy

#define ENTRY(U, KIND, SINK)                                                   \
    WINNOW__ENTRY(winnow::copy::THREADS,                                       \
                  winnow::copy::THREADS *winnow::copy::VECTORS * 16, 16, 0,    \
                  winnow::copy::software_atomic<winnow::Compare<U, KIND>,      \
                                                winnow::copy::SINK<U>>)
#define VALUES(U, KIND) ENTRY(U, KIND, Values)
WINNOW__TABLE(winnow__software_atomic, WINNOW__ANY_KIND(VALUES));
#define INDICES(U, KIND) ENTRY(U, KIND, Indices)
WINNOW__TABLE(winnow__index_software_atomic, WINNOW__ANY_KIND(INDICES));
