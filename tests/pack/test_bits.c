/*
 * Columns of bits: packed, in place or apart, split and expanded, at every
 * offset of both sides, in sizes around words and tiles. All memory around an
 * output is compared; an input ends where its allocation ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "bit_columns.h"
#include "out_like.h"
#include "reduced.h"
#include "suite.h"

enum {
    OFFSETS = 71,
    MOST = 20000
};

static void run(struct selected *selected, const struct bit_call *call,
                const char *pattern, uint8_t *keep) {
    selected_fill(pattern_named(pattern), call->seed, call->n, keep);
    MUST(bit_call_run(selected, call, keep, report));
}

static struct bit_call call_of(enum bit_way way, uint64_t n, uint64_t seed) {
    return (struct bit_call){.way = way,
                             .n = n,
                             .there = BITS_ALL,
                             .position = BITS_ALL,
                             .capacity = BITS_ALL,
                             .rejected_capacity = BITS_ALL,
                             .seed = seed};
}

/* Both offsets; on a device, where a call takes long, every third of the
 * input's from `first`, and two of the output's to each. */
static void run_offsets(const struct backend *backend, uint64_t n,
                        uint64_t first) {
    const bool few = backend->gpu || reduced_mode();
    const unsigned step = few ? 37 : 1;
    uint8_t *const keep = must_alloc(MOST);
    struct selected selected;
    uint64_t seed = 1;

    selected_open(&selected, backend, MOST);
    for (uint64_t in = few ? first : 0; in < OFFSETS; in += few ? 3 : 1)
        for (uint64_t out = in % step; out < OFFSETS; out += step)
            for (int way = 0; way < BITS_WAYS; way++) {
                struct bit_call call = call_of((enum bit_way)way, n, seed++);

                call.in_offset = in;
                call.out_offset = out;
                call.fill = (int)(in % 3) - 1;
                if (out % 4 == 3 && way <= BITS_FLAGGED)
                    call.position = out % 40;
                run(&selected, &call, "uniform:0.5", keep);
            }
    selected_close(&selected);
    free(keep);
}

BACKEND_TEST(bits, LONG(offsets)) {
    run_offsets(backend, 150, 0);
}

BACKEND_TEST(bits, LONG(offsets_of_few)) {
    run_offsets(backend, 11, 1);
}

/* Each pattern, in sizes around words and tiles; on a device a third of the
 * pairs. */
BACKEND_TEST(bits, LONG(sizes)) {
    static const uint64_t sizes[] = {0,    1,    31,   32,   33,    63,
                                     64,   65,   4095, 4096, 4097,  4160,
                                     8191, 8192, 8193, 8255, 12288, 12345};
    const bool few = backend->gpu || reduced_mode();
    uint8_t *const keep = must_alloc(MOST);
    struct selected selected;

    selected_open(&selected, backend, MOST);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (int p = few ? (int)i % 3 : 0; p < PATTERNS; p += few ? 3 : 1)
            for (int way = 0; way < BITS_WAYS; way++) {
                struct bit_call call =
                    call_of((enum bit_way)way, sizes[i], (uint64_t)p * 100 + i);

                call.in_offset = (i * 7 + (uint64_t)p) % OFFSETS;
                call.out_offset = (i * 11 + (uint64_t)way) % OFFSETS;
                call.fill = p / 3 % 3 - 1;
                if (p % 2 == 0)
                    call.capacity = sizes[i] / 3;
                if ((p / 3 + (int)i) % 3 == 0)
                    call.rejected_capacity = sizes[i] / 5;
                run(&selected, &call, patterns[p].name, keep);
            }
    selected_close(&selected);
    free(keep);
}

BACKEND_TEST(bits, LONG(random)) {
    const uint64_t trials = reduced_mode() ? 100 : backend->gpu ? 300 : 3000;
    uint8_t *const keep = must_alloc(MOST);
    struct selected selected;

    selected_open(&selected, backend, MOST);
    for (uint64_t seed = 0; seed < trials; seed++) {
        const struct bit_call call = bit_call_random(seed, MOST);

        run(&selected, &call, patterns[seed % PATTERNS].name, keep);
    }
    selected_close(&selected);
    free(keep);
}

#ifndef WINNOW_SIMT
/* Enough for 4 threads, whose tiles share bytes; with each set of
 * instructions. */
Test(bits, threads) {
    const uint64_t n = 4 * 64 * 4096 + 77;

    for (int i = 0; i < BACKEND_ISAS; i++) {
        struct backend backend;
        struct selected selected;
        uint8_t *keep;

        if (!backend_open_isa(&backend, backend_isas[i]))
            continue;
        keep = must_alloc(n);
        cr_assert_eq(winnow_context_set_threads(backend.context, 4), WINNOW_OK);
        selected_open(&selected, &backend, n);
        for (int p = 0; p < PATTERNS; p += 3)
            for (int way = 0; way < BITS_WAYS; way++) {
                struct bit_call call =
                    call_of((enum bit_way)way, n, (uint64_t)p + 5);

                call.in_offset = 3;
                call.out_offset = 13;
                call.fill = p % 2;
                if (p == 3)
                    call.capacity = n / 7;
                run(&selected, &call, patterns[p].name, keep);
            }
        for (uint64_t seed = 5000; seed < (reduced_mode() ? 5100 : 5500);
             seed++) {
            const struct bit_call call = bit_call_random(seed, MOST);

            run(&selected, &call, patterns[seed % PATTERNS].name, keep);
        }
        selected_close(&selected);
        free(keep);
        backend_close(&backend);
    }
}
#endif

/* ------------------------------------------------------------------- errors */

#define WRONG(STATUS, CALL, TEXT)                                              \
    do {                                                                       \
        cr_assert_eq(CALL, STATUS);                                            \
        cr_assert_neq(strstr(winnow_last_error(), TEXT), NULL, "%s",           \
                      winnow_last_error());                                    \
    } while (0)
#define COMPACT(...)                                                           \
    winnow_compact_columns(context, memory, 100, &(winnow_move){__VA_ARGS__},  \
                           1, capacity, NULL, &launch)
#define BITS .type = WINNOW_BIT

BACKEND_TEST(bits, errors) {
    winnow_context *const context = backend->context;
    unsigned char *const memory = backend_alloc(backend, 4096);
    unsigned char *const in = memory + 2048, *const out = memory + 3072;
    winnow_launch launch = {.size = sizeof(launch), .stream = backend->stream};
    uint64_t capacity = WINNOW_NO_LIMIT, *const word = (uint64_t *)memory + 200;
    const unsigned char two = 2;
    winnow_in array = {.type = WINNOW_BIT, .d_base = in};
    winnow_out output;
    winnow_predicate *predicate = NULL;

    WRONG(WINNOW_ERR_ARGUMENT,
          COMPACT(BITS, .d_in = in, .d_out = out, .element_bytes = 1),
          "moves[0].element_bytes is 1: wanted 0 for bits");
    WRONG(WINNOW_ERR_ARGUMENT,
          COMPACT(.type = WINNOW_INT32, .d_in = in, .d_out = out),
          "moves[0].type is int32: wanted WINNOW_OPAQUE");
    WRONG(WINNOW_ERR_ARGUMENT,
          COMPACT(.element_bytes = 1, .d_in = in, .d_out = out, .in_offset = 8),
          "moves[0].in_offset is 8: only columns of WINNOW_BIT");
    WRONG(
        WINNOW_ERR_ARGUMENT,
        COMPACT(.element_bytes = 1, .d_in = in, .d_out = out, .out_offset = 3),
        "moves[0].out_offset is 3: only columns of WINNOW_BIT");
    WRONG(WINNOW_ERR_ARGUMENT,
          COMPACT(BITS, .d_in = in, .d_out = out, .reserved = {0, 1}),
          "moves[0].reserved is not 0");
    WRONG(WINNOW_ERR_ARGUMENT,
          COMPACT(BITS, .d_in = in, .d_out = out, .in_offset = UINT64_MAX - 9),
          "moves[0].in_offset is");
    WRONG(WINNOW_ERR_ARGUMENT,
          COMPACT(BITS, .d_in = in, .d_out = out, .out_offset = UINT64_MAX),
          "moves[0].out_offset is");
    WRONG(WINNOW_ERR_ARGUMENT, COMPACT(BITS, .d_in = NULL, .d_out = out),
          "moves[0].d_in is NULL");
    WRONG(WINNOW_ERR_ARGUMENT, COMPACT(BITS, .d_in = in, .d_out = NULL),
          "moves[0].d_out is NULL");
    /* The same bytes at another bit; and bits that share a byte. */
    WRONG(WINNOW_ERR_ARGUMENT,
          COMPACT(BITS, .d_in = in, .d_out = in, .out_offset = 1),
          "moves[0].d_in and moves[0].d_out overlap");
    WRONG(WINNOW_ERR_ARGUMENT,
          COMPACT(BITS, .d_in = in, .d_out = in + 12, .out_offset = 4),
          "moves[0].d_in and moves[0].d_out overlap");
    launch.d_position = word;
    WRONG(WINNOW_ERR_ARGUMENT, COMPACT(BITS, .d_in = in, .d_out = out),
          "capacity is 18446744073709551615: with launch->d_position");
    capacity = 100;
    WRONG(WINNOW_ERR_ARGUMENT, COMPACT(BITS, .d_in = in, .d_out = in),
          "in place launch->d_position has to be NULL");
    launch.d_position = NULL;
    array.element_bytes = 1;
    WRONG(WINNOW_ERR_ARGUMENT,
          winnow_split(context, memory, &array, 100, OUT_LIKE(array, out), 100,
                       OUT_LIKE(array, out + 64), 100, NULL, &launch),
          "in->element_bytes is 1: wanted 0 for bits");
    array = (winnow_in){.type = WINNOW_BIT, .d_base = in, .stride_bytes = 1};
    WRONG(WINNOW_ERR_ARGUMENT,
          winnow_expand(context, memory, &array, 100, 100, NULL,
                        OUT_LIKE(array, out), &launch),
          "packed->stride_bytes is 1: wanted 0 for bits");
    array = (winnow_in){.type = WINNOW_BIT, .d_base = in};
    WRONG(WINNOW_ERR_ARGUMENT,
          winnow_expand(context, memory, &array, 100, 100, &two,
                        OUT_LIKE(array, out), &launch),
          "fill points to a byte of 2: wanted 0 or 1 for bits");
    WRONG(WINNOW_ERR_ARGUMENT,
          winnow_split(context, memory, &array, 100, OUT_LIKE(array, out), 100,
                       OUT_LIKE(array, out + 12), 100, NULL, &launch),
          "kept->d_base and rejected->d_base overlap");
    output = (winnow_out){.type = WINNOW_BIT, .d_base = out + 64, .offset = 7};
    WRONG(WINNOW_ERR_ARGUMENT,
          winnow_split(context, memory, &array, 100,
                       &(winnow_out){.type = WINNOW_BIT,
                                     .d_base = out,
                                     .offset = 64 * 8 + 106},
                       100, &output, 100, NULL, &launch),
          "kept->d_base and rejected->d_base overlap");
    output.offset = UINT64_MAX - 9;
    WRONG(WINNOW_ERR_ARGUMENT,
          winnow_expand(context, memory, &array, 100, 100, NULL, &output,
                        &launch),
          "out->offset is");
    output =
        (winnow_out){.type = WINNOW_BIT, .d_base = out, .element_bytes = 1};
    WRONG(WINNOW_ERR_ARGUMENT,
          winnow_expand(context, memory, &array, 100, 100, NULL, &output,
                        &launch),
          "out->element_bytes is 1: wanted 0 for bits");
    output = (winnow_out){.type = WINNOW_UINT8, .d_base = out};
    WRONG(WINNOW_ERR_ARGUMENT,
          winnow_expand(context, memory, &array, 100, 100, NULL, &output,
                        &launch),
          "out->type is uint8: wanted bit, as of the input");
    array = (winnow_in){.type = WINNOW_INT8, .d_base = in, .offset = 1};
    WRONG(WINNOW_ERR_ARGUMENT,
          winnow_split(context, memory, &array, 100, OUT_LIKE(array, out), 100,
                       OUT_LIKE(array, out + 512), 100, NULL, &launch),
          "in->offset is 1: only arrays of WINNOW_BIT have one");
    array = (winnow_in){.type = WINNOW_BIT, .d_base = in};
    WRONG(
        WINNOW_ERR_UNSUPPORTED,
        winnow_select_unique(context, &array, 100, NULL, memory, 2048, &launch),
        "keys->type is bit");
    WRONG(WINNOW_ERR_UNSUPPORTED,
          winnow_partition_by_key(
              context, &(winnow_in){.type = WINNOW_UINT32, .d_base = in}, 10,
              &(winnow_digit){.parts = 2},
              &(winnow_move){BITS, .d_in = out, .d_out = out + 64}, 1, word,
              &launch),
          "moves[0].type is bit");
    WRONG(WINNOW_ERR_ARGUMENT,
          winnow_predicate_compare(&predicate, WINNOW_BIT, WINNOW_EQ, &two),
          "type");
    backend_free(backend, memory);
}
