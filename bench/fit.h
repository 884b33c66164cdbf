/*
 * From times to the entries of a tuning profile: which candidate for which n
 * and which selectivity. Plain arithmetic, which knows nothing of devices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_FIT_H
#define WINNOW_BENCH_FIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    FIT_SELECTIVITIES = 12,
    FIT_CANDIDATES = 48,
    FIT_ROWS = 16,
    FIT_RANGES = 3 /* of selectivity, for one n */
};

/* What is not slower than this times the best is as good. */
#define FIT_TOLERANCE 1.03

typedef struct fit_candidate {
    const char *strategy, *shape; /* as a profile names them */
} fit_candidate;

/* What was measured for one n. */
typedef struct fit_row {
    uint64_t n;
    double choice_s; /* what a choice among two candidates takes more than the
                        chosen one alone; each further candidate counts as much
                        again */
    double seconds[FIT_SELECTIVITIES][FIT_CANDIDATES]; /* negative: not known */
} fit_row;

/* All that was measured of one operation, order and size of elements. */
typedef struct fit_table {
    const char *operation, *order;
    unsigned bytes;
    unsigned selectivity_count;
    double selectivities[FIT_SELECTIVITIES]; /* in ascending order */
    unsigned candidate_count;
    fit_candidate candidates[FIT_CANDIDATES]; /* the first: what is run where
                                                 the profile says nothing */
    unsigned row_count;
    fit_row rows[FIT_ROWS]; /* n in ascending order */
} fit_table;

typedef struct fit_choice {
    unsigned number; /* of ranges; one of the first candidate: no entry */
    unsigned candidate[FIT_RANGES];
    double to[FIT_RANGES]; /* the selectivity at which a range ends */
} fit_choice;

/* For the n of a row. */
fit_choice fit_choose(const fit_table *table, const fit_row *row);

/* May the candidate be given n elements? */
typedef bool fit_takes(void *user, const fit_table *table, unsigned candidate,
                       uint64_t n);

/* Write the entries; return how many lines they are. Between two n that were
 * measured, a range ends at their geometric mean, or where the candidate ends;
 * beyond them there are no entries. */
unsigned fit_write(FILE *file, const fit_table *table, fit_takes *takes,
                   void *user);

#endif
