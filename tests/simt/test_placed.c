/*
 * Outputs at a position whose room ends before the survivors do: each use of a
 * selection, for elements of every kind. The memory goes on behind the room,
 * and has to stay as it is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "cut.h"
#include "selected.h"
#include "suite.h"

enum {
    N = 9000,
    MEMORY = 3 * N /* elements: more than a wrong room would reach */
};

struct placed {
    uint64_t start, capacity;
};

/* The room ends after 1, after a few tiles' worth, and at once; or before the
 * position. */
static const struct placed rooms[] = {
    {100, 101}, {700, 5000}, {4097, 8192}, {300, 300}, {400, 300}};
#define ROOMS (sizeof(rooms) / sizeof(rooms[0]))

static const char *const densities[] = {"all", "uniform:0.5", "uniform:0.01"};
#define DENSITIES (sizeof(densities) / sizeof(densities[0]))

struct work {
    struct selected selected;
    uint8_t keep[N];
    unsigned char in[N * 16], wanted[MEMORY * 16], seen[MEMORY * 16];
    void *d_in, *d_out;
    uint64_t *d_position;
};

static void work_open(struct work *w, const struct backend *backend) {
    selected_open(&w->selected, backend, N);
    w->d_in = backend_alloc(backend, sizeof(w->in));
    w->d_out = backend_alloc(backend, sizeof(w->seen));
    w->d_position = backend_alloc(backend, sizeof(*w->d_position));
    for (size_t i = 0; i < sizeof(w->in); i++)
        w->in[i] = (unsigned char)data_random(77, i);
    backend_upload(backend, w->d_in, w->in, sizeof(w->in));
}

static void work_close(struct work *w) {
    const struct backend *const backend = w->selected.backend;

    backend_free(backend, w->d_in);
    backend_free(backend, w->d_out);
    backend_free(backend, w->d_position);
    selected_close(&w->selected);
    free(w);
}

/* Before a call. `bytes`: of an element of the output. */
static void begin(struct work *w, const struct placed *room) {
    const struct backend *const backend = w->selected.backend;

    memset(w->wanted, 0xa5, sizeof(w->wanted));
    backend_upload(backend, w->d_out, w->wanted, sizeof(w->wanted));
    backend_upload(backend, w->d_position, &room->start, sizeof(room->start));
}

/* After it: `item` is what is kept of item i, or NULL for its index. */
static void check(struct work *w, const struct placed *room, size_t bytes,
                  bool indices) {
    const struct backend *const backend = w->selected.backend;
    uint64_t at = room->start, position;

    for (uint64_t i = 0; i < N; i++) {
        const void *const item = indices ? (const void *)&i : w->in + i * bytes;
        if (w->keep[i] && at < room->capacity)
            memcpy(w->wanted + at++ * bytes, item, bytes);
    }
    backend_download(backend, w->seen, w->d_out, sizeof(w->seen));
    backend_download(backend, &position, w->d_position, sizeof(position));
    for (size_t i = 0; i < sizeof(w->seen); i++)
        cr_assert_eq(w->seen[i], w->wanted[i],
                     "byte %zu, elements of %zu bytes%s, from %llu of %llu", i,
                     bytes, indices ? ", indices" : "",
                     (unsigned long long)room->start,
                     (unsigned long long)room->capacity);
    cr_assert_eq(position, at);
}

static void run(struct work *w, const struct placed *room) {
    static const size_t sizes[] = {1, 2, 4, 8, 12, 16};
    const struct backend *const backend = w->selected.backend;

    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        begin(w, room);
        cr_assert_eq(winnow_compact(backend->context, w->selected.d_selection,
                                    w->d_in, N, sizes[s], w->d_out,
                                    room->capacity, NULL,
                                    WINNOW_LAUNCH(.stream = backend->stream,
                                                  .d_position = w->d_position)),
                     WINNOW_OK, "%s", winnow_last_error());
        check(w, room, sizes[s], false);
    }
    for (size_t bytes = 4; bytes <= 8; bytes += 4) {
        begin(w, room);
        cr_assert_eq(
            winnow_compact_index(backend->context, w->selected.d_selection, N,
                                 bytes == 4 ? WINNOW_UINT32 : WINNOW_UINT64,
                                 w->d_out, room->capacity, NULL,
                                 WINNOW_LAUNCH(.stream = backend->stream,
                                               .d_position = w->d_position)),
            WINNOW_OK, "%s", winnow_last_error());
        check(w, room, bytes, true);
    }
}

GPU_TEST(placed, room_ends) {
    struct work *const w = must_alloc(sizeof(*w));

    work_open(w, backend);
    for (unsigned many = 1; many <= 40; many += 39) {
        cut_sink_blocks(backend, many);
        for (size_t d = 0; d < DENSITIES; d++) {
            selected_fill(pattern_named(densities[d]), 78 + d, N, w->keep);
            MUST(selected_make(&w->selected, w->keep, N, report));
            for (size_t r = 0; r < ROOMS; r++)
                run(w, &rooms[r]);
        }
    }
    work_close(w);
}
