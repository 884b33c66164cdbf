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

/* accumulated_run() in the way t->way. *way_p: what was reported. */
bool accumulated_run_way(const struct accumulate *t,
                         const struct backend *backend, int32_t *way_p,
                         struct report *report);

#endif
