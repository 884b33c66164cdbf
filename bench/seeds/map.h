/*
 * What the experiments with MapReduce share: a map's output, and measuring its
 * forms.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SEEDS_MAP_H
#define WINNOW_BENCH_SEEDS_MAP_H

#include "kernels.h"
#include "seeds.h"

extern const char *const seeds_map_names[SEEDS_MAP_FORMS];

/* Room for the records, of `record_bytes` each, and for what the forms need. */
seeds_map_output seeds_map_open(bench_lab *lab, uint64_t records,
                                size_t record_bytes, uint64_t tasks,
                                unsigned tasks_per_thread);
/* Enqueue: what a form finds cleared. */
void seeds_map_begin(const seeds_map_output *output, winnow_stream stream);
/* The records of the last run, if there are `expected`; false: there are not.
 */
bool seeds_map_fetch(const bench_lab *lab, const seeds_map_output *output,
                     uint64_t expected, size_t record_bytes, void *records);

#endif
