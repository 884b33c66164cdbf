/*
 * Keys of the keyed operations, made on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_KEYS_H
#define WINNOW_BENCH_KEYS_H

#include "options.h"

/* Writes n keys below `keys`, distributed as the pattern says. */
void bench_fill_keys(const bench_key_pattern *pattern, uint64_t keys,
                     uint32_t *to, uint64_t n);

#endif
