/*
 * A selection on a backend, and its check.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "selected.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The count, with poison on both sides. */
#define COUNT_AT 64
#define COUNT_BYTES 136

void selected_open(struct selected *selected, const struct backend *backend,
                   uint64_t most) {
    size_t bytes;

    *selected = (struct selected){.backend = backend, .most = most};
    if (winnow_selection_bytes(most, &bytes) != WINNOW_OK)
        abort();
    region_open(&selected->memory, backend, bytes + 2 * REGION_GUARD);
    region_open(&selected->out, backend, most * 8 + 2 * REGION_GUARD);
    region_open(&selected->count, backend, COUNT_BYTES);
    selected->d_selection = selected->memory.base + REGION_GUARD;
}

void selected_close(struct selected *selected) {
    region_close(&selected->memory);
    region_close(&selected->out);
    region_close(&selected->count);
}

void selected_prepare(struct selected *selected, uint64_t n) {
    if (winnow_selection_bytes(n, &selected->bytes) != WINNOW_OK ||
        n > selected->most)
        abort();
    selected->n = n;
    region_poison(&selected->memory, selected->bytes + 2 * REGION_GUARD);
}

bool selected_apart(struct selected *selected, struct report *report) {
    const size_t all = selected->bytes + 2 * REGION_GUARD;

    region_fetch(&selected->memory, all);
    return region_untouched(&selected->memory, "d_selection", REGION_GUARD, 0,
                            REGION_GUARD, report) &&
           region_untouched(&selected->memory, "d_selection", REGION_GUARD,
                            REGION_GUARD + selected->bytes, all, report);
}

void selected_fill(const struct pattern *pattern, uint64_t seed, uint64_t n,
                   uint8_t *keep) {
    const struct rule rule = {.type = WINNOW_UINT8,
                              .kind = RULE_COMPARE,
                              .compare = WINNOW_NE,
                              .low = 0};

    data_fill(&rule, pattern, seed, n, keep);
}

uint64_t selected_number(const uint8_t *keep, uint64_t n) {
    uint64_t number = 0;

    for (uint64_t i = 0; i < n; i++)
        number += keep[i] != 0;
    return number;
}

static bool is_done(const struct selected *selected, winnow_status status,
                    struct report *report) {
    const char *error;

    if (status != WINNOW_OK)
        return report_fail(report, "%s: %s", winnow_status_name(status),
                           winnow_last_error());
    error = backend_wait(selected->backend);
    return error ? report_fail(report, "%s", error) : true;
}

bool selected_make(struct selected *selected, const uint8_t *keep, uint64_t n,
                   struct report *report) {
    const struct backend *const backend = selected->backend;
    unsigned char *const d_keep = backend_alloc(backend, n);
    const uint8_t zero = 0;
    winnow_predicate *predicate;
    bool ok;

    selected_prepare(selected, n);
    backend_upload(backend, d_keep, keep, n);
    if (winnow_predicate_compare(&predicate, WINNOW_UINT8, WINNOW_NE, &zero) !=
        WINNOW_OK)
        abort();
    ok = is_done(selected,
                 winnow_select_if(backend->context, predicate, WINNOW_UINT8,
                                  d_keep, n, selected->d_selection,
                                  selected->bytes,
                                  WINNOW_LAUNCH(.stream = backend->stream)),
                 report);
    winnow_predicate_destroy(predicate);
    backend_free(backend, d_keep);
    return ok;
}

/* ------------------------------------------------------------------ checks */

static bool check_count(struct selected *selected, uint64_t wanted,
                        bool written, struct report *report) {
    uint64_t seen;

    region_fetch(&selected->count, COUNT_BYTES);
    memcpy(&seen, selected->count.seen + COUNT_AT, sizeof(seen));
    if (written && seen != wanted)
        return report_fail(
            report, "the count is %" PRIu64 ", wanted %" PRIu64 " of %" PRIu64,
            seen, wanted, selected->n);
    return region_untouched(&selected->count, "d_count", COUNT_AT, 0,
                            written ? COUNT_AT : COUNT_BYTES, report) &&
           region_untouched(&selected->count, "d_count", COUNT_AT, COUNT_AT + 8,
                            COUNT_BYTES, report);
}

static uint64_t index_at(const unsigned char *from, bool wide, uint64_t i) {
    uint32_t narrow;
    uint64_t index;

    memcpy(&narrow, from + 4 * i, sizeof(narrow));
    if (!wide)
        return narrow;
    memcpy(&index, from + 8 * i, sizeof(index));
    return index;
}

static bool compare_indices(const struct selected *selected,
                            const uint8_t *keep, bool wide, uint64_t most,
                            struct report *report) {
    const unsigned char *const seen = selected->out.seen + REGION_GUARD;
    uint64_t rank = 0;

    for (uint64_t i = 0; i < selected->n && rank < most; i++) {
        if (!keep[i])
            continue;
        if (index_at(seen, wide, rank) != i)
            return report_fail(report,
                               "index %" PRIu64 " is %" PRIu64
                               ", wanted %" PRIu64 ", of %" PRIu64 " items",
                               rank, index_at(seen, wide, rank), i,
                               selected->n);
        rank++;
    }
    return true;
}

bool selected_check_indices(struct selected *selected, const uint8_t *keep,
                            bool wide, uint64_t capacity, bool no_count,
                            struct report *report) {
    const struct backend *const backend = selected->backend;
    const uint64_t kept = selected_number(keep, selected->n);
    const uint64_t room = capacity < selected->n ? capacity : selected->n;
    const uint64_t written = kept < room ? kept : room;
    const size_t size = wide ? 8 : 4;
    const size_t all = room * size + 2 * REGION_GUARD;
    const size_t end = REGION_GUARD + written * size;

    region_poison(&selected->out, all);
    region_poison(&selected->count, COUNT_BYTES);
    if (!is_done(
            selected,
            winnow_compact_index(
                backend->context, selected->d_selection, selected->n,
                wide ? WINNOW_UINT64 : WINNOW_UINT32,
                room == 0 ? NULL : selected->out.base + REGION_GUARD, capacity,
                no_count ? NULL : (uint64_t *)(selected->count.base + COUNT_AT),
                WINNOW_LAUNCH(.stream = backend->stream)),
            report))
        return false;
    region_fetch(&selected->out, all);
    return compare_indices(selected, keep, wide, room, report) &&
           region_untouched(&selected->out, "d_indices", REGION_GUARD, 0,
                            REGION_GUARD, report) &&
           region_untouched(&selected->out, "d_indices", REGION_GUARD, end, all,
                            report) &&
           check_count(selected, kept, !no_count, report);
}

static bool check_total(struct selected *selected, uint64_t kept,
                        struct report *report) {
    const struct backend *const backend = selected->backend;

    region_poison(&selected->count, COUNT_BYTES);
    return is_done(selected,
                   winnow_selection_count(
                       backend->context, selected->d_selection, selected->n,
                       (uint64_t *)(selected->count.base + COUNT_AT),
                       WINNOW_LAUNCH(.stream = backend->stream)),
                   report) &&
           check_count(selected, kept, true, report);
}

bool selected_check(struct selected *selected, const uint8_t *keep,
                    struct report *report) {
    return check_total(selected, selected_number(keep, selected->n), report) &&
           selected_check_indices(selected, keep, selected->n % 2 != 0,
                                  WINNOW_NO_LIMIT, false, report) &&
           selected_apart(selected, report);
}
