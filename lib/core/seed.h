/*
 * Seeds of hashes of data from a caller: numbers, texts, keys, names. Nobody
 * outside knows the seeds, so nobody can choose data that collide. Results do not
 * depend on the seeds. They are stored in tables and in arguments of kernels, never
 * in a source that is compiled or in the key of a cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/* Seed 0 is drawn once in a process. Others are drawn at each call: a table that is
 * slow with seed 0 uses one. On the CPU device all of them depend on the seed of its
 * schedule. */
uint64_t winnow__seed(unsigned number);
