/*
 * winnow_partition_blocks() against an oracle, on the host and on a GPU: keys of
 * all types, gaps that are filled or left alone, items' numbers, refusals.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "reduced.h"
#include "region.h"
#include "suite.h"

#ifdef WINNOW_SIMT
#include "cuda/context.h"
#include "simt/simt.h"
#endif

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum {
    MOVES = 5,
    START = REGION_GUARD /* of an array in its region */
};

/* ------------------------------------------------------------------- calls */

enum from {
    FROM_KEYS,
    FROM_COLUMN,
    FROM_NUMBERS
};

struct moved {
    enum from from;
    size_t bytes;
    bool fills;
};

struct call {
    winnow_type key_type;
    uint64_t n, items; /* that d_n says, if `counted` */
    uint32_t shift, bits, parts;
    uint64_t align;
    uint32_t used;  /* parts that occur */
    unsigned holes; /* one key in so many is in no part; 0: none is */
    bool stable, counted, counts, block_parts, pool;
    unsigned move_count;
    struct moved
        moves[MOVES]; /* of a call in any order the first has numbers */
    uint64_t seed;
};

static const struct call plain = {.key_type = WINNOW_INT32,
                                  .n = 5000,
                                  .parts = 64,
                                  .used = 64,
                                  .align = 16,
                                  .holes = 5,
                                  .stable = true,
                                  .counts = true,
                                  .block_parts = true,
                                  .move_count = 3,
                                  .moves = {{FROM_NUMBERS, 4, true},
                                            {FROM_KEYS, 4, true},
                                            {FROM_COLUMN, 2, false}}};

static bool is_signed(const struct call *call) {
    return call->key_type == WINNOW_INT32 || call->key_type == WINNOW_INT64;
}

static uint64_t items_of(const struct call *call) {
    return call->counted && call->items < call->n ? call->items : call->n;
}

static size_t key_bytes(const struct call *call) {
    return winnow_type_size(call->key_type);
}

/* The room that the page says. */
static uint64_t room_of(const struct call *call) {
    const uint64_t begun = call->n < call->parts ? call->n : call->parts;
    return (call->n + begun * (call->align - 1)) / call->align * call->align;
}

/* ------------------------------------------------------------------ oracle */

#define NO_PART UINT32_MAX

/* By the definition, and not from the key's bits: what is drawn. */
static uint32_t part_of(const struct call *call, uint64_t i) {
    const uint64_t random = data_random(call->seed, i);
    return call->holes != 0 && random % call->holes == 0
               ? NO_PART
               : (uint32_t)(random / 64 % call->used * call->parts /
                            call->used);
}

static uint64_t key_of(const struct call *call, uint64_t i) {
    const uint32_t part = part_of(call, i);
    const uint64_t below =
        data_random(~call->seed, i) & ((UINT64_C(1) << call->shift) - 1);
    if (part != NO_PART)
        return (uint64_t)part << call->shift | below;
    if (is_signed(call)) /* -1, or another negative one */
        return i % 3 != 0 ? UINT64_MAX
                          : UINT64_C(1) << (8 * key_bytes(call) - 1) | below;
    return ((uint64_t)call->parts + i % 2) << call->shift | below;
}

static void element_of(const struct call *call, unsigned move, uint64_t i,
                       unsigned char *to) {
    const struct moved *const m = &call->moves[move];
    const uint64_t words[] = {m->from == FROM_KEYS ? key_of(call, i)
                              : m->from == FROM_NUMBERS
                                  ? i
                                  : data_random(call->seed + move, i),
                              i};
    memcpy(to, words, m->bytes);
}

static void fill_of(const struct call *call, unsigned move, unsigned char *to) {
    const uint64_t words[] = {data_random(call->seed, UINT64_MAX - move),
                              UINT64_C(0xfeedfacecafebeef)};
    memcpy(to, words, call->moves[move].bytes);
}

/* --------------------------------------------------------------------- run */

struct trial {
    const struct backend *backend;
    const struct call *call;
    struct region keys, in[MOVES], out[MOVES];
    struct region offsets, counts, block_parts, workspace;
    winnow_in column;
    winnow_digit digit;
    winnow_move moves[MOVES];
    unsigned char fill[MOVES][16];
    const void *fills[MOVES];
    winnow_blocks blocks;
    winnow_launch launch;
    uint64_t *d_n;
    size_t workspace_bytes;
};

static void open_region(struct region *region, const struct backend *backend,
                        uint64_t bytes) {
    region_open(region, backend, 2 * REGION_GUARD + bytes);
    region_poison(region, region->bytes);
}

static void *start_of(const struct region *region) {
    return region->base + START;
}

static void open_move(struct trial *t, unsigned m) {
    const struct call *const call = t->call;
    const size_t bytes = call->moves[m].bytes;
    const enum from from = call->moves[m].from;
    unsigned char *const data = must_alloc(call->n * bytes + 16);
    open_region(&t->in[m], t->backend, call->n * bytes);
    open_region(&t->out[m], t->backend, room_of(call) * bytes);
    for (uint64_t i = 0; i < call->n; i++)
        element_of(call, m, i, data + i * bytes);
    if (from == FROM_COLUMN)
        region_write(&t->in[m], START, data, call->n * bytes);
    free(data);
    fill_of(call, m, t->fill[m]);
    t->fills[m] = call->moves[m].fills ? t->fill[m] : NULL;
    t->moves[m] =
        (winnow_move){.d_in = from == FROM_KEYS     ? start_of(&t->keys)
                              : from == FROM_COLUMN ? start_of(&t->in[m])
                                                    : NULL,
                      .d_out = start_of(&t->out[m]),
                      .element_bytes = bytes};
}

static winnow_status enqueue(struct trial *t, winnow_plan *plan) {
    winnow_launch launch = t->launch;
    winnow_in keys = t->column;
    launch.plan = plan;
    if (plan == NULL && !t->call->pool && t->workspace_bytes != 0) {
        launch.d_workspace = start_of(&t->workspace);
        launch.workspace_bytes = t->workspace_bytes;
    }
    return winnow_partition_blocks(
        t->backend->context, &keys, t->call->n, &t->digit, &t->blocks,
        t->call->move_count != 0 ? t->moves : NULL, t->call->move_count,
        start_of(&t->offsets), &launch);
}

static void open_keys(struct trial *t) {
    const struct call *const call = t->call;
    unsigned char *const data = must_alloc(call->n * 8 + 8);
    for (uint64_t i = 0; i < call->n; i++) {
        const uint64_t key = key_of(call, i);
        memcpy(data + i * key_bytes(call), &key, key_bytes(call));
    }
    open_region(&t->keys, t->backend, call->n * key_bytes(call));
    region_write(&t->keys, START, data, call->n * key_bytes(call));
    free(data);
    t->column =
        (winnow_in){.type = call->key_type, .d_base = start_of(&t->keys)};
}

static void open_trial(struct trial *t, const struct backend *backend,
                       const struct call *call) {
    winnow_plan plan = {.size = sizeof plan};
    *t = (struct trial){
        .backend = backend,
        .call = call,
        .digit = {call->shift, call->bits, call->parts},
        .launch = {.size = sizeof t->launch,
                   .order = call->stable ? WINNOW_STABLE : WINNOW_UNORDERED,
                   .stream = backend->stream}};
    open_keys(t);
    for (unsigned m = 0; m < call->move_count; m++)
        open_move(t, m);
    open_region(&t->offsets, backend, (call->parts + 1) * sizeof(uint64_t));
    open_region(&t->counts, backend, call->parts * sizeof(uint64_t));
    open_region(&t->block_parts, backend,
                room_of(call) / call->align * sizeof(uint32_t));
    t->blocks = (winnow_blocks){
        .size = sizeof t->blocks,
        .align = call->align,
        .fills = call->seed % 7 == 0 ? NULL : t->fills,
        .d_counts = call->counts ? start_of(&t->counts) : NULL,
        .d_block_parts = call->block_parts ? start_of(&t->block_parts) : NULL};
    t->d_n = backend_alloc(backend, sizeof *t->d_n);
    backend_upload(backend, t->d_n, &call->items, sizeof call->items);
    t->launch.d_n = call->counted ? t->d_n : NULL;
    cr_assert_eq(enqueue(t, &plan), WINNOW_OK, "%s", winnow_last_error());
    t->workspace_bytes = plan.workspace_bytes;
    open_region(&t->workspace, backend, t->workspace_bytes);
}

static void close_trial(struct trial *t) {
    for (unsigned m = 0; m < t->call->move_count; m++) {
        region_close(&t->in[m]);
        region_close(&t->out[m]);
    }
    region_close(&t->keys);
    region_close(&t->offsets);
    region_close(&t->counts);
    region_close(&t->block_parts);
    region_close(&t->workspace);
    backend_free(t->backend, t->d_n);
}

/* ------------------------------------------------------------------- check */

static bool check_region(struct region *region, const char *name,
                         struct report *report) {
    region_fetch(region, region->bytes);
    return region_untouched(region, name, START, 0, region->bytes, report);
}

/* The region should hold that. */
static void expect(struct region *region, uint64_t at, const void *data,
                   size_t bytes) {
    memcpy(region->shadow + START + at, data, bytes);
}

/* The items of all parts, each part's behind the other's; and the counts. */
static void list_items(const struct call *call, uint64_t *counts,
                       uint64_t *items) {
    uint64_t *const next = must_alloc((call->parts + 1) * sizeof *next);
    memset(counts, 0, call->parts * sizeof *counts);
    for (uint64_t i = 0; i < items_of(call); i++)
        if (part_of(call, i) != NO_PART)
            counts[part_of(call, i)]++;
    next[0] = 0;
    for (uint32_t p = 0; p < call->parts; p++)
        next[p + 1] = next[p] + counts[p];
    for (uint64_t i = 0; i < items_of(call); i++)
        if (part_of(call, i) != NO_PART)
            items[next[part_of(call, i)]++] = i;
    free(next);
}

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* In any order the items of a part are those that its numbers say, if these are
 * the part's. */
static bool take_order(struct trial *t, uint64_t place, uint64_t number,
                       uint64_t *items, struct report *report) {
    const size_t bytes = t->call->moves[0].bytes;
    uint64_t *const seen = must_alloc((number + 1) * sizeof *seen);
    bool right = true;
    memset(seen, 0, (number + 1) * sizeof *seen);
    for (uint64_t i = 0; i < number; i++)
        memcpy(&seen[i], t->out[0].seen + START + (place + i) * bytes, bytes);
    uint64_t *const sorted = must_alloc((number + 1) * sizeof *sorted);
    memcpy(sorted, seen, number * sizeof *seen);
    qsort(sorted, number, sizeof *sorted, compare);
    if (memcmp(sorted, items, number * sizeof *items) != 0)
        right = report_fail(report, "the part at %llu has other items",
                            (unsigned long long)place);
    memcpy(items, seen, number * sizeof *seen);
    free(sorted);
    free(seen);
    return right;
}

/* The part's items, and what is behind them up to `end`. */
static void expect_part(struct trial *t, unsigned m, uint64_t place,
                        uint64_t end, const uint64_t *items, uint64_t number) {
    const size_t bytes = t->call->moves[m].bytes;
    unsigned char element[16];
    for (uint64_t i = 0; i < number; i++) {
        element_of(t->call, m, items[i], element);
        expect(&t->out[m], (place + i) * bytes, element, bytes);
    }
    for (uint64_t i = place + number; i < end; i++)
        if (t->blocks.fills != NULL && t->fills[m] != NULL)
            expect(&t->out[m], i * bytes, t->fill[m], bytes);
}

static bool expect_all(struct trial *t, const uint64_t *counts, uint64_t *items,
                       struct report *report) {
    const struct call *const call = t->call;
    uint64_t place = 0;
    bool right = true;
    for (uint32_t p = 0; p < call->parts && right; p++) {
        const uint64_t blocks = (counts[p] + call->align - 1) / call->align;
        const uint64_t end = place + blocks * call->align;
        expect(&t->offsets, p * sizeof place, &place, sizeof place);
        if (call->counts)
            expect(&t->counts, p * sizeof counts[p], &counts[p],
                   sizeof counts[p]);
        for (uint64_t b = place / call->align; b < end / call->align; b++)
            if (call->block_parts)
                expect(&t->block_parts, b * sizeof p, &p, sizeof p);
        if (!call->stable)
            right = take_order(t, place, counts[p], items, report);
        for (unsigned m = 0; m < call->move_count; m++)
            expect_part(t, m, place, end, items, counts[p]);
        items += counts[p];
        place = end;
    }
    expect(&t->offsets, call->parts * sizeof place, &place, sizeof place);
    return right && (place <= room_of(call) ||
                     report_fail(report, "the oracle has too little room"));
}

static bool check_trial(struct trial *t, struct report *report) {
    const struct call *const call = t->call;
    const char *const trouble = backend_wait(t->backend);
    uint64_t *const counts = must_alloc(call->parts * sizeof *counts);
    uint64_t *const items = must_alloc((call->n + 1) * sizeof *items);
    bool right = trouble == NULL || report_fail(report, "%s", trouble);
    for (unsigned m = 0; m < call->move_count; m++)
        region_fetch(&t->out[m], t->out[m].bytes);
    list_items(call, counts, items);
    right = right && expect_all(t, counts, items, report) &&
            check_region(&t->offsets, "d_offsets", report) &&
            check_region(&t->counts, "d_counts", report) &&
            check_region(&t->block_parts, "d_block_parts", report) &&
            check_region(&t->keys, "the keys", report);
    for (unsigned m = 0; m < call->move_count && right; m++)
        right = check_region(&t->in[m], "an input", report) &&
                check_region(&t->out[m], "an output", report);
    region_fetch(&t->workspace, t->workspace.bytes);
    right = right &&
            region_untouched(&t->workspace, "d_workspace", START, 0, START,
                             report) &&
            region_untouched(&t->workspace, "d_workspace", START,
                             t->workspace.bytes - START, t->workspace.bytes,
                             report);
    free(items);
    free(counts);
    return right;
}

static void explain(const struct call *call, const char *what) {
    cr_assert_fail(
        "%s: %s keys, n %llu of %llu, shift %u, bits %u, parts %u of "
        "%u, align %llu, %u moves, %s, seed %llu",
        what, winnow_type_name(call->key_type),
        (unsigned long long)items_of(call), (unsigned long long)call->n,
        call->shift, call->bits, call->used, call->parts,
        (unsigned long long)call->align, call->move_count,
        call->stable ? "stable" : "unordered", (unsigned long long)call->seed);
}

static void run_once(const struct backend *backend, const struct call *call) {
    struct report report = {{0}};
    struct trial trial;
    open_trial(&trial, backend, call);
    if (enqueue(&trial, NULL) != WINNOW_OK)
        explain(call, winnow_last_error());
    if (!check_trial(&trial, &report))
        explain(call, report.text);
    close_trial(&trial);
}

/* On the CPU device as small inputs are partitioned, too, and as large ones. */
static void run(const struct backend *backend, const struct call *call) {
#ifdef WINNOW_SIMT
    winnow__cuda_context *const context =
        (winnow__cuda_context *)backend->context;
    context->small_partitions = false;
    run_once(backend, call);
    context->small_partitions = true;
#endif
    run_once(backend, call);
}

/* ------------------------------------------------------------------- tests */

static void draw_moves(struct call *call) {
    const uint64_t seed = call->seed;
    bool has_keys = false;
    call->move_count = (unsigned)(data_random(seed, 18) % (MOVES + 1));
    if (!call->stable && call->move_count == 0)
        call->move_count = 1;
    for (unsigned m = 0; m < call->move_count; m++) {
        struct moved *const to = &call->moves[m];
        const uint64_t random = data_random(seed, 20 + m);
        to->from = (enum from)(random % 3);
        if ((to->from == FROM_KEYS && has_keys) || (m == 0 && !call->stable))
            to->from = FROM_NUMBERS;
        to->bytes = to->from == FROM_KEYS      ? key_bytes(call)
                    : to->from == FROM_NUMBERS ? (random & 64 ? 4 : 8)
                                               : UINT64_C(1) << random / 64 % 5;
        to->fills = random / 1024 % 2 != 0;
        has_keys |= to->from == FROM_KEYS;
    }
}

/* Any call, of up to `most` items; few parts have large blocks. */
static struct call draw(uint64_t seed, uint64_t most) {
    static const winnow_type types[] = {WINNOW_INT32, WINNOW_INT64,
                                        WINNOW_UINT32, WINNOW_UINT64};
    static const uint32_t parts[] = {2, 3, 8, 33, 64, 256, 257, 1000, 5000};
    struct call call = plain;
    call.seed = seed;
    call.key_type = types[data_random(seed, 1) % COUNT(types)];
    call.parts = parts[data_random(seed, 2) % COUNT(parts)];
    call.used = 1 + (uint32_t)(data_random(seed, 3) % call.parts);
    if (data_random(seed, 4) % 4 == 0)
        call.used = 1;
    call.n = data_random(seed, 5) % (most + 1);
    if (data_random(seed, 6) % 4 == 0)
        call.n = data_random(seed, 7) % 40;
    call.align = UINT64_C(1) << data_random(seed, 8) % (call.parts > 64  ? 9
                                                        : call.parts > 8 ? 12
                                                                         : 17);
    call.holes = (unsigned)(data_random(seed, 9) % 3) * 4;
    call.shift = (uint32_t)(data_random(seed, 10) % 14);
    call.bits = is_signed(&call) || data_random(seed, 11) % 2 ? 0 : 14;
    call.stable = data_random(seed, 12) % 2 != 0;
    call.counted = data_random(seed, 13) % 2 != 0;
    call.items = data_random(seed, 14) % (call.n + 10);
    call.counts = data_random(seed, 15) % 2 != 0;
    call.block_parts = data_random(seed, 16) % 2 != 0;
    call.pool = data_random(seed, 17) % 2 != 0;
    draw_moves(&call);
    return call;
}

BACKEND_TEST(partition_blocks, SLOW(parts)) {
    static const uint32_t parts[] = {2, 3, 32, 64, 255, 256, 257, 1024, 1025};
    for (unsigned i = 0; i < 2 * COUNT(parts); i++) {
        struct call call = plain;
        call.parts = parts[i / 2];
        call.used = i % 4 == 3 ? 1 : call.parts;
        call.key_type = i % 3 != 0 ? WINNOW_INT32 : WINNOW_UINT32;
        call.stable = i % 2 != 0;
        call.n = 2500;
        call.seed = i;
        run(backend, &call);
    }
}

/* From one element to the most, of few items and of many. */
BACKEND_TEST(partition_blocks, aligns) {
    for (unsigned log = 0; log <= 16; log++)
        for (unsigned i = 0; i < 2; i++) {
            struct call call = plain;
            call.align = UINT64_C(1) << log;
            call.parts = call.used = 3;
            call.n = i ? 1000 : 2;
            call.seed = 100 + 2 * log + i;
            run(backend, &call);
        }
}

/* None, none that has a part, and none that counts. */
BACKEND_TEST(partition_blocks, nothing) {
    for (unsigned i = 0; i < 6; i++) {
        struct call call = plain;
        call.n = i % 3 == 0 ? 0 : 700;
        call.holes = i % 3 == 1 ? 1 : 0;
        call.counted = i % 3 == 2;
        call.items = 0;
        call.stable = i / 3 != 0;
        call.seed = 200 + i;
        run(backend, &call);
    }
}

BACKEND_TEST(partition_blocks, LONG(any)) {
    const unsigned calls = reduced_mode() || backend->gpu ? 60 : 300;
    for (unsigned i = 0; i < calls; i++) {
        const struct call call = draw(1000 + i, 6000);
        run(backend, &call);
    }
}

/* Several threads and chunks on the host, and tiles on a GPU. */
BACKEND_TEST(partition_blocks, LONG(many)) {
    if (!backend->gpu)
        cr_assert_eq(winnow_context_set_threads(backend->context, 3),
                     WINNOW_OK);
    for (unsigned i = 0; i < 4; i++) {
        struct call call = plain;
        call.n = backend->gpu ? 140000 : 900001;
        call.parts = call.used = i < 2 ? 200 : 3000;
        call.stable = i % 2 != 0;
        call.seed = 300 + i;
        run(backend, &call);
    }
}

/* ---------------------------------------------------------------- refusals */

enum {
    BYTES = 8192
};

struct bad {
    winnow_in keys;
    uint64_t n;
    winnow_digit digit;
    winnow_blocks blocks;
    winnow_move move;
    uint64_t *offsets;
    winnow_launch launch;
    bool no_keys, no_digit, no_blocks;
};

/* Pointers are places in the memory, and 1 more. */
static void *place(const struct region *region, const void *offset) {
    return offset == NULL ? NULL : region->base + (uintptr_t)offset - 1;
}
#define AT(PLACE) ((void *)(uintptr_t)((PLACE) + 1))

static const struct bad good = {
    .keys = {.type = WINNOW_INT32, .d_base = AT(0)},
    .n = 64,
    .digit = {.parts = 4},
    .blocks = {.size = sizeof(winnow_blocks),
               .align = 16,
               .d_counts = AT(2048),
               .d_block_parts = AT(2112)},
    .move = {.d_in = AT(256), .d_out = AT(1024), .element_bytes = 4},
    .offsets = AT(4096),
    .launch = {.size = sizeof(winnow_launch)}};

static void expect_refusal(const struct backend *backend, struct bad bad,
                           winnow_status expected, const char *detail) {
    struct region region;
    struct report report = {{0}};
    region_open(&region, backend, BYTES);
    region_poison(&region, BYTES);
    bad.keys.d_base = place(&region, bad.keys.d_base);
    bad.move.d_in = place(&region, bad.move.d_in);
    bad.move.d_out = place(&region, bad.move.d_out);
    bad.blocks.d_counts = place(&region, bad.blocks.d_counts);
    bad.blocks.d_block_parts = place(&region, bad.blocks.d_block_parts);
    bad.launch.stream = backend->stream;
    const winnow_status status = winnow_partition_blocks(
        backend->context, bad.no_keys ? NULL : &bad.keys, bad.n,
        bad.no_digit ? NULL : &bad.digit, bad.no_blocks ? NULL : &bad.blocks,
        &bad.move, 1, place(&region, bad.offsets), &bad.launch);
    cr_assert_eq(status, expected, "%s: %s", detail,
                 winnow_status_name(status));
    cr_assert(strstr(winnow_last_error(), detail) != NULL,
              "'%s' is not in '%s'", detail, winnow_last_error());
    cr_assert_null(backend_wait(backend));
    region_fetch(&region, BYTES);
    cr_assert(region_untouched(&region, "memory", 0, 0, BYTES, &report), "%s",
              report.text);
    region_close(&region);
}

#define BAD(STATUS, MEMBER, VALUE, DETAIL)                                     \
    do {                                                                       \
        struct bad bad = good;                                                 \
        bad.MEMBER = (VALUE);                                                  \
        expect_refusal(backend, bad, (STATUS), (DETAIL));                      \
    } while (0)
#define REFUSED(MEMBER, VALUE, DETAIL)                                         \
    BAD(WINNOW_ERR_ARGUMENT, MEMBER, VALUE, DETAIL)

/* The output has room for (64 + 4 * 15) / 16 blocks: 7, which end at 1472. */
BACKEND_TEST(partition_blocks, errors) {
    REFUSED(no_keys, true, "keys is NULL");
    REFUSED(keys.type, WINNOW_FLOAT32,
            "keys->type is float32: wanted int32, int64, uint32 or uint64");
    REFUSED(keys.d_base, NULL, "keys->d_base is NULL");
    BAD(WINNOW_ERR_UNSUPPORTED, keys.stride_bytes, 8, "keys->stride_bytes");
    REFUSED(no_digit, true, "digit is NULL");
    REFUSED(digit.bits, 8, "digit->bits is 8: wanted 0 for keys of int32");
    REFUSED(digit.parts, 0, "digit->parts is 0: wanted 2 to 65536 for keys");
    REFUSED(digit.parts, 1, "digit->parts is 1: wanted 2 to 65536 for keys");
    REFUSED(digit.parts, 65537, "wanted 2 to 65536 for keys of int32");
    REFUSED(digit.shift, 32, "a key has 32 bits");
    REFUSED(digit.shift, 31, "digit->shift is 31: wanted at most 30 for keys");
    REFUSED(digit.shift, 30, "digit->parts is 4: wanted 2 to 2 for keys");
    REFUSED(no_blocks, true, "blocks is NULL");
    REFUSED(blocks.size, 0, "blocks->size is 0");
    REFUSED(blocks.align, 0, "blocks->align is 0: wanted a power of two");
    REFUSED(blocks.align, 48, "blocks->align is 48");
    REFUSED(blocks.align, 131072, "blocks->align is 131072");
    REFUSED(blocks.reserved[1], 1, "blocks->reserved is not 0");
    REFUSED(blocks.d_counts, AT(2052), "blocks->d_counts (");
    REFUSED(blocks.d_counts, AT(1464), "moves[0].d_out and blocks->d_counts");
    REFUSED(blocks.d_counts, AT(2088),
            "blocks->d_counts and blocks->d_block_parts overlap");
    REFUSED(blocks.d_block_parts, AT(4072),
            "d_offsets and blocks->d_block_parts overlap");
    REFUSED(move.d_out, NULL, "moves[0].d_out is NULL");
    REFUSED(move.d_out, AT(2048 - 440), "moves[0].d_out and blocks->d_counts");
    REFUSED(move.element_bytes, 3, "moves[0].element_bytes is 3");
    REFUSED(offsets, NULL, "d_offsets is NULL");
    REFUSED(n, UINT64_MAX / 32, "n is");
    BAD(WINNOW_ERR_UNSUPPORTED, launch.strategy, WINNOW_TILE_SCAN,
        "launch->strategy is set");
    struct bad bad = good;
    bad.move.d_in = NULL;
    bad.move.element_bytes = 2;
    expect_refusal(backend, bad, WINNOW_ERR_ARGUMENT,
                   "moves[0].d_in is NULL, and element_bytes is 2: the items'");
    bad.move.element_bytes = 4;
    bad.n = (UINT64_C(1) << 32) + 1;
    expect_refusal(backend, bad, WINNOW_ERR_ARGUMENT,
                   "moves[0].d_in is NULL, and element_bytes is 4: the items'");
}

/* With less workspace than a plan says nothing is enqueued. */
BACKEND_TEST(partition_blocks, little_workspace) {
    struct trial t;
    open_trial(&t, backend, &plain);
    if (t.workspace_bytes != 0) {
        t.workspace_bytes--;
        cr_assert_eq(enqueue(&t, NULL), WINNOW_ERR_WORKSPACE);
        t.workspace_bytes++;
    }
    cr_assert_null(backend_wait(backend));
    MUST(check_region(&t.out[0], "an output", report));
    MUST(check_region(&t.offsets, "d_offsets", report));
    close_trial(&t);
}

#ifdef WINNOW_CUDA
/* A replay works on what is then in the input. */
GPU_TEST(partition_blocks, SLOW(replay)) {
    for (unsigned i = 0; i < 4; i++) {
        struct call call = plain;
        struct trial trial;
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        call.parts = call.used = i / 2 ? 2000 : 64;
        call.pool = i % 2 != 0;
        call.n = 1500;
        call.seed = 1;
        call.move_count = 2; /* numbers and keys */
        open_trial(&trial, backend, &call);
        GPU_MUST(cudaStreamBeginCapture(backend->stream,
                                        cudaStreamCaptureModeGlobal));
        cr_assert_eq(enqueue(&trial, NULL), WINNOW_OK, "%s",
                     winnow_last_error());
        GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
        GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
        for (unsigned replay = 0; replay < 3; replay++) {
            struct report report = {{0}};
            call.seed = 600 + replay;
            for (uint64_t k = 0; k < call.n; k++) {
                const int32_t key = (int32_t)key_of(&call, k);
                memcpy(trial.keys.shadow + START + k * sizeof key, &key,
                       sizeof key);
            }
            region_write(&trial.keys, START, trial.keys.shadow + START,
                         call.n * sizeof(int32_t));
            for (unsigned m = 0; m < call.move_count; m++)
                region_poison(&trial.out[m], trial.out[m].bytes);
            GPU_MUST(cudaGraphLaunch(exec, backend->stream));
            if (!check_trial(&trial, &report))
                explain(&call, report.text);
        }
        GPU_MUST(cudaGraphExecDestroy(exec));
        GPU_MUST(cudaGraphDestroy(graph));
        close_trial(&trial);
    }
}
#endif

#ifdef WINNOW_SIMT
/* Many schedules, and other contents of uninitialised memory. */
GPU_TEST(partition_blocks, LONG(schedules)) {
    const unsigned seeds = simt_trials(60);
    (void)backend;
    for (unsigned s = 0; s < seeds; s++) {
        const uint64_t seed = simt_first_seed(9700) + s;
        struct backend fresh;
        simt_seed(seed);
        simt_pattern(~seed);
        simt_settings.multiprocessors = 1 + (int)(data_random(seed, 40) % 5);
        backend_open_gpu(&fresh);
        const struct call call = draw(seed, 9000);
        run(&fresh, &call);
        backend_close(&fresh);
    }
}
#endif
