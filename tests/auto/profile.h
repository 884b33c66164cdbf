/*
 * Tuning profiles, written by a test for the device that it has.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_PROFILE_H
#define WINNOW_TESTS_PROFILE_H

#include <stdio.h>

#include "backend.h"

struct profile {
    char path[64];
    FILE *file;
    unsigned entries;
};

/* A file with a right head. */
void profile_open(struct profile *profile, const struct backend *backend);
/* One more line: the columns of an entry. */
void profile_add(struct profile *profile, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The end, and have the context choose by it. */
void profile_load(struct profile *profile, const struct backend *backend);
/* The file goes; a context that has read it keeps what it says. */
void profile_close(struct profile *profile);

/* What the plan of winnow_copy_if() says of AUTO's call; static memory. */
const char *profile_explained(const struct backend *backend, winnow_type type,
                              uint64_t n, winnow_order order, double hint);

#endif
