/*
 * Calls that go by keys: sums, in every way, and parts, in one pass, in two, and by
 * an estimate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/context.h"
#include "tests/accumulate/accumulate_ways.h"

/* ---------------------------------------------------------------------- sums */

/* By one way; AUTO with more keys than there are slots for in shared memory: those
 * of the first go there, in a launch of their own. */
enum {
    FIRST_KEYS = 5
};

static bool run_sums(const struct backend *backend, unsigned number,
                     uint64_t seed, struct report *report) {
    struct accumulate t = ACCUMULATE_INIT;

    t.seed = seed;
    t.n = 2048 * (1 + soak_draw(seed, 41, 2)) + 1 + soak_draw(seed, 42, 300);
    t.keys = (enum keys)soak_draw(seed, 43, KEYS_KINDS);
    t.bound = 1 + soak_draw(seed, 44, soak_draw(seed, 45, 2) ? 300 : 2500);
    t.value_type = accumulated_value_types[soak_draw(seed, 46, VALUE_TYPES)];
    t.key_type = soak_draw(seed, 47, 3) ? WINNOW_UINT32 : WINNOW_UINT64;
    t.components = 1 + (unsigned)soak_draw(seed, 48, 2);
    t.aligned_keys = soak_draw(seed, 49, 4) != 0;
    t.aligned_values = soak_draw(seed, 50, 4) != 0;
    t.wide_sums = soak_draw(seed, 51, 4) == 0;
    t.sums_layout = (enum layout)soak_draw(seed, 52, LAYOUTS);
    t.counted = soak_draw(seed, 53, 3) == 0;
    t.items = soak_draw(seed, 54, t.n + t.n / 4);
    t.way = (int)number;
    if (number == FIRST_KEYS) {
        t.way = WINNOW__WAY_AUTO;
        t.value_type = WINNOW_INT32;
        t.wide_sums = false;
        t.components = 1;
        t.bound = 2800 + soak_draw(seed, 55, 900);
        t.n = 12289 + soak_draw(seed, 56, 500); /* four tiles of a block */
    }
    return accumulated_run_way(&t, backend, NULL, report);
}

/* --------------------------------------------------------------------- parts */

enum {
    MOST = 24000,
    MOST_PARTS = 5000
};

/* Small inputs in one launch, whose blocks may give up soon, or as large ones. */
static void set_launches(const struct backend *backend, bool one,
                         uint64_t seed) {
    static const unsigned limits[] = {1, 2, 10, 1 << 16};
    winnow__cuda_context *const context =
        (winnow__cuda_context *)backend->context;

    context->small_partitions = one;
    context->spin_limit = one ? limits[soak_draw(seed, 67, 4)] : 1 << 16;
}

/* A call: keys, and one column or none. */
struct parts {
    size_t key_bytes, value_bytes; /* 0: there is no column */
    uint64_t n;
    uint32_t parts, bits;
    bool stable;
};

static uint64_t key_at(const struct parts *p, const unsigned char *keys,
                       uint64_t i) {
    uint64_t key = 0;

    memcpy(&key, keys + i * p->key_bytes, p->key_bytes);
    return key;
}

/* Skewed, sorted, the same, or any. */
static uint64_t draw_key(const struct parts *p, uint64_t seed, uint64_t i) {
    const uint64_t any = data_random(seed, i), upper = any >> 20 << p->bits;
    uint64_t part = any % p->parts;

    switch (soak_draw(seed, 60, 5)) {
    case 0:
        part = any % 8 == 0 ? part : 1;
        break;
    case 1:
        part = i * p->parts / p->n;
        break;
    case 2:
        part = i / 700 % p->parts;
        break;
    default:
        break;
    }
    return upper | part;
}

/* The number of each item, in the order of its part. */
static void expect(const struct parts *p, const unsigned char *keys,
                   uint64_t offsets[], uint32_t order[]) {
    const uint64_t mask = (UINT64_C(1) << p->bits) - 1;
    static uint64_t next[MOST_PARTS + 1];

    memset(offsets, 0, (p->parts + 1) * sizeof(offsets[0]));
    for (uint64_t i = 0; i < p->n; i++)
        offsets[(key_at(p, keys, i) & mask) + 1]++;
    for (uint32_t part = 0; part < p->parts; part++)
        offsets[part + 1] += offsets[part];
    memcpy(next, offsets, p->parts * sizeof(next[0]));
    for (uint64_t i = 0; i < p->n; i++)
        order[next[key_at(p, keys, i) & mask]++] = (uint32_t)i;
}

/* Items have their number in a column of 4 bytes; of other sizes, and where there
 * is none, keys alone are looked at. In any order a part has its items once. */
static bool check_parts(const struct parts *p, const unsigned char *keys,
                        const unsigned char *seen_keys, const uint32_t *seen,
                        const uint64_t offsets[], const uint32_t order[],
                        struct report *report) {
    static uint8_t met[MOST];

    memset(met, 0, p->n);
    for (uint32_t part = 0; part < p->parts; part++) {
        uint64_t sum = 0, wanted = 0;

        for (uint64_t at = offsets[part]; at < offsets[part + 1]; at++) {
            const unsigned char *const key = seen_keys + at * p->key_bytes;
            const unsigned char *const first = keys + order[at] * p->key_bytes;
            const uint32_t item = p->stable        ? order[at]
                                  : p->value_bytes ? seen[at]
                                                   : order[at];
            bool ok = item < p->n && !met[item];

            if (ok && (p->stable || p->value_bytes != 0))
                ok = memcmp(key, keys + item * p->key_bytes, p->key_bytes) ==
                         0 &&
                     (p->value_bytes == 0 || seen[at] == item) &&
                     offsets[part] <= at;
            if (!ok)
                return report_fail(report, "place %llu of part %u",
                                   (unsigned long long)at, part);
            met[item] = 1;
            sum += key_at(p, key, 0) * (2 * key_at(p, key, 0) + 1);
            wanted += key_at(p, first, 0) * (2 * key_at(p, first, 0) + 1);
        }
        if (sum != wanted)
            return report_fail(report, "part %u has other keys", part);
    }
    return true;
}

static struct fixture {
    unsigned char keys[MOST * 8], seen_keys[MOST * 8];
    uint32_t items[MOST], seen[MOST], order[MOST];
    uint64_t offsets[MOST_PARTS + 1], seen_offsets[MOST_PARTS + 1];
} fixture;

static struct parts draw_parts(unsigned number, uint64_t seed) {
    struct parts p = {.key_bytes = soak_draw(seed, 61, 2) ? 4 : 8,
                      .value_bytes = soak_draw(seed, 62, 2) ? 4 : 0,
                      .stable = soak_draw(seed, 63, 2) != 0};
    const uint64_t tile = 9216 * 4 / p.key_bytes; /* at most */

    p.bits = 6; /* the scan has two blocks */
    p.n = tile + 1 + soak_draw(seed, 64, 1000);
    if (number == 1) { /* by an estimate */
        p.bits = 1;
        p.stable = false;
    } else if (number == 2) { /* in two passes */
        p.bits = 9;
        p.n = 2100 + soak_draw(seed, 65, 200);
    } else if (number == 3) { /* of more parts than a block sums up */
        p.bits = 13;
        p.n = 2100 + soak_draw(seed, 65, 200);
        p.stable = false;
    } else if (number == 4) { /* in one launch */
        p.bits = 1 + (uint32_t)soak_draw(seed, 66, 10);
        p.n = 1025 + soak_draw(seed, 65, 4000);
    }
    p.parts = UINT32_C(1) << p.bits;
    if (number == 3)
        p.parts = 4097 + (uint32_t)soak_draw(seed, 66, MOST_PARTS - 4097);
    else if (number == 0)
        p.parts -= (uint32_t)soak_draw(seed, 66, 25);
    return p;
}

static bool run_parts(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    static unsigned char *d_memory[SOAK_DEVICES];
    const struct parts p = draw_parts(number, seed);
    struct fixture *const f = &fixture;
    const size_t key_room = MOST * 8, value_room = MOST * 4;
    unsigned char **const memory = &d_memory[number == 1];

    if (*memory == NULL)
        *memory = backend_alloc(backend, 2 * key_room + 2 * value_room +
                                             sizeof(f->offsets));
    unsigned char *const d_keys = *memory, *const d_values = d_keys + key_room;
    unsigned char *const d_keys_out = d_values + value_room;
    unsigned char *const d_values_out = d_keys_out + key_room;
    unsigned char *const d_offsets = d_values_out + value_room;
    const winnow_in keys = {.type = p.key_bytes == 4 ? WINNOW_UINT32
                                                     : WINNOW_UINT64,
                            .d_base = d_keys};
    const winnow_digit digit = {.bits = p.bits, .parts = p.parts};
    const winnow_move moves[] = {
        {.d_in = d_keys, .d_out = d_keys_out, .element_bytes = p.key_bytes},
        {.d_in = d_values, .d_out = d_values_out, .element_bytes = 4}};

    for (uint32_t i = 0; i < p.n; i++) {
        const uint64_t key = draw_key(&p, seed, i);

        memcpy(f->keys + i * p.key_bytes, &key, p.key_bytes);
        f->items[i] = i;
    }
    expect(&p, f->keys, f->offsets, f->order);
    backend_upload(backend, d_keys, f->keys, p.n * p.key_bytes);
    backend_upload(backend, d_values, f->items, p.n * 4);
    set_launches(backend, number == 4, seed);
    if (!soak_done(backend,
                   winnow_partition_by_key(
                       backend->context, &keys, p.n, &digit, moves,
                       p.value_bytes ? 2 : 1, (uint64_t *)(void *)d_offsets,
                       WINNOW_LAUNCH(.stream = backend->stream,
                                     .order = p.stable ? WINNOW_STABLE
                                                       : WINNOW_UNORDERED)),
                   report))
        return false;
    backend_download(backend, f->seen_keys, d_keys_out, p.n * p.key_bytes);
    backend_download(backend, f->seen, d_values_out, p.n * 4);
    backend_download(backend, f->seen_offsets, d_offsets, (p.parts + 1) * 8);
    if (memcmp(f->seen_offsets, f->offsets, (p.parts + 1) * 8) != 0)
        return report_fail(report, "the offsets of %u parts", p.parts);
    return check_parts(&p, f->keys, f->seen_keys, f->seen, f->offsets, f->order,
                       report);
}

/* -------------------------------------------------------------------- blocks */

enum {
    BLOCKS_ITEMS = 6000,
    BLOCKS_PARTS = 1100,
    BLOCKS_ROOM = BLOCKS_ITEMS + BLOCKS_PARTS * 15
};

static int32_t signed_key(uint64_t seed, uint32_t parts, uint64_t i) {
    const uint64_t any = data_random(seed, i);
    return any % 9 == 0 ? -1 : (int32_t)(any / 9 % parts);
}

/* In blocks of one element to 16, with -1 in the gaps: the items' numbers, in the
 * input's order. */
static bool check_blocks(const int32_t *keys, uint64_t n, uint32_t parts,
                         uint64_t align, const int32_t *seen,
                         const uint64_t *offsets, struct report *report) {
    uint64_t place = 0;

    for (uint32_t part = 0; part < parts; part++) {
        if (offsets[part] != place)
            return report_fail(report, "offset %u is wrong", part);
        for (uint64_t i = 0; i < n; i++)
            if (keys[i] == (int32_t)part && seen[place++] != (int32_t)i)
                return report_fail(report, "place %llu of part %u",
                                   (unsigned long long)place, part);
        for (; place % align != 0; place++)
            if (seen[place] != -1)
                return report_fail(report, "the gap behind part %u", part);
    }
    return offsets[parts] == place ||
           report_fail(report, "the last offset is wrong");
}

static bool run_blocks(const struct backend *backend, unsigned number,
                       uint64_t seed, struct report *report) {
    static int32_t keys[BLOCKS_ITEMS], seen[BLOCKS_ROOM];
    static uint64_t offsets[BLOCKS_PARTS + 1];
    static unsigned char *d_memory;
    static const int32_t none = -1;
    const void *const fills[] = {&none};
    const uint64_t n = soak_draw(seed, 70, BLOCKS_ITEMS + 1);
    const uint32_t parts = number == 0
                               ? 2 + (uint32_t)soak_draw(seed, 71, 300)
                               : 1025 + (uint32_t)soak_draw(seed, 71, 75);
    const winnow_blocks blocks = {.size = sizeof blocks,
                                  .align = UINT64_C(1)
                                           << soak_draw(seed, 72, 5),
                                  .fills = fills};

    if (d_memory == NULL)
        d_memory = backend_alloc(backend, sizeof keys + sizeof seen +
                                              sizeof offsets + 16);
    uint64_t *const d_offsets = (uint64_t *)(void *)d_memory;
    int32_t *const d_keys = (int32_t *)(void *)(d_memory + sizeof offsets);
    const winnow_move numbers = {.d_out = d_keys + BLOCKS_ITEMS,
                                 .element_bytes = 4};
    const winnow_in in = {.type = WINNOW_INT32, .d_base = d_keys};
    const winnow_digit digit = {.parts = parts};
    for (uint64_t i = 0; i < n; i++)
        keys[i] = signed_key(seed, parts, i);
    backend_upload(backend, d_keys, keys, n * sizeof keys[0]);
    set_launches(backend, soak_draw(seed, 73, 2), seed);
    if (!soak_done(
            backend,
            winnow_partition_blocks(backend->context, &in, n, &digit, &blocks,
                                    &numbers, 1, d_offsets,
                                    WINNOW_LAUNCH(.stream = backend->stream,
                                                  .order = WINNOW_STABLE)),
            report))
        return false;
    backend_download(backend, seen, numbers.d_out, sizeof seen);
    backend_download(backend, offsets, d_offsets, (parts + 1) * 8);
    return check_blocks(keys, n, parts, blocks.align, seen, offsets, report);
}

void soak_keyed(void) {
    static const char *const ways[] = {"chosen", "atomic", "warp",
                                       "runs",   "shared", "first keys"};

    for (unsigned way = 0; way <= FIRST_KEYS; way++)
        soak_add(way == FIRST_KEYS ? SOAK_LITTLE : SOAK_USUAL, run_sums, way,
                 "sums: %s", ways[way]);
    soak_add(SOAK_USUAL, run_parts, 0, "parts");
    soak_add(SOAK_ESTIMATE, run_parts, 1, "parts by an estimate");
    soak_add(SOAK_USUAL, run_parts, 2, "parts in two passes");
    soak_add(SOAK_USUAL, run_parts, 3, "many parts");
    soak_add(SOAK_USUAL, run_parts, 4, "parts in one launch");
    soak_add(SOAK_USUAL, run_blocks, 0, "parts in blocks");
    soak_add(SOAK_USUAL, run_blocks, 1, "many parts in blocks");
}
