/*
 * Kernels that call the functions of winnow/device.cuh.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/core/ptx.cuh"
#ifndef __CUDACC__
#include "simt/port.hpp"
#endif
#include <winnow/device.cuh>

#include <cooperative_groups.h>

#include "primitives.h"

namespace {

namespace wd = winnow::device;

constexpr unsigned int THREADS = PRIMITIVE_THREADS;
using Args = primitive_args;

/* This thread's of an array that has one for each thread. */
template <class T>
__device__ T own(const void *array) {
    return static_cast<const T *>(array)[blockIdx.x * blockDim.x + threadIdx.x];
}

template <class T, unsigned int N = 1>
__device__ T *own_out(const Args &args) {
    return static_cast<T *>(args.out) +
           static_cast<uint64_t>(blockIdx.x * blockDim.x + threadIdx.x) * N;
}

/* f(lanes of this way), from a branch of each way. */
template <class F>
__device__ void diverge(const Args &args, F f) {
    const unsigned int way = own<uint8_t>(args.ways);
    const unsigned int first = __ballot_sync(wd::FULL_WARP, way == 1);
    const unsigned int second = __ballot_sync(wd::FULL_WARP, way == 2);
    if (way == 1)
        f(first);
    else if (way == 2)
        f(second);
}

/* ------------------------------------------------------ one key, one counter
 */

template <class T>
__global__ void increment(Args args) {
    T *const counter =
        static_cast<T *>(args.counters) + own<uint32_t>(args.keys);
    diverge(args, [&](unsigned int) {
        *own_out<T>(args) = wd::aggregated_increment(counter);
    });
}

template <class T>
__global__ void add(Args args) {
    T *const counter =
        static_cast<T *>(args.counters) + own<uint32_t>(args.keys);
    diverge(args, [&](unsigned int) {
        *own_out<T>(args) = wd::aggregated_add(counter, own<T>(args.values));
    });
}

template <class T>
__global__ void add_shared(Args args) {
    using Counters = T[PRIMITIVE_KEYS];
    WINNOW__SHARED(counters, Counters);
    T *const all = static_cast<T *>(args.counters);
    Counters &local = counters;
    for (unsigned int i = threadIdx.x; i < PRIMITIVE_KEYS; i += THREADS)
        local[i] = all[i];
    __syncthreads();
    diverge(args, [&](unsigned int) {
        *own_out<T>(args) = wd::aggregated_add(local + own<uint32_t>(args.keys),
                                               own<T>(args.values));
    });
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < PRIMITIVE_KEYS; i += THREADS)
        all[i] = local[i];
}

template <class T>
__device__ T *counter_of_way(const Args &args) {
    return static_cast<T *>(args.counters) + own<uint8_t>(args.ways);
}

template <class T>
__global__ void increment_mask(Args args) {
    diverge(args, [&](unsigned int mask) {
        *own_out<T>(args) =
            wd::aggregated_increment_mask(mask, counter_of_way<T>(args));
    });
}

template <class T>
__global__ void add_mask(Args args) {
    diverge(args, [&](unsigned int mask) {
        *own_out<T>(args) = wd::aggregated_add_mask(
            mask, counter_of_way<T>(args), own<T>(args.values));
    });
}

template <class T>
__global__ void increment_group(Args args) {
    if (own<uint8_t>(args.ways) == 0)
        return;
    *own_out<T>(args) =
        wd::aggregated_increment_group(cooperative_groups::coalesced_threads(),
                                       static_cast<T *>(args.counters));
}

template <class T>
__global__ void add_group(Args args) {
    if (own<uint8_t>(args.ways) == 0)
        return;
    *own_out<T>(args) = wd::aggregated_add_group(
        cooperative_groups::coalesced_threads(),
        static_cast<T *>(args.counters), own<T>(args.values));
}

/* -------------------------------------------------------------------- peers */

template <class T>
__global__ void reduce(Args args) {
    const uint32_t key = own<uint32_t>(args.keys);
    const T value = own<T>(args.values);
    T *const out = own_out<T, 4>(args);
    diverge(args, [&](unsigned int mask) {
        const unsigned int peers = wd::match_peers(mask, key);
        out[0] = wd::reduce_peers(mask, peers, value);
        out[1] = wd::reduce_peers(mask, peers, value, wd::Minimum());
        out[2] = wd::reduce_peers(mask, peers, value, wd::Maximum());
        out[3] = wd::scan_peers(mask, peers, value);
    });
}

template <class T>
__global__ void accumulate(Args args) {
    const uint32_t key = own<uint32_t>(args.keys);
    T *const counters = static_cast<T *>(args.counters);
    T values[PRIMITIVE_COMPONENTS];
    for (unsigned int i = 0; i < PRIMITIVE_COMPONENTS; i++)
        values[i] = own<T>(args.values) * static_cast<T>(i + 1);
    diverge(args, [&](unsigned int mask) {
        wd::accumulate_components_by_key(mask, key, counters + key,
                                         PRIMITIVE_KEYS, values);
        wd::accumulate_by_key(
            mask, key, counters + PRIMITIVE_COMPONENTS * PRIMITIVE_KEYS + key,
            values[0], wd::Minimum());
    });
}

struct Pair {
    uint32_t low, high;
};

template <class Key>
__device__ void match(const Args &args, unsigned int number, Key key) {
    uint32_t *const out = own_out<uint32_t, 2 * MATCH_KEYS>(args) + 2 * number;
    diverge(args, [&](unsigned int mask) {
        out[0] = wd::match_peers(mask, key);
        out[1] = wd::match_peers_by_ballot(mask, key);
    });
}

__global__ void match_all(Args args) {
    const uint32_t key = own<uint32_t>(args.keys);
    match(args, 0, static_cast<int>(key * 2654435761u));
    match(args, 1, static_cast<uint64_t>(key) << 40 | 7);
    match(args, 2, static_cast<float>(key) * -0.25f + 1.0f);
    match(args, 3, Pair{7, key});
    match(args, 4, static_cast<const char *>(args.out) + key);
}

/* First a, then b. */
struct Follow {
    __device__ map operator()(const map &a, const map &b) const {
        return {a.a * b.a, a.b * b.a + b.b};
    }
    __device__ counted_map operator()(const counted_map &a,
                                      const counted_map &b) const {
        return {a.a * b.a, a.b * b.a + b.b, a.count + b.count};
    }
};

__global__ void maps(Args args) {
    using Scratch = counted_map[THREADS / 32][wd::SCAN_SCRATCH];
    WINNOW__SHARED(scratch, Scratch);
    Scratch &all_scratch = scratch;
    const uint32_t key = own<uint32_t>(args.keys);
    const counted_map value = own<counted_map>(args.values);
    counted_map *const out = own_out<counted_map, 4>(args);
    counted_map *const counters = static_cast<counted_map *>(args.counters);
    const counted_map none = {1, 0, 0};
    diverge(args, [&](unsigned int mask) {
        const unsigned int peers = wd::match_peers(mask, key);
        out[0] = wd::reduce_peers(mask, peers, value, Follow());
        out[1] = wd::scan_peers(mask, peers, value, Follow());
        out[2] = wd::warp_inclusive_scan(value, mask, Follow());
        out[3] = wd::warp_exclusive_scan(value, mask, Follow(), none);
        /* Maps that all add commute, so the order of atomics does not matter.
         */
        wd::accumulate_by_key(
            mask, key, reinterpret_cast<uint64_t *>(counters) + key,
            wd::copy_bits<uint64_t>(map{1, value.b}),
            [](uint64_t a, uint64_t b) {
                return wd::copy_bits<uint64_t>(
                    Follow()(wd::copy_bits<map>(a), wd::copy_bits<map>(b)));
            });
        wd::accumulate_by_key(
            mask, key, reinterpret_cast<map *>(counters) + PRIMITIVE_KEYS + key,
            map{1, value.b}, Follow());
    });
    __syncthreads();
    /* The forms with shared memory, of lanes that are all there. */
    counted_map *const own_scratch = all_scratch[threadIdx.x / 32];
    const counted_map a = wd::warp_inclusive_scan_shared(
        own_scratch, value, wd::FULL_WARP, Follow(), none);
    const counted_map b = wd::warp_exclusive_scan_register(
        own_scratch, value, wd::FULL_WARP, Follow(), none);
    const counted_map c = Follow()(b, value);
    if (own<uint8_t>(args.ways) == 0)
        out[2] = a.a == c.a && a.b == c.b && a.count == c.count
                     ? a
                     : counted_map{0, 0, 0};
}

/* -------------------------------------------------------------------- scans */

template <class T, int FORM>
__global__ void scan(Args args) {
    using Scratch = T[THREADS / 32][WAYS][wd::SCAN_SCRATCH];
    WINNOW__SHARED(scratch, Scratch);
    Scratch &all = scratch;
    const T value = own<T>(args.values);
    T *const out = own_out<T, 2>(args);
    T *const own_scratch = all[threadIdx.x / 32][own<uint8_t>(args.ways)];
    diverge(args, [&](unsigned int mask) {
        if constexpr (FORM == PRIMITIVE_SCAN_SHARED) {
            out[0] = wd::warp_inclusive_scan_shared(own_scratch, value, mask);
            out[1] = wd::warp_exclusive_scan_shared(own_scratch, value, mask);
        } else if constexpr (FORM == PRIMITIVE_SCAN_REGISTER) {
            out[0] = wd::warp_inclusive_scan_register(own_scratch, value, mask);
            out[1] = wd::warp_exclusive_scan_register(own_scratch, value, mask);
        } else {
            out[0] = wd::warp_inclusive_scan(value, mask);
            out[1] = wd::warp_exclusive_scan(value, mask);
        }
    });
}

template <class T, class Form>
__global__ void scan_array(Args args) {
    using Storage = wd::ArrayScanStorage<T, THREADS, Form>;
    WINNOW__SHARED(storage, Storage);
    wd::block_scan_array(storage, static_cast<T *>(args.out), args.n);
}

/* -------------------------------------------------------- compare-and-swap */

template <class T>
__global__ void cas(Args args) {
    T *const counters = static_cast<T *>(args.counters);
    const T value = own<T>(args.values);
    diverge(args, [&](unsigned int) {
        *own_out<T>(args) = wd::atomic_add_cas(counters, value);
        wd::atomic_min_cas(counters + 1, value);
        wd::atomic_max_cas(counters + 2, value);
    });
}

__global__ void cas_types(Args args) {
    char *const counters = static_cast<char *>(args.counters);
    const uint32_t value = own<uint32_t>(args.values);
    diverge(args, [&](unsigned int) {
        wd::atomic_add_cas(reinterpret_cast<unsigned short *>(counters), value);
        wd::atomic_update(reinterpret_cast<map *>(counters + 8), map{1, value},
                          Follow());
    });
}

/* ------------------------------------------------------------------- blocks */

template <unsigned int SIZE>
__global__ void block(Args args) {
    using Storage = wd::BlockScanStorage<uint64_t, SIZE>;
    WINNOW__SHARED(storage, Storage);
    uint64_t *const counters = static_cast<uint64_t *>(args.counters);
    uint64_t *const out = own_out<uint64_t, 6>(args);
    const uint64_t value = own<uint32_t>(args.values);
    out[0] = wd::block_exclusive_scan(storage, value, &out[2]);
    out[1] = wd::block_inclusive_scan(storage, value);
    out[3] = wd::block_add(storage, counters, value);
    out[4] = wd::block_increment(storage, counters + 1, value % 2 != 0);
    out[5] = wd::block_exclusive_scan(storage, 3 * value);
}

/* --------------------------------------------------------------- compaction */

__global__ void compact_warp(Args args) {
    const uint32_t value = own<uint32_t>(args.values);
    const unsigned int first = blockIdx.x * THREADS + threadIdx.x / 32 * 32;
    const unsigned int way = own<uint8_t>(args.ways);
    diverge(args, [&](unsigned int mask) {
        /* The second way's come behind those of the first, from the end. */
        uint32_t *const to =
            static_cast<uint32_t *>(args.out) + (way - 1) * args.n + first;
        const unsigned int count =
            wd::compact_warp(mask, value, value % 2 != 0, to);
        if (wd::rank_in(mask) == 0)
            static_cast<uint32_t *>(args.counters)[(way - 1) * args.n + first] =
                count;
    });
}

template <unsigned int ITEMS>
__device__ unsigned int load_tile(const Args &args, uint32_t (&items)[ITEMS]) {
    unsigned int wanted = 0;
    for (unsigned int i = 0; i < ITEMS; i++) {
        const uint64_t at =
            blockIdx.x * ITEMS * THREADS + i * THREADS + threadIdx.x;
        items[i] =
            at < args.n ? static_cast<const uint32_t *>(args.values)[at] : 0;
        wanted |= (items[i] & 1) << i;
    }
    return wanted;
}

template <unsigned int ITEMS>
__global__ void compact_tile(Args args) {
    using Storage = wd::TileStorage<THREADS, ITEMS>;
    WINNOW__SHARED(storage, Storage);
    uint32_t items[ITEMS];
    const unsigned int wanted = load_tile(args, items);
    uint32_t *const to =
        static_cast<uint32_t *>(args.out) + blockIdx.x * ITEMS * THREADS;
    /* Twice: the storage may be used again at once. */
    wd::compact_tile(storage, items, 0, to);
    const unsigned int count = wd::compact_tile(storage, items, wanted, to);
    static_cast<uint32_t *>(args.counters)[blockIdx.x * THREADS + threadIdx.x] =
        count;
}

template <unsigned int ITEMS>
__global__ void append_tile(Args args) {
    using Storage = wd::AppendStorage<THREADS, ITEMS, unsigned int>;
    WINNOW__SHARED(storage, Storage);
    uint32_t items[ITEMS];
    const unsigned int wanted = load_tile(args, items);
    wd::append_tile(storage, items, wanted, static_cast<uint32_t *>(args.out),
                    static_cast<uint32_t *>(args.counters));
}

/* ---------------------------------------------------------- software atomic */

struct SoftwareArgs {
    software_args args;
    wd::SoftwareAtomic all;
    bool by_ticket;
};

/* A thread's turns. */
__device__ void ask(const SoftwareArgs &s,
                    wd::SoftwareAtomicClient<SOFTWARE_THREADS> &shared,
                    unsigned int client) {
    const Args &lanes = s.args.lanes;
    unsigned int *const small = static_cast<unsigned int *>(lanes.counters);
    auto *const large =
        reinterpret_cast<unsigned long long *>(small + SOFTWARE_SMALL);
    for (unsigned int r = 0; r < s.args.rounds; r++) {
        const uint64_t i =
            r * lanes.n + client * SOFTWARE_THREADS + threadIdx.x;
        const uint32_t key = lanes.keys[i];
        const uint32_t value = static_cast<const uint32_t *>(lanes.values)[i];
        uint64_t *const out = static_cast<uint64_t *>(lanes.out) + i;
        if (lanes.ways[i] == 0)
            continue;
        if (key < SOFTWARE_SMALL)
            *out = wd::software_atomic_add(s.all, shared, client, small + key,
                                           value);
        else
            *out = wd::software_atomic_add(
                s.all, shared, client, large + (key - SOFTWARE_SMALL),
                static_cast<unsigned long long>(value) << 20);
    }
}

__global__ void software(SoftwareArgs s) {
    using Client = wd::SoftwareAtomicClient<SOFTWARE_THREADS>;
    using Coordinator = wd::SoftwareAtomicCoordinator<SOFTWARE_THREADS>;
    WINNOW__SHARED(ticket, unsigned int);
    WINNOW__SHARED(client, Client);
    WINNOW__SHARED(coordinator, Coordinator);
    const wd::SoftwareAtomicRole role =
        s.by_ticket ? wd::software_atomic_role_by_ticket(s.all, ticket)
                    : wd::software_atomic_role_by_index();
    if (role.coordinates) {
        wd::software_atomic_serve(s.all, coordinator);
        return;
    }
    wd::software_atomic_begin(client);
    ask(s, client, role.client);
    wd::software_atomic_end(s.all, role.client);
}

/* ----------------------------------------------------------------- launches */

template <class T>
const void *find_kernel(primitive which) {
    switch (which) {
    case PRIMITIVE_INCREMENT:
        return WINNOW__KERNEL(increment<T>);
    case PRIMITIVE_ADD:
        return WINNOW__KERNEL(add<T>);
    case PRIMITIVE_ADD_SHARED:
        return WINNOW__KERNEL(add_shared<T>);
    case PRIMITIVE_INCREMENT_MASK:
        return WINNOW__KERNEL(increment_mask<T>);
    case PRIMITIVE_ADD_MASK:
        return WINNOW__KERNEL(add_mask<T>);
    case PRIMITIVE_INCREMENT_GROUP:
        return WINNOW__KERNEL(increment_group<T>);
    case PRIMITIVE_ADD_GROUP:
        return WINNOW__KERNEL(add_group<T>);
    case PRIMITIVE_REDUCE:
        return WINNOW__KERNEL(reduce<T>);
    case PRIMITIVE_ACCUMULATE:
        return WINNOW__KERNEL(accumulate<T>);
    case PRIMITIVE_SCAN_SHARED:
        return WINNOW__KERNEL(scan<T, PRIMITIVE_SCAN_SHARED>);
    case PRIMITIVE_SCAN_REGISTER:
        return WINNOW__KERNEL(scan<T, PRIMITIVE_SCAN_REGISTER>);
    case PRIMITIVE_SCAN:
        return WINNOW__KERNEL(scan<T, PRIMITIVE_SCAN>);
    case PRIMITIVE_ARRAY_SHARED:
        return WINNOW__KERNEL(scan_array<T, wd::BySharedMemory>);
    case PRIMITIVE_ARRAY_REGISTER:
        return WINNOW__KERNEL(scan_array<T, wd::ByRegister>);
    case PRIMITIVE_ARRAY:
        return WINNOW__KERNEL(scan_array<T, wd::ByShuffle>);
    default:
        return WINNOW__KERNEL(cas<T>);
    }
}

const void *find_kernel(primitive which, number type) {
    switch (type) {
    case NUMBER_INT:
        return find_kernel<int>(which);
    case NUMBER_UINT:
        return find_kernel<unsigned int>(which);
    case NUMBER_LONG:
        return find_kernel<long>(which);
    case NUMBER_ULONG:
        return find_kernel<unsigned long>(which);
    case NUMBER_LLONG:
        return find_kernel<long long>(which);
    case NUMBER_ULLONG:
        return find_kernel<unsigned long long>(which);
    case NUMBER_FLOAT:
        return find_kernel<float>(which);
    default:
        return find_kernel<double>(which);
    }
}

template <unsigned int SIZE>
cudaError_t launch_block(unsigned int size, Args args, unsigned int blocks,
                         cudaStream_t stream) {
    void *arguments[] = {&args};
    return size != SIZE ? cudaErrorInvalidValue
                        : cudaLaunchKernel(WINNOW__KERNEL(block<SIZE>), blocks,
                                           SIZE, arguments, 0, stream);
}

cudaError_t launch(const void *kernel, Args args, unsigned int blocks,
                   cudaStream_t stream) {
    void *arguments[] = {&args};
    return cudaLaunchKernel(kernel, blocks, THREADS, arguments, 0, stream);
}

} // namespace

const unsigned primitive_block_sizes[BLOCK_SIZES] = {1,  31,  32,  33,
                                                     64, 250, 1024};

cudaError_t primitive_launch(enum primitive primitive, enum number number,
                             const struct primitive_args *args, unsigned blocks,
                             cudaStream_t stream) {
    return launch(find_kernel(primitive, number), *args, blocks, stream);
}

cudaError_t primitive_match(const struct primitive_args *args, unsigned blocks,
                            cudaStream_t stream) {
    return launch(WINNOW__KERNEL(match_all), *args, blocks, stream);
}

cudaError_t primitive_maps(const struct primitive_args *args, unsigned blocks,
                           cudaStream_t stream) {
    return launch(WINNOW__KERNEL(maps), *args, blocks, stream);
}

cudaError_t primitive_block(unsigned size, const struct primitive_args *args,
                            unsigned blocks, cudaStream_t stream) {
    switch (size) {
    case 1:
        return launch_block<1>(size, *args, blocks, stream);
    case 31:
        return launch_block<31>(size, *args, blocks, stream);
    case 32:
        return launch_block<32>(size, *args, blocks, stream);
    case 33:
        return launch_block<33>(size, *args, blocks, stream);
    case 64:
        return launch_block<64>(size, *args, blocks, stream);
    case 250:
        return launch_block<250>(size, *args, blocks, stream);
    default:
        return launch_block<1024>(size, *args, blocks, stream);
    }
}

cudaError_t primitive_compact(enum compaction compaction,
                              const struct primitive_args *args,
                              unsigned blocks, cudaStream_t stream) {
    const void *const kernel =
        compaction == COMPACT_WARP     ? WINNOW__KERNEL(compact_warp)
        : compaction == COMPACT_TILE_1 ? WINNOW__KERNEL(compact_tile<1>)
        : compaction == COMPACT_TILE_4 ? WINNOW__KERNEL(compact_tile<4>)
                                       : WINNOW__KERNEL(append_tile<4>);
    return launch(kernel, *args, blocks, stream);
}

cudaError_t primitive_cas(const struct primitive_args *args, unsigned blocks,
                          cudaStream_t stream) {
    return launch(WINNOW__KERNEL(cas_types), *args, blocks, stream);
}

uint64_t software_memory(unsigned clients) {
    return wd::software_atomic_bytes(clients, SOFTWARE_THREADS) + 32;
}

cudaError_t software_launch(const struct software_args *args, int by_ticket,
                            cudaStream_t stream) {
    SoftwareArgs s = {*args, {}, by_ticket != 0};
    s.all.slots = static_cast<wd::SoftwareAtomicSlot *>(args->memory);
    s.all.ticket = reinterpret_cast<unsigned int *>(
        static_cast<char *>(args->memory) +
        wd::software_atomic_bytes(args->clients, SOFTWARE_THREADS));
    s.all.clients = args->clients;
    s.all.warps = SOFTWARE_THREADS / 32;
    void *arguments[] = {&s};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3{args->clients + 1, 1, 1};
    config.blockDim = dim3{SOFTWARE_THREADS, 1, 1};
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = by_ticket ? 0 : 1;
    return cudaLaunchKernelExC(&config, WINNOW__KERNEL(software), arguments);
}

cudaError_t software_most_clients(unsigned *clients_p) {
    int device, multiprocessors, blocks;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors,
                                       cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, WINNOW__KERNEL(software), SOFTWARE_THREADS, 0);
    if (error == cudaSuccess)
        *clients_p = static_cast<unsigned>(multiprocessors * blocks) - 1;
    return error;
}
