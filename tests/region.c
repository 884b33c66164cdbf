/*
 * Memory on a backend with a known text in every byte.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "region.h"

#include <stdlib.h>
#include <string.h>

/* 13 bytes: no element, vector or line is a multiple of it, so that the text
 * written back at a wrong place shows. */
static const char poison[] = "not-written! ";
#define POISON_PERIOD (sizeof(poison) - 1)

void region_fill(unsigned char *to, size_t bytes) {
    const size_t first = bytes < POISON_PERIOD ? bytes : POISON_PERIOD;
    size_t done = first;

    memcpy(to, poison, first);
    while (done < bytes) {
        const size_t part = done < bytes - done ? done : bytes - done;
        memcpy(to + done, to, part);
        done += part;
    }
}

void region_open(struct region *region, const struct backend *backend,
                 size_t bytes) {
    region->backend = backend;
    region->bytes = bytes;
    region->base = backend_alloc(backend, bytes);
    region->shadow = must_alloc(bytes);
    region->seen = must_alloc(bytes);
}

void region_close(struct region *region) {
    if (!region->backend)
        return;
    backend_free(region->backend, region->base);
    free(region->shadow);
    free(region->seen);
    *region = (struct region){0};
}

void region_poison(struct region *region, size_t bytes) {
    region_fill(region->shadow, bytes);
    backend_upload(region->backend, region->base, region->shadow, bytes);
}

void region_write(struct region *region, size_t at, const void *data,
                  size_t bytes) {
    if (!bytes)
        return;
    memcpy(region->shadow + at, data, bytes);
    backend_upload(region->backend, region->base + at, data, bytes);
}

void region_fetch(struct region *region, size_t bytes) {
    backend_download(region->backend, region->seen, region->base, bytes);
}

bool region_untouched(const struct region *region, const char *name,
                      size_t origin, size_t from, size_t to,
                      struct report *report) {
    size_t at = from;

    if (memcmp(region->seen + from, region->shadow + from, to - from) == 0)
        return true;
    while (region->seen[at] == region->shadow[at])
        at++;
    return report_fail(report, "%s: byte %td was written (0x%02x, was 0x%02x)",
                       name, (ptrdiff_t)at - (ptrdiff_t)origin,
                       region->seen[at], region->shadow[at]);
}
