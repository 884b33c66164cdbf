/*
 * All that is checked of a way, on ranks that are there: of this process alone, or
 * of others, too, which call it likewise.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_NCCL_CHECKS_H
#define WINNOW_TESTS_NCCL_CHECKS_H

#include "ranked.h"

/* Returns how many checks failed here. */
int checks_run(ranked *all, winnow_nccl_way way);

#endif
