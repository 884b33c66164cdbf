/*
 * A small MapReduce: the map phase, and where its records go. A map is a class
 * with
 *
 *   Record   what it emits,
 *   TASKS    how many tasks a thread has, 1 to 32,
 *   bool operator()(uint64_t task, Record &record) const
 *            whether the task emits a record, and that record.
 *
 * Mars (B. He and others, 2008) runs every map twice: the first time the
 * records are counted, prefix sums of the counts say where each thread writes,
 * the second time they are written. With atomics once is enough.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SEEDS_MAP_OUTPUT_CUH
#define WINNOW_BENCH_SEEDS_MAP_OUTPUT_CUH

#include "software.cuh"

namespace seeds {

constexpr unsigned int MAP_THREADS = SEEDS_MAP_THREADS;

/* Tasks of a tile, which a block has: those of neighbouring threads are
 * neighbours. */
template <class Map>
constexpr unsigned int TILE = MAP_THREADS *Map::TASKS;

/* f(k, record) for each record that this thread emits in a tile; k: of its
 * tasks the first, second... */
template <class Map, class F>
__device__ __forceinline__ void emit(const Map &map, uint64_t tasks,
                                     uint64_t tile, F f) {
#pragma unroll 1
    for (unsigned int k = 0; k < Map::TASKS; k++) {
        const uint64_t task = tile * TILE<Map> + k * MAP_THREADS + threadIdx.x;
        typename Map::Record record;
        if (task < tasks && map(task, record))
            f(k, record);
    }
}

/* ---------------------------------------------------------------- two passes
 */

template <class Map>
__global__ void __launch_bounds__(MAP_THREADS)
    map_count(const __grid_constant__ Map map, uint64_t tasks,
              uint32_t *counts) {
    uint32_t own = 0;
    emit(map, tasks, blockIdx.x,
         [&](unsigned int, const typename Map::Record &) { own++; });
    counts[thread_index()] = own;
}

/* sums: the prefix sums of the counts, each thread's own included. */
template <class Map>
__global__ void __launch_bounds__(MAP_THREADS)
    map_write(const __grid_constant__ Map map, uint64_t tasks,
              const uint32_t *sums, typename Map::Record *records,
              seeds_count *count) {
    const uint64_t thread = thread_index();
    uint32_t offset = thread > 0 ? sums[thread - 1] : 0;
    emit(map, tasks, blockIdx.x,
         [&](unsigned int, const typename Map::Record &record) {
             records[offset++] = record;
         });
    if (thread == static_cast<uint64_t>(gridDim.x) * MAP_THREADS - 1)
        *count = sums[thread];
}

/* ------------------------------------------------------------------ one pass
 */

template <class Map, bool AGGREGATED>
__global__ void __launch_bounds__(MAP_THREADS)
    map_atomic(const __grid_constant__ Map map, uint64_t tasks,
               typename Map::Record *records, seeds_count *count) {
    emit(map, tasks, blockIdx.x,
         [&](unsigned int, const typename Map::Record &record) {
             const seeds_count to = AGGREGATED ? aggregated_increment(count)
                                               : atomicAdd(count, 1u);
             records[to] = record;
         });
}

template <class Map>
__global__ void __launch_bounds__(MAP_THREADS)
    map_tile(const __grid_constant__ Map map, uint64_t tasks,
             typename Map::Record *records, seeds_count *count) {
    using Storage = AppendStorage<MAP_THREADS, Map::TASKS, seeds_count>;
    WINNOW__SHARED(storage, Storage);
    typename Map::Record own[Map::TASKS] = {};
    unsigned int emitted = 0;
#pragma unroll
    for (unsigned int k = 0; k < Map::TASKS; k++) {
        const uint64_t task = static_cast<uint64_t>(blockIdx.x) * TILE<Map> +
                              k * MAP_THREADS + threadIdx.x;
        if (task < tasks && map(task, own[k]))
            emitted |= 1u << k;
    }
    append_tile(storage, own, emitted, records, count);
}

/* Few blocks, which take many tiles: the coordinator looks after each. */
template <class Map>
__global__ void __launch_bounds__(MAP_THREADS)
    map_software(SoftwareAtomic all, const __grid_constant__ Map map,
                 uint64_t tasks, typename Map::Record *records,
                 seeds_count *count) {
    with_software_atomic<MAP_THREADS>(all, [&](unsigned int client, auto add) {
        for (uint64_t tile = client; tile * TILE<Map> < tasks;
             tile += all.clients)
            emit(map, tasks, tile,
                 [&](unsigned int, const typename Map::Record &record) {
                     records[add(count, 1u)] = record;
                 });
    });
}

/* ------------------------------------------------------------------ launches
 */

template <class Map>
int map_two_pass(const Map &map, uint64_t tasks, const seeds_map_output &output,
                 winnow_stream stream) {
    using Record = typename Map::Record;
    const unsigned int blocks = blocks_for(tasks, TILE<Map>);
    const uint64_t threads = static_cast<uint64_t>(blocks) * MAP_THREADS;
    uint32_t *const d_sums = output.d_counts;
    int error = launch(map_count<Map>, blocks, MAP_THREADS, stream, map, tasks,
                       output.d_counts);
    if (error == cudaSuccess)
        error = seeds_gpu_prefix_array(SEEDS_PREFIX_SHUFFLE, output.d_counts,
                                       threads, d_sums,
                                       output.d_counts + threads, stream);
    if (error == cudaSuccess)
        error = launch(map_write<Map>, blocks, MAP_THREADS, stream, map, tasks,
                       d_sums, static_cast<Record *>(output.d_records),
                       output.d_count);
    return error;
}

template <class Map>
int launch_map(seeds_map_form form, const Map &map, uint64_t tasks,
               const seeds_map_output &output, winnow_stream stream) {
    using Record = typename Map::Record;
    Record *const d_records = static_cast<Record *>(output.d_records);
    const unsigned int blocks = blocks_for(tasks, TILE<Map>);
    auto kernel = map_tile<Map>;
    switch (form) {
    case SEEDS_MAP_TWO_PASS:
        return map_two_pass(map, tasks, output, stream);
    case SEEDS_MAP_SOFTWARE: {
        const unsigned int clients =
            blocks < SEEDS_MAP_CLIENTS ? blocks : SEEDS_MAP_CLIENTS;
        return launch(map_software<Map>, clients + 1, MAP_THREADS, stream,
                      software_of(output.d_software, clients, MAP_THREADS), map,
                      tasks, d_records, output.d_count);
    }
    case SEEDS_MAP_THREAD:
        kernel = map_atomic<Map, false>;
        break;
    case SEEDS_MAP_WARP:
        kernel = map_atomic<Map, true>;
        break;
    case SEEDS_MAP_TILE:
        break;
    }
    return launch(kernel, blocks, MAP_THREADS, stream, map, tasks, d_records,
                  output.d_count);
}

} // namespace seeds

#endif
