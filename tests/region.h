/*
 * Memory on a backend with a known text in every byte that nobody should
 * write: before, behind and in what is not used of a buffer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_REGION_H
#define WINNOW_TESTS_REGION_H

#include <stdbool.h>
#include <stddef.h>

#include "backend.h"
#include "report.h"

/* Bytes of canary on either side of a buffer; a multiple of 16 and no more. */
#define REGION_GUARD 272

struct region {
    const struct backend *backend;
    size_t bytes;
    unsigned char *base;   /* on the backend */
    unsigned char *shadow; /* on the host: what it should hold */
    unsigned char *seen;   /* on the host: what it held when last fetched */
};

void region_open(struct region *region, const struct backend *backend,
                 size_t bytes);
void region_close(struct region *region);

/* The text, in any memory. */
void region_fill(unsigned char *to, size_t bytes);
/* Poison the first bytes of the region. */
void region_poison(struct region *region, size_t bytes);
/* Put data at a place of the region, which is to keep it from here on. */
void region_write(struct region *region, size_t at, const void *data,
                  size_t bytes);
/* Read the first bytes of the region back. */
void region_fetch(struct region *region, size_t bytes);
/* Have the fetched bytes [from, to) kept what was there? `origin` is the
 * buffer's start, from which the report counts. */
bool region_untouched(const struct region *region, const char *name,
                      size_t origin, size_t from, size_t to,
                      struct report *report);

#endif
