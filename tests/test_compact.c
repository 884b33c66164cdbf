/*
 * winnow_compact and winnow_split: elements of every size, at every alignment,
 * kept in every density, into room for all or for some.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "reduced.h"
#include "selected.h"
#include "suite.h"
#ifdef WINNOW_SIMT
#include "cut.h"
#endif

static const uint64_t edges[] = {0,     1,     2,     7,     15,    16,    17,
                                 33,    255,   1000,  4095,  4096,  4097,  8193,
                                 16383, 16384, 16385, 33000, 70001, 300007};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

/* What decides how a tile is packed: its density, and in what pieces. */
static const char *const densities[] = {
    "uniform:0.5",  "none",   "all",       "uniform:0.01", "runs:1024",
    "uniform:0.99", "prefix", "alternate", "runs:32"};
#define DENSITIES (sizeof(densities) / sizeof(densities[0]))

/* A column and the room for what is kept of it. */
struct packing {
    const struct backend *backend;
    struct selected selected;
    struct region in, out, rejected, count;
    unsigned char *values;
    uint8_t *keep;
    uint64_t most_bytes; /* of the column */
};

static void packing_open(struct packing *packing, const struct backend *backend,
                         uint64_t most, uint64_t most_bytes) {
    *packing = (struct packing){.backend = backend, .most_bytes = most_bytes};
    selected_open(&packing->selected, backend, most);
    region_open(&packing->in, backend, most_bytes + 32);
    region_open(&packing->out, backend, most_bytes + 32 + 2 * REGION_GUARD);
    region_open(&packing->rejected, backend,
                most_bytes + 32 + 2 * REGION_GUARD);
    region_open(&packing->count, backend, 136);
    packing->values = must_alloc(most_bytes);
    packing->keep = must_alloc(most);
    for (uint64_t i = 0; i < most_bytes; i++)
        packing->values[i] = (unsigned char)data_random(90, i);
}

static void packing_close(struct packing *packing) {
    selected_close(&packing->selected);
    region_close(&packing->in);
    region_close(&packing->out);
    region_close(&packing->rejected);
    region_close(&packing->count);
    free(packing->values);
    free(packing->keep);
}

struct shape {
    uint64_t n;
    size_t bytes;
    unsigned in_offset, out_offset; /* bytes off an alignment to 16 */
    uint64_t capacity;
    bool no_count;
};

/* Are these the items that are kept, or not, and is nothing else written? */
static bool check_output(struct packing *packing, const struct shape *shape,
                         struct region *out, bool wanted,
                         struct report *report) {
    const uint64_t room =
        shape->capacity < shape->n ? shape->capacity : shape->n;
    const size_t start = REGION_GUARD + shape->out_offset;
    const unsigned char *seen = out->seen + start;
    uint64_t number = 0;

    region_fetch(out, out->bytes);
    for (uint64_t i = 0; i < shape->n; i++) {
        if ((packing->keep[i] != 0) != wanted || number++ >= room)
            continue;
        if (memcmp(seen, packing->values + i * shape->bytes, shape->bytes) != 0)
            return report_fail(
                report, "element %llu of the output is not item %llu",
                (unsigned long long)number - 1, (unsigned long long)i);
        seen += shape->bytes;
    }
    return region_untouched(out, "output", start, 0, start, report) &&
           region_untouched(out, "output", start, (size_t)(seen - out->seen),
                            out->bytes, report);
}

static bool check_count(struct packing *packing, const struct shape *shape,
                        struct report *report) {
    const uint64_t kept = selected_number(packing->keep, shape->n);
    uint64_t count;

    region_fetch(&packing->count, 136);
    memcpy(&count, packing->count.seen + 64, sizeof(count));
    if (shape->no_count)
        return region_untouched(&packing->count, "d_count", 64, 0, 136, report);
    return count == kept ||
           report_fail(report, "the count is %llu, wanted %llu",
                       (unsigned long long)count, (unsigned long long)kept);
}

static void prepare(struct packing *packing, const struct shape *shape) {
    region_poison(&packing->in, packing->in.bytes);
    region_write(&packing->in, shape->in_offset, packing->values,
                 shape->n * shape->bytes);
    region_poison(&packing->out, packing->out.bytes);
    region_poison(&packing->rejected, packing->rejected.bytes);
    region_poison(&packing->count, 136);
}

static void blame(const struct shape *shape, bool ok,
                  const struct report *report, const char *call) {
    cr_assert(ok,
              "%s -- %s of n %llu, elements of %zu, d_in + %u, output + %u, "
              "capacity %llu",
              report->text, call, (unsigned long long)shape->n, shape->bytes,
              shape->in_offset, shape->out_offset,
              (unsigned long long)shape->capacity);
}

static uint64_t *count_of(struct packing *packing, const struct shape *shape) {
    return shape->no_count ? NULL : (uint64_t *)(packing->count.base + 64);
}

static void run_compact(struct packing *packing, const struct shape *shape) {
    const struct backend *const backend = packing->backend;
    struct report report = {{0}};

    prepare(packing, shape);
    cr_assert_eq(
        winnow_compact(
            backend->context, packing->selected.d_selection,
            packing->in.base + shape->in_offset, shape->n, shape->bytes,
            packing->out.base + REGION_GUARD + shape->out_offset,
            shape->capacity, NULL, count_of(packing, shape), backend->stream),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    blame(shape,
          check_output(packing, shape, &packing->out, true, &report) &&
              check_count(packing, shape, &report),
          &report, "compact");
}

/* The rejects have the same capacity, and begin as the others do. */
static void run_split(struct packing *packing, const struct shape *shape) {
    const struct backend *const backend = packing->backend;
    const size_t start = REGION_GUARD + shape->out_offset;
    struct report report = {{0}};

    prepare(packing, shape);
    cr_assert_eq(winnow_split(backend->context, packing->selected.d_selection,
                              packing->in.base + shape->in_offset, shape->n,
                              shape->bytes, packing->out.base + start,
                              shape->capacity, packing->rejected.base + start,
                              shape->capacity, count_of(packing, shape), NULL,
                              backend->stream),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    blame(
        shape,
        check_output(packing, shape, &packing->out, true, &report) &&
            check_output(packing, shape, &packing->rejected, false, &report) &&
            check_count(packing, shape, &report),
        &report, "split");
}

/* A block packs a tile, or a group of them. */
static void choose_blocks(const struct backend *backend, uint64_t any) {
#ifdef WINNOW_SIMT
    if (backend->gpu)
        cut_sink_blocks(backend, any % 3 == 0 ? 40 : 1);
#else
    (void)backend;
    (void)any;
#endif
}

static void run(struct packing *packing, const struct shape *shape) {
    choose_blocks(packing->backend, shape->n);
    run_compact(packing, shape);
    run_split(packing, shape);
}

static void keep(struct packing *packing, const char *density, uint64_t n) {
    selected_fill(pattern_named(density), n + 91, n, packing->keep);
    MUST(selected_make(&packing->selected, packing->keep, n, report));
}

/* The sizes with kernels of their own: every edge, every density, at changing
 * alignments of the element's. */
static void run_columns(const struct backend *backend, size_t bytes) {
    const size_t number = reduced_mode() ? EDGES - 3 : EDGES;
    const size_t step = reduced_mode() ? 5 : 1; /* from density to density */
    const uint64_t most = edges[number - 1];
    struct packing packing;

    packing_open(&packing, backend, most, most * bytes);
    for (size_t i = 0; i < number; i++)
        for (size_t d = i % step; d < DENSITIES; d += step) {
            const uint64_t random = data_random(92, i * DENSITIES + d);
            const struct shape shape = {
                .n = edges[i],
                .bytes = bytes,
                .in_offset = (unsigned)(random % 16 / bytes * bytes),
                .out_offset = (unsigned)(random / 16 % 16 / bytes * bytes),
                .capacity = WINNOW_NO_LIMIT};
            const struct shape aligned = {.n = edges[i],
                                          .bytes = bytes,
                                          .capacity = WINNOW_NO_LIMIT,
                                          .no_count = true};

            keep(&packing, densities[d], edges[i]);
            run(&packing, &shape);
            run(&packing, &aligned);
        }
    packing_close(&packing);
}

BACKEND_TEST(compact, bytes_1) {
    run_columns(backend, 1);
}

BACKEND_TEST(compact, bytes_2) {
    run_columns(backend, 2);
}

BACKEND_TEST(compact, bytes_4) {
    run_columns(backend, 4);
}

BACKEND_TEST(compact, bytes_8) {
    run_columns(backend, 8);
}

/* Every alignment of the input with every one of the output. */
BACKEND_TEST(compact, alignments) {
    static const char *const used[] = {"all", "uniform:0.5"};
    struct packing packing;

    packing_open(&packing, backend, 5000, 5000 * 2);
    for (size_t d = 0; d < 2; d++) {
        keep(&packing, used[d], 5000);
        for (size_t bytes = 1; bytes <= 2; bytes++)
            for (unsigned in = 0; in < 16; in++)
                for (unsigned out = in % 5; out < 16; out += 5) {
                    const struct shape shape = {.n = 5000,
                                                .bytes = bytes,
                                                .in_offset = in,
                                                .out_offset = out,
                                                .capacity = WINNOW_NO_LIMIT};
                    run(&packing, &shape);
                }
    }
    packing_close(&packing);
}

/* Rows of pieces of 1 to 16 bytes, as size and alignment allow. */
BACKEND_TEST(compact, rows) {
    static const size_t sizes[] = {3,  6,  12, 16, 20,  24,
                                   48, 80, 96, 99, 176, 4096};
    static const unsigned offsets[] = {0, 1, 2, 4, 8};
    const size_t number = sizeof(sizes) / sizeof(sizes[0]);
    const size_t step = reduced_mode() ? 3 : 1;
    struct packing packing;

    packing_open(&packing, backend, 20000, 20000 * 16);
    for (size_t s = 0; s < number; s++)
        for (size_t d = s % step; d < DENSITIES; d += step) {
            const uint64_t random = data_random(93, s * DENSITIES + d);
            const uint64_t n = 20000 * 16 / sizes[s] > 20000
                                   ? 9000 + random % 5000
                                   : 20000 * 16 / sizes[s] - random % 20;
            const struct shape aligned = {.n = n < 9000 ? n : 9000,
                                          .bytes = sizes[s],
                                          .capacity = WINNOW_NO_LIMIT};
            struct shape shape = aligned;

            shape.in_offset = offsets[random % 5];
            shape.out_offset = offsets[random / 5 % 5];
            keep(&packing, densities[d], shape.n);
            run(&packing, &aligned);
            run(&packing, &shape);
        }
    packing_close(&packing);
}

/* Elements of 2, 4 and 8 bytes that are not aligned to their size. */
BACKEND_TEST(compact, unaligned_elements) {
    struct packing packing;

    packing_open(&packing, backend, 5000, 5000 * 8);
    keep(&packing, "uniform:0.5", 5000);
    for (size_t bytes = 2; bytes <= 8; bytes *= 2)
        for (unsigned offset = 1; offset < bytes; offset++) {
            const struct shape in = {.n = 5000,
                                     .bytes = bytes,
                                     .in_offset = offset,
                                     .capacity = WINNOW_NO_LIMIT};
            const struct shape out = {.n = 5000,
                                      .bytes = bytes,
                                      .out_offset = offset,
                                      .capacity = WINNOW_NO_LIMIT};
            run(&packing, &in);
            run(&packing, &out);
        }
    packing_close(&packing);
}

BACKEND_TEST(compact, capacities) {
    static const size_t sizes[] = {1, 2, 4, 8, 12, 32};
    struct packing packing;

    packing_open(&packing, backend, 9001, 9001 * 32);
    for (size_t d = 0; d < DENSITIES; d++) {
        keep(&packing, densities[d], 9001);
        for (size_t s = reduced_mode() ? d % 3 : 0;
             s < sizeof(sizes) / sizeof(sizes[0]); s += reduced_mode() ? 3 : 1)
            for (uint64_t capacity = 0; capacity < 9001;
                 capacity = 4 * capacity + 1 + d) {
                const struct shape shape = {
                    .n = 9001, .bytes = sizes[s], .capacity = capacity};
                run(&packing, &shape);
            }
    }
    packing_close(&packing);
}

/* One of the outputs alone: the other one has no room. */
BACKEND_TEST(compact, half_a_split) {
    static const size_t sizes[] = {1, 8, 12};
    struct packing packing;

    packing_open(&packing, backend, 9001, 9001 * 12);
    for (size_t d = 0; d < DENSITIES; d++)
        for (size_t s = 0; s < 3; s++) {
            const struct shape shape = {
                .n = 9001, .bytes = sizes[s], .capacity = WINNOW_NO_LIMIT};

            keep(&packing, densities[d], 9001);
            prepare(&packing, &shape);
            cr_assert_eq(
                winnow_split(backend->context, packing.selected.d_selection,
                             packing.in.base, shape.n, shape.bytes, NULL, 0,
                             packing.rejected.base + REGION_GUARD,
                             WINNOW_NO_LIMIT, NULL, NULL, backend->stream),
                WINNOW_OK, "%s", winnow_last_error());
            MUST(check_output(&packing, &shape, &packing.rejected, false,
                              report));
        }
    packing_close(&packing);
}

/* ---------------------------------------------------------------- bad input */

#define WRONG(call, text)                                                      \
    do {                                                                       \
        cr_assert_eq((call), WINNOW_ERR_ARGUMENT);                             \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)

Test(compact, wrong_arguments) {
    static _Alignas(16) unsigned char selection[1024];
    uint32_t in[4] = {1, 2, 3, 4}, out[4] = {0};
    uint64_t count = 77;
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    WRONG(winnow_compact(NULL, selection, in, 4, 4, out, 4, NULL, &count, NULL),
          "context is NULL");
    WRONG(winnow_compact(context, NULL, in, 4, 4, out, 4, NULL, &count, NULL),
          "d_selection is NULL");
    WRONG(winnow_compact(context, selection, NULL, 4, 4, out, 4, NULL, &count,
                         NULL),
          "d_in is NULL");
    WRONG(winnow_compact(context, selection, in, 4, 4, NULL, 4, NULL, &count,
                         NULL),
          "d_out is NULL");
    WRONG(winnow_compact(context, selection, in, 4, 0, out, 4, NULL, &count,
                         NULL),
          "element_bytes is 0: wanted 1 to 4096");
    WRONG(winnow_compact(context, selection, in, 4, 4097, out, 4, NULL, &count,
                         NULL),
          "element_bytes is 4097: wanted 1 to 4096");
    WRONG(winnow_compact(context, selection, in, UINT64_MAX / 2, 4, out, 4,
                         NULL, &count, NULL),
          "n is 9223372036854775807: that many elements of 4 bytes do not fit "
          "in the address space");
    WRONG(
        winnow_compact(context, selection, in, 4, 4, in, 4, NULL, &count, NULL),
        "d_in and d_out overlap");
    WRONG(winnow_compact(context, selection, in, 4, 4, selection, 4, NULL,
                         &count, NULL),
          "d_selection and d_out overlap");
    cr_assert_eq(winnow_compact(context, selection, in, (UINT64_C(1) << 42) + 1,
                                4, out, 4, NULL, &count, NULL),
                 WINNOW_ERR_UNSUPPORTED);
    WRONG(winnow_split(context, selection, in, 4, 4, out, 4, NULL, 4, &count,
                       NULL, NULL),
          "d_rejected is NULL");
    WRONG(winnow_split(context, selection, in, 4, 4, NULL, 4, out, 4, &count,
                       NULL, NULL),
          "d_kept is NULL");
    WRONG(winnow_split(context, selection, in, 4, 4, out, 2, out + 1, 2, &count,
                       NULL, NULL),
          "d_kept and d_rejected overlap");
    WRONG(winnow_split(context, selection, in, 4, 4, out, 2, in, 2, &count,
                       NULL, NULL),
          "d_in and d_rejected overlap");
    WRONG(winnow_split(context, selection, in, 4, 0, out, 2, in, 2, &count,
                       NULL, NULL),
          "element_bytes is 0: wanted 1 to 4096");
    cr_assert_eq(count, 77u);
    cr_assert_eq(out[0], 0u);
    winnow_context_destroy(context);
}
