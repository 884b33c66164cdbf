/*
 * winnow_partition_by_key() against an oracle: every kind of key, field, number
 * of parts and column, on the host and on a GPU.
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

enum {
    COLUMNS = WINNOW_PARTITION_MOST_COLUMNS,
    ARRAYS = COLUMNS + 1 /* the keys are one */
};

/* ------------------------------------------------------------------- calls */

enum skew {
    SPREAD,     /* fields are random */
    ONE_PART,   /* all are the same */
    HALF,       /* half of them are the same */
    SORTED,     /* they ascend */
    RUNS,       /* neighbours are the same, more than a tile has */
    NO_PART,    /* no key has a part, where the field can say so */
    ONE_BEYOND, /* a single one has not */
    /* Of use where a GPU takes a sample: */
    UNSEEN,  /* those in it have another part than the others */
    QUARTER, /* so have they in the first quarter; the rest has one part */
    DIVIDED, /* halves of a GPU's sample have different parts */
    SKEWS
};

struct call {
    winnow_type key_type;
    uint64_t n;
    uint32_t shift, bits, parts;
    enum skew skew;
    bool keys_out, stable, pool;
    bool counted;   /* there is a d_n, */
    uint64_t items; /* which holds this number */
    uint32_t columns;
    size_t bytes[COLUMNS]; /* of an element */
    unsigned misplaced;    /* elements that arrays begin behind a vector */
    uint64_t seed;
};

static const struct call plain = {.key_type = WINNOW_UINT32,
                                  .n = 5000,
                                  .parts = 256,
                                  .keys_out = true,
                                  .stable = true};

/* Of a field with this number of values. */
static unsigned bits_of(uint32_t parts) {
    unsigned bits = 1;
    while (UINT32_C(1) << bits < parts)
        bits++;
    return bits;
}

static size_t key_bytes(const struct call *call) {
    return winnow_type_size(call->key_type);
}

/* How many there are. */
static uint64_t items_of(const struct call *call) {
    return call->counted && call->items < call->n ? call->items : call->n;
}

static unsigned field_bits(const struct call *call) {
    return call->bits != 0 ? call->bits
                           : 8 * (unsigned)key_bytes(call) - call->shift;
}

static uint64_t field_mask(const struct call *call) {
    const unsigned bits = field_bits(call);
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* The oracle: the definition, word by word. */
static uint64_t part_of(const struct call *call, uint64_t key) {
    return key >> call->shift & field_mask(call);
}

/* ------------------------------------------------------------------- input */

/* Does kernels/partition/estimate/sample.cu take the key for its sample, of 16
 * neighbours in 256? */
static bool is_sampled(uint64_t i) {
    uint32_t x = (uint32_t)(i / 256);
    x = (x ^ x >> 16) * UINT32_C(0x85ebca6b);
    x = (x ^ x >> 13) * UINT32_C(0xc2b2ae35);
    return (x ^ x >> 16) % 16 == i / 16 % 16;
}

static uint64_t draw_field(const struct call *call, uint64_t i) {
    const uint64_t random = data_random(call->seed, i);
    const uint64_t beyond = field_mask(call); /* if any is */
    switch (call->skew) {
    case ONE_PART:
        return call->parts / 2;
    case HALF:
        return random % 2 == 0 ? call->parts - 1 : random / 2 % call->parts;
    case SORTED:
        return call->n > call->parts ? i / (call->n / call->parts + 1)
                                     : i % call->parts;
    case RUNS:
        return data_random(call->seed, i / 9001) % call->parts;
    case NO_PART:
        return beyond - random % 2;
    case ONE_BEYOND:
        return i == call->n / 2 ? beyond : random % call->parts;
    case UNSEEN:
        return is_sampled(i) ? 0 : call->parts - 1;
    case QUARTER:
        return is_sampled(i) && i < call->n / 4 ? 0 : call->parts - 1;
    case DIVIDED:
        return i / 256 % 2 * (call->parts - 1);
    default: /* and with some beyond the parts */
        return random % (call->parts + call->parts / 8 + 1);
    }
}

/* The field, with random bits around it. */
static uint64_t draw_key(const struct call *call, uint64_t i) {
    const uint64_t mask = field_mask(call);
    const uint64_t other = data_random(~call->seed, i);
    return (draw_field(call, i) & mask) << call->shift |
           (other & ~(mask << call->shift));
}

static uint64_t load_key(const struct call *call, const void *keys,
                         uint64_t i) {
    return key_bytes(call) == 4 ? ((const uint32_t *)keys)[i]
                                : ((const uint64_t *)keys)[i];
}

/* Array 0 holds the keys; what is in another says which one, and where. */
static void fill_array(const struct call *call, unsigned array, void *to) {
    const size_t bytes = array == 0 ? key_bytes(call) : call->bytes[array - 1];
    for (uint64_t i = 0; i < call->n; i++) {
        const uint64_t words[] = {
            array == 0 ? draw_key(call, i) : data_random(call->seed + array, i),
            i};
        memcpy((char *)to + i * bytes, words, bytes);
    }
}

/* ------------------------------------------------------------------ arrays */

struct array {
    size_t bytes;          /* of an element */
    size_t start;          /* of the array, in its region */
    struct region in, out; /* out: not used where the keys are not wanted */
    bool written;
};

static void open_array(const struct backend *backend, const struct call *call,
                       unsigned number, struct array *array) {
    const size_t bytes =
        number == 0 ? key_bytes(call) : call->bytes[number - 1];
    void *const data = must_alloc(call->n * bytes + 1);
    array->bytes = bytes;
    array->start = REGION_GUARD + call->misplaced * bytes;
    array->written = number != 0 || call->keys_out;
    const size_t all = array->start + call->n * bytes + REGION_GUARD;
    region_open(&array->in, backend, all);
    region_open(&array->out, backend, all);
    region_poison(&array->in, all);
    region_poison(&array->out, all);
    fill_array(call, number, data);
    region_write(&array->in, array->start, data, call->n * bytes);
    free(data);
}

static void close_array(struct array *array) {
    region_close(&array->in);
    region_close(&array->out);
}

static bool check_untouched(struct array *array, uint64_t written,
                            struct report *report) {
    const size_t all = array->in.bytes;
    const size_t end =
        array->start + (array->written ? written * array->bytes : 0);
    region_fetch(&array->in, all);
    region_fetch(&array->out, all);
    return region_untouched(&array->in, "an input", array->start, 0, all,
                            report) &&
           region_untouched(&array->out, "an output", array->start, 0,
                            array->start, report) &&
           region_untouched(&array->out, "an output", array->start, end, all,
                            report);
}

/* ------------------------------------------------------------------- rows */

static size_t row_bytes; /* for compare_rows() */

static int compare_rows(const void *a, const void *b) {
    return memcmp(a, b, row_bytes);
}

/* Element i of all arrays that are written, one after the other. */
static void copy_row(const struct array *arrays, unsigned number, bool of_out,
                     uint64_t i, unsigned char *to) {
    for (unsigned a = 0; a < number; a++) {
        const struct region *const region =
            of_out ? &arrays[a].out : &arrays[a].in;
        if (!arrays[a].written)
            continue;
        memcpy(to, region->seen + arrays[a].start + i * arrays[a].bytes,
               arrays[a].bytes);
        to += arrays[a].bytes;
    }
}

/* Every part has the rows that the oracle says, in its order or in any. */
static bool check_rows(const struct call *call, const struct array *arrays,
                       const uint64_t *offsets, struct report *report) {
    const unsigned number = call->columns + 1;
    const uint64_t kept = offsets[call->parts];
    uint64_t *next = must_alloc(call->parts * sizeof *next);
    bool right = true;

    row_bytes = 0;
    for (unsigned a = 0; a < number; a++)
        row_bytes += arrays[a].written ? arrays[a].bytes : 0;
    unsigned char *wanted = must_alloc(kept * row_bytes + 1);
    unsigned char *found = must_alloc(kept * row_bytes + 1);
    memcpy(next, offsets, call->parts * sizeof *next);
    for (uint64_t i = 0; i < items_of(call); i++) {
        const uint64_t part = part_of(
            call, load_key(call, arrays[0].in.seen + arrays[0].start, i));
        if (part < call->parts)
            copy_row(arrays, number, false, i,
                     wanted + next[part]++ * row_bytes);
    }
    for (uint64_t i = 0; i < kept; i++)
        copy_row(arrays, number, true, i, found + i * row_bytes);
    for (uint32_t p = 0; p < call->parts && !call->stable && row_bytes; p++) {
        const uint64_t rows = offsets[p + 1] - offsets[p];
        qsort(wanted + offsets[p] * row_bytes, rows, row_bytes, compare_rows);
        qsort(found + offsets[p] * row_bytes, rows, row_bytes, compare_rows);
    }
    for (uint64_t i = 0; i < kept && right; i++)
        if (memcmp(wanted + i * row_bytes, found + i * row_bytes, row_bytes))
            right =
                report_fail(report, "row %llu of %llu is wrong",
                            (unsigned long long)i, (unsigned long long)kept);
    free(next);
    free(wanted);
    free(found);
    return right;
}

static bool check_offsets(const struct call *call, const struct array *keys,
                          const uint64_t *found, struct report *report) {
    uint64_t *wanted = must_alloc((call->parts + 1) * sizeof *wanted);
    bool right = true;

    memset(wanted, 0, (call->parts + 1) * sizeof *wanted);
    for (uint64_t i = 0; i < items_of(call); i++) {
        const uint64_t part =
            part_of(call, load_key(call, keys->in.seen + keys->start, i));
        if (part < call->parts)
            wanted[part + 1]++;
    }
    for (uint32_t p = 0; p <= call->parts && right; p++) {
        wanted[p] += p != 0 ? wanted[p - 1] : 0;
        if (wanted[p] != found[p])
            right = report_fail(report, "d_offsets[%u] is %llu: wanted %llu",
                                (unsigned)p, (unsigned long long)found[p],
                                (unsigned long long)wanted[p]);
    }
    free(wanted);
    return right;
}

/* --------------------------------------------------------------------- run */

/* A call with its memory. */
struct trial {
    const struct backend *backend;
    const struct call *call;
    struct array arrays[ARRAYS];
    winnow_in keys;
    winnow_digit digit;
    winnow_move moves[ARRAYS];
    unsigned move_count;
    winnow_launch launch; /* but for the workspace */
    struct region offsets, workspace;
    uint64_t *d_n;
    size_t workspace_bytes;
};

/* The move of the keys is anywhere among the others. */
static void set_moves(struct trial *t) {
    const struct call *const call = t->call;
    const unsigned keys = (unsigned)(call->seed % (call->columns + 1));

    for (unsigned c = 0; c <= call->columns; c++) {
        const struct array *array = &t->arrays[c];
        if (c == keys && call->keys_out)
            t->moves[t->move_count++] = (winnow_move){
                .d_in = t->keys.d_base,
                .d_out = t->arrays[0].out.base + t->arrays[0].start,
                .element_bytes = t->arrays[0].bytes};
        array++;
        if (c < call->columns)
            t->moves[t->move_count++] =
                (winnow_move){.d_in = array->in.base + array->start,
                              .d_out = array->out.base + array->start,
                              .element_bytes = array->bytes};
    }
}

/* What a call needs, which no address says. */
static size_t plan_bytes(const struct trial *t) {
    winnow_plan plan = {.size = sizeof plan};
    winnow_launch launch = t->launch;
    winnow_in keys = t->keys;
    winnow_move moves[ARRAYS];

    launch.plan = &plan;
    keys.d_base = NULL;
    for (unsigned m = 0; m < t->move_count; m++)
        moves[m] = (winnow_move){.d_in = NULL,
                                 .d_out = NULL,
                                 .element_bytes = t->moves[m].element_bytes};
    cr_assert_eq(winnow_partition_by_key(t->backend->context, &keys, t->call->n,
                                         &t->digit, moves, t->move_count, NULL,
                                         &launch),
                 WINNOW_OK, "%s", winnow_last_error());
    return plan.workspace_bytes;
}

static void open_trial(struct trial *t, const struct backend *backend,
                       const struct call *call) {
    const bool all =
        field_bits(call) < 17 && call->parts == UINT32_C(1) << field_bits(call);
    *t = (struct trial){
        .backend = backend,
        .call = call,
        .keys = {.type = call->key_type},
        .digit = {.shift = call->shift,
                  .bits = call->bits,
                  .parts = all && call->seed % 2 == 0 ? 0 : call->parts},
        .launch = {.size = sizeof t->launch,
                   .order = call->stable ? WINNOW_STABLE : WINNOW_UNORDERED,
                   .stream = backend->stream}};
    for (unsigned a = 0; a <= call->columns; a++)
        open_array(backend, call, a, &t->arrays[a]);
    t->keys.d_base = t->arrays[0].in.base + t->arrays[0].start;
    set_moves(t);
    region_open(&t->offsets, backend,
                2 * REGION_GUARD + (call->parts + 1) * sizeof(uint64_t));
    region_poison(&t->offsets, t->offsets.bytes);
    t->d_n = backend_alloc(backend, sizeof *t->d_n);
    backend_upload(backend, t->d_n, &call->items, sizeof call->items);
    t->launch.d_n = call->counted ? t->d_n : NULL;
    t->workspace_bytes = plan_bytes(t);
    region_open(&t->workspace, backend, 2 * REGION_GUARD + t->workspace_bytes);
    region_poison(&t->workspace, t->workspace.bytes);
}

static void close_trial(struct trial *t) {
    for (unsigned a = 0; a <= t->call->columns; a++)
        close_array(&t->arrays[a]);
    region_close(&t->offsets);
    region_close(&t->workspace);
    backend_free(t->backend, t->d_n);
}

static winnow_status enqueue(struct trial *t) {
    winnow_launch launch = t->launch;

    if (!t->call->pool && t->workspace_bytes != 0) {
        launch.d_workspace = t->workspace.base + REGION_GUARD;
        launch.workspace_bytes = t->workspace_bytes;
    }
    return winnow_partition_by_key(
        t->backend->context, &t->keys, t->call->n, &t->digit,
        t->move_count != 0 ? t->moves : NULL, t->move_count,
        (uint64_t *)(void *)(t->offsets.base + REGION_GUARD), &launch);
}

static bool check_trial(struct trial *t, struct report *report) {
    const struct call *const call = t->call;
    const char *const trouble = backend_wait(t->backend);
    uint64_t *offsets = must_alloc((call->parts + 1) * sizeof *offsets);
    const size_t end = t->offsets.bytes - REGION_GUARD;
    bool right = trouble == NULL || report_fail(report, "%s", trouble);

    region_fetch(&t->offsets, t->offsets.bytes);
    region_fetch(&t->workspace, t->workspace.bytes);
    memcpy(offsets, t->offsets.seen + REGION_GUARD, end - REGION_GUARD);
    right = right &&
            region_untouched(&t->offsets, "d_offsets", REGION_GUARD, 0,
                             REGION_GUARD, report) &&
            region_untouched(&t->offsets, "d_offsets", REGION_GUARD, end,
                             t->offsets.bytes, report) &&
            region_untouched(&t->workspace, "d_workspace", REGION_GUARD, 0,
                             REGION_GUARD, report) &&
            region_untouched(&t->workspace, "d_workspace", REGION_GUARD,
                             t->workspace.bytes - REGION_GUARD,
                             t->workspace.bytes, report);
    for (unsigned a = 0; a <= call->columns && right; a++) {
        region_fetch(&t->arrays[0].in, t->arrays[0].in.bytes);
        right = check_offsets(call, &t->arrays[0], offsets, report) &&
                check_untouched(&t->arrays[a], offsets[call->parts], report);
    }
    right = right && check_rows(call, t->arrays, offsets, report);
    free(offsets);
    return right;
}

static void explain(const struct call *call, const char *what) {
    cr_assert_fail(
        "%s: %s keys, n %llu of %llu, shift %u, bits %u, parts %u, skew "
        "%d, %u columns, keys_out %d, %s, misplaced %u, seed %llu",
        what, winnow_type_name(call->key_type),
        (unsigned long long)items_of(call), (unsigned long long)call->n,
        (unsigned)call->shift, (unsigned)call->bits, (unsigned)call->parts,
        (int)call->skew, (unsigned)call->columns, call->keys_out,
        call->stable ? "stable" : "unordered", call->misplaced,
        (unsigned long long)call->seed);
}

/* Calls that follow each other. */
static void run_times(const struct backend *backend, const struct call *call,
                      int times) {
    struct report report = {{0}};
    struct trial trial;

    open_trial(&trial, backend, call);
    for (int k = 0; k < times; k++)
        if (enqueue(&trial) != WINNOW_OK)
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

    if (context->small_partitions) {
        run_times(backend, call, 1);
        context->small_partitions = false;
        run_times(backend, call, 1);
        context->small_partitions = true;
        return;
    }
#endif
    run_times(backend, call, 1);
}

/* ------------------------------------------------------------------- tests */

/* On the CPU device two passes take seconds: of the cases with that many parts
 * one in a number is run. */
static bool is_left_out(unsigned i, uint32_t parts, unsigned one_in) {
    return reduced_mode() && parts > 256 && i % one_in != 0;
}

static const uint32_t parts[] = {2,   3,   4,    5,    8,    16,    17,
                                 31,  32,  33,   64,   65,   255,   256,
                                 257, 512, 1000, 1024, 4096, 65535, 65536};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

BACKEND_TEST(partition_by_key, LONG(parts)) {
    for (unsigned i = 0; i < 4 * COUNT(parts); i++) {
        struct call call = plain;
        call.parts = parts[i / 4];
        if (is_left_out(i, call.parts, 5))
            continue;
        call.key_type = i % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.stable = i / 2 % 2 != 0;
        call.pool = i % 3 == 0;
        call.n = 20011;
        call.seed = i;
        call.columns = 1;
        call.bytes[0] = 4;
        run(backend, &call);
    }
}

/* Around vectors, tiles of both kinds of keys, and several of them. */
BACKEND_TEST(partition_by_key, LONG(sizes)) {
    static const uint64_t sizes[] = {0,    1,    2,    3,    31,    32,   33,
                                     127,  129,  511,  2047, 2048,  2049, 4095,
                                     4096, 4097, 8191, 8192, 16384, 24577};
    static const uint32_t some[] = {2, 32, 200, 3000};
    for (unsigned i = 0; i < COUNT(sizes) * COUNT(some); i++) {
        struct call call = plain;
        call.n = sizes[i / COUNT(some)];
        call.parts = some[i % COUNT(some)];
        if (is_left_out(i, call.parts, 7))
            continue;
        call.key_type = i % 3 == 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.misplaced = i % 5;
        call.columns = i % 2;
        call.bytes[0] = 8;
        call.seed = 100 + i;
        /* No key is dropped, and all parts are counted before two passes. */
        if (i / COUNT(some) % 3 != 2) {
            call.stable = false;
            call.bits = bits_of(call.parts);
            call.parts = UINT32_C(1) << call.bits;
        }
        run(backend, &call);
    }
}

BACKEND_TEST(partition_by_key, LONG(skews)) {
    static const uint32_t some[] = {2, 13, 256, 1000, 5000, 65536};
    for (unsigned i = 0; i < UNSEEN * COUNT(some); i++) {
        struct call call = plain;
        call.skew = (enum skew)(i % UNSEEN);
        call.parts = some[i / UNSEEN];
        if (is_left_out(i, call.parts, 17))
            continue;
        call.key_type = i % 4 == 1 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.n = 12345;
        call.columns = 1;
        call.bytes[0] = 2;
        call.seed = 200 + i;
        run(backend, &call);
    }
}

/* Every field of 1 to 17 bits at some place, and of all bits from there. */
BACKEND_TEST(partition_by_key, LONG(fields)) {
    for (unsigned i = 0; i < 2 * 18; i++) {
        struct call call = plain;
        const bool wide = i % 2 != 0;
        call.key_type = wide ? WINNOW_UINT64 : WINNOW_UINT32;
        call.bits = i / 2;
        call.shift = (7 * i) % ((wide ? 64 : 32) - 17);
        if (call.bits == 17) /* at the top */
            call.shift = (wide ? 64 : 32) - 17;
        call.parts = call.bits == 0    ? 300
                     : call.bits <= 16 ? UINT32_C(1) << call.bits
                                       : 65536;
        if (i % 3 == 0 && call.parts > 2)
            call.parts -= 1;
        if (is_left_out(i, call.parts, 7))
            continue;
        call.n = 3000;
        call.seed = 300 + i;
        run(backend, &call);
    }
}

/* More parts than the field has values: the upper digit of two passes may lie
 * above the field, and above the key. */
BACKEND_TEST(partition_by_key, LONG(short_fields)) {
    static const uint32_t some[] = {5, 40, 200, 1000, 65536};
    for (unsigned i = 0; i < 8 * COUNT(some); i++) {
        struct call call = plain;
        const bool wide = i % 2 != 0;
        call.parts = some[i / 8];
        call.stable = i / 4 % 2 != 0;
        if (is_left_out(i, call.parts, 3))
            continue;
        call.key_type = wide ? WINNOW_UINT64 : WINNOW_UINT32;
        call.shift = (wide ? 63 : 31) - i % 3;
        call.bits = i / 2 % 2; /* 0: up to the top */
        call.n = 2000 + i;
        call.columns = 1;
        call.bytes[0] = 4;
        call.seed = 700 + i;
        run(backend, &call);
    }
}

/* All widths, in any order, at any alignment, with and without the keys. */
BACKEND_TEST(partition_by_key, LONG(columns)) {
    static const uint32_t some[] = {3, 256, 64, 1025};
    for (unsigned i = 0; i < 64; i++) {
        struct call call = plain;
        call.n = 9001;
        call.parts = some[i % COUNT(some)];
        if (is_left_out(i, call.parts, 5))
            continue;
        call.key_type = i / 4 % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.keys_out = i / 8 % 2 != 0;
        call.stable = i / 16 % 2 != 0;
        call.columns = i < 60 ? i % 6 : COLUMNS;
        for (unsigned c = 0; c < call.columns; c++)
            call.bytes[c] = UINT64_C(1) << data_random(i, c) % 5;
        call.misplaced = i % 7;
        call.seed = 400 + i;
        run(backend, &call);
    }
}

/* Enough for chunks of several tiles, or of several threads. A GPU of 132
 * multiprocessors has up to 528 chunks, and tiles of up to 9216 items. */
static uint64_t several_tiles(const struct backend *backend) {
#ifdef WINNOW_SIMT
    (void)backend;
    return 40001;
#else
    return (backend->gpu ? UINT64_C(6) : UINT64_C(3)) << 20;
#endif
}

/* A backend whose chunks have as many. */
static struct backend open_with_chunks(const struct backend *backend) {
    struct backend fresh = *backend;
    if (!backend->gpu)
        cr_assert_eq(winnow_context_set_threads(backend->context, 3),
                     WINNOW_OK);
#ifdef WINNOW_SIMT
    simt_settings.multiprocessors = 1;
    backend_open_gpu(&fresh);
#endif
    return fresh;
}

static void close_with_chunks(struct backend *fresh) {
#ifdef WINNOW_SIMT
    backend_close(fresh);
#else
    (void)fresh;
#endif
}

BACKEND_TEST(partition_by_key, LONG(chunks)) {
    static const uint32_t some[] = {2, 16, 256, 3000};
    struct backend fresh = open_with_chunks(backend);
    for (unsigned i = 0; i < 2 * COUNT(some); i++) {
        struct call call = plain;
        call.n = several_tiles(backend) + i;
        call.parts = some[i / 2];
        call.skew = i % 4 == 3 ? HALF : SPREAD;
        call.key_type = i % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.columns = 1;
        call.bytes[0] = 4;
        call.seed = 500 + i;
        run(&fresh, &call);
    }
    close_with_chunks(&fresh);
}

/* More items than have one launch on a GPU. */
BACKEND_TEST(partition_by_key, LONG(many)) {
    static const uint32_t some[] = {2, 7, 32, 200, 256};
    for (unsigned i = 0; i < 2 * COUNT(some); i++) {
        struct call call = plain;
        call.parts = some[i / 2];
        call.stable = i % 2 != 0;
        call.key_type = i % 3 != 0 ? WINNOW_UINT32 : WINNOW_UINT64;
        call.columns = i % 3;
        call.bytes[0] = 4;
        call.bytes[1] = 8;
        call.n = 131073 + 1000 * i;
        call.seed = 1500 + i;
        run_times(backend, &call, 1);
    }
}

/* Rows that are too wide to hold elements of, in several tiles of a chunk. */
BACKEND_TEST(partition_by_key, LONG(wide_rows)) {
    static const uint32_t some[] = {40, 256, 3000};
    static const uint64_t bytes[] = {1, 2, 4, 8, 16};
    /* The host goes the same way for all rows. */
    const uint64_t n = backend->gpu ? several_tiles(backend) : 400001;
    struct backend fresh = open_with_chunks(backend);
    for (unsigned i = 0; i < 8 * COUNT(some); i++) {
        struct call call = plain;
        call.n = n + i;
        call.parts = some[i / 8] - i / 2 % 2; /* keys may be dropped */
        if (is_left_out(i, call.parts, 3))
            continue;
        call.key_type = i % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.skew = i % 3 == 2 ? HALF : SPREAD;
        call.stable = i / 4 % 2 != 0;
        call.misplaced = i % 4;
        call.columns = COUNT(bytes);
        for (unsigned c = 0; c < COUNT(bytes); c++)
            call.bytes[c] = bytes[c];
        call.seed = 700 + i;
        run(&fresh, &call);
    }
    close_with_chunks(&fresh);
}

/* Warps and tiles of one digit, after others and before them. */
BACKEND_TEST(partition_by_key, LONG(runs)) {
    static const uint32_t some[] = {16, 64, 256, 1000};
    /* The host goes the same way for all keys. */
    const uint64_t n = backend->gpu ? several_tiles(backend) : 400001;
    struct backend fresh = open_with_chunks(backend);
    for (unsigned i = 0; i < 8 * COUNT(some); i++) {
        struct call call = plain;
        call.n = n + i;
        call.parts = some[i / 8] - i / 2 % 2; /* keys may be dropped */
        if (is_left_out(i, call.parts, 3))
            continue;
        call.skew = i % 3 == 2 ? SORTED : RUNS;
        call.key_type = i % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.stable = i / 4 % 2 != 0;
        call.keys_out = i % 5 != 0;
        call.misplaced = i % 4;
        call.columns = i % 3;
        for (unsigned c = 0; c < call.columns; c++)
            call.bytes[c] = UINT64_C(1) << data_random(i, c) % 5;
        call.seed = 600 + i;
        run(&fresh, &call);
    }
    close_with_chunks(&fresh);
}

/* Fewer items than there is room for, as the device reads: none, some, and
 * what counts as all. */
BACKEND_TEST(partition_by_key, LONG(items)) {
    static const uint32_t some[] = {2, 30, 256, 3000};
    const uint64_t n = backend->gpu ? several_tiles(backend) : 400001;
    const uint64_t items[] = {0, 1, n / 40, n / 3, n - 1, n, n + 1, UINT64_MAX};
    struct backend fresh = open_with_chunks(backend);
    for (unsigned i = 0; i < COUNT(items) * COUNT(some); i++) {
        struct call call = plain;
        call.n = n;
        call.parts = some[i / COUNT(items)] - i % 2; /* keys may be dropped */
        call.bits = bits_of(call.parts + 1);
        if (call.parts < 2 || is_left_out(i, call.parts, 3))
            continue;
        call.counted = true;
        call.items = items[i % COUNT(items)];
        call.key_type = i % 3 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.stable = i / 2 % 2 != 0;
        call.skew = i % 5 == 4 ? SORTED : SPREAD;
        call.columns = i % 3;
        call.bytes[0] = 4;
        call.bytes[1] = 1;
        call.pool = i % 2 != 0;
        call.seed = 1400 + i;
        run(&fresh, &call);
    }
    close_with_chunks(&fresh);
}

/* ------------------------------------------------------------------ errors */

enum {
    BYTES = 8192
};

/* A call with one thing wrong, on memory that is not touched. Pointers are
 * places in the memory; NOWHERE: NULL. */
#define NOWHERE ((char *)(uintptr_t)-1)

struct bad {
    winnow_in keys;
    uint64_t n;
    winnow_digit digit;
    winnow_move moves[2];
    unsigned move_count;
    uint64_t *offsets;
    winnow_launch launch;
    bool no_keys, no_digit, no_moves;
};

static void *place(const struct region *region, const void *offset) {
    return offset == NOWHERE ? NULL : region->base + (uintptr_t)offset;
}

static void expect_refusal(const struct backend *backend, struct bad bad,
                           winnow_status expected, const char *detail) {
    struct region region;
    struct report report = {{0}};

    region_open(&region, backend, BYTES);
    region_poison(&region, BYTES);
    bad.keys.d_base = place(&region, bad.keys.d_base);
    for (int m = 0; m < 2; m++) {
        bad.moves[m].d_in = place(&region, bad.moves[m].d_in);
        bad.moves[m].d_out = place(&region, bad.moves[m].d_out);
    }
    if (bad.launch.d_n != NULL)
        bad.launch.d_n = place(&region, bad.launch.d_n);
    bad.launch.stream = backend->stream;
    const winnow_status status = winnow_partition_by_key(
        backend->context, bad.no_keys ? NULL : &bad.keys, bad.n,
        bad.no_digit ? NULL : &bad.digit, bad.no_moves ? NULL : bad.moves,
        bad.move_count, place(&region, bad.offsets), &bad.launch);
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

/* The keys, and a column. */
static const struct bad good = {
    .keys = {.type = WINNOW_UINT32, .d_base = (void *)0},
    .n = 64,
    .digit = {.parts = 4},
    .moves = {{.d_in = (void *)0, .d_out = (void *)1024, .element_bytes = 4},
              {.d_in = (void *)2048,
               .d_out = (void *)3072,
               .element_bytes = 4}},
    .move_count = 2,
    .offsets = (void *)4096,
    .launch = {.size = sizeof(winnow_launch)}};

#define BAD(STATUS, MEMBER, VALUE, DETAIL)                                     \
    do {                                                                       \
        struct bad bad = good;                                                 \
        bad.MEMBER = (VALUE);                                                  \
        expect_refusal(backend, bad, (STATUS), (DETAIL));                      \
    } while (0)
#define REFUSED(MEMBER, VALUE, DETAIL)                                         \
    BAD(WINNOW_ERR_ARGUMENT, MEMBER, VALUE, DETAIL)
#define UNSUPPORTED(MEMBER, VALUE, DETAIL)                                     \
    BAD(WINNOW_ERR_UNSUPPORTED, MEMBER, VALUE, DETAIL)
#define AT(PLACE) ((void *)(uintptr_t)(PLACE))

BACKEND_TEST(partition_by_key, errors) {
    REFUSED(no_keys, true, "keys is NULL");
    REFUSED(keys.type, WINNOW_INT32, "keys->type is int32: wanted");
    REFUSED(keys.type, (winnow_type)99, "keys->type 99 is no winnow_type");
    REFUSED(keys.type, WINNOW_OPAQUE, "keys has no type");
    REFUSED(keys.reserved[0], 1, "keys->reserved is not 0");
    UNSUPPORTED(keys.stride_bytes, 8, "keys->stride_bytes is 8");
    UNSUPPORTED(keys.d_valid, AT(64), "keys->d_valid is set");
    REFUSED(no_digit, true, "digit is NULL");
    REFUSED(digit.shift, 32, "a key has 32 bits");
    REFUSED(digit.bits, 33, "a key has 32 bits");
    REFUSED(digit.parts, 0, "digit->parts is 0, which stands for 2^32 parts");
    REFUSED(digit.parts, 1, "digit->parts is 1");
    REFUSED(digit.parts, 65537, "digit->parts is 65537");
    REFUSED(no_moves, true, "moves is NULL");
    REFUSED(move_count, 18, "move_count is 18: wanted at most 16, and the");
    REFUSED(moves[1].element_bytes, 0, "moves[1].element_bytes is 0");
    REFUSED(moves[1].element_bytes, 3, "moves[1].element_bytes is 3");
    REFUSED(moves[1].element_bytes, 32, "moves[1].element_bytes is 32");
    REFUSED(moves[0].element_bytes, 2,
            "moves[0] moves the keys: wanted one move of them, with an "
            "element_bytes of 4");
    REFUSED(moves[1].d_in, AT(0),
            "moves[1] moves the keys: wanted one move of them, with an "
            "element_bytes of 4");
    REFUSED(n, UINT64_MAX / 32, "n is");
    REFUSED(keys.d_base, NOWHERE, "keys->d_base is NULL");
    REFUSED(keys.d_base, AT(2), "keys->d_base (");
    REFUSED(moves[0].d_out, AT(1026), "moves[0].d_out (");
    REFUSED(moves[0].d_out, AT(128), "keys->d_base and moves[0].d_out overlap");
    REFUSED(moves[1].d_in, NOWHERE, "moves[1].d_in is NULL");
    REFUSED(moves[1].d_in, AT(2049), "moves[1].d_in (");
    REFUSED(moves[1].d_out, NOWHERE, "moves[1].d_out is NULL");
    REFUSED(moves[1].d_out, AT(2048),
            "moves[1].d_in and moves[1].d_out overlap");
    REFUSED(moves[1].d_out, AT(0), "keys->d_base and moves[1].d_out overlap");
    REFUSED(moves[1].d_out, AT(1024),
            "moves[0].d_out and moves[1].d_out overlap");
    REFUSED(offsets, (uint64_t *)(void *)NOWHERE, "d_offsets is NULL");
    REFUSED(offsets, AT(4100), "d_offsets (");
    REFUSED(offsets, AT(3072 + 248), "moves[1].d_out and d_offsets overlap");
    REFUSED(launch.d_n, AT(5004), "launch->d_n (");
    REFUSED(launch.d_n, AT(4096), "d_offsets and launch->d_n overlap");
    REFUSED(launch.size, 0, "launch->size is 0");
    REFUSED(launch.reserved[3], 1, "launch->reserved[3] is not 0");
    REFUSED(launch.order, (winnow_order)7, "launch->order 7");
    UNSUPPORTED(launch.strategy, WINNOW_TILE_SCAN, "launch->strategy is set");
    UNSUPPORTED(launch.d_strategy, AT(8), "launch->d_strategy is set");
    UNSUPPORTED(launch.d_position, AT(8), "launch->d_position is set");
}

/* One more than columns, if one of them may be that of the keys. */
BACKEND_TEST(partition_by_key, move_counts) {
    const winnow_in keys = {.type = WINNOW_UINT32};
    const winnow_digit digit = {.bits = 3};
    uint64_t *const d_offsets = backend_alloc(backend, 9 * sizeof *d_offsets);
    uint64_t offsets[9];
    winnow_move moves[ARRAYS] = {{0}};

    for (unsigned m = 0; m < ARRAYS; m++)
        moves[m].element_bytes = 2;
    cr_assert_eq(winnow_partition_by_key(
                     backend->context, &keys, 0, &digit, moves, ARRAYS,
                     d_offsets, WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_ERR_ARGUMENT);
    cr_assert(strstr(winnow_last_error(), "as none moves the keys") != NULL);
    moves[7].element_bytes = 4;
    cr_assert_eq(winnow_partition_by_key(
                     backend->context, &keys, 0, &digit, moves, ARRAYS,
                     d_offsets, WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_download(backend, offsets, d_offsets, sizeof offsets);
    for (unsigned p = 0; p < 9; p++)
        cr_assert_eq(offsets[p], 0u);
    backend_free(backend, d_offsets);
}

BACKEND_TEST(partition_by_key, plans) {
    winnow_context *const context = backend->context;
    uint64_t *const memory = backend_alloc(backend, 4096);
    const winnow_digit digit = {.parts = 4};
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = memory};
    winnow_plan plan = {.size = sizeof plan, .workspace_bytes = 77};
    const winnow_launch query = {.size = sizeof query, .plan = &plan};

    cr_assert_eq(winnow_partition_by_key(context, &keys, 9, &digit, NULL, 1,
                                         NULL, &query),
                 WINNOW_ERR_ARGUMENT);
    cr_assert(strstr(winnow_last_error(), "moves is NULL") != NULL);
    cr_assert_eq(
        winnow_partition_by_key(NULL, &keys, 9, &digit, NULL, 0, NULL, &query),
        WINNOW_ERR_ARGUMENT);
    cr_assert_eq(plan.workspace_bytes, (size_t)77, "written after an error");
    cr_assert_eq(winnow_partition_by_key(context, &keys, 9, &digit, NULL, 0,
                                         NULL, &query),
                 WINNOW_OK);
    if (plan.workspace_bytes != 0)
        cr_assert_eq(
            winnow_partition_by_key(
                context, &keys, 9, &digit, NULL, 0, memory + 16,
                WINNOW_LAUNCH(.stream = backend->stream,
                              .d_workspace = memory + 64,
                              .workspace_bytes = plan.workspace_bytes - 1)),
            plan.workspace_bytes - 1 <= 4096 - 512 ? WINNOW_ERR_WORKSPACE
                                                   : WINNOW_ERR_ARGUMENT);
    cr_assert_null(backend_wait(backend));
    backend_free(backend, memory);
}

#ifdef WINNOW_CUDA
/* ------------------------------------------------------------------- a GPU */

/* A replay works on what is then in the input. */
GPU_TEST(partition_by_key, LONG(replay)) {
    static const uint32_t some[] = {7, 2000};
    for (unsigned i = 0; i < 2 * COUNT(some); i++) {
        struct call call = plain, other;
        struct report report = {{0}};
        struct trial trial;
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        call.n = 10000;
        call.parts = some[i / 2];
        call.pool = i % 2 != 0;
        call.columns = 1;
        call.bytes[0] = 4;
        open_trial(&trial, backend, &call);
        GPU_MUST(cudaStreamBeginCapture(backend->stream,
                                        cudaStreamCaptureModeGlobal));
        cr_assert_eq(enqueue(&trial), WINNOW_OK, "%s", winnow_last_error());
        GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
        GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
        for (unsigned replay = 0; replay < 3; replay++) {
            uint32_t *keys = must_alloc(call.n * sizeof *keys);
            other = call;
            other.seed = 600 + replay;
            fill_array(&other, 0, keys);
            region_write(&trial.arrays[0].in, trial.arrays[0].start, keys,
                         call.n * sizeof *keys);
            for (unsigned a = 0; a < 2; a++)
                region_poison(&trial.arrays[a].out, trial.arrays[a].out.bytes);
            free(keys);
            GPU_MUST(cudaGraphLaunch(exec, backend->stream));
            if (!check_trial(&trial, &report))
                explain(&other, report.text);
        }
        GPU_MUST(cudaGraphExecDestroy(exec));
        GPU_MUST(cudaGraphDestroy(graph));
        close_trial(&trial);
    }
}
#endif

#ifdef WINNOW_SIMT
/* ---------------------------------------------------------- the CPU device */

/* A device that partitions small inputs as large ones. */
static void open_several(struct backend *backend) {
    backend_open_gpu(backend);
    ((winnow__cuda_context *)backend->context)->small_partitions = false;
}

/* Devices whose blocks have less shared memory: fewer of them run together, and
 * chunks are longer. */
GPU_TEST(partition_by_key, LONG(little_shared_memory)) {
    static const int bytes[] = {64 << 10, 99 << 10};
    static const uint32_t some[] = {256, 257, 1024};
    /* Some rows are wide with 99 KiB, some are not. */
    static const uint64_t rows[][3] = {{16, 1, 8}, {4}, {8, 2, 1}, {8, 4}, {0}};
    (void)backend;
    for (unsigned i = 0; i < 12 * COUNT(rows); i++) {
        const uint64_t *const row = rows[i / 12];
        struct backend small;
        struct call call = plain;
        if (reduced_mode() && i % 7 > 1)
            continue;
        simt_settings.shared_per_block = bytes[i % 2];
        open_several(&small);
        call.parts = some[i / 4 % 3];
        call.key_type = i / 2 % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.stable = i % 3 == 0;
        call.n = 9000;
        while (call.columns < 3 && row[call.columns] != 0) {
            call.bytes[call.columns] = row[call.columns];
            call.columns++;
        }
        run(&small, &call);
        backend_close(&small);
    }
}

/* Then digits have 5 bits, so there are up to four passes. Keys are dropped by
 * the first one, or none is. */
GPU_TEST(partition_by_key, LONG(passes_of_5_bits)) {
    static const uint32_t some[] = {3000, 32768, 65536, 40000};
    (void)backend;
    simt_settings.shared_per_block = 64 << 10;
    simt_settings.multiprocessors = 1;
    for (unsigned i = 0; i < COUNT(some); i++) {
        struct backend small;
        struct call call = plain;
        open_several(&small);
        call.parts = some[i];
        call.bits = bits_of(call.parts);
        call.shift = i;
        call.key_type = i % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.stable = i != 1;
        call.keys_out = i != 2;
        call.columns = i % 3;
        call.bytes[0] = 4;
        call.bytes[1] = 16;
        call.seed = 1300 + i;
        run(&small, &call);
        backend_close(&small);
    }
}

/*
 * Places by an estimate, and how calls end whose sample is misleading. Small
 * caches make inputs large. Items of tiles that are scattered in any order have
 * an update each in such a pass, but few where a warp's have one part, and
 * those that are counted one, too; sampled items are few.
 */
GPU_TEST(partition_by_key, LONG(estimates)) {
    static const struct {
        uint32_t parts, columns;
        uint64_t n;
        enum skew skew;
        unsigned tenths; /* updates for each item */
    } cases[] = {{4, 1, 70001, SPREAD, 10},
                 {8, 0, 70002, SPREAD, 10},
                 {8, 1, 80003, HALF, 10},
                 {8, 1, 92160, SORTED, 0},
                 {8, 0, 92161, SORTED, 0},
                 {8, 1, 70007, RUNS, 0},
                 {16, 1, 262144, SPREAD, 10},
                 {512, 1, 262145, SPREAD, 31},
                 {512, 0, 262146, UNSEEN, 41},
                 {512, 1, 262147, QUARTER, 27},
                 {512, 0, 262148, DIVIDED, 31},
                 {8, 1, 70008, UNSEEN, 20},
                 {2, 0, 8009, UNSEEN, 20},
                 {16, 0, 262143, SPREAD, 20},
                 {8, 1, 70009, QUARTER, 12},
                 {16, 0, 262144, DIVIDED, 20},
                 /* some are dropped, so all are counted */
                 {7, 1, 70010, SPREAD, 8}};
    (void)backend;
    simt_settings.cache_bytes = 4096;
    simt_settings.multiprocessors = 1;
    for (unsigned i = 0; i < 2 * COUNT(cases); i++) {
        const unsigned c = i / 2;
        struct backend small;
        struct call call = plain;
        open_several(&small);
        call.parts = cases[c].parts;
        call.n = cases[c].n;
        call.skew = cases[c].skew;
        call.columns = cases[c].columns;
        call.key_type = i % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.stable = false;
        call.shift = i % 3;
        while (call.parts > UINT32_C(1) << call.bits)
            call.bits++;
        call.keys_out = i % 5 != 4;
        call.misplaced = i % 4;
        for (unsigned k = 0; k < call.columns; k++)
            call.bytes[k] = UINT64_C(1) << data_random(i, k) % 4;
        call.seed = 800 + i;
        const uint64_t before = simt_updates();
        run(&small, &call);
        /* A pass by an estimate takes one for each item, too, and others. */
        const uint64_t updates = simt_updates() - before;
        const uint64_t least = call.n * cases[c].tenths / 10;
        cr_assert(updates >= least && updates < least + call.n * 2 / 5 + 500,
                  "case %u: %llu updates", i, (unsigned long long)updates);
        backend_close(&small);
    }
}

/* An estimate is planned for more items than there are, down to none, of which
 * no sample can be taken. */
GPU_TEST(partition_by_key, LONG(estimates_of_fewer)) {
    static const uint64_t items[] = {0,    1,     15,    250,    300,   1000,
                                     4000, 20000, 69999, 131072, 262144};
    (void)backend;
    simt_settings.cache_bytes = 4096;
    simt_settings.multiprocessors = 1;
    for (unsigned i = 0; i < 3 * COUNT(items); i++) {
        struct backend small;
        struct call call = plain;
        open_several(&small);
        call.bits = i % 3 == 0 ? 9 : 2 + i % 3; /* two passes, or one */
        call.parts = UINT32_C(1) << call.bits;
        call.n = call.bits == 9 ? 262148 : 70003;
        call.counted = true;
        call.items = items[i / 3];
        call.skew = i % 4 == 3 ? HALF : i % 4 == 2 ? SORTED : SPREAD;
        call.columns = i % 2;
        call.bytes[0] = 4;
        call.key_type = i % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.stable = false;
        call.seed = 1500 + i;
        run(&small, &call);
        backend_close(&small);
    }
}

/* All parts are counted before both passes, which takes five kernels. A block
 * counts all parts, or a slice of them. */
GPU_TEST(partition_by_key, LONG(counted_ahead)) {
    static const struct {
        uint32_t parts;
        unsigned bits, shift, columns;
        uint64_t n;
        int shared;
        unsigned launches;
    } cases[] = {{16384, 14, 3, 1, 20001, 227 << 10, 5},
                 {16384, 0, 18, 0, 20002, 227 << 10, 5},
                 /* no key has a greater part than 16383, or 32767 */
                 {20001, 0, 18, 1, 20003, 227 << 10, 5},
                 {40001, 0, 17, 0, 20006, 120 << 10, 5},
                 /* keys are dropped */
                 {20001, 15, 0, 1, 20004, 227 << 10, 5},
                 {3001, 12, 0, 1, 20004, 227 << 10, 5},
                 {65536, 16, 0, 0, 30005, 227 << 10, 5},
                 {65536, 16, 9, 1, 30006, 120 << 10, 5},
                 {32768, 15, 1, 2, 30007, 120 << 10, 5},
                 {512, 9, 0, 1, 8, 227 << 10, 5}};
    (void)backend;
    simt_settings.multiprocessors = 1;
    for (unsigned i = 0; i < COUNT(cases); i++) {
        struct backend small;
        struct call call = plain;
        simt_settings.shared_per_block = cases[i].shared;
        open_several(&small);
        call.parts = cases[i].parts;
        call.bits = cases[i].bits;
        call.shift = cases[i].shift;
        call.n = cases[i].n;
        call.columns = cases[i].columns;
        call.key_type = i == 0 || i > 5 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.skew = i % 3 == 2 ? HALF : SPREAD;
        call.stable = false;
        call.keys_out = i % 4 != 3;
        call.misplaced = i % 4;
        for (unsigned k = 0; k < call.columns; k++)
            call.bytes[k] = UINT64_C(4) >> k;
        call.seed = 1000 + i;
        const unsigned before = simt_calls("cudaLaunchKernelExC");
        run(&small, &call);
        const unsigned launches = simt_calls("cudaLaunchKernelExC") - before;
        cr_assert_eq(launches, cases[i].launches, "case %u: %u launches", i,
                     launches);
        backend_close(&small);
    }
}

/* Tiles of one part that fill the rest of a region, with columns of a byte:
 * what is copied there may end within a vector. */
GPU_TEST(partition_by_key, estimates_of_runs) {
    (void)backend;
    simt_settings.cache_bytes = 4096;
    simt_settings.multiprocessors = 1;
    for (unsigned i = 0; i < (reduced_mode() ? 8 : 24); i++) {
        struct backend small;
        struct call call = plain;
        open_several(&small);
        call.parts = 2 << i % 3;
        call.bits = 1 + i % 3;
        call.n = 150000 + 8 * data_random(i, 0) % 5000;
        call.skew = i % 2 != 0 ? RUNS : SORTED;
        call.columns = 1;
        call.bytes[0] = 1;
        call.key_type = i / 6 % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.stable = false;
        call.seed = 900 + i;
        run(&small, &call);
        backend_close(&small);
    }
}

/* The copy engine writes where all elements have 4 or 8 bytes and all arrays
 * begin at multiples of 16, by an estimate and in both of two passes; where a
 * sample is misleading, to spare rows; and in order. */
GPU_TEST(partition_by_key, LONG(bulk_copies)) {
    static const struct {
        uint32_t parts;
        enum skew skew;
        size_t bytes[2]; /* of columns */
        unsigned misplaced;
        bool bulk, stable;
    } cases[] = {{8, SPREAD, {0, 0}, 0, true, false},
                 {8, SPREAD, {0, 0}, 4, true, false},
                 {8, SPREAD, {0, 0}, 1, false, false},
                 {8, SPREAD, {4, 8}, 0, true, false},
                 {8, HALF, {8, 4}, 4, true, false},
                 {8, SPREAD, {4, 2}, 0, false, false},
                 {8, SPREAD, {1, 8}, 0, false, false},
                 {8, SPREAD, {4, 4}, 1, false, false},
                 {4, QUARTER, {8, 0}, 0, true, false},
                 {4, QUARTER, {8, 0}, 1, false, false},
                 {8, QUARTER, {0, 0}, 0, true, false},
                 {2, UNSEEN, {4, 0}, 0, true, false},
                 {2, UNSEEN, {4, 0}, 1, false, false},
                 {512, SPREAD, {4, 0}, 0, true, false},
                 /* the workspace is aligned */
                 {512, SPREAD, {8, 0}, 3, true, false},
                 {4096, HALF, {0, 0}, 0, true, false},
                 {64, SPREAD, {0, 0}, 0, true, true},
                 {256, HALF, {0, 0}, 4, true, true},
                 {250, SPREAD, {0, 0}, 1, false, true},
                 {200, SPREAD, {4, 8}, 0, true, true},
                 {256, SORTED, {8, 4}, 4, true, true},
                 {64, SPREAD, {4, 2}, 0, false, true},
                 {4096, RUNS, {8, 0}, 0, true, true}};
    (void)backend;
    simt_settings.cache_bytes = 4096;
    simt_settings.multiprocessors = 1;
    for (unsigned i = 0; i < 2 * COUNT(cases); i++) {
        const unsigned c = i / 2;
        struct backend small;
        struct call call = plain;
        open_several(&small);
        call.parts = cases[c].parts;
        call.bits = bits_of(call.parts);
        call.skew = cases[c].skew;
        call.key_type = i % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.columns = (cases[c].bytes[0] != 0) + (cases[c].bytes[1] != 0);
        memcpy(call.bytes, cases[c].bytes, sizeof cases[c].bytes);
        call.misplaced = cases[c].misplaced;
        call.n = 70000 + i;
        call.stable = cases[c].stable;
        call.keys_out = c % 4 != 3;
        call.seed = 1100 + i;
        const uint64_t before = simt_bulk_copies();
        run(&small, &call);
        cr_assert_eq(simt_bulk_copies() != before, cases[c].bulk, "case %u", i);
        backend_close(&small);
    }
}

/* Shared memory that a kernel is refused: of the first pass, of the second one,
 * of what counts, and of an estimate. Nothing is enqueued then. */
GPU_TEST(partition_by_key, shared_memory_refused) {
    (void)backend;
    simt_settings.cache_bytes = 4096;
    simt_settings.multiprocessors = 1;
    for (unsigned i = 0; i < 9; i++) {
        struct backend small;
        struct call call = plain;
        const bool counts_first = i > 4;
        const unsigned calls = counts_first ? i - 5 : i;
        struct report report = {{0}};
        struct trial trial;
        open_several(&small);
        call.n = counts_first ? 2000 : 262145;
        call.bits = 9;
        call.parts = 512;
        call.stable = false;
        open_trial(&trial, &small, &call);
        const unsigned before =
            simt_calls("cudaLaunchKernelExC") + simt_calls("cudaLaunchKernel");
        if (calls < (counts_first ? 3 : 4)) {
            simt_fail("cudaFuncSetAttribute", cudaErrorInvalidValue, calls);
            cr_assert_eq(enqueue(&trial), WINNOW_ERR_CUDA, "%u", calls);
            cr_assert_eq(simt_calls("cudaLaunchKernelExC") +
                             simt_calls("cudaLaunchKernel"),
                         before, "%u", calls);
        } else {
            cr_assert_eq(enqueue(&trial), WINNOW_OK);
            cr_assert(check_trial(&trial, &report), "%s", report.text);
        }
        close_trial(&trial);
        backend_close(&small);
    }
}

/* Call number `calls` of a function of CUDA's fails, if there is one. Returns
 * whether there was. */
static bool fail_once(const struct backend *backend, const struct call *call,
                      const char *function, unsigned calls, unsigned *late) {
    struct report report = {{0}};
    struct trial trial;

    open_trial(&trial, backend, call);
    const unsigned before = simt_calls(function);
    simt_fail(function, cudaErrorMemoryAllocation, calls);
    const winnow_status status = enqueue(&trial);
    const bool failed = simt_calls(function) > before + calls;
    simt_fail(function, cudaSuccess, 0);
    if (status == WINNOW_OK) {
        cr_assert(check_trial(&trial, &report), "%s", report.text);
    } else if (status == WINNOW_ERR_CUDA) {
        cr_assert_str_eq(function, "cudaLaunchKernelExC");
        cr_assert_not_null(strstr(winnow_last_error(), "were enqueued before"),
                           "%s", winnow_last_error());
        ++*late;
    } else {
        cr_assert_eq(status, WINNOW_ERR_MEMORY);
        cr_assert_null(backend_wait(backend));
        for (unsigned a = 0; a <= call->columns; a++)
            cr_assert(check_untouched(&trial.arrays[a], 0, &report),
                      "call %u of %s: %s", calls, function, report.text);
    }
    cr_assert_null(backend_wait(backend));
    close_trial(&trial);
    return failed;
}

/* Any call of CUDA's fails: nothing is written, or all is; but after the first
 * launch the status says that some may be. What is not given back to the pool
 * is no failure of the call. */
GPU_TEST(partition_by_key, LONG(failures)) {
    static const char *const functions[] = {
        "cudaLaunchKernelExC",     "cudaLaunchKernel",
        "cudaFuncSetAttribute",    "cudaFuncGetAttributes",
        "cudaMallocFromPoolAsync", "cudaFreeAsync"};
    (void)backend;
    simt_settings.multiprocessors = 1;
    for (unsigned i = 0; i < 4; i++) {
        unsigned late = 0, freed = 0;
        struct call call = plain;
        call.parts = i % 2 ? 512 : 8;
        call.bits = i % 2 ? 9 : 3;
        call.n = 8100;
        call.stable = i / 2 == 0;
        call.columns = 1;
        call.bytes[0] = 4;
        call.pool = true;
        for (unsigned f = 0; f < COUNT(functions); f++)
            for (unsigned calls = 0;; calls++) {
                struct backend small;
                open_several(&small);
                const bool failed =
                    fail_once(&small, &call, functions[f], calls, &late);
                backend_close(&small);
                if (!failed)
                    break;
                freed += f == COUNT(functions) - 1;
            }
        cr_assert_geq(late, 2u, "case %u", i);
        cr_assert_eq(freed, 1u, "case %u", i);
    }
}

/* Many schedules of the same; the second call finds what the first one left. */
GPU_TEST(partition_by_key, LONG(estimate_schedules)) {
    const unsigned seeds = simt_trials(40);
    (void)backend;
    for (unsigned s = 0; s < seeds; s++) {
        const uint64_t seed = simt_first_seed(9500) + s;
        struct call call = plain;
        struct backend small;
        simt_seed(seed);
        simt_pattern(~seed);
        simt_settings.cache_bytes = 4096;
        simt_settings.multiprocessors = 1 + (int)(data_random(seed, 1) % 3);
        open_several(&small);
        call.seed = seed;
        /* Two passes now and then. */
        call.bits = 1 + (uint32_t)(data_random(seed, 2) % 3);
        call.n =
            (UINT64_C(1024) << 2 * call.bits) + data_random(seed, 3) % 9999;
        if (data_random(seed, 20) % 8 == 0) {
            call.bits = 9;
            call.n += UINT64_C(1024) << 8;
        }
        call.parts = UINT32_C(1) << call.bits;
        call.key_type =
            data_random(seed, 4) % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.skew = (enum skew)(data_random(seed, 5) % SKEWS);
        call.keys_out = data_random(seed, 6) % 2 != 0;
        call.stable = false;
        call.misplaced = (unsigned)(data_random(seed, 7) % 4);
        call.columns = (uint32_t)(data_random(seed, 8) % 3);
        for (unsigned c = 0; c < call.columns; c++)
            call.bytes[c] = UINT64_C(1) << data_random(seed, 9 + c) % 4;
        call.counted = data_random(seed, 21) % 2 != 0;
        call.items = call.n - data_random(seed, 22) %
                                  (data_random(seed, 23) % 2 ? call.n : 3000);
        run_times(&small, &call, 2);
        backend_close(&small);
    }
}

/* Many schedules, and other contents of uninitialised memory. */
GPU_TEST(partition_by_key, LONG(schedules)) {
    const unsigned seeds = simt_trials(40);
    for (unsigned s = 0; s < seeds; s++) {
        const uint64_t seed = simt_first_seed(9000) + s;
        struct call call = plain;
        simt_seed(seed);
        simt_pattern(~seed);
        call.seed = seed;
        call.n = data_random(seed, 1) % 20000;
        call.parts = parts[data_random(seed, 2) % COUNT(parts)];
        call.key_type =
            data_random(seed, 3) % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        call.skew = (enum skew)(data_random(seed, 4) % SKEWS);
        call.keys_out = data_random(seed, 5) % 2 != 0;
        call.stable = data_random(seed, 6) % 2 != 0;
        call.misplaced = (unsigned)(data_random(seed, 7) % 4);
        call.columns = (uint32_t)(data_random(seed, 8) % 4);
        call.pool = data_random(seed, 9) % 2 != 0;
        call.bits = data_random(seed, 20) % 2 != 0 ? bits_of(call.parts) : 0;
        call.counted = data_random(seed, 21) % 2 != 0;
        call.items = data_random(seed, 22) % (call.n + 1000);
        for (unsigned c = 0; c < call.columns; c++)
            call.bytes[c] = UINT64_C(1) << data_random(seed, 10 + c) % 5;
        run(backend, &call);
    }
}

/* ------------------------------------------------------------ in one launch */

static struct call draw_few(uint64_t seed) {
    struct call call = plain;
    call.seed = seed;
    call.n = data_random(seed, 1) % 9000;
    if (data_random(seed, 2) % 4 == 0) /* threads have more */
        call.n += data_random(seed, 2) % 8 == 0 ? 32769 : 16385;
    call.parts = 2 + (uint32_t)(data_random(seed, 3) % 1023);
    if (data_random(seed, 4) % 2 == 0)
        call.parts = 2 + call.parts % 12;
    call.key_type =
        data_random(seed, 5) % 2 != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
    call.skew = (enum skew)(data_random(seed, 6) % (ONE_BEYOND + 1));
    call.keys_out = data_random(seed, 7) % 2 != 0;
    call.stable = data_random(seed, 8) % 2 != 0;
    call.columns = (uint32_t)(data_random(seed, 9) % 4);
    for (unsigned c = 0; c < call.columns; c++)
        call.bytes[c] = UINT64_C(1) << data_random(seed, 10 + c) % 5;
    call.pool = data_random(seed, 20) % 2 != 0;
    call.shift = (uint32_t)(data_random(seed, 21) % 9);
    call.bits = data_random(seed, 22) % 2 != 0 ? bits_of(call.parts) : 0;
    call.counted = data_random(seed, 23) % 2 != 0;
    call.items = data_random(seed, 24) % (call.n + 1000);
    return call;
}

/* Many schedules of calls that follow each other, of few blocks and of more. Some
 * blocks give up. */
GPU_TEST(partition_by_key, LONG(few_schedules)) {
    static const unsigned limits[] = {1, 2, 10, 1000};
    const unsigned seeds = simt_trials(60);
    winnow__cuda_context *const context =
        (winnow__cuda_context *)backend->context;
    for (unsigned s = 0; s < seeds; s++) {
        const uint64_t seed = simt_first_seed(9900) + s;
        const struct call call = draw_few(seed);
        simt_seed(seed);
        simt_pattern(~seed);
        context->spin_limit = limits[data_random(seed, 30) % COUNT(limits)];
        run_times(backend, &call, 2);
    }
}

/* A device that runs one block at a time: the first of a call cannot wait for the
 * others, and counts their keys. */
GPU_TEST(partition_by_key, blocks_that_give_up) {
    (void)backend;
    simt_settings.resident = 1;
    for (unsigned i = 0; i < 8; i++) {
        struct backend small;
        struct call call = draw_few(9800 + i);
        backend_open_gpu(&small);
        ((winnow__cuda_context *)small.context)->spin_limit = 1 + i;
        call.n += 2000; /* two blocks or more */
        call.counted = i % 4 == 3;
        run_times(&small, &call, 1);
        backend_close(&small);
    }
}

/* Where all blocks run together, and wait as long as it takes, none may see what
 * a call before has left. */
GPU_TEST(partition_by_key, blocks_that_wait) {
    struct backend patient;
    (void)backend;
    simt_settings.resident = 64;
    backend_open_gpu(&patient);
    ((winnow__cuda_context *)patient.context)->spin_limit = 0;
    for (unsigned i = 0; i < 2; i++) {
        struct call call = draw_few(9850 + i);
        call.n = 3000 * (i + 1); /* two blocks or more */
        call.counted = false;
        run_times(&patient, &call, 2);
    }
    backend_close(&patient);
}

/* One launch, where the memory that is ready serves: without a graph, or with a
 * workspace; and none of another kernel. */
GPU_TEST(partition_by_key, one_launch) {
    for (unsigned i = 0; i < 4; i++) {
        struct call call = plain;
        struct report report = {{0}};
        struct trial trial;
        uint64_t several;
        call.pool = i % 2 != 0;
        call.n = i / 2 ? 1000 : 20000;
        call.seed = i;
        open_trial(&trial, backend, &call);
        const unsigned plain_launches = simt_calls("cudaLaunchKernel");
        const unsigned launches = simt_calls("cudaLaunchKernelExC");
        const uint64_t runs = simt_runs("winnow::partition::small", &several);
        cr_assert_eq(enqueue(&trial), WINNOW_OK, "%s", winnow_last_error());
        cr_assert_eq(simt_calls("cudaLaunchKernel"), plain_launches);
        cr_assert_eq(simt_calls("cudaLaunchKernelExC"), launches + 1);
        cr_assert(check_trial(&trial, &report), "%s", report.text);
        cr_assert_eq(simt_runs("winnow::partition::small", &several), runs + 1);
        close_trial(&trial);
    }
}
#endif
