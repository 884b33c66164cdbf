/*
 * One line on standard error that says how far a long run has come. Nothing
 * is written where standard error is not a terminal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PROGRESS_H
#define WINNOW_BENCH_PROGRESS_H

#include <winnow.h>

void bench_progress_begin(unsigned steps);
/* The next step begins: this point of the grid. */
void bench_progress_step(winnow_type type, uint64_t n, const char *pattern,
                         double selectivity);
/* Take the line away, before something else is printed. */
void bench_progress_clear(void);
void bench_progress_end(void);

#endif
