/*
 * The order in which the tests of a condition are made.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "where.h"

/* Is a condition over n items ordered by a sample, on the host or on a device? */
bool winnow__is_ordered(const winnow__bound *bound, uint64_t n, bool on_host);

/* Bytes of memory for the sample of n items, aligned to 16. */
size_t winnow__order_host_bytes(uint64_t n);
/* Order the program by a sample of the items, if it pays. `values`: room for
 * those of expressions. */
void winnow__order_on_host(const winnow__host_task *task, void *memory,
                           const winnow__values_room *room,
                           unsigned char *values, winnow__bound *bound);
