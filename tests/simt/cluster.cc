/*
 * Blocks of a cluster: the shared memory of others, barriers in memory, and
 * stores that arrive some time later. And kernels that begin early.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "machine.hpp"
#include "memory.hpp"

#include <deque>

namespace simt {

namespace {

/* An address in another block's shared memory: which block, and where. */
constexpr unsigned int BLOCK_SHIFT = 24;

struct Store {
    std::shared_ptr<Cluster> cluster;
    Scopes sender;
    uint32_t to, mbarrier;
    uint32_t value;
    order::Point after; /* it was sent */
};

struct Mbarrier {
    const Block *block;
    unsigned int arrivals; /* of a phase */
    unsigned int pending;  /* of this one */
    int64_t bytes;         /* still to come */
    unsigned int phase;
};

std::deque<Store> &stores() {
    static auto *const stores = new std::deque<Store>;
    return *stores;
}

std::map<const void *, Mbarrier> &mbarriers() {
    static auto *const all = new std::map<const void *, Mbarrier>;
    return *all;
}

Mbarrier &find_mbarrier(const void *address) {
    const auto found = mbarriers().find(address);
    if (found == mbarriers().end())
        fail("%p is used as an mbarrier, and is none (yet)", address);
    return found->second;
}

void complete_if_over(Mbarrier &mbarrier) {
    if (mbarrier.pending != 0 || mbarrier.bytes != 0)
        return;
    mbarrier.pending = mbarrier.arrivals;
    mbarrier.phase ^= 1;
    epoch++;
}

/* In another block, or this one. */
unsigned char *there(const Cluster &cluster, uint32_t address) {
    const uint32_t block = address >> BLOCK_SHIFT;
    if (block == 0 || block > cluster.blocks.size())
        fail("%08x is no address in a cluster", address);
    if (cluster.blocks[block - 1] == nullptr)
        fail("block %u of a cluster is written to, and has ended", block - 1);
    return cluster.blocks[block - 1]->shared +
           (address & ((1u << BLOCK_SHIFT) - 1));
}

Cluster &own_cluster() {
    return *self->block->cluster;
}

} // namespace

uint32_t cluster_address(const void *variable, unsigned int block) {
    if (block >= own_cluster().blocks.size())
        fail("a cluster has no block %u", block);
    return (block + 1) << BLOCK_SHIFT | shared_address(variable);
}

/* The store, and the count of its bytes, are somebody else's who comes after
 * the sender. */
void store_async(uint32_t to, uint32_t value, uint32_t mbarrier) {
    Thread &thread = *self;
    const order::Point after = order::new_point();
    order::release(after);
    {
        const order::Outside outside;
        stores().push_back({thread.block->cluster, scopes_of(thread), to,
                            mbarrier, value, after});
    }
    own_cluster();
    maybe_yield();
}

bool deliver_store() {
    if (stores().empty())
        return false;
    const order::Fiber host = order::current();
    const uint32_t which =
        chance().below(static_cast<uint32_t>(stores().size()));
    const Store store = stores()[which];
    {
        const order::Outside outside;
        stores().erase(stores().begin() + which);
    }
    auto *const to =
        reinterpret_cast<uint32_t *>(there(*store.cluster, store.to));
    unsigned char *const address = there(*store.cluster, store.mbarrier);
    check_access(to, sizeof *to, true);
    Mbarrier &mbarrier = find_mbarrier(address);
    order::switch_to(order::take_fiber());
    order::acquire(store.after);
    order::write(to, sizeof *to);
    *static_cast<volatile uint32_t *>(to) = store.value;
    order::load_word(address, 8);
    release_as(address, store.sender, CLUSTER);
    order::switch_to(host);
    mbarrier.bytes -= sizeof *to;
    complete_if_over(mbarrier);
    return true;
}

void mbarrier_init(uint64_t *mbarrier, unsigned int arrivals) {
    Thread &thread = *self;
    check_access(mbarrier, sizeof *mbarrier, true);
    order::write(mbarrier, sizeof *mbarrier);
    {
        const order::Outside outside;
        mbarriers()[mbarrier] = {thread.block, arrivals, arrivals, 0, 0};
    }
    /* The fence, which a relaxed arrival at the cluster's barrier hands on. */
    const order::Point point = order::new_point();
    order::release(point);
    if (thread.inits == nullptr)
        thread.inits = order::take_fiber();
    order::switch_to(thread.inits);
    order::acquire(point);
    order::switch_to(thread.strand.fiber);
}

void mbarrier_expect(uint64_t *address, uint32_t bytes) {
    maybe_yield();
    Mbarrier &mbarrier = find_mbarrier(address);
    order::load_word(address, 8);
    release_as(address, scopes_of(*self), BLOCK);
    mbarrier.bytes += bytes;
    if (mbarrier.pending == 0)
        fail("block %u: more threads arrive at an mbarrier than it has",
             self->block->index);
    mbarrier.pending--;
    complete_if_over(mbarrier);
}

bool mbarrier_try_wait(uint64_t *address, unsigned int parity, Scope scope) {
    maybe_yield();
    const Mbarrier &mbarrier = find_mbarrier(address);
    order::load_word(address, 8);
    if ((mbarrier.phase & 1) == parity) {
        looked();
        return false;
    }
    acquire_as(address, scopes_of(*self), scope);
    return true;
}

void forget_mbarriers(const Block &block) {
    const order::Outside outside;
    for (auto i = mbarriers().begin(); i != mbarriers().end();)
        i = i->second.block == &block ? mbarriers().erase(i) : std::next(i);
    block.cluster->blocks[block.index % block.cluster->blocks.size()] = nullptr;
}

/* ------------------------------------------------- a barrier of the cluster */

namespace {

void complete(Barrier &barrier) {
    barrier.waiting.wake_all(barrier.point, 0);
    barrier.arrived = 0;
    barrier.point = nullptr;
    barrier.generation++;
}

void arrive(bool releases) {
    Thread &thread = *self;
    Cluster &cluster = own_cluster();
    Barrier &barrier = cluster.barrier;
    if (barrier.arrived == 0)
        barrier.point = order::new_point();
    thread.cluster_point = barrier.point;
    thread.cluster_generation = barrier.generation;
    if (releases)
        order::release(barrier.point);
    if (thread.inits != nullptr) {
        order::switch_to(thread.inits);
        order::release(barrier.point);
        order::switch_to(thread.strand.fiber);
    }
    if (++barrier.arrived == cluster.live)
        complete(barrier);
    maybe_yield();
}

} // namespace

unsigned int cluster_blocks() {
    return self->block->grid->launch.cluster;
}

void cluster_arrive() {
    arrive(true);
}

void cluster_arrive_relaxed() {
    arrive(false);
}

void cluster_wait() {
    Thread &thread = *self;
    Barrier &barrier = own_cluster().barrier;
    if (thread.cluster_generation == barrier.generation) {
        barrier.waiting.add(thread);
        wait("the cluster's barrier");
    } else {
        order::acquire(thread.cluster_point);
    }
}

void leave_cluster(Thread &thread) {
    Cluster &cluster = *thread.block->cluster;
    Barrier &barrier = cluster.barrier;
    cluster.live--;
    if (barrier.arrived != 0 && barrier.arrived == cluster.live)
        complete(barrier);
}

/* ------------------------------------------------------- dependent launches */

void wait_for_stream() {
    Grid &grid = *self->block->grid;
    if (grid.waits) {
        grid.waiting.add(*self);
        wait("the kernels before this one");
    }
    acquire_all(grid.awaited);
    maybe_yield();
}

void trigger_dependents() {
    Block &block = *self->block;
    if (!block.triggered) {
        block.triggered = true;
        block.grid->triggered++;
    }
    maybe_yield();
}

} // namespace simt
