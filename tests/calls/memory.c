/*
 * The memory of a call, and its check.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "memory.h"

#include <stdlib.h>
#include <string.h>

void calls_open(struct call_memory *m, const struct backend *backend,
                uint64_t most) {
    const uint32_t below = CALLS_BELOW;
    winnow_predicate *predicate;

    *m = (struct call_memory){.backend = backend};
    region_open(&m->region, backend, (most + 4096) * 224);
    m->before = must_alloc(m->region.bytes);
    m->keep = must_alloc(4 * most);
    if (winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_LT,
                                 &below) != WINNOW_OK ||
        winnow_condition_test(&m->condition, 0, predicate) != WINNOW_OK ||
        winnow_expression_column(&m->expression, 0, WINNOW_UINT32) != WINNOW_OK)
        abort();
    winnow_predicate_destroy(predicate);
}

void calls_close(struct call_memory *m) {
    winnow_predicate_destroy(m->predicate);
    winnow_expression_destroy(m->expression);
    winnow_condition_destroy(m->condition);
    free(m->keep);
    free(m->before);
    region_close(&m->region);
}

void calls_prepare(const struct call_memory *m) {
    memcpy(m->region.shadow, m->before, m->used);
    backend_upload(m->backend, m->region.base, m->before, m->used);
}

static size_t place_of(const struct call_memory *m, const void *address) {
    return (size_t)((const unsigned char *)address - m->region.base);
}

void calls_set(const struct call_memory *m, uint64_t *address, uint64_t value) {
    memcpy(m->before + place_of(m, address), &value, sizeof(value));
}

const void *call_from(const struct outcome *o, const void *address) {
    return o->memory->before + place_of(o->memory, address);
}

void *call_to(const struct outcome *o, void *address) {
    return o->memory->region.shadow + place_of(o->memory, address);
}

const void *call_seen(const struct outcome *o, const void *address) {
    return o->memory->region.seen + place_of(o->memory, address);
}

/* ---------------------------------------------------------------- selections */

static size_t tiles_of(uint64_t n) {
    return (n + CALLS_TILE - 1) / CALLS_TILE;
}

void calls_write_selection(void *to, uint64_t n, const uint8_t *keep) {
    const size_t tiles = tiles_of(n);
    unsigned char *const bits = to, *const before = bits + tiles * 512;
    unsigned char *const counts = before + (8 * (tiles + 1) + 15) / 16 * 16;
    uint64_t kept = 0;

    memset(bits, 0, tiles * 512);
    for (size_t tile = 0; tile < tiles; tile++) {
        uint16_t count = 0;

        memcpy(before + 8 * tile, &kept, 8);
        for (uint64_t i = tile * CALLS_TILE;
             i < n && i < (tile + 1) * CALLS_TILE; i++)
            if (keep[i]) {
                bits[i / 8] |= (unsigned char)(1 << i % 8);
                count++;
            }
        memcpy(counts + 2 * tile, &count, 2);
        kept += count;
    }
    memcpy(before + 8 * tiles, &kept, 8);
}

bool calls_keeps(const void *selection, uint64_t item) {
    return ((const unsigned char *)selection)[item / 8] >> item % 8 & 1;
}

/* -------------------------------------------------------------------- checks */

static bool is_as_wanted(const struct call_memory *m, const struct call *call,
                         const unsigned char *wanted, struct report *report) {
    size_t at = 0;

    if (memcmp(m->region.seen, wanted, m->used) == 0)
        return true;
    while (m->region.seen[at] == wanted[at])
        at++;
    return report_fail(report,
                       "%s, seed %llu: byte %zu of memory is 0x%02x, wanted "
                       "0x%02x, before 0x%02x",
                       call->name, (unsigned long long)m->seed, at,
                       m->region.seen[at], wanted[at], m->before[at]);
}

static bool fetch(const struct call_memory *m, const struct call *call,
                  struct report *report) {
    const char *const error = backend_wait(m->backend);

    if (error != NULL)
        return report_fail(report, "%s: %s", call->name, error);
    backend_download(m->backend, m->region.seen, m->region.base, m->used);
    return true;
}

bool calls_check_nothing(const struct call_memory *m, const struct call *call,
                         struct report *report) {
    return fetch(m, call, report) && is_as_wanted(m, call, m->before, report);
}

/* What the call has to write, in the region's shadow. */
static void expect(const struct call_memory *m, const struct call *call,
                   const struct arguments *a, const winnow_launch *launch) {
    struct outcome o = {
        .memory = m, .a = a, .items = a->n, .keep = m->keep, .keep_n = a->n};
    uint64_t number;

    memcpy(m->region.shadow, m->before, m->used);
    if (launch != NULL && launch->d_n != NULL) {
        memcpy(&number, call_from(&o, launch->d_n), sizeof(number));
        o.items = number < a->n ? number : a->n;
    }
    if (launch != NULL && launch->d_position != NULL)
        o.position = call_to(&o, launch->d_position);
    memset(m->keep, 0, call->source == NULL ? 0 : 4 * a->n);
    if (call->source != NULL)
        call->source(&o);
    else
        memset(m->keep, 1, o.items);
    call->sink(&o);
}

bool calls_check(const struct call_memory *m, const struct call *call,
                 const struct arguments *a, const winnow_launch *launch,
                 bool stays, struct report *report) {
    if (!fetch(m, call, report))
        return false;
    expect(m, call, a, launch);
    if (!is_as_wanted(m, call, m->region.shadow, report))
        return false;
    if (stays)
        memcpy(m->before, m->region.shadow, m->used);
    return true;
}
