/*
 * Types that are none of numbers of 1 to 8 bytes: every call that does not take
 * one says which it is. So does a call that is given a dictionary, or data of
 * strings, that it has no use for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "out_like.h"
#include "suite.h"

#define N 3

static const struct {
    winnow_type type;
    const char *name;
} special[] = {{WINNOW_BIT, "bit"},
               {WINNOW_INT128, "int128"},
               {WINNOW_STRING32, "string32"},
               {WINNOW_STRING64, "string64"},
               {WINNOW_VIEW, "view"}};
#define SPECIAL (sizeof(special) / sizeof(special[0]))

/* What calls need beside the array that is wrong. */
struct world {
    winnow_context *context;
    winnow_predicate *predicate;
    winnow_condition *condition; /* of one column */
    uint32_t numbers[64];
    _Alignas(16) unsigned char selection[1024], out[256], out2[256];
    uint64_t counts[2];
};

static void world_open(struct world *w) {
    const uint32_t one = 1;

    memset(w, 0, sizeof(*w));
    cr_assert_eq(winnow_context_create(&w->context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&w->predicate, WINNOW_UINT32, WINNOW_LT, &one),
        WINNOW_OK);
    cr_assert_eq(winnow_condition_test(&w->condition, 0, w->predicate),
                 WINNOW_OK);
    cr_assert_eq(winnow_select_if(w->context, w->predicate, WINNOW_UINT32,
                                  w->numbers, N, w->selection,
                                  sizeof(w->selection), NULL),
                 WINNOW_OK);
}

static void world_close(struct world *w) {
    winnow_condition_destroy(w->condition);
    winnow_predicate_destroy(w->predicate);
    winnow_context_destroy(w->context);
}

/* -------------------------------------------------- calls that take an array */

typedef winnow_status array_call(struct world *w, const winnow_in *in);

static winnow_status select_where(struct world *w, const winnow_in *in) {
    return winnow_select_where(w->context, w->condition, in, 1, N, w->selection,
                               sizeof(w->selection), NULL);
}

static winnow_status select_unique(struct world *w, const winnow_in *in) {
    return winnow_select_unique(w->context, in, N, NULL, w->selection,
                                sizeof(w->selection), NULL);
}

static const winnow_move *some_move(struct world *w) {
    static winnow_move move;
    move =
        (winnow_move){.d_in = w->numbers, .d_out = w->out, .element_bytes = 4};
    return &move;
}

static winnow_status copy_where(struct world *w, const winnow_in *in) {
    return winnow_copy_where(w->context, w->condition, in, 1, N, some_move(w),
                             1, WINNOW_NO_LIMIT, w->counts, NULL);
}

static winnow_status copy_columns_if(struct world *w, const winnow_in *in) {
    return winnow_copy_columns_if(w->context, w->predicate, in, N, some_move(w),
                                  1, WINNOW_NO_LIMIT, w->counts, NULL);
}

static winnow_status unique(struct world *w, const winnow_in *in) {
    return winnow_unique(w->context, in, N, NULL, some_move(w), 1,
                         WINNOW_NO_LIMIT, w->counts, NULL);
}

static winnow_status split(struct world *w, const winnow_in *in) {
    return winnow_split(w->context, w->selection, in, N, OUT_LIKE(*in, w->out),
                        WINNOW_NO_LIMIT, OUT_LIKE(*in, w->out2),
                        WINNOW_NO_LIMIT, w->counts, NULL);
}

static winnow_status expand(struct world *w, const winnow_in *in) {
    return winnow_expand(w->context, w->selection, in, N, N, NULL,
                         OUT_LIKE(*in, w->out), NULL);
}

static winnow_status partition(struct world *w, const winnow_in *in) {
    const winnow_digit digit = {.bits = 1};
    return winnow_partition_by_key(w->context, in, N, &digit, some_move(w), 1,
                                   (uint64_t *)(void *)w->out2, NULL);
}

static const winnow_out *some_sums(struct world *w) {
    static winnow_out sums;
    sums = (winnow_out){.type = WINNOW_UINT32, .d_base = w->out};
    return &sums;
}

static winnow_status accumulate_keys(struct world *w, const winnow_in *in) {
    const winnow_in values = {.type = WINNOW_UINT32, .d_base = w->numbers};
    return winnow_accumulate_by_key(w->context, in, &values, 1, N, 2,
                                    some_sums(w), NULL, NULL);
}

static winnow_status accumulate_values(struct world *w, const winnow_in *in) {
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = w->numbers};
    return winnow_accumulate_by_key(w->context, &keys, in, 1, N, 2,
                                    some_sums(w), NULL, NULL);
}

static winnow_status accumulate_sums(struct world *w, const winnow_in *in) {
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = w->numbers};
    const winnow_out sums = {.type = in->type, .d_base = w->out};
    return winnow_accumulate_by_key(w->context, &keys, &keys, 1, N, 2, &sums,
                                    NULL, NULL);
}

#define TAKES_BITS 1u
#define TAKES_WIDE 8u /* as another type than that of the condition */
#define WRITES 2u
#define TESTS_BITS 4u /* of a column that is one of numbers here */

static const struct {
    array_call *call;
    const char *name;
    unsigned flags;
} array_calls[] = {{select_where, "select_where", TESTS_BITS | TAKES_WIDE},
                   {select_unique, "select_unique", 0},
                   {copy_where, "copy_where", TESTS_BITS | TAKES_WIDE},
                   {copy_columns_if, "copy_columns_if", 0},
                   {unique, "unique", 0},
                   {split, "split", TAKES_BITS},
                   {expand, "expand", TAKES_BITS},
                   {partition, "partition", 0},
                   {accumulate_keys, "accumulate, keys", 0},
                   {accumulate_values, "accumulate, values", 0},
                   {accumulate_sums, "accumulate, sums", WRITES}};
#define ARRAY_CALLS (sizeof(array_calls) / sizeof(array_calls[0]))

/* Refused, with that in the detail. */
static void expect(winnow_status status, winnow_status wanted,
                   const char *detail, const char *call) {
    cr_assert_eq(status, wanted, "%s, %s: %s, %s", call, detail,
                 winnow_status_name(status), winnow_last_error());
    cr_assert_not_null(strstr(winnow_last_error(), detail), "%s: '%s', not: %s",
                       call, detail, winnow_last_error());
}

Test(types, arrays) {
    struct world w;

    world_open(&w);
    for (size_t c = 0; c < ARRAY_CALLS; c++)
        for (size_t s = 0; s < SPECIAL; s++) {
            const winnow_in in = {.type = special[s].type, .d_base = w.numbers};
            char detail[80];

            if (special[s].type == WINNOW_BIT &&
                (array_calls[c].flags & (TAKES_BITS | TESTS_BITS)) != 0)
                continue;
            if (special[s].type == WINNOW_INT128 &&
                (array_calls[c].flags & TAKES_WIDE) != 0) {
                expect(array_calls[c].call(&w, &in), WINNOW_ERR_ARGUMENT,
                       "columns[0] is of int128, and the condition tests it as "
                       "uint32",
                       array_calls[c].name);
                continue;
            }
            snprintf(detail, sizeof(detail),
                     "type is %s, which this call does not take",
                     special[s].name);
            expect(array_calls[c].call(&w, &in), WINNOW_ERR_UNSUPPORTED, detail,
                   array_calls[c].name);
        }
    world_close(&w);
}

/* Members of winnow_in that strings have. */
Test(types, members) {
    static const winnow_in values = {.type = WINNOW_UINT32};
    struct world w;

    world_open(&w);
    for (size_t c = 0; c < ARRAY_CALLS; c++) {
        const winnow_in good = {.type = WINNOW_UINT32, .d_base = w.numbers};
        const char *const name = array_calls[c].name;
        array_call *const call = array_calls[c].call;
        winnow_in in = good;

        if ((array_calls[c].flags & WRITES) != 0)
            continue;
        cr_assert_eq(call(&w, &in), WINNOW_OK, "%s: %s", name,
                     winnow_last_error());
        in.d_data = w.numbers;
        expect(call(&w, &in), WINNOW_ERR_ARGUMENT, "d_data is set", name);
        in = good;
        in.data_size = 1;
        expect(call(&w, &in), WINNOW_ERR_ARGUMENT, "data_size is set", name);
        in = good;
        in.dictionary = &values;
        expect(call(&w, &in), WINNOW_ERR_UNSUPPORTED, "dictionary is set",
               name);
        in = good;
        in.dictionary_n = 1;
        expect(call(&w, &in), WINNOW_ERR_UNSUPPORTED, "dictionary_n is set",
               name);
        if ((array_calls[c].flags & TAKES_BITS) == 0)
            continue;
        in = (winnow_in){
            .type = WINNOW_BIT, .d_base = w.numbers, .dictionary = &values};
        expect(call(&w, &in), WINNOW_ERR_UNSUPPORTED, "dictionary is set",
               name);
        in.dictionary = NULL;
        in.d_data = w.numbers;
        expect(call(&w, &in), WINNOW_ERR_ARGUMENT, "d_data is set", name);
    }
    world_close(&w);
}

/* --------------------------------------------------- calls that take a type */

typedef winnow_status type_call(struct world *w, winnow_type type);

static winnow_status copy_if(struct world *w, winnow_type type) {
    return winnow_copy_if(w->context, w->predicate, type, w->numbers, N, w->out,
                          WINNOW_NO_LIMIT, w->counts, NULL);
}

static winnow_status copy_index_if(struct world *w, winnow_type type) {
    return winnow_copy_index_if(w->context, w->predicate, type, w->numbers, N,
                                WINNOW_UINT32, w->out, WINNOW_NO_LIMIT,
                                w->counts, NULL);
}

static winnow_status index_type(struct world *w, winnow_type type) {
    return winnow_copy_index_if(w->context, w->predicate, WINNOW_UINT32,
                                w->numbers, N, type, w->out, WINNOW_NO_LIMIT,
                                w->counts, NULL);
}

static winnow_status compact_index(struct world *w, winnow_type type) {
    return winnow_compact_index(w->context, w->selection, N, type, w->out,
                                WINNOW_NO_LIMIT, w->counts, NULL);
}

static winnow_status count_if(struct world *w, winnow_type type) {
    return winnow_count_if(w->context, w->predicate, type, w->numbers, N,
                           w->counts, NULL);
}

static winnow_status estimate(struct world *w, winnow_type type) {
    return winnow_estimate_selectivity(w->context, w->predicate, type,
                                       w->numbers, N,
                                       (double *)(void *)w->counts, NULL);
}

static winnow_status reduce_if(struct world *w, winnow_type type) {
    return winnow_reduce_if(w->context, NULL, type, w->numbers, N,
                            WINNOW_REDUCE_SUM,
                            (winnow_reduction *)(void *)w->out, NULL);
}

static winnow_status select_if(struct world *w, winnow_type type) {
    return winnow_select_if(w->context, w->predicate, type, w->numbers, N,
                            w->selection, sizeof(w->selection), NULL);
}

static winnow_status partition_if(struct world *w, winnow_type type) {
    return winnow_partition_if(w->context, w->predicate, type, w->numbers, N,
                               w->out, w->out2, w->counts, NULL);
}

static winnow_status segments(struct world *w, winnow_type type) {
    const winnow_segments s = {
        .type = type, .count = 1, .d_offsets = w->numbers};
    return winnow_selection_segments(w->context, w->selection, N, &s, NULL);
}

static winnow_status segmented(struct world *w, winnow_type type) {
    const winnow_segments s = {
        .type = WINNOW_UINT32, .count = 1, .d_offsets = w->counts};
    return winnow_segmented_copy_if(w->context, w->predicate, type, w->numbers,
                                    N, &s, w->out, WINNOW_NO_LIMIT, NULL, NULL);
}

static winnow_status compare(struct world *w, winnow_type type) {
    winnow_predicate *predicate;
    return winnow_predicate_compare(&predicate, type, WINNOW_LT, w->numbers);
}

static winnow_status range(struct world *w, winnow_type type) {
    winnow_predicate *predicate;
    return winnow_predicate_range(&predicate, type, w->numbers, w->numbers);
}

static winnow_status bits(struct world *w, winnow_type type) {
    winnow_predicate *predicate;
    (void)w;
    return winnow_predicate_bits(&predicate, type, 0, 0);
}

static winnow_status in(struct world *w, winnow_type type) {
    winnow_condition *condition;
    return winnow_condition_in(&condition, NULL, 0, type, w->numbers, 1);
}

static const struct {
    type_call *call;
    const char *name;
    bool takes_wide;
} type_calls[] = {{copy_if, "copy_if", false},
                  {copy_index_if, "copy_index_if", false},
                  {index_type, "copy_index_if, index_type", false},
                  {compact_index, "compact_index", false},
                  {count_if, "count_if", false},
                  {estimate, "estimate_selectivity", false},
                  {reduce_if, "reduce_if", false},
                  {select_if, "select_if", false},
                  {partition_if, "partition_if", false},
                  {segments, "selection_segments", false},
                  {segmented, "segmented_copy_if", false},
                  {compare, "predicate_compare", true},
                  {range, "predicate_range", true},
                  {bits, "predicate_bits", false},
                  {in, "condition_in", true}};

Test(types, arguments) {
    struct world w;

    world_open(&w);
    for (size_t c = 0; c < sizeof(type_calls) / sizeof(type_calls[0]); c++)
        for (size_t s = 0; s < SPECIAL; s++)
            if (!type_calls[c].takes_wide || special[s].type != WINNOW_INT128)
                expect(type_calls[c].call(&w, special[s].type),
                       WINNOW_ERR_ARGUMENT, special[s].name,
                       type_calls[c].name);
    world_close(&w);
}
