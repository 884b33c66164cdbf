/*
 * Kernels that have several blocks, or work at all, only where an input is large: they
 * are launched alone, on what other kernels would hand to them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/launch.h"
#include "kernels/pack/strings.h"
#include "kernels/partition/args.h"
#include "pack/kernels.h"
#include "selection/format.h"

enum {
    ARRAYS = 6,
    MOST = 10000 /* numbers in an array */
};

/* Arrays of numbers of 64 bits, on the host and on the device. */
static struct arrays {
    uint64_t host[ARRAYS][MOST];
    void *device[ARRAYS];
} * arrays_of(const struct backend *backend) {
    static struct arrays a;

    for (unsigned i = 0; a.device[ARRAYS - 1] == NULL && i < ARRAYS; i++)
        a.device[i] = backend_alloc(backend, sizeof(a.host[i]));
    return &a;
}

static void put(struct arrays *a, const struct backend *backend,
                unsigned array) {
    backend_upload(backend, a->device[array], a->host[array],
                   sizeof(a->host[array]));
}

/* Is an array's beginning, of 8 or 4 bytes each, as it should be? */
static bool check(const struct backend *backend, struct arrays *a,
                  unsigned array, const void *wanted, size_t bytes,
                  const char *what, struct report *report) {
    backend_download(backend, a->host[array], a->device[array], bytes);
    return memcmp(a->host[array], wanted, bytes) == 0 ||
           report_fail(report, "%s are wrong", what);
}

/* ----------------------------------------------------------- scans of tiles */

/* The survivors before each tile: all that the scan looks at is their counts. */
static bool run_scan(const struct backend *backend, unsigned number,
                     uint64_t seed, struct report *report) {
    struct arrays *const a = arrays_of(backend);
    static unsigned long long wanted[WINNOW__SCAN_STEP + 102];
    uint16_t *const counts = (uint16_t *)(void *)a->host[0];
    const uint64_t tiles = WINNOW__SCAN_STEP + 1 + soak_draw(seed, 20, 100);
    const uint64_t most = 1 + soak_draw(seed, 21, WINNOW__SELECTION_TILE);
    const winnow__selection selection = {
        .before = a->device[1], .counts = a->device[0], .tiles = tiles};

    (void)number;
    for (uint64_t tile = 0; tile < tiles + 8; tile++)
        counts[tile] = (uint16_t)(data_random(seed, tile) % (most + 1));
    for (uint64_t tile = 0; tile < tiles; tile++)
        wanted[tile + 1] = wanted[tile] + counts[tile];
    put(a, backend, 0);
    put(a, backend, 1);
    return soak_done(backend, winnow__launch_scan(&selection, backend->stream),
                     report) &&
           check(backend, a, 1, wanted, (tiles + 1) * 8, "sums", report);
}

/* The same of the bytes of strings. */
static bool run_scan_strings(const struct backend *backend, unsigned number,
                             uint64_t seed, struct report *report) {
    struct arrays *const a = arrays_of(backend);
    static uint64_t wanted[WINNOW__SCAN_THREADS + 202];
    const uint64_t tiles = WINNOW__SCAN_THREADS + soak_draw(seed, 20, 200);
    const winnow__strings_args args = {.from = {.tiles = tiles},
                                       .sums = a->device[0],
                                       .before = a->device[1],
                                       .tiles_per_block = WINNOW__SCAN_THREADS};

    (void)number;
    for (uint64_t tile = 0; tile < tiles; tile++) {
        a->host[0][tile] = data_random(seed, tile) >> 20;
        wanted[tile + 1] = wanted[tile] + a->host[0][tile];
    }
    put(a, backend, 0);
    put(a, backend, 1);
    return soak_done(
               backend,
               winnow__launch(&winnow__scan_strings, 2, &args, backend->stream),
               report) &&
           check(backend, a, 1, wanted, (tiles + 1) * 8, "sums", report);
}

/* ------------------------------------------------------- parts, in two passes */

/* Keys are counted by their part, in addition to what is there. */
static bool run_count_parts(const struct backend *backend, unsigned number,
                            uint64_t seed, struct report *report) {
    struct arrays *const a = arrays_of(backend);
    const uint32_t bits = 4 + (uint32_t)soak_draw(seed, 20, 5);
    const uint32_t parts = UINT32_C(1) << bits;
    const uint64_t n =
        2 * WINNOW__PARTITION_PARTS_THREADS - soak_draw(seed, 21, 500);
    const winnow__partition_count_args args = {
        .keys = a->device[0],
        .field = {.mask = parts - 1,
                  .parts = parts,
                  .digit_mask = parts - 1,
                  .digits = parts},
        .chunks = {.n = n,
                   .chunk_items = WINNOW__PARTITION_PARTS_THREADS,
                   .tile_items = WINNOW__PARTITION_PARTS_THREADS,
                   .number = 2},
        .part_items = a->device[1],
        .slice = parts};
    winnow__kernel kernel = winnow__partition_count_parts[1];
    static uint64_t wanted[512];

    (void)number;
    for (uint32_t part = 0; part < parts; part++)
        wanted[part] = a->host[1][part] = data_random(seed, part) % 9;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t any = data_random(seed + 1, i);

        a->host[0][i] = soak_draw(seed, 22, 3) ? any : any << 3;
        wanted[a->host[0][i] & (parts - 1)]++;
    }
    put(a, backend, 0);
    put(a, backend, 1);
    kernel.shared_bytes = parts * (unsigned)sizeof(uint32_t);
    return soak_done(backend,
                     winnow__launch(&kernel, 2, &args, backend->stream),
                     report) &&
           check(backend, a, 1, wanted, parts * 8, "counts", report);
}

/* Where parts begin, and upper digits. */
static bool run_sum_parts(const struct backend *backend, unsigned number,
                          uint64_t seed, struct report *report) {
    struct arrays *const a = arrays_of(backend);
    const uint32_t parts = WINNOW__PARTITION_SUMMED_PARTS + 1 +
                           (uint32_t)soak_draw(seed, 20, 4096);
    const uint32_t each = 32, digits = 256;
    const winnow__partition_count_args args = {
        .field = {.parts = parts, .digits = digits},
        .offsets = a->device[1],
        .part_items = a->device[0],
        .parts_of_digit = each,
        .part_offsets = a->device[2]};
    static uint64_t wanted[MOST], of_digits[257];

    (void)number;
    for (uint32_t part = 0; part < parts; part++) {
        a->host[0][part] = data_random(seed, part) >> 40;
        wanted[part + 1] = wanted[part] + a->host[0][part];
    }
    for (uint32_t d = 0; d <= digits; d++)
        of_digits[d] = wanted[d * each < parts ? d * each : parts];
    for (unsigned i = 0; i < 3; i++)
        put(a, backend, i);
    return soak_done(backend,
                     winnow__launch(&winnow__partition_sum_parts, 2, &args,
                                    backend->stream),
                     report) &&
           check(backend, a, 2, wanted, (parts + 1) * 8, "parts", report) &&
           check(backend, a, 1, of_digits, sizeof(of_digits), "digits", report);
}

/* Where parts begin, by the table of a second pass: a segment, of a lower digit,
 * has a chunk, or none where it has no items. */
static bool run_part_offsets(const struct backend *backend, unsigned number,
                             uint64_t seed, struct report *report) {
    enum {
        SEGMENTS = 32,
        DIGITS = 16,
        PARTS = SEGMENTS * DIGITS
    };
    struct arrays *const a = arrays_of(backend);
    uint32_t *const first_chunk = (uint32_t *)(void *)a->host[3];
    const uint32_t parts = PARTS - (uint32_t)soak_draw(seed, 20, 200);
    const winnow__partition_count_args args = {
        .field = {.parts = parts, .digits = DIGITS},
        .chunks = {.segments = SEGMENTS, .first_chunk = a->device[3]},
        .table = a->device[0],
        .totals = a->device[1],
        .offsets = a->device[2],
        .present = DIGITS,
        .part_offsets = a->device[4]};
    static uint64_t items[PARTS], wanted[PARTS + 1];
    uint32_t chunks = 0;

    (void)number;
    memset(a->host[1], 0, DIGITS * 8);
    for (uint32_t part = 0; part < PARTS; part++) {
        const uint64_t any = data_random(seed, part);
        const bool is_empty = data_random(seed + 1, part % SEGMENTS) % 4 == 0;

        items[part] = part < parts && !is_empty ? any % 50 : 0;
        wanted[part + 1] = wanted[part] + items[part];
    }
    for (uint32_t s = 0; s < SEGMENTS; s++) {
        uint64_t all = 0;

        first_chunk[s] = chunks;
        for (uint32_t d = 0; d < DIGITS; d++)
            all += items[d * SEGMENTS + s];
        for (uint32_t d = 0; d < DIGITS; d++) {
            if (all != 0)
                a->host[0][chunks * DIGITS + d] = a->host[1][d];
            a->host[1][d] += items[d * SEGMENTS + s];
        }
        chunks += all != 0;
    }
    first_chunk[SEGMENTS] = chunks;
    for (uint32_t d = 0; d <= DIGITS; d++)
        a->host[2][d] = wanted[d * SEGMENTS];
    for (unsigned i = 0; i < 5; i++)
        put(a, backend, i);
    return soak_done(backend,
                     winnow__launch(&winnow__partition_offsets, parts / 256 + 1,
                                    &args, backend->stream),
                     report) &&
           check(backend, a, 4, wanted, (parts + 1) * 8, "parts", report);
}

/* Segments are cut into chunks of the fewest tiles with which there are no more
 * chunks than there may be. */
static uint64_t count_chunks(const uint64_t tiles[], unsigned segments,
                             uint64_t size) {
    uint64_t chunks = 0;

    for (unsigned s = 0; s < segments; s++)
        chunks += (tiles[s] + size - 1) / size;
    return chunks;
}

static bool run_cut(const struct backend *backend, unsigned number,
                    uint64_t seed, struct report *report) {
    enum {
        SEGMENTS = WINNOW__PARTITION_SEGMENTS,
        TILE = 100
    };
    struct arrays *const a = arrays_of(backend);
    const unsigned segments = 1u << soak_draw(seed, 20, 9);
    const uint32_t few = SEGMENTS + 1 + (uint32_t)soak_draw(seed, 21, 300);
    const uint32_t most = few + (uint32_t)soak_draw(seed, 22, 500);
    const winnow__partition_count_args args = {
        .chunks = {.tile_items = TILE,
                   .number = most,
                   .segments = segments,
                   .segment_offsets = a->device[0],
                   .first_chunk = a->device[1]},
        .few_chunks = few,
        .blocks = 1 + (uint32_t)soak_draw(seed, 23, 200)};
    uint64_t tiles[SEGMENTS], chunks = 0;

    (void)number;
    a->host[0][0] = 0;
    for (unsigned s = 0; s < segments; s++) {
        const uint64_t any = data_random(seed, s);
        const uint64_t items = any % (any % 7 == 0 ? 400000 : 3000);

        tiles[s] = (items + TILE - 1) / TILE;
        a->host[0][s + 1] = a->host[0][s] + items;
    }
    put(a, backend, 0);
    put(a, backend, 1);
    if (!soak_done(
            backend,
            winnow__launch(&winnow__partition_cut, 1, &args, backend->stream),
            report))
        return false;
    backend_download(backend, a->host[1], a->device[1], sizeof(a->host[1]));
    const uint32_t *const first = (const uint32_t *)(const void *)a->host[1];
    const uint64_t size = first[segments + 1];
    bool is_least[2];

    for (unsigned i = 0; size != 0 && i < 2; i++) {
        const uint64_t room = i == 0 ? few : most;

        is_least[i] =
            count_chunks(tiles, segments, size) <= room &&
            (size == 1 || count_chunks(tiles, segments, size - 1) > room);
    }
    if (size == 0 || !(is_least[0] || is_least[1]))
        return report_fail(report, "chunks have %u tiles", (unsigned)size);
    for (unsigned s = 0; s <= segments; s++) {
        if (first[s] != chunks)
            return report_fail(report, "segment %u begins with chunk %u", s,
                               first[s]);
        if (s < segments)
            chunks += (tiles[s] + size - 1) / size;
    }
    return true;
}

void soak_large(void) {
    soak_add(SOAK_USUAL, run_scan, 0, "scan");
    soak_add(SOAK_USUAL, run_scan_strings, 0, "scan of strings");
    soak_add(SOAK_USUAL, run_count_parts, 0, "parts counted");
    soak_add(SOAK_USUAL, run_sum_parts, 0, "parts summed up");
    soak_add(SOAK_USUAL, run_part_offsets, 0, "where parts begin");
    soak_add(SOAK_USUAL, run_cut, 0, "segments cut");
}
