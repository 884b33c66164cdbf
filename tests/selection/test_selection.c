/*
 * Selections from masks, and from other selections.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "reduced.h"
#include "selected.h"
#include "suite.h"

static const uint64_t edges[] = {0,    1,    7,    8,     9,     31,    32,
                                 33,   63,   65,   1000,  4063,  4095,  4096,
                                 4097, 8191, 8193, 12289, 70001, 300007};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

static size_t edges_here(void) {
    return reduced_mode() ? EDGES - 2 : EDGES;
}

/* ------------------------------------------------------------------- masks */

/* The mask's memory: the bytes that have flags of items, at `front`, and not
 * one more behind; the bits and bytes around are random. */
struct mask {
    const struct backend *backend;
    unsigned char *d_memory;
    unsigned char *memory;
    size_t bytes;
};

static void mask_open(struct mask *mask, const struct backend *backend,
                      size_t bytes) {
    *mask = (struct mask){.backend = backend, .bytes = bytes};
    mask->memory = must_alloc(bytes);
    mask->d_memory = backend_alloc(backend, bytes);
    for (size_t i = 0; i < bytes; i++)
        mask->memory[i] = (unsigned char)data_random(bytes, i);
}

static void mask_close(struct mask *mask) {
    backend_free(mask->backend, mask->d_memory);
    free(mask->memory);
}

static void set_flag(struct mask *mask, winnow_mask_kind kind, uint64_t flag,
                     uint8_t value) {
    unsigned char *const byte =
        mask->memory + (kind == WINNOW_MASK_BITS ? flag / 8 : flag);

    if (kind == WINNOW_MASK_BYTES)
        *byte = value;
    else if (value != 0)
        *byte = (unsigned char)(*byte | 1 << flag % 8);
    else
        *byte = (unsigned char)(*byte & ~(1 << flag % 8));
}

/* The mask begins `front` bytes into its memory, and item 0 `offset` flags
 * later. */
static void run_mask(struct selected *selected, winnow_mask_kind kind,
                     const uint8_t *keep, uint64_t n, unsigned front,
                     uint64_t offset) {
    const struct backend *const backend = selected->backend;
    const bool bits = kind == WINNOW_MASK_BITS;
    struct mask mask;

    mask_open(&mask, backend,
              front + (bits ? (offset + n + 7) / 8 : offset + n));
    for (uint64_t i = 0; i < n; i++)
        set_flag(&mask, kind, (bits ? 8 : 1) * (uint64_t)front + offset + i,
                 keep[i]);
    backend_upload(backend, mask.d_memory, mask.memory, mask.bytes);
    selected_prepare(selected, n);
    cr_assert_eq(
        winnow_select_flagged(backend->context,
                              &(winnow_mask){.kind = kind,
                                             .d_flags = mask.d_memory + front,
                                             .offset = offset},
                              n, selected->d_selection, selected->bytes,
                              WINNOW_LAUNCH(.stream = backend->stream)),
        WINNOW_OK, "%s", winnow_last_error());
    MUST(selected_check(selected, keep, report));
    mask_close(&mask);
}

static void run_masks(const struct backend *backend, winnow_mask_kind kind) {
    const size_t number = edges_here();
    const uint64_t most = edges[number - 1];
    uint8_t *const keep = must_alloc(most);
    struct selected selected;

    selected_open(&selected, backend, most);
    for (size_t i = 0; i < number; i++) {
        const uint64_t random = data_random(80, i);

        selected_fill(&patterns[i % PATTERNS], 80 + i, most, keep);
        run_mask(&selected, kind, keep, edges[i], random % 16,
                 random / 16 % 70);
        run_mask(&selected, kind, keep, edges[i], 0, 0);
    }
    selected_close(&selected);
    free(keep);
}

BACKEND_TEST(selection, byte_masks) {
    run_masks(backend, WINNOW_MASK_BYTES);
}

BACKEND_TEST(selection, bit_masks) {
    run_masks(backend, WINNOW_MASK_BITS);
}

/* Every place of the first bit in a word, and every alignment of the mask. */
BACKEND_TEST(selection, LONG(bit_offsets)) {
    static const uint64_t sizes[] = {1, 30, 4100};
    uint8_t keep[4100];
    struct selected selected;

    selected_open(&selected, backend, 4100);
    selected_fill(pattern_named("uniform:0.5"), 81, 4100, keep);
    for (uint64_t offset = 0; offset < 34; offset++)
        for (unsigned front = 0; front < 4; front++)
            for (size_t i = 0; i < 3; i++)
                run_mask(&selected, WINNOW_MASK_BITS, keep, sizes[i], front,
                         offset);
    selected_close(&selected);
}

/* The selection as a mask, whose other bits and bytes stay as they were. */
static void run_to_mask(struct selected *selected, winnow_mask_kind kind,
                        const uint8_t *keep, uint64_t n, unsigned front,
                        uint64_t offset) {
    const struct backend *const backend = selected->backend;
    const bool bits = kind == WINNOW_MASK_BITS;
    struct mask mask;
    unsigned char *seen;

    mask_open(&mask, backend,
              front + (bits ? (offset + n + 7) / 8 : offset + n));
    seen = must_alloc(mask.bytes);
    backend_upload(backend, mask.d_memory, mask.memory, mask.bytes);
    for (uint64_t i = 0; i < n; i++)
        set_flag(&mask, kind, (bits ? 8 : 1) * (uint64_t)front + offset + i,
                 keep[i] != 0);
    MUST(selected_make(selected, keep, n, report));
    cr_assert_eq(
        winnow_selection_to_mask(backend->context, selected->d_selection, n,
                                 kind, mask.d_memory + front, offset,
                                 WINNOW_LAUNCH(.stream = backend->stream)),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_download(backend, seen, mask.d_memory, mask.bytes);
    for (size_t i = 0; i < mask.bytes; i++)
        cr_assert_eq(seen[i], mask.memory[i],
                     "byte %zu is %#x, wanted %#x: n %llu, mask + %u, offset "
                     "%llu",
                     i, seen[i], mask.memory[i], (unsigned long long)n, front,
                     (unsigned long long)offset);
    free(seen);
    mask_close(&mask);
}

BACKEND_TEST(selection, to_masks) {
    const size_t number = edges_here();
    const uint64_t most = edges[number - 1];
    uint8_t *const keep = must_alloc(most);
    struct selected selected;

    selected_open(&selected, backend, most);
    for (size_t i = 0; i < number; i++)
        for (int kind = WINNOW_MASK_BYTES; kind <= WINNOW_MASK_BITS; kind++) {
            const uint64_t random = data_random(84 + (uint64_t)kind, i);

            selected_fill(&patterns[i % PATTERNS], 84 + i, most, keep);
            run_to_mask(&selected, (winnow_mask_kind)kind, keep, edges[i],
                        random % 16, random / 16 % 70);
            run_to_mask(&selected, (winnow_mask_kind)kind, keep, edges[i], 0,
                        0);
        }
    selected_close(&selected);
    free(keep);
}

/* Every place of the first flag in a word, and in a vector of 16 bytes; sizes
 * that end in the first vector, and that have whole ones. */
BACKEND_TEST(selection, LONG(to_mask_offsets)) {
    static const uint64_t sizes[] = {1, 5, 40, 200, 700};
    uint8_t keep[700];
    struct selected selected;

    selected_open(&selected, backend, 700);
    selected_fill(pattern_named("uniform:0.5"), 85, 700, keep);
    for (uint64_t offset = 0; offset < 34; offset++)
        for (unsigned front = 0; front < (offset % 7 == 0 ? 16 : 4); front++)
            for (size_t i = 0; i < 5; i++) {
                if (reduced_mode() && i != (offset + front) % 5)
                    continue;
                run_to_mask(&selected, WINNOW_MASK_BITS, keep, sizes[i], front,
                            offset);
                run_to_mask(&selected, WINNOW_MASK_BYTES, keep, sizes[i], front,
                            offset);
            }
    selected_close(&selected);
}

/* ------------------------------------------------------------- many tiles */

/* Of bits, drawn eight at a time; with whole blocks of none and of all. */
static unsigned char drawn_bits(uint64_t byte) {
    const uint64_t part = data_random(86, byte >> 16) % 4;

    return part == 0   ? 0
           : part == 1 ? 0xff
                       : (unsigned char)data_random(87, byte);
}

/* What comes before each tile: by segments that begin there, of which there is
 * one more, which ends at n. */
static void check_tiles(const struct backend *backend, const void *d_selection,
                        uint64_t n, const unsigned char *bits) {
    const uint64_t tiles = (n + 4095) / 4096;
    uint64_t *const numbers = must_alloc((tiles + 1) * sizeof(uint64_t));
    uint64_t *const d_offsets = backend_alloc(backend, (tiles + 1) * 8);
    uint64_t *const d_before = backend_alloc(backend, (tiles + 1) * 8);
    const winnow_segments segments = {.type = WINNOW_UINT64,
                                      .count = tiles,
                                      .d_offsets = d_offsets,
                                      .d_out_offsets = d_before};
    uint64_t wanted = 0;

    for (uint64_t tile = 0; tile <= tiles; tile++)
        numbers[tile] = 4096 * tile;
    backend_upload(backend, d_offsets, numbers, (tiles + 1) * 8);
    cr_assert_eq(
        winnow_selection_segments(backend->context, d_selection, n, &segments,
                                  WINNOW_LAUNCH(.stream = backend->stream)),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_download(backend, numbers, d_before, (tiles + 1) * 8);
    for (uint64_t tile = 0; tile <= tiles; tile++) {
        cr_assert_eq(numbers[tile], wanted, "n %llu, tile %llu",
                     (unsigned long long)n, (unsigned long long)tile);
        for (uint64_t i = 512 * tile; i < 512 * (tile + 1) && 8 * i < n; i++)
            for (unsigned bit = 0; bit < 8 && 8 * i + bit < n; bit++)
                wanted += bits[i] >> bit & 1;
    }
    backend_free(backend, d_offsets);
    backend_free(backend, d_before);
    free(numbers);
}

/* More tiles than one block has that sums them up. */
BACKEND_TEST(selection, many_tiles) {
    static const uint64_t step = 2048 * UINT64_C(4096);
    const uint64_t sizes[] = {step + 1, step, 2 * step - 5, 2 * step + 5000};
    const size_t number = reduced_mode() ? 1 : 4;
    const uint64_t most = number == 1 ? step + 1 : 2 * step + 5000;
    unsigned char *const bits = must_alloc(most / 8 + 1);
    unsigned char *const d_bits = backend_alloc(backend, most / 8 + 1);

    for (uint64_t i = 0; i <= most / 8; i++)
        bits[i] = drawn_bits(i);
    backend_upload(backend, d_bits, bits, most / 8 + 1);
    for (size_t i = 0; i < number; i++) {
        size_t bytes;
        void *d_selection;

        cr_assert_eq(winnow_selection_bytes(sizes[i], &bytes), WINNOW_OK);
        d_selection = backend_alloc(backend, bytes);
        cr_assert_eq(
            winnow_select_flagged(
                backend->context,
                &(winnow_mask){.kind = WINNOW_MASK_BITS, .d_flags = d_bits},
                sizes[i], d_selection, bytes,
                WINNOW_LAUNCH(.stream = backend->stream)),
            WINNOW_OK, "%s", winnow_last_error());
        check_tiles(backend, d_selection, sizes[i], bits);
        backend_free(backend, d_selection);
    }
    backend_free(backend, d_bits);
    free(bits);
}

/* ------------------------------------------------------------- combinations */

static bool wanted(winnow_combine combine, uint8_t a, uint8_t b) {
    switch (combine) {
    case WINNOW_AND:
        return a && b;
    case WINNOW_OR:
        return a || b;
    case WINNOW_AND_NOT:
        return a && !b;
    default:
        return !a != !b;
    }
}

struct two {
    struct selected a, b, result;
    uint8_t *keep_a, *keep_b, *keep;
    uint64_t n;
};

static void make_two(struct two *two) {
    MUST(selected_make(&two->a, two->keep_a, two->n, report));
    MUST(selected_make(&two->b, two->keep_b, two->n, report));
}

static void check_combination(struct two *two, winnow_combine combine,
                              struct selected *to) {
    const struct backend *const backend = two->a.backend;

    cr_assert_eq(winnow_selection_combine(
                     backend->context, combine, two->a.d_selection,
                     two->b.d_selection, two->n, to->d_selection, to->bytes,
                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    for (uint64_t i = 0; i < two->n; i++)
        two->keep[i] = wanted(combine, two->keep_a[i], two->keep_b[i]);
    MUST(selected_check(to, two->keep, report));
}

/* Elsewhere, and over each of the two, which else are as they were. */
static void combine_two(struct two *two, winnow_combine combine) {
    make_two(two);
    selected_prepare(&two->result, two->n);
    check_combination(two, combine, &two->result);
    MUST(selected_check(&two->a, two->keep_a, report));
    MUST(selected_check(&two->b, two->keep_b, report));
    check_combination(two, combine, &two->a);
    make_two(two);
    check_combination(two, combine, &two->b);
}

static void check_not(struct two *two, struct selected *to) {
    const struct backend *const backend = two->a.backend;

    cr_assert_eq(winnow_selection_not(backend->context, two->a.d_selection,
                                      two->n, to->d_selection, to->bytes,
                                      WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    for (uint64_t i = 0; i < two->n; i++)
        two->keep[i] = !two->keep_a[i];
    MUST(selected_check(to, two->keep, report));
}

BACKEND_TEST(selection, LONG(combinations)) {
    const size_t number = edges_here();
    const uint64_t most = edges[number - 1];
    struct two two = {.keep_a = must_alloc(most),
                      .keep_b = must_alloc(most),
                      .keep = must_alloc(most)};

    selected_open(&two.a, backend, most);
    selected_open(&two.b, backend, most);
    selected_open(&two.result, backend, most);
    for (size_t i = 0; i < number; i++) {
        two.n = edges[i];
        selected_fill(&patterns[i % PATTERNS], 82 + i, most, two.keep_a);
        selected_fill(pattern_named("uniform:0.5"), 83 + i, most, two.keep_b);
        for (int combine = WINNOW_AND; combine <= WINNOW_XOR; combine++)
            combine_two(&two, (winnow_combine)combine);
        make_two(&two);
        selected_prepare(&two.result, two.n);
        check_not(&two, &two.result);
        MUST(selected_check(&two.a, two.keep_a, report));
        check_not(&two, &two.a);
    }
    selected_close(&two.a);
    selected_close(&two.b);
    selected_close(&two.result);
    free(two.keep_a);
    free(two.keep_b);
    free(two.keep);
}

/* ---------------------------------------------------------------- bad input */

#define N 100
#define ENOUGH 1024

#define WRONG(call, text)                                                      \
    do {                                                                       \
        cr_assert_eq((call), WINNOW_ERR_ARGUMENT);                             \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)

static void open_host(winnow_context **context) {
    cr_assert_eq(winnow_context_create(context, WINNOW_DEVICE_HOST), WINNOW_OK);
}

Test(selection, wrong_masks) {
    static _Alignas(16) unsigned char selection[ENOUGH];
    static const unsigned char flags[N] = {1};
    winnow_context *context;

    open_host(&context);
#define FLAGGED(kind, flags, offset, bytes)                                    \
    winnow_select_flagged(context, &(winnow_mask){kind, flags, offset}, N,     \
                          selection, bytes, NULL)
    WRONG(winnow_select_flagged(context, NULL, N, selection, ENOUGH, NULL),
          "mask is NULL");
    WRONG(FLAGGED((winnow_mask_kind)2, flags, 0, ENOUGH),
          "mask->kind 2 is no winnow_mask_kind");
    WRONG(FLAGGED(WINNOW_MASK_BITS, NULL, 9, ENOUGH), "mask->d_flags is NULL");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, flags, 0, 543),
          "the selection has 543 bytes: 544 are needed");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, flags, UINT64_MAX, ENOUGH),
          "mask->offset is 18446744073709551615: that runs past the end of "
          "the address space");
    WRONG(winnow_selection_to_mask(context, selection, N, WINNOW_MASK_BITS,
                                   selection, UINT64_MAX, NULL),
          "offset is 18446744073709551615: that runs past the end of the "
          "address space");
    /* The caller's address is named, not that of the first flag. */
    WRONG(FLAGGED(WINNOW_MASK_BYTES, (const void *)(uintptr_t)4096,
                  UINTPTR_MAX - 4100, ENOUGH),
          "mask->d_flags (0x1000) and 100 bytes run past the end of the "
          "address space: n is too large");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, selection, 0, ENOUGH),
          "mask->d_flags and d_selection overlap");
    WRONG(FLAGGED(WINNOW_MASK_BITS, selection, 543 * 8, ENOUGH),
          "mask->d_flags and d_selection overlap");
    WRONG(winnow_selection_to_mask(context, selection, N, (winnow_mask_kind)-1,
                                   selection, 0, NULL),
          "kind -1 is no winnow_mask_kind");
    WRONG(winnow_selection_to_mask(context, selection, N, WINNOW_MASK_BITS,
                                   NULL, 0, NULL),
          "d_flags is NULL");
    WRONG(winnow_selection_to_mask(context, NULL, N, WINNOW_MASK_BITS,
                                   selection, 0, NULL),
          "d_selection is NULL");
    WRONG(winnow_selection_to_mask(context, selection, N, WINNOW_MASK_BYTES,
                                   selection, 543, NULL),
          "d_selection and d_flags overlap");
    for (size_t i = 0; i < sizeof(selection); i++)
        cr_assert_eq(selection[i], 0);
    /* Behind it there is no overlap. */
    cr_assert_eq(FLAGGED(WINNOW_MASK_BITS, selection, 544 * 8, ENOUGH),
                 WINNOW_OK);
#undef FLAGGED
    winnow_context_destroy(context);
}

Test(selection, wrong_combinations) {
    static _Alignas(16) unsigned char a[ENOUGH], b[ENOUGH], result[ENOUGH];
    winnow_context *context;

    open_host(&context);
    WRONG(winnow_selection_combine(context, (winnow_combine)4, a, b, N, result,
                                   ENOUGH, NULL),
          "combine 4 is no winnow_combine");
    WRONG(winnow_selection_combine(context, WINNOW_AND, NULL, b, N, result,
                                   ENOUGH, NULL),
          "d_a is NULL");
    WRONG(winnow_selection_combine(context, WINNOW_AND, a, NULL, N, result,
                                   ENOUGH, NULL),
          "d_b is NULL");
    WRONG(winnow_selection_combine(context, WINNOW_AND, a, b, N, NULL, ENOUGH,
                                   NULL),
          "d_result is NULL");
    WRONG(winnow_selection_combine(context, WINNOW_AND, a, b, N, result, 543,
                                   NULL),
          "the selection has 543 bytes: 544 are needed");
    WRONG(winnow_selection_combine(context, WINNOW_AND, a, b, N, a + 16, ENOUGH,
                                   NULL),
          "d_a and d_result overlap");
    WRONG(winnow_selection_combine(context, WINNOW_AND, a, b, N, b + 16, ENOUGH,
                                   NULL),
          "d_b and d_result overlap");
    WRONG(winnow_selection_not(context, NULL, N, result, ENOUGH, NULL),
          "d_selection is NULL");
    WRONG(winnow_selection_not(context, a, N, a + 32, ENOUGH, NULL),
          "d_selection and d_result overlap");
    WRONG(
        winnow_selection_not(context, a, N, result, ENOUGH,
                             WINNOW_LAUNCH(.d_n = (uint64_t *)(void *)result)),
        "d_result and launch->d_n overlap");
    for (size_t i = 0; i < ENOUGH; i++)
        cr_assert(a[i] == 0 && b[i] == 0 && result[i] == 0);
    winnow_context_destroy(context);
}
