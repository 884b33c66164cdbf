/*
 * Seeds of hashes over what a caller gives: numbers, texts, keys, names. Who
 * chooses those does not know the seeds, so they cannot be chosen to meet. Results
 * do not depend on them. They are in tables and in arguments of kernels, in no
 * source that is compiled and in no key of a cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/* Number 0 is drawn once in a process. Others are drawn at each call: for a table
 * that number 0 makes slow. On the CPU device all follow from its seed. */
uint64_t winnow__seed(unsigned number);
