/*
 * Threads that copy what a device has written to memory that it does not reach.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

typedef struct winnow__workers winnow__workers;

/* NULL: there is no memory. */
winnow__workers *winnow__workers_create(unsigned threads);
void winnow__workers_destroy(winnow__workers *workers);

void winnow__workers_copy(winnow__workers *workers, void *to, const void *from,
                          uint64_t bytes);
