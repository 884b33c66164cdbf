/*
 * What uses selections, alone, of two tiles or three: the host makes the selection.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "out_like.h"
#include "tests/pack/packed_strings.h"
#include "selection/format.h"

enum {
    TILE = WINNOW__SELECTION_TILE,
    MOST = 9 * TILE, /* of masks, whose blocks have more */
    SIZE = 16,       /* of an element, at most */
    AHEAD = 16,      /* bytes before an array, at most */
    ROOM = 3 * TILE * SIZE + 2 * AHEAD
};

static struct fixture {
    struct selected selected;
    struct region in, out[2], numbers;
    uint8_t keep[MOST];
    unsigned char data[ROOM];
} * fixture_of(const struct backend *backend) {
    static struct fixture f;

    if (f.selected.backend == NULL) {
        selected_open(&f.selected, backend, MOST);
        region_open(&f.in, backend, ROOM);
        region_open(&f.out[0], backend, ROOM);
        region_open(&f.out[1], backend, ROOM);
        region_open(&f.numbers, backend, 64);
    }
    return &f;
}

/* Two tiles; now and then three. */
static uint64_t draw_n(uint64_t seed) {
    return TILE * (soak_draw(seed, 30, 8) == 0 ? 2 : 1) + 1 +
           soak_draw(seed, 31, 600);
}

/* Sizes that have kernels of their own, and any. */
static size_t draw_size(unsigned number, uint64_t seed) {
    static const size_t sizes[2][5] = {{1, 2, 4, 8, 4}, {3, 5, 12, 16, 7}};

    return sizes[number % 2][soak_draw(seed, 32, 5)];
}

/* Where an array begins: aligned to its elements, or not. */
static size_t draw_place(unsigned number, size_t size, uint64_t draw) {
    return number == 0 ? draw * size % AHEAD : (size_t)draw;
}

/* A selection of n items, and elements in `in` from a byte on. */
static void prepare(struct fixture *f, uint64_t n, size_t at, size_t size,
                    uint64_t seed) {
    soak_keep(seed, n, f->keep);
    soak_put_selection(&f->selected, f->keep, n);
    for (size_t i = 0; i < n * size; i += 8) {
        const uint64_t draw = data_random(seed, i);
        memcpy(f->data + i, &draw, 8);
    }
    region_write(&f->in, at, f->data, n * size);
}

/* Does an output have the elements from `first` on whose keep[] is `kept`, up to a
 * number of them, and nothing else? */
static bool check_packed(struct fixture *f, unsigned which, size_t at,
                         size_t size, uint64_t n, bool kept, uint64_t most,
                         struct report *report) {
    struct region *const out = &f->out[which];
    const size_t end = at + n * size + AHEAD;
    uint64_t rank = 0;

    region_fetch(out, end);
    for (uint64_t i = 0; i < n && rank < most; i++)
        if ((f->keep[i] != 0) == kept) {
            if (memcmp(out->seen + at + rank * size, f->data + i * size, size))
                return report_fail(report, "element %llu, of item %llu",
                                   (unsigned long long)rank,
                                   (unsigned long long)i);
            rank++;
        }
    return region_untouched(out, "d_out", at, 0, at, report) &&
           region_untouched(out, "d_out", at, at + rank * size, end, report);
}

static bool check_number(const struct fixture *f, unsigned which,
                         uint64_t wanted, struct report *report) {
    uint64_t seen;

    memcpy(&seen, f->numbers.seen + 8 * which, 8);
    return seen == wanted ||
           report_fail(report, "number %u is %llu, not %llu", which,
                       (unsigned long long)seen, (unsigned long long)wanted);
}

/* ------------------------------------------------------------------ columns */

static bool run_compact(const struct backend *backend, unsigned number,
                        uint64_t seed, struct report *report) {
    struct fixture *const f = fixture_of(backend);
    const uint64_t n = draw_n(seed);
    const size_t size = draw_size(number, seed);
    const size_t in_at = draw_place(number, size, soak_draw(seed, 33, 9));
    const size_t out_at = draw_place(number, size, soak_draw(seed, 34, 9));
    const uint64_t most =
        soak_draw(seed, 36, 4) ? WINNOW_NO_LIMIT : soak_draw(seed, 37, n);

    prepare(f, n, in_at, size, seed);
    region_poison(&f->out[0], out_at + n * size + AHEAD);
    region_poison(&f->numbers, 64);
    if (!soak_done(backend,
                   winnow_compact(backend->context, f->selected.d_selection,
                                  f->in.base + in_at, n, size,
                                  f->out[0].base + out_at, most,
                                  (uint64_t *)(void *)f->numbers.base,
                                  WINNOW_LAUNCH(.stream = backend->stream)),
                   report))
        return false;
    region_fetch(&f->numbers, 64);
    return check_packed(f, 0, out_at, size, n, true, most, report) &&
           check_number(f, 0, selected_number(f->keep, n), report);
}

/* Blocks wait for each other. */
static bool run_in_place(const struct backend *backend, unsigned number,
                         uint64_t seed, struct report *report) {
    struct fixture *const f = fixture_of(backend);
    const uint64_t n = draw_n(seed);
    const size_t size = draw_size((unsigned)soak_draw(seed, 33, 2), seed);
    const size_t at = soak_draw(seed, 34, AHEAD), end = at + n * size;
    struct region *const out = &f->out[0];
    const winnow_move move = {
        .d_in = out->base + at, .d_out = out->base + at, .element_bytes = size};

    (void)number;
    prepare(f, n, at, size, seed);
    region_poison(out, end + AHEAD);
    region_write(out, at, f->data, n * size);
    if (!soak_done(
            backend,
            winnow_compact_columns(backend->context, f->selected.d_selection, n,
                                   &move, 1, WINNOW_NO_LIMIT, NULL,
                                   WINNOW_LAUNCH(.stream = backend->stream)),
            report))
        return false;
    return check_packed(f, 0, at, size, n, true, n, report);
}

static bool run_split(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    struct fixture *const f = fixture_of(backend);
    const uint64_t n = draw_n(seed);
    const size_t size = draw_size(number, seed);
    const size_t at[2] = {draw_place(number, size, soak_draw(seed, 33, 9)),
                          draw_place(number, size, soak_draw(seed, 34, 9))};
    const winnow_in in = {.element_bytes = (uint32_t)size,
                          .d_base = f->in.base};
    const uint64_t kept_most =
        soak_draw(seed, 35, 4) ? WINNOW_NO_LIMIT : soak_draw(seed, 36, n);

    prepare(f, n, 0, size, seed);
    for (unsigned i = 0; i < 2; i++)
        region_poison(&f->out[i], at[i] + n * size + AHEAD);
    region_poison(&f->numbers, 64);
    if (!soak_done(backend,
                   winnow_split(backend->context, f->selected.d_selection, &in,
                                n, OUT_LIKE(in, f->out[0].base + at[0]),
                                kept_most, OUT_LIKE(in, f->out[1].base + at[1]),
                                WINNOW_NO_LIMIT,
                                (uint64_t *)(void *)f->numbers.base,
                                WINNOW_LAUNCH(.stream = backend->stream)),
                   report))
        return false;
    const uint64_t kept = selected_number(f->keep, n);

    region_fetch(&f->numbers, 64);
    return check_packed(f, 0, at[0], size, n, true, kept_most, report) &&
           check_packed(f, 1, at[1], size, n, false, n, report) &&
           check_number(f, 0, kept, report) &&
           check_number(f, 1, n - kept, report);
}

/* Back to their places; between them what was there, or a value. */
static bool run_expand(const struct backend *backend, unsigned number,
                       uint64_t seed, struct report *report) {
    struct fixture *const f = fixture_of(backend);
    const uint64_t n = draw_n(seed);
    const size_t size = draw_size((unsigned)soak_draw(seed, 38, 2), seed);
    const size_t at = soak_draw(seed, 33, AHEAD), end = at + n * size + AHEAD;
    const winnow_in packed = {.element_bytes = (uint32_t)size,
                              .d_base = f->in.base};
    static const unsigned char fill[SIZE] = "0123456789abcdef";
    struct region *const out = &f->out[0];
    uint64_t rank = 0;

    prepare(f, n, 0, size, seed);
    region_poison(out, end);
    if (!soak_done(backend,
                   winnow_expand(backend->context, f->selected.d_selection,
                                 &packed, WINNOW_NO_LIMIT, n,
                                 number != 0 ? fill : NULL,
                                 OUT_LIKE(packed, out->base + at),
                                 WINNOW_LAUNCH(.stream = backend->stream)),
                   report))
        return false;
    region_fetch(out, end);
    for (uint64_t i = 0; i < n; i++) {
        const size_t place = at + i * size;
        const unsigned char *const wanted = f->keep[i] ? f->data + size * rank++
                                            : number != 0 ? fill
                                                          : out->shadow + place;

        if (memcmp(out->seen + place, wanted, size) != 0)
            return report_fail(report, "place %llu", (unsigned long long)i);
    }
    return region_untouched(out, "d_out", at, 0, at, report) &&
           region_untouched(out, "d_out", at, at + n * size, end, report);
}

static bool run_index(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    struct fixture *const f = fixture_of(backend);
    const uint64_t n = draw_n(seed);
    const uint64_t most =
        soak_draw(seed, 33, 4) ? WINNOW_NO_LIMIT : soak_draw(seed, 34, n);

    (void)number;
    (void)backend;
    soak_keep(seed, n, f->keep);
    soak_put_selection(&f->selected, f->keep, n);
    return selected_check_indices(&f->selected, f->keep,
                                  soak_draw(seed, 35, 2) != 0, most,
                                  soak_draw(seed, 36, 3) == 0, report);
}

/* ------------------------------------------------------- what has no elements */

/* Of as many flags as two blocks make. */
static bool run_mask(const struct backend *backend, unsigned number,
                     uint64_t seed, struct report *report) {
    struct fixture *const f = fixture_of(backend);
    const bool bits = number != 0;
    const uint64_t n = (bits ? 8 : 4) * TILE + 1 + soak_draw(seed, 30, 900);
    const uint64_t offset = soak_draw(seed, 31, bits ? 200 : 20);
    struct region *const out = &f->out[0];
    const size_t bytes = (bits ? (offset + n) / 8 : offset + n) + AHEAD;

    soak_keep(seed, n, f->keep);
    soak_put_selection(&f->selected, f->keep, n);
    region_poison(out, bytes);
    if (!soak_done(backend,
                   winnow_selection_to_mask(
                       backend->context, f->selected.d_selection, n,
                       bits ? WINNOW_MASK_BITS : WINNOW_MASK_BYTES, out->base,
                       offset, WINNOW_LAUNCH(.stream = backend->stream)),
                   report))
        return false;
    for (uint64_t i = offset; i < offset + n; i++) {
        const unsigned one = 1u << i % 8, flag = f->keep[i - offset] != 0;

        if (bits)
            out->shadow[i / 8] =
                (unsigned char)((out->shadow[i / 8] & ~one) | (flag ? one : 0));
        else
            out->shadow[i] = (unsigned char)flag;
    }
    region_fetch(out, bytes);
    return region_untouched(out, "d_flags", 0, 0, bytes, report);
}

/* The survivors of segments, some of which have none. */
static bool run_segments(const struct backend *backend, unsigned number,
                         uint64_t seed, struct report *report) {
    enum {
        SEGMENTS = 900
    };
    struct fixture *const f = fixture_of(backend);
    const uint64_t n = draw_n(seed),
                   count = SEGMENTS - soak_draw(seed, 32, 600);
    static uint32_t offsets[SEGMENTS + 1];
    const winnow_segments segments = {.type = WINNOW_UINT32,
                                      .count = count,
                                      .d_offsets = f->in.base,
                                      .d_counts = f->out[0].base,
                                      .d_out_offsets = f->out[1].base};
    uint32_t before = 0;

    (void)number;
    soak_keep(seed, n, f->keep);
    soak_put_selection(&f->selected, f->keep, n);
    offsets[0] = 0;
    for (uint64_t s = 1; s <= count; s++) {
        const uint64_t next =
            offsets[s - 1] + data_random(seed, s) % (2 * n / count);
        offsets[s] = (uint32_t)(next < n ? next : n);
    }
    region_write(&f->in, 0, offsets, (count + 1) * 4);
    region_poison(&f->out[0], count * 4 + AHEAD);
    region_poison(&f->out[1], count * 4 + 4 + AHEAD);
    if (!soak_done(backend,
                   winnow_selection_segments(
                       backend->context, f->selected.d_selection, n, &segments,
                       WINNOW_LAUNCH(.stream = backend->stream)),
                   report))
        return false;
    region_fetch(&f->out[0], count * 4 + AHEAD);
    region_fetch(&f->out[1], count * 4 + 4 + AHEAD);
    for (uint64_t s = 0; s <= count; s++) {
        uint32_t kept = 0, seen[2] = {0, 0};

        for (uint32_t i = offsets[s]; s < count && i < offsets[s + 1]; i++)
            kept += f->keep[i] != 0;
        if (s == 0)
            for (uint32_t i = 0; i < offsets[0]; i++)
                before += f->keep[i] != 0;
        if (s < count)
            memcpy(&seen[0], f->out[0].seen + 4 * s, 4);
        memcpy(&seen[1], f->out[1].seen + 4 * s, 4);
        if (seen[0] != kept || seen[1] != before)
            return report_fail(report, "segment %llu", (unsigned long long)s);
        before += kept;
    }
    return region_untouched(&f->out[0], "d_counts", 0, count * 4,
                            count * 4 + AHEAD, report) &&
           region_untouched(&f->out[1], "d_out_offsets", 0, count * 4 + 4,
                            count * 4 + 4 + AHEAD, report);
}

/* -------------------------------------------------------------- fill_holes */

static bool run_holes(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    struct fixture *const f = fixture_of(backend);
    const uint64_t n = draw_n(seed);
    const size_t size = draw_size((unsigned)soak_draw(seed, 33, 2), seed);
    const uint64_t arrived = soak_draw(seed, 34, 600);
    const winnow_arrivals arrivals = {.n = arrived};
    struct region *const out = &f->out[0];
    const winnow_move move = {.d_in = arrived ? f->out[1].base : NULL,
                              .d_out = out->base,
                              .element_bytes = size};
    const size_t end = (n + arrived) * size;
    uint64_t kept, m, next_arrival = 0, last;

    (void)number;
    prepare(f, n, 0, size, seed);
    region_poison(out, end + AHEAD);
    region_write(out, 0, f->data, n * size);
    region_poison(&f->out[1], arrived * size);
    region_poison(&f->numbers, 64);
    if (!soak_done(backend,
                   winnow_fill_holes(backend->context, f->selected.d_selection,
                                     n, &arrivals, &move, 1, n + arrived,
                                     (uint64_t *)(void *)f->numbers.base,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                   report))
        return false;
    kept = selected_number(f->keep, n);
    m = kept + arrived;
    last = m;
    region_fetch(out, end + AHEAD);
    region_fetch(&f->numbers, 64);
    for (uint64_t place = 0; place < m; place++) {
        const unsigned char *wanted;

        if (place < n && f->keep[place]) {
            wanted = f->data + place * size;
        } else if (next_arrival < arrived) {
            wanted = f->out[1].shadow + next_arrival++ * size;
        } else {
            while (!f->keep[last])
                last++;
            wanted = f->data + last++ * size;
        }
        if (memcmp(out->seen + place * size, wanted, size) != 0)
            return report_fail(report, "place %llu", (unsigned long long)place);
    }
    return check_number(f, 0, m, report) &&
           region_untouched(out, "d_out", 0, m * size, end + AHEAD, report);
}

/* ------------------------------------------------------------------ strings */

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

void soak_sinks(void) {
    soak_add(SOAK_USUAL, run_compact, 0, "compact");
    soak_add(SOAK_USUAL, run_compact, 1, "compact rows");
    soak_add(SOAK_USUAL, run_in_place, 0, "compact in place");
    soak_add(SOAK_USUAL, run_split, 0, "split");
    soak_add(SOAK_USUAL, run_split, 1, "split rows");
    soak_add(SOAK_USUAL, run_expand, 0, "expand");
    soak_add(SOAK_USUAL, run_expand, 1, "expand and fill");
    soak_add(SOAK_USUAL, run_index, 0, "indices");
    soak_add(SOAK_USUAL, run_mask, 0, "to bytes");
    soak_add(SOAK_USUAL, run_mask, 1, "to bits");
    soak_add(SOAK_USUAL, run_segments, 0, "segments");
    soak_add(SOAK_USUAL, run_holes, 0, "fill_holes");
    soak_add(SOAK_USUAL, run_strings, 0, "strings");
    soak_add(SOAK_USUAL, run_strings, 1, "strings of nine tiles");
    soak_add(SOAK_USUAL, run_strings, 2, "long strings");
}
