/*
 * winnow_selection_segments: segments of every size, empty ones too, offsets
 * that descend or lie behind the items, and what is not asked for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "reduced.h"
#include "selected.h"
#include "suite.h"

#define TILE 4096 /* items of the selection */
#define MOST_TILES 33
#define MOST (MOST_TILES * TILE) /* items, and segments */

struct segments {
    const struct backend *backend;
    struct selected selected;
    struct region offsets, counts, out_offsets;
    uint64_t *given;  /* offsets */
    uint64_t *before; /* survivors before each item, and before n */
    uint8_t *keep;
};

struct shape {
    uint64_t n, number;
    bool wide;
    bool no_counts, no_out_offsets;
    const char *name;
};

static void segments_open(struct segments *segments,
                          const struct backend *backend) {
    const size_t bytes = (MOST + 2) * sizeof(uint64_t);

    *segments = (struct segments){.backend = backend};
    selected_open(&segments->selected, backend, MOST);
    region_open(&segments->offsets, backend, bytes);
    region_open(&segments->counts, backend, bytes + 2 * REGION_GUARD);
    region_open(&segments->out_offsets, backend, bytes + 2 * REGION_GUARD);
    segments->given = must_alloc(bytes);
    segments->before = must_alloc(bytes);
    segments->keep = must_alloc(MOST);
}

static void segments_close(struct segments *segments) {
    selected_close(&segments->selected);
    region_close(&segments->offsets);
    region_close(&segments->counts);
    region_close(&segments->out_offsets);
    free(segments->given);
    free(segments->before);
    free(segments->keep);
}

static void keep(struct segments *segments, const char *pattern, uint64_t n) {
    uint64_t before = 0;

    selected_fill(pattern_named(pattern), n + 210, n, segments->keep);
    MUST(selected_make(&segments->selected, segments->keep, n, report));
    for (uint64_t i = 0; i <= n; i++) {
        segments->before[i] = before;
        before += i < n && segments->keep[i];
    }
}

static uint64_t rank(const struct segments *segments, uint64_t n, uint64_t s) {
    const uint64_t offset = segments->given[s];

    return segments->before[offset < n ? offset : n];
}

static uint64_t number_at(const struct region *region, bool wide, uint64_t i) {
    const unsigned char *const from = region->seen + REGION_GUARD;
    uint32_t narrow;
    uint64_t number;

    memcpy(&narrow, from + 4 * i, sizeof(narrow));
    if (!wide)
        return narrow;
    memcpy(&number, from + 8 * i, sizeof(number));
    return number;
}

static bool check_numbers(struct segments *segments, const struct shape *shape,
                          struct region *region, const char *name,
                          uint64_t number, struct report *report) {
    const bool counts = region == &segments->counts;
    const size_t size = shape->wide ? 8 : 4;

    region_fetch(region, region->bytes);
    for (uint64_t s = 0; s < number; s++) {
        const uint64_t here = rank(segments, shape->n, s);
        uint64_t wanted = here;

        if (counts) {
            const uint64_t end = rank(segments, shape->n, s + 1);

            wanted = end > here ? end - here : 0;
        }
        if (number_at(region, shape->wide, s) != wanted)
            return report_fail(
                report, "%s[%llu] is %llu, wanted %llu", name,
                (unsigned long long)s,
                (unsigned long long)number_at(region, shape->wide, s),
                (unsigned long long)wanted);
    }
    return region_untouched(region, name, REGION_GUARD, 0, REGION_GUARD,
                            report) &&
           region_untouched(region, name, REGION_GUARD,
                            REGION_GUARD + number * size, region->bytes,
                            report);
}

static void upload(struct segments *segments, const struct shape *shape) {
    region_poison(&segments->offsets, segments->offsets.bytes);
    for (uint64_t s = 0; s <= shape->number; s++) {
        const uint32_t narrow = (uint32_t)segments->given[s];

        if (shape->wide)
            memcpy(segments->offsets.shadow + 8 * s, &segments->given[s], 8);
        else
            memcpy(segments->offsets.shadow + 4 * s, &narrow, 4);
    }
    backend_upload(segments->backend, segments->offsets.base,
                   segments->offsets.shadow, segments->offsets.bytes);
}

static void run(struct segments *segments, const struct shape *shape) {
    const struct backend *const backend = segments->backend;
    const winnow_segments described = {
        .type = shape->wide ? WINNOW_UINT64 : WINNOW_UINT32,
        .count = shape->number,
        .d_offsets = segments->offsets.base,
        .d_counts =
            shape->no_counts ? NULL : segments->counts.base + REGION_GUARD,
        .d_out_offsets = shape->no_out_offsets
                             ? NULL
                             : segments->out_offsets.base + REGION_GUARD};
    struct report report = {{0}};

    upload(segments, shape);
    region_poison(&segments->counts, segments->counts.bytes);
    region_poison(&segments->out_offsets, segments->out_offsets.bytes);
    cr_assert_eq(winnow_selection_segments(
                     backend->context, segments->selected.d_selection, shape->n,
                     &described, WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    cr_assert(check_numbers(segments, shape, &segments->counts, "d_counts",
                            shape->no_counts ? 0 : shape->number, &report) &&
                  check_numbers(
                      segments, shape, &segments->out_offsets, "d_out_offsets",
                      shape->no_out_offsets ? 0 : shape->number + 1, &report) &&
                  selected_apart(&segments->selected, &report),
              "%s -- n %llu, %llu segments, %s, %s", report.text,
              (unsigned long long)shape->n, (unsigned long long)shape->number,
              shape->wide ? "uint64" : "uint32", shape->name);
}

/* ------------------------------------------------------------------ tests */

/* An offset at every item, and one at n: every rank. */
BACKEND_TEST(segments, every_item) {
    static const char *const patterns_tried[] = {"uniform:0.5", "none", "all",
                                                 "runs:1024", "alternate"};
    struct segments segments;

    segments_open(&segments, backend);
    for (size_t p = 0; p < 5; p++)
        for (uint64_t n = 8191; n <= 8193; n++) {
            const struct shape shape = {.n = n,
                                        .number = n,
                                        .wide = (n + p) % 2,
                                        .name = patterns_tried[p]};
            if (reduced_mode() && (n + p) % 3 != 0)
                continue;
            keep(&segments, patterns_tried[p], n);
            for (uint64_t s = 0; s <= n; s++)
                segments.given[s] = s;
            run(&segments, &shape);
        }
    segments_close(&segments);
}

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Random segments in ascending order, from empty to most of the items, in
 * numbers around those of a block. */
BACKEND_TEST(segments, numbers) {
    static const uint64_t numbers[] = {0,    1,    2,    31,   32,  254,
                                       255,  256,  257,  509,  510, 511,
                                       1023, 1024, 1025, 39999};
    static const uint64_t sizes[] = {0, 1, 33, 4096, 30011};
    struct segments segments;

    segments_open(&segments, backend);
    for (size_t z = 0; z < 5; z++) {
        keep(&segments, "uniform:0.5", sizes[z]);
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
            const uint64_t number = numbers[i];
            const struct shape shape = {.n = sizes[z],
                                        .number = number,
                                        .wide = (i + z) % 2,
                                        .no_counts = i % 5 == 3,
                                        .no_out_offsets = i % 5 == 4,
                                        .name = "ascending"};

            for (uint64_t s = 0; s <= number; s++)
                segments.given[s] =
                    data_random(211 + i, s / (1 + s % 3)) % (sizes[z] + 1);
            qsort(segments.given, number + 1, sizeof(uint64_t), compare);
            run(&segments, &shape);
        }
    }
    segments_close(&segments);
}

/* In no order, and behind the items, up to the largest numbers. */
BACKEND_TEST(segments, wrong_offsets) {
    struct segments segments;

    segments_open(&segments, backend);
    for (uint64_t n = 0; n <= 12288; n += 4096)
        for (int wide = 0; wide < 2; wide++) {
            const struct shape shape = {.n = n,
                                        .number = 600,
                                        .wide = wide != 0,
                                        .name = "in no order"};

            keep(&segments, "uniform:0.5", n);
            for (uint64_t s = 0; s <= 600; s++) {
                const uint64_t random = data_random(212, s);

                segments.given[s] = s % 5 == 0   ? random
                                    : s % 5 == 1 ? n + random % 5000
                                    : s % 7 == 2 ? UINT64_MAX
                                                 : random % (n + 1);
                if (!wide)
                    segments.given[s] &= UINT32_MAX;
            }
            run(&segments, &shape);
        }
    segments_close(&segments);
}

/* ---------------------------------------------- tiles of a warp's offsets */

/* The segments of a block, and a thread for each offset of them. */
#define BLOCK 255
#define WARP 32

enum order {
    ASCENDING,
    DESCENDING,
    IN_TURN /* a lane each from the first to the last tile, and again */
};

/* So many offsets, from s on, are those of the warp that offset s begins, but
 * for one that the next block has, too. */
static unsigned lanes_from(uint64_t s) {
    const unsigned left = (unsigned)(BLOCK - s % BLOCK);

    return left < WARP ? left : WARP;
}

/* In a tile: at the edges of words and vectors, or anywhere. */
static uint64_t place_in_tile(uint64_t random) {
    static const unsigned edges[] = {0, 1, 31, 32, 127, 128, 129, TILE - 1};

    return random % 3 == 0 ? edges[random / 3 % 8] : random / 3 % TILE;
}

/* The offsets of each warp lie in so many tiles, one behind the other. Of the
 * last tile there are those at n and behind it. */
static void place_in_tiles(struct segments *segments, const struct shape *shape,
                           unsigned tiles, enum order order, uint64_t seed) {
    const uint64_t there = shape->n / TILE + 1;
    unsigned lanes;

    for (uint64_t s = 0; s <= shape->number; s += lanes) {
        const uint64_t first = data_random(seed, s) % (there - tiles + 1);

        lanes = lanes_from(s);
        for (unsigned lane = 0; lane < lanes; lane++) {
            const unsigned tile = order == ASCENDING ? lane * tiles / lanes
                                  : order == DESCENDING
                                      ? tiles - 1 - lane * tiles / lanes
                                      : lane % tiles;

            if (s + lane <= shape->number)
                segments->given[s + lane] =
                    (first + tile) * TILE +
                    place_in_tile(data_random(seed + 1, s + lane));
        }
        if (order == ASCENDING && s + lanes <= shape->number)
            qsort(segments->given + s, lanes, sizeof(uint64_t), compare);
    }
}

BACKEND_TEST(segments, tiles_of_a_warp) {
    static const unsigned tiles[] = {1, 2, 3, 7, 8, 9, 16, 31, 32};
    static const uint64_t sizes[] = {MOST, MOST - TILE + 77};
    static const char *const names[] = {"ascending", "descending", "in turn"};
    struct segments segments;

    segments_open(&segments, backend);
    for (size_t z = 0; z < 2; z++)
        for (size_t t = 0; t < 9; t++)
            for (int order = ASCENDING; order <= IN_TURN; order++) {
                const uint64_t seed = 230 + 30 * z + 3 * t + (uint64_t)order;
                const struct shape shape = {.n = sizes[z],
                                            .number = 600 + seed % 40,
                                            .wide = seed % 2 != 0,
                                            .name = names[order]};

                if (t % 3 == 0 && order == ASCENDING)
                    keep(&segments, t % 2 == 0 ? "uniform:0.5" : "runs:1024",
                         sizes[z]);
                place_in_tiles(&segments, &shape, tiles[t], (enum order)order,
                               seed);
                run(&segments, &shape);
            }
    segments_close(&segments);
}

/* Empty segments at any place, also those of a whole block. */
BACKEND_TEST(segments, empty) {
    static const uint64_t places[] = {0, 1, 4095, 4096, 3 * TILE, 3 * TILE + 1};
    const uint64_t n = 3 * TILE;
    struct segments segments;

    segments_open(&segments, backend);
    keep(&segments, "uniform:0.5", n);
    for (size_t p = 0; p < 6; p++)
        for (int wide = 0; wide < 2; wide++) {
            const struct shape shape = {
                .n = n, .number = 700, .wide = wide != 0, .name = "empty"};

            for (uint64_t s = 0; s <= 700; s++)
                segments.given[s] = s < 300 ? places[p] : n;
            segments.given[0] = 0;
            run(&segments, &shape);
        }
    segments_close(&segments);
}

/* ---------------------------------------------------------------- bad input */

#define WRONG(call, text)                                                      \
    do {                                                                       \
        cr_assert_eq((call), WINNOW_ERR_ARGUMENT);                             \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)

Test(segments, wrong_arguments) {
    static _Alignas(16) unsigned char selection[1024];
    uint64_t offsets[3] = {0, 1, 4}, counts[3] = {77, 77}, out[3] = {77};
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
#define ASK(context, selection, type, number, offsets, counts, out)            \
    winnow_selection_segments(                                                 \
        context, selection, 4,                                                 \
        &(winnow_segments){type, number, offsets, counts, out}, NULL)
    WRONG(winnow_selection_segments(context, selection, 4, NULL, NULL),
          "segments is NULL");
    WRONG(ASK(NULL, selection, WINNOW_UINT64, 2, offsets, counts, out),
          "context is NULL");
    WRONG(ASK(context, NULL, WINNOW_UINT64, 2, offsets, counts, out),
          "d_selection is NULL");
    WRONG(ASK(context, selection, WINNOW_UINT64, 2, NULL, counts, out),
          "segments->d_offsets is NULL");
    WRONG(
        ASK(context, selection, WINNOW_INT64, 2, offsets, counts, out),
        "segments->type 4, int64, is neither WINNOW_UINT32 nor WINNOW_UINT64");
    WRONG(ASK(context, selection, WINNOW_UINT64, 2, offsets, offsets, out),
          "segments->d_offsets and segments->d_counts overlap");
    WRONG(ASK(context, selection, WINNOW_UINT64, 2, offsets, counts, counts),
          "segments->d_counts and segments->d_out_offsets overlap");
    WRONG(ASK(context, selection, WINNOW_UINT64, 2, offsets, selection, out),
          "d_selection and segments->d_counts overlap");
    cr_assert_eq(ASK(context, selection, WINNOW_UINT64, (UINT64_C(1) << 32) + 1,
                     offsets, counts, out),
                 WINNOW_ERR_UNSUPPORTED);
    cr_assert(counts[0] == 77 && counts[1] == 77 && out[0] == 77);
    winnow_context_destroy(context);
}
