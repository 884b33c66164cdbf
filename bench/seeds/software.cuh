/*
 * A kernel with a software atomic: one block more than the work has, of which
 * the first to begin is the coordinator.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SEEDS_SOFTWARE_CUH
#define WINNOW_BENCH_SEEDS_SOFTWARE_CUH

#include "kernel.cuh"

namespace seeds {

/* The slots, and after them the ticket. */
inline SoftwareAtomic software_of(void *d_software, unsigned int clients,
                                  unsigned int threads) {
    char *const slots = static_cast<char *>(d_software);
    SoftwareAtomic all;
    all.slots = reinterpret_cast<SoftwareAtomicSlot *>(slots);
    all.ticket = reinterpret_cast<unsigned int *>(
        slots + software_atomic_bytes(clients, threads));
    all.clients = clients;
    all.warps = threads / WARP_LANES;
    return all;
}

/* How a client adds: add(counter, amount) returns what was there before. */
template <unsigned int N>
struct SoftwareAdd {
    const SoftwareAtomic &all;
    SoftwareAtomicClient<N> &shared;
    unsigned int client;
    template <class T>
    __device__ __forceinline__ T operator()(T *counter, Same<T> amount) const {
        return software_atomic_add(all, shared, client, counter, amount);
    }
};

/* The coordinator serves; the others do the work: work(client, add). All
 * threads of all blocks, of N threads each. */
template <unsigned int N, class Work>
__device__ __forceinline__ void with_software_atomic(const SoftwareAtomic &all,
                                                     Work work) {
    WINNOW__SHARED(ticket, unsigned int);
    WINNOW__SHARED(coordinator, SoftwareAtomicCoordinator<N>);
    WINNOW__SHARED(client, SoftwareAtomicClient<N>);
    const SoftwareAtomicRole role = software_atomic_role_by_ticket(all, ticket);
    if (role.coordinates) {
        software_atomic_serve(all, coordinator);
        return;
    }
    software_atomic_begin(client);
    work(role.client, SoftwareAdd<N>{all, client, role.client});
    software_atomic_end(all, role.client);
}

} // namespace seeds

#endif
