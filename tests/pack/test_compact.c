/*
 * winnow_compact and winnow_split: elements of every size, at every alignment,
 * kept in every density, into room for all or for some.
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

/* What is kept, and what is rejected, if `number` is 2. */
static bool check_counts(struct packing *packing, const struct shape *shape,
                         unsigned number, struct report *report) {
    const uint64_t kept = selected_number(packing->keep, shape->n);
    const uint64_t wanted[2] = {kept, shape->n - kept};
    const unsigned written = shape->no_count ? 0 : number;
    uint64_t counts[2];

    region_fetch(&packing->count, 136);
    memcpy(counts, packing->count.seen + 64, sizeof(counts));
    for (unsigned i = 0; i < written; i++)
        if (counts[i] != wanted[i])
            return report_fail(report, "count %u is %llu, wanted %llu", i,
                               (unsigned long long)counts[i],
                               (unsigned long long)wanted[i]);
    return region_untouched(&packing->count, "d_count", 64, 0, 64, report) &&
           region_untouched(&packing->count, "d_count", 64, 64 + 8 * written,
                            136, report);
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

static uint64_t *counts_of(struct packing *packing, const struct shape *shape) {
    return shape->no_count ? NULL : (uint64_t *)(packing->count.base + 64);
}

static void run_compact(struct packing *packing, const struct shape *shape) {
    const struct backend *const backend = packing->backend;
    struct report report = {{0}};

    prepare(packing, shape);
    cr_assert_eq(
        winnow_compact(backend->context, packing->selected.d_selection,
                       packing->in.base + shape->in_offset, shape->n,
                       shape->bytes,
                       packing->out.base + REGION_GUARD + shape->out_offset,
                       shape->capacity, counts_of(packing, shape),
                       WINNOW_LAUNCH(.stream = backend->stream)),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    blame(shape,
          check_output(packing, shape, &packing->out, true, &report) &&
              check_counts(packing, shape, 1, &report),
          &report, "compact");
}

/* The rejects have the same capacity, and begin as the others do. */
static void run_split(struct packing *packing, const struct shape *shape) {
    const struct backend *const backend = packing->backend;
    const size_t start = REGION_GUARD + shape->out_offset;
    const winnow_in in = {.element_bytes = (uint32_t)shape->bytes,
                          .d_base = packing->in.base + shape->in_offset};
    struct report report = {{0}};

    prepare(packing, shape);
    cr_assert_eq(winnow_split(backend->context, packing->selected.d_selection,
                              &in, shape->n,
                              OUT_LIKE(in, packing->out.base + start),
                              shape->capacity,
                              OUT_LIKE(in, packing->rejected.base + start),
                              shape->capacity, counts_of(packing, shape),
                              WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    blame(
        shape,
        check_output(packing, shape, &packing->out, true, &report) &&
            check_output(packing, shape, &packing->rejected, false, &report) &&
            check_counts(packing, shape, 2, &report),
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
            const winnow_in in = {.element_bytes = (uint32_t)sizes[s],
                                  .d_base = packing.in.base};

            keep(&packing, densities[d], 9001);
            prepare(&packing, &shape);
            cr_assert_eq(
                winnow_split(backend->context, packing.selected.d_selection,
                             &in, shape.n, OUT_LIKE(in, NULL), 0,
                             OUT_LIKE(in, packing.rejected.base + REGION_GUARD),
                             WINNOW_NO_LIMIT, NULL,
                             WINNOW_LAUNCH(.stream = backend->stream)),
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
    uint64_t counts[2] = {77, 78};
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
#define COMPACT(context, selection, in, n, bytes, out)                         \
    winnow_compact(context, selection, in, n, bytes, out, 4, &counts[0], NULL)
    WRONG(COMPACT(NULL, selection, in, 4, 4, out), "context is NULL");
    WRONG(COMPACT(context, NULL, in, 4, 4, out), "d_selection is NULL");
    WRONG(COMPACT(context, selection, NULL, 4, 4, out), "d_in is NULL");
    WRONG(COMPACT(context, selection, in, 4, 4, NULL), "d_out is NULL");
    WRONG(COMPACT(context, selection, in, 4, 0, out),
          "element_bytes is 0: wanted 1 to 4096");
    WRONG(COMPACT(context, selection, in, 4, 4097, out),
          "element_bytes is 4097: wanted 1 to 4096");
    WRONG(COMPACT(context, selection, in, UINT64_MAX / 2, 4, out),
          "n is 9223372036854775807: that many elements of 4 bytes do not fit "
          "in the address space");
    WRONG(COMPACT(context, selection, in, 4, 4, in),
          "d_in and d_out overlap; only this is defined: d_out lies apart from "
          "d_in; in place is winnow_compact_columns()");
    WRONG(COMPACT(context, selection, in, 4, 4, selection),
          "d_selection and d_out overlap");
    cr_assert_eq(
        COMPACT(context, selection, in, (UINT64_C(1) << 42) + 1, 4, out),
        WINNOW_ERR_UNSUPPORTED);
#undef COMPACT
    cr_assert_eq(counts[0], 77u);
    cr_assert_eq(out[0], 0u);
    winnow_context_destroy(context);
}

/* A capacity that reaches behind the address space is not called n. */
Test(compact, wrong_capacities) {
    static _Alignas(16) unsigned char selection[1024];
    uint32_t in[4] = {1, 2, 3, 4};
    uint64_t position = 0;
    winnow_context *context;
    void *const late = (void *)(UINTPTR_MAX - 99);

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(winnow_compact(context, selection, in, 4, 4, late, 1000, NULL,
                                WINNOW_LAUNCH(.d_position = &position)),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_not_null(strstr(winnow_last_error(), "capacity is too large"),
                       "%s", winnow_last_error());
    cr_assert_eq(winnow_compact_index(context, selection, 4, WINNOW_UINT32,
                                      late, 1000, NULL,
                                      WINNOW_LAUNCH(.d_position = &position)),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_not_null(strstr(winnow_last_error(), "capacity is too large"),
                       "%s", winnow_last_error());
    cr_assert_eq(winnow_compact(context, selection, in, 4, 4, late,
                                WINNOW_NO_LIMIT, NULL,
                                WINNOW_LAUNCH(.d_position = &position)),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(
        winnow_last_error(),
        "capacity is 18446744073709551615: with launch->d_position it has to "
        "be the number of elements that there is room for");
    cr_assert_eq(position, 0u);
    winnow_context_destroy(context);
}

Test(compact, wrong_splits) {
    static _Alignas(16) unsigned char selection[1024];
    uint32_t in[4] = {1, 2, 3, 4}, out[4] = {0};
    uint64_t counts[2] = {77, 78};
    winnow_in given = {.type = WINNOW_UINT32, .d_base = in};
    winnow_in other = {.type = WINNOW_OPAQUE};
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
#define SPLIT(kept, rejected, capacity)                                        \
    winnow_split(context, selection, &given, 4,                                \
                 &(winnow_out){.type = WINNOW_UINT32, .d_base = (kept)},       \
                 capacity,                                                     \
                 &(winnow_out){.type = WINNOW_UINT32, .d_base = (rejected)},   \
                 capacity, counts, NULL)
    WRONG(winnow_split(context, selection, NULL, 4, OUT_LIKE(given, out), 2,
                       OUT_LIKE(given, out + 2), 2, counts, NULL),
          "in is NULL");
    WRONG(SPLIT(out, NULL, 4), "rejected->d_base is NULL");
    WRONG(SPLIT(NULL, out, 4), "kept->d_base is NULL");
    WRONG(SPLIT(out, out + 1, 2), "kept->d_base and rejected->d_base overlap");
    WRONG(SPLIT(out, in, 2), "in->d_base and rejected->d_base overlap");
    WRONG(SPLIT(counts + 1, out, 2), "kept->d_base and d_counts overlap");
    WRONG(winnow_split(context, selection, &given, 4, OUT_LIKE(given, out), 2,
                       OUT_LIKE(given, out + 2), 2, counts,
                       WINNOW_LAUNCH(.d_n = &counts[1])),
          "d_counts and launch->d_n overlap");
    cr_assert_eq(winnow_split(context, selection, &given, 4,
                              OUT_LIKE(given, out), 2, OUT_LIKE(given, out + 2),
                              2, counts, WINNOW_LAUNCH(.d_position = counts)),
                 WINNOW_ERR_UNSUPPORTED);
    cr_assert_str_eq(winnow_last_error(),
                     "launch->d_position is set, and winnow_split "
                     "always writes from the beginning of its outputs");
    WRONG(winnow_split(context, selection, &given, 4, NULL, 2,
                       OUT_LIKE(given, out), 2, counts, NULL),
          "kept is NULL");
    other.element_bytes = 8;
    WRONG(winnow_split(context, selection, &given, 4, OUT_LIKE(given, out), 2,
                       OUT_LIKE(other, out + 2), 1, counts, NULL),
          "rejected->type is opaque: wanted uint32, as of the input");
    given = (winnow_in){.element_bytes = 4, .d_base = in};
    WRONG(winnow_split(context, selection, &given, 4, OUT_LIKE(given, out), 2,
                       OUT_LIKE(other, out + 2), 1, counts, NULL),
          "rejected->element_bytes is 8: wanted 4, as of the input");
    given = (winnow_in){.type = WINNOW_UINT32, .d_base = in};
    given.element_bytes = 8;
    WRONG(SPLIT(out, out + 2, 2), "in->element_bytes is 8: wanted 0, or 4, the "
                                  "size of its type, uint32");
    given.element_bytes = 0;
    given.stride_bytes = -4;
    cr_assert_eq(SPLIT(out, out + 2, 2), WINNOW_ERR_UNSUPPORTED);
    cr_assert_str_eq(winnow_last_error(),
                     "in->stride_bytes is -4: wanted 0, for elements side by "
                     "side");
#undef SPLIT
    cr_assert(counts[0] == 77 && counts[1] == 78);
    cr_assert_eq(out[0], 0u);
    winnow_context_destroy(context);
}
