/*
 * winnow-bench selections: selections and the calls over them, beside a copy of
 * the bytes that have to be moved and beside CUB's nearest calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_H
#define WINNOW_BENCH_SELECTIONS_H

#include "../lab.h"
#include "cub.h"

/* The experiments. */
void selections_chain(bench_lab *lab);
void selections_masks(bench_lab *lab);
void selections_ranges(bench_lab *lab);
void selections_where(bench_lab *lab);
void selections_to_mask(bench_lab *lab);
void selections_expand(bench_lab *lab);
void selections_columns(bench_lab *lab);
void selections_records(bench_lab *lab);
void selections_unique(bench_lab *lab);
void selections_segments(bench_lab *lab);
void selections_q6(bench_lab *lab);
void selections_bits(bench_lab *lab);
void selections_nullable(bench_lab *lab);
void selections_strings_packed(bench_lab *lab);
void selections_string_tests(bench_lab *lab);
void selections_expressions(bench_lab *lab);
void selections_decimals(bench_lab *lab);
void selections_fill_holes(bench_lab *lab);

/* CUB's calls; NULL where they are not there, or not to be measured. */
const selections_cub *selections_cub_of(const bench_lab *lab);
/* Fail, with the call, unless the cudaError_t is cudaSuccess. */
void selections_must(int code, const char *call);

#endif
