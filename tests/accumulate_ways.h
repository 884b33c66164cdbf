/*
 * Sums by key in one of the ways that a GPU has. Looks inside of the library,
 * which has only AUTO in its API.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_ACCUMULATE_WAYS_H
#define WINNOW_TESTS_ACCUMULATE_WAYS_H

#include "accumulate/details.h"

#include "accumulated.h"

/* As winnow_accumulate_by_key(), but for the first two. d_way: NULL, or where
 * the way of the first items goes. */
winnow_status
accumulated_in_way(winnow__way way, int32_t *d_way, winnow_context *context,
                   winnow_type key_type, const void *d_keys, uint64_t n,
                   uint64_t key_bound, winnow_type value_type,
                   unsigned components, const void *const *d_values,
                   void *const *d_out, uint64_t *d_beyond,
                   const winnow_accumulate_options *options, void *d_workspace,
                   size_t workspace_bytes, winnow_stream stream);

/* accumulated_run() in the way t->way. *way_p: what was reported. */
bool accumulated_run_way(const struct accumulate *t,
                         const struct backend *backend, int32_t *way_p,
                         struct report *report);

#endif
