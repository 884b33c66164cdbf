/*
 * The inner loops of the CPU backend, for elements of every size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_HOST_SELECT_H
#define WINNOW_LIB_HOST_SELECT_H

#include "predicate.h"

/* How many of in[0 .. n) pass. */
uint64_t winnow__host_count(const winnow_predicate *predicate, const void *in,
                            uint64_t n);

/*
 * Pack those of in[0 .. n) that pass into out, in order, at most `room` of
 * them. Writes the survivors' places and nothing else. Returns how many.
 */
uint64_t winnow__host_pack(const winnow_predicate *predicate, const void *in,
                           uint64_t n, void *out, uint64_t room);

#endif
