/*
 * winnow_expand: elements of every size, at every alignment, to places of every
 * density, with a value for the others and without, from all or from some.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "out_like.h"
#include "reduced.h"
#include "selected.h"
#include "suite.h"

static const uint64_t edges[] = {0,   1,   2,    15,   17,   31,   32,   33,
                                 255, 257, 1000, 4095, 4096, 4097, 8193, 9001};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

static const char *const densities[] = {"uniform:0.5",  "none",      "all",
                                        "uniform:0.01", "runs:1024", "prefix",
                                        "alternate"};
#define DENSITIES (sizeof(densities) / sizeof(densities[0]))

struct places {
    const struct backend *backend;
    struct selected selected;
    struct region in, out;
    unsigned char *values;
    uint8_t *keep;
};

struct shape {
    uint64_t n, available;
    size_t bytes;
    unsigned in_offset, out_offset; /* bytes off an alignment to 16 */
    bool filled;
};

static unsigned char fill[4096];

static void places_open(struct places *places, const struct backend *backend,
                        uint64_t most, uint64_t most_bytes) {
    *places = (struct places){.backend = backend};
    selected_open(&places->selected, backend, most);
    region_open(&places->in, backend, most_bytes + 32);
    region_open(&places->out, backend, most_bytes + 32 + 2 * REGION_GUARD);
    places->values = must_alloc(most_bytes);
    places->keep = must_alloc(most);
    for (uint64_t i = 0; i < most_bytes; i++)
        places->values[i] = (unsigned char)data_random(200, i);
    for (size_t i = 0; i < sizeof(fill); i++)
        fill[i] = (unsigned char)data_random(201, i);
}

static void places_close(struct places *places) {
    selected_close(&places->selected);
    region_close(&places->in);
    region_close(&places->out);
    free(places->values);
    free(places->keep);
}

static void keep(struct places *places, const char *density, uint64_t n) {
    selected_fill(pattern_named(density), n + 202, n, places->keep);
    MUST(selected_make(&places->selected, places->keep, n, report));
}

/* Is each place what it should be, and nothing else written? */
static bool check_places(struct places *places, const struct shape *shape,
                         struct report *report) {
    const size_t start = REGION_GUARD + shape->out_offset;
    uint64_t rank = 0;

    region_fetch(&places->out, places->out.bytes);
    for (uint64_t i = 0; i < shape->n; i++) {
        const size_t at = start + i * shape->bytes;
        const unsigned char *wanted = places->out.shadow + at;

        if (places->keep[i] && rank++ < shape->available)
            wanted = places->values + (rank - 1) * shape->bytes;
        else if (!places->keep[i] && shape->filled)
            wanted = fill;
        if (memcmp(places->out.seen + at, wanted, shape->bytes) != 0)
            return report_fail(report, "place %llu is wrong",
                               (unsigned long long)i);
    }
    return region_untouched(&places->out, "d_out", start, 0, start, report) &&
           region_untouched(&places->out, "d_out", start,
                            start + shape->n * shape->bytes, places->out.bytes,
                            report) &&
           selected_apart(&places->selected, report);
}

/* The value is in other memory by the time that the work is done. */
static void run(struct places *places, const struct shape *shape) {
    const struct backend *const backend = places->backend;
    const uint64_t given =
        shape->available < shape->n ? shape->available : shape->n;
    const winnow_in packed = {.element_bytes = (uint32_t)shape->bytes,
                              .d_base = places->in.base + shape->in_offset};
    unsigned char value[4097];
    struct report report = {{0}};

    memcpy(value + 1, fill, shape->bytes);
    region_poison(&places->in, places->in.bytes);
    region_write(&places->in, shape->in_offset, places->values,
                 given * shape->bytes);
    region_poison(&places->out, places->out.bytes);
    cr_assert_eq(
        winnow_expand(backend->context, places->selected.d_selection, &packed,
                      shape->available, shape->n,
                      shape->filled ? value + 1 : NULL,
                      OUT_LIKE(packed, places->out.base + REGION_GUARD +
                                           shape->out_offset),
                      WINNOW_LAUNCH(.stream = backend->stream)),
        WINNOW_OK, "%s", winnow_last_error());
    memset(value, 0, sizeof(value));
    cr_assert_null(backend_wait(backend));
    cr_assert(check_places(places, shape, &report),
              "%s -- n %llu, %llu available, elements of %zu, d_in + %u, "
              "d_out + %u, %s",
              report.text, (unsigned long long)shape->n,
              (unsigned long long)shape->available, shape->bytes,
              shape->in_offset, shape->out_offset,
              shape->filled ? "filled" : "left alone");
}

static void run_both(struct places *places, struct shape shape) {
    shape.filled = false;
    run(places, &shape);
    shape.filled = true;
    run(places, &shape);
}

/* ------------------------------------------------------------------ tests */

BACKEND_TEST(expand, sizes) {
    static const size_t sizes[] = {1, 2, 4, 8, 16};
    struct places places;

    places_open(&places, backend, 9001, 9001 * 16);
    for (size_t i = 0; i < EDGES; i++)
        for (size_t d = i % 2; d < DENSITIES; d += reduced_mode() ? 2 : 1) {
            keep(&places, densities[d], edges[i]);
            for (size_t s = (i + d) % 2; s < 5; s += reduced_mode() ? 3 : 1) {
                const uint64_t random = data_random(203, i * DENSITIES + d);
                const size_t size = sizes[s];
                const struct shape shape = {
                    .n = edges[i],
                    .bytes = size,
                    .in_offset = (unsigned)(random % 16 / size * size),
                    .out_offset = (unsigned)(random / 16 % 16 / size * size),
                    .available = WINNOW_NO_LIMIT};

                run_both(&places, shape);
            }
        }
    places_close(&places);
}

/* Records, the largest too, whose value is given to the kernels in slices; at
 * any alignment. */
BACKEND_TEST(expand, records) {
    static const size_t sizes[] = {3,   5,    6,    12,   24,   48,   100,
                                   512, 2046, 2048, 2049, 2064, 4095, 4096};
    struct places places;

    places_open(&places, backend, 4100, 4100 * 100 + 4096 * 300);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        const uint64_t n = sizes[s] <= 100 ? 4100 : 300;

        keep(&places, densities[s % 2 ? 0 : s / 2], n);
        for (unsigned offset = 0; offset < 16;
             offset += reduced_mode() ? 5 : 1) {
            const struct shape shape = {.n = n,
                                        .bytes = sizes[s],
                                        .in_offset = offset,
                                        .out_offset = 3 * offset % 16,
                                        .available = WINNOW_NO_LIMIT};
            run_both(&places, shape);
        }
    }
    places_close(&places);
}

/* Fewer elements than places: at borders of tiles, and inside of them. */
BACKEND_TEST(expand, available) {
    static const size_t sizes[] = {1, 4, 12};
    static const uint64_t available[] = {0,    1,    33,   2000, 4095,
                                         4096, 4097, 8999, 9001, 20000};
    struct places places;

    places_open(&places, backend, 9001, 9001 * 12);
    for (size_t d = 0; d < DENSITIES; d++) {
        keep(&places, densities[d], 9001);
        for (size_t a = 0; a < sizeof(available) / sizeof(available[0]); a++) {
            const struct shape shape = {.n = 9001,
                                        .bytes = sizes[(a + d) % 3],
                                        .available = available[a]};
            run_both(&places, shape);
        }
    }
    places_close(&places);
}

/* A single survivor, at either end of a tile. */
BACKEND_TEST(expand, single) {
    static const uint64_t kept[] = {0, 31, 32, 4095, 4096, 8999, 9000};
    struct places places;

    places_open(&places, backend, 9001, 9001 * 8);
    for (size_t k = 0; k < sizeof(kept) / sizeof(kept[0]); k++) {
        const struct shape shape = {.n = 9001, .bytes = 8, .available = 1};

        memset(places.keep, 0, 9001);
        places.keep[kept[k]] = 1;
        MUST(selected_make(&places.selected, places.keep, 9001, report));
        run_both(&places, shape);
    }
    places_close(&places);
}

/* ---------------------------------------------------------------- bad input */

#define WRONG(call, text)                                                      \
    do {                                                                       \
        cr_assert_eq((call), WINNOW_ERR_ARGUMENT);                             \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)

Test(expand, wrong_arguments) {
    static _Alignas(16) unsigned char selection[1024];
    uint32_t in[4] = {1, 2, 3, 4}, out[4] = {0}, value = 7;
    winnow_in packed = {.type = WINNOW_UINT32, .d_base = in};
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
#define EXPAND(context, selection, packed_n, n, out)                           \
    winnow_expand(context, selection, &packed, packed_n, n, &value,            \
                  OUT_LIKE(packed, out), NULL)
    WRONG(EXPAND(NULL, selection, 4, 4, out), "context is NULL");
    WRONG(EXPAND(context, NULL, 4, 4, out), "d_selection is NULL");
    WRONG(winnow_expand(context, selection, NULL, 4, 4, &value,
                        OUT_LIKE(packed, out), NULL),
          "packed is NULL");
    WRONG(EXPAND(context, selection, 4, 4, NULL), "out->d_base is NULL");
    WRONG(EXPAND(context, selection, 4, 4, in),
          "packed->d_base and out->d_base overlap");
    WRONG(EXPAND(context, selection, 4, 4, selection),
          "d_selection and out->d_base overlap");
    WRONG(EXPAND(context, selection, 4, UINT64_MAX / 2, out),
          "n is 9223372036854775807: that many elements of 4 bytes do not fit "
          "in the address space");
    cr_assert_eq(EXPAND(context, selection, 4, (UINT64_C(1) << 42) + 1, out),
                 WINNOW_ERR_UNSUPPORTED);
    packed.stride_bytes = 8;
    cr_assert_eq(EXPAND(context, selection, 4, 4, out), WINNOW_ERR_UNSUPPORTED);
    cr_assert_str_eq(winnow_last_error(),
                     "packed->stride_bytes is 8: wanted 0, for elements side "
                     "by side");
    packed.stride_bytes = 0;
    packed.type = WINNOW_OPAQUE;
    WRONG(EXPAND(context, selection, 4, 4, out),
          "packed has no type, and element_bytes is 0");
    packed.element_bytes = 4097;
    WRONG(EXPAND(context, selection, 4, 4, out),
          "packed->element_bytes is 4097: wanted 1 to 4096");
    packed.element_bytes = 4;
    packed.d_base = NULL;
    WRONG(EXPAND(context, selection, 4, 4, out), "packed->d_base is NULL");
    cr_assert(out[0] == 0 && in[0] == 1);
    /* None to bring back: there is no input. */
    cr_assert_eq(EXPAND(context, selection, 0, 4, out), WINNOW_OK, "%s",
                 winnow_last_error());
#undef EXPAND
    cr_assert(out[0] == 7 && out[3] == 7);
    winnow_context_destroy(context);
}
