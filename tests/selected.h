/*
 * A selection on a backend, with canaries around it, and its check: what does
 * it keep? Asked through the library's own count and indices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SELECTED_H
#define WINNOW_TESTS_SELECTED_H

#include "data.h"
#include "region.h"

struct selected {
    const struct backend *backend;
    uint64_t most;        /* items that there is room for */
    uint64_t n;           /* items of the selection in hand */
    size_t bytes;         /* of it */
    void *d_selection;    /* its memory */
    struct region memory; /* the same, with what is around */
    struct region out;    /* of indices and of others */
    struct region count;
};

void selected_open(struct selected *selected, const struct backend *backend,
                   uint64_t most);
void selected_close(struct selected *selected);

/* Poison the memory for a selection of n items. */
void selected_prepare(struct selected *selected, uint64_t n);
/* Was nothing written around it? */
bool selected_apart(struct selected *selected, struct report *report);
/* Does it keep those of its items of which keep[i] is not 0, and was nothing
 * written around it? */
bool selected_check(struct selected *selected, const uint8_t *keep,
                    struct report *report);
/* Indices of 4 or 8 bytes, into room for `capacity` of them: are they the
 * first? */
bool selected_check_indices(struct selected *selected, const uint8_t *keep,
                            bool wide, uint64_t capacity, bool no_count,
                            struct report *report);

/* Set keep[0 .. n) as a pattern says. */
void selected_fill(const struct pattern *pattern, uint64_t seed, uint64_t n,
                   uint8_t *keep);
/* How many of keep[0 .. n) are not 0. */
uint64_t selected_number(const uint8_t *keep, uint64_t n);

/* Make it on the backend, by winnow_select_if() on bytes. */
bool selected_make(struct selected *selected, const uint8_t *keep, uint64_t n,
                   struct report *report);

#endif
