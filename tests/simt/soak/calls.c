/*
 * Every call of the table (tests/calls/), alone, on what more than one block works on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include "calls/memory.h"
#include "tests/pack/packed_strings.h"

enum {
    TILE = CALLS_TILE,
    SOURCE_TILES = 8, /* of a block that makes selections, or of warps' sums */
    MORE = 900,
    MOST = SOURCE_TILES * TILE + MORE
};

/* A warp makes a tile of a selection, so that a second block begins with the ninth.
 * What a block of masks writes has as many. */
static uint64_t draw_n(const struct call *call, uint64_t seed) {
    bool is_source = call == call_named("selection_to_mask");

    for (const struct call *source = calls_sources; source->name != NULL;
         source++)
        is_source |= source == call;
    return (is_source ? SOURCE_TILES : 1) * TILE + 1 +
           soak_draw(seed, 31, MORE);
}

static bool run_call(const struct backend *backend, unsigned number,
                     uint64_t seed, struct report *report) {
    static struct call_memory memory;
    const struct call *const call = call_number(number);
    winnow_launch launch = {.size = sizeof(launch),
                            .stream = backend->stream,
                            .order = WINNOW_STABLE};

    if (memory.backend == NULL)
        calls_open(&memory, backend, MOST);
    const uint64_t n = draw_n(call, seed);
    const struct arguments a = calls_draw(&memory, call, n, seed);

    if (soak_draw(seed, 32, 4) == 0) {
        launch.d_n = memory.d_n;
        calls_set(&memory, memory.d_n, soak_draw(seed, 33, n));
    }
    calls_prepare(&memory);
    return soak_done(backend, call->run(&a, &launch), report) &&
           calls_check(&memory, call, &a, &launch, false, report);
}

/* Their bytes are summed up by warps, so that more than eight tiles have two
 * blocks; few bytes each, or long ones, which are copied in parts. */
static bool run_strings(const struct backend *backend, unsigned number,
                        uint64_t seed, struct report *report) {
    enum {
        MOST_STRINGS = 8 * TILE + 600,
        MOST_BYTES = 1 << 20
    };
    static struct strings strings;
    static uint8_t keep[MOST_STRINGS];
    struct string_call call;

    if (strings.selected.backend == NULL)
        strings_open(&strings, backend, MOST_STRINGS, MOST_BYTES);
    call = string_call_random(seed, MOST_STRINGS, MOST_BYTES);
    call.captured = false;
    call.is_selected = true;
    call.n = (number == 1 ? 8 * TILE : TILE) + 1 + soak_draw(seed, 30, 500);
    call.there = UINT64_MAX;
    call.lengths = number == 2                   ? STRINGS_MIXED
                   : soak_draw(seed, 31, 2) == 0 ? STRINGS_SHORT
                                                 : STRINGS_EIGHT;
    if (number == 2) {
        call.offsets_capacity = call.data_capacity = WINNOW_NO_LIMIT;
        call.offsets_alone = false;
    }
    soak_keep(seed, call.n, keep);
    soak_put_selection(&strings.selected, keep, call.n);
    return strings_run(&strings, &call, keep, report);
}

void soak_calls(void) {
    for (unsigned i = 0; call_number(i) != NULL; i++)
        soak_add(SOAK_USUAL, run_call, i, "%s", call_number(i)->name);
    soak_add(SOAK_USUAL, run_strings, 0, "strings");
    soak_add(SOAK_USUAL, run_strings, 1, "strings of nine tiles");
    soak_add(SOAK_USUAL, run_strings, 2, "long strings");
}
