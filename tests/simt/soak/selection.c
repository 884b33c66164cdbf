/*
 * Selections, as the host makes and reads them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "selection/format.h"

void soak_keep(uint64_t seed, uint64_t n, uint8_t *keep) {
    selected_fill(&patterns[soak_draw(seed, 90, PATTERNS)], seed, n, keep);
}

void soak_put_selection(struct selected *selected, const uint8_t *keep,
                        uint64_t n) {
    selected_prepare(selected, n);
    unsigned char *const memory = must_alloc(selected->bytes);

    memset(memory, 0, selected->bytes);
    calls_write_selection(memory, n, keep);
    region_write(&selected->memory, REGION_GUARD, memory, selected->bytes);
    free(memory);
}

bool soak_check_selection(struct selected *selected, const uint8_t *keep,
                          struct report *report) {
    const uint64_t n = selected->n;

    if (!selected_apart(selected, report))
        return false;
    const winnow__selection seen =
        winnow__selection_at(selected->memory.seen + REGION_GUARD, n);
    uint64_t kept = 0;

    for (uint64_t i = 0; i < seen.tiles * WINNOW__SELECTION_TILE; i++) {
        const bool wanted = i < n && keep[i] != 0;

        if (i % WINNOW__SELECTION_TILE == 0 &&
            seen.before[i / WINNOW__SELECTION_TILE] != kept)
            return report_fail(report,
                               "before tile %" PRIu64 " are %llu, not %" PRIu64,
                               i / WINNOW__SELECTION_TILE,
                               seen.before[i / WINNOW__SELECTION_TILE], kept);
        if ((seen.keep[i / 32] >> i % 32 & 1) != wanted)
            return report_fail(report,
                               "item %" PRIu64 " of %" PRIu64 " is%s kept", i,
                               n, wanted ? " not" : "");
        kept += wanted;
    }
    if (seen.before[seen.tiles] != kept)
        return report_fail(report, "%llu are kept, not %" PRIu64,
                           seen.before[seen.tiles], kept);
    return true;
}

bool soak_done(const struct backend *backend, winnow_status status,
               struct report *report) {
    const char *const error =
        status == WINNOW_OK ? backend_wait(backend) : winnow_last_error();

    return error == NULL ||
           report_fail(report, "%s: %s", winnow_status_name(status), error);
}
