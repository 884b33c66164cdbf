/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "map.h"

const char *const seeds_map_names[SEEDS_MAP_FORMS] = {
    [SEEDS_MAP_TWO_PASS] = "two passes",
    [SEEDS_MAP_THREAD] = "one pass, an atomic for each thread",
    [SEEDS_MAP_WARP] = "one pass, an atomic for each warp",
    [SEEDS_MAP_TILE] = "one pass, an atomic for each tile",
    [SEEDS_MAP_SOFTWARE] = "one pass, software atomics",
};

static uint64_t threads_of(uint64_t tasks, unsigned tasks_per_thread) {
    const uint64_t tile = (uint64_t)SEEDS_MAP_THREADS * tasks_per_thread;
    return (tasks + tile - 1) / tile * SEEDS_MAP_THREADS;
}

/* A count for each thread, and what their prefix sums need. */
uint64_t seeds_map_counts(uint64_t tasks, unsigned tasks_per_thread) {
    const uint64_t threads = threads_of(tasks, tasks_per_thread);
    return threads + seeds_prefix_scratch(threads);
}

seeds_map_output seeds_map_open(bench_lab *lab, uint64_t records,
                                size_t record_bytes, uint64_t tasks,
                                unsigned tasks_per_thread) {
    const size_t shared =
        seeds_software_bytes(SEEDS_MAP_CLIENTS, SEEDS_MAP_THREADS);
    const seeds_map_output output = {
        .d_records = lab_device(lab, (size_t)records * record_bytes),
        .d_count = lab_device(lab, sizeof *output.d_count),
        .d_counts =
            lab_device(lab, (size_t)seeds_map_counts(tasks, tasks_per_thread) *
                                sizeof *output.d_counts),
        .d_software = lab_device(lab, shared),
    };
    seeds_clear(output.d_software, shared, lab->run->platform.stream);
    return output;
}

void seeds_map_begin(const seeds_map_output *output, winnow_stream stream) {
    seeds_clear(output->d_count, sizeof *output->d_count, stream);
}

bool seeds_map_fetch(const bench_lab *lab, const seeds_map_output *output,
                     uint64_t expected, size_t record_bytes, void *records) {
    const bench_platform *platform = &lab->run->platform;
    seeds_count count;
    platform->fetch(&count, output->d_count, sizeof count);
    platform->poison(output->d_count, sizeof count);
    if (count != expected)
        return false;
    if (expected == 0)
        return true;
    platform->fetch(records, output->d_records,
                    (size_t)expected * record_bytes);
    platform->poison(output->d_records, (size_t)expected * record_bytes);
    return true;
}
