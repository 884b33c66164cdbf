/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_HELP_H
#define WINNOW_BENCH_HELP_H

/* The text of --help; winnow-bench(1) tells more. */
extern const char bench_help[];

#endif
