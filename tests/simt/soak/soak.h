/*
 * Small calls of every operation under many schedules of the CPU device: what the
 * steps share. schedules.c runs them; README.md says how.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_SOAK_H
#define WINNOW_TESTS_SIMT_SOAK_H

#include "backend.h"
#include "data.h"
#include "report.h"
#include "selected.h"

/* Devices of several kinds, each with a context that lasts. */
enum soak_device {
    SOAK_USUAL,
    SOAK_CUT,      /* where inputs are cut into tiles of a shape: cut.h */
    SOAK_CHOICE,   /* with a profile of several candidates */
    SOAK_SMALL,    /* one multiprocessor: blocks have several tiles */
    SOAK_ESTIMATE, /* and a small cache: parts have an estimate */
    SOAK_LITTLE, /* two multiprocessors, with little shared memory for a block */
    SOAK_DEVICES
};

/* A call, or several that nobody waits for between, on the smallest input that
 * more than one block works on, all else drawn by the seed; `number` says which of
 * the step's kind. Is what it wrote right? */
typedef bool soak_run(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report);

struct soak_step {
    char name[64];
    enum soak_device device;
    soak_run *run;
    unsigned number;
};

/* Each file's steps, by soak_add(). */
void soak_add(enum soak_device device, soak_run *run, unsigned number,
              const char *format, ...) __attribute__((format(printf, 4, 5)));
void soak_copies(void);
void soak_one_pass(void);
void soak_records(void);
void soak_conditions(void);
void soak_order(void);
void soak_calls(void);
void soak_bits(void);
void soak_keyed(void);
void soak_reductions(void);
void soak_large(void);
void soak_ranks(void);

/* A number below `below`: the `which`-th of a seed. */
static inline uint64_t soak_draw(uint64_t seed, uint64_t which,
                                 uint64_t below) {
    return data_random(seed, which) % below;
}

/* Which of n items are kept: by a pattern that the seed draws. */
void soak_keep(uint64_t seed, uint64_t n, uint8_t *keep);

/* Selections that the host makes and looks at, by their format: the other part of
 * what is tested, a sink or a source, runs alone. */
void soak_put_selection(struct selected *selected, const uint8_t *keep,
                        uint64_t n);
bool soak_check_selection(struct selected *selected, const uint8_t *keep,
                          struct report *report);

/* Was a call enqueued, and is its work done well? */
bool soak_done(const struct backend *backend, winnow_status status,
               struct report *report);

#endif
