/*
 * What is kept of each input is collected until there are BATCH items of all, or
 * the end; these are reduced by the library, and the results put together. So
 * sums of floats are added up in an order that no size of pieces changes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reduce.h"

#include "fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 1 << 15, /* items */
    WANTED = WINNOW_REDUCE_COUNT | WINNOW_REDUCE_SUM | WINNOW_REDUCE_MINIMUM |
             WINNOW_REDUCE_MAXIMUM
};

/* An input that an expression reads. */
typedef struct part {
    program_reduce *all;
    unsigned input;
    size_t bytes; /* of an element */
    unsigned char *room;
    uint64_t first; /* of its elements in `room`: those before are reduced */
    uint64_t count; /* elements from there on, more than BATCH where another
                       input is behind */
    uint64_t capacity;
} part;

struct program_reduce {
    const program_table *table;
    winnow_context *context;
    part parts[WINNOW_PIPE_MOST_INPUTS];
    unsigned part_count;
    winnow_aggregate aggregates[WINNOW_MOST_AGGREGATES];
    program_sum sums[WINNOW_MOST_AGGREGATES];
    unsigned sum_count;
    winnow_in *columns;
    winnow_status status; /* an error in a thread of the pipe's */
    char detail[256];
};

/* ------------------------------------------------------------------- results */

/* Put together what was reduced, and more of it. */
static winnow_status add(program_sum *sum, const winnow_reduction *more) {
    const winnow_reduction parts[] = {sum->made, *more};
    return winnow_reduction_merge(sum->type, parts, NULL, 2,
                                  WANTED | WINNOW_REDUCE_PARTIAL, &sum->made);
}

/* False: it cannot be. */
static bool reduce_batch(program_reduce *reduce, uint64_t n) {
    const program_table *const table = reduce->table;
    winnow_reduction results[WINNOW_MOST_AGGREGATES];
    for (unsigned c = 0; c < table->column_count; c++)
        for (unsigned p = 0; p < reduce->part_count; p++) {
            const part *const of = &reduce->parts[p];
            if (of->input != table->columns[c].input)
                continue;
            reduce->columns[c] = (winnow_in){
                .type = table->columns[c].type,
                .d_base = of->room + of->first * of->bytes +
                          table->columns[c].offset_bytes,
                .stride_bytes =
                    of->bytes == winnow_type_size(table->columns[c].type)
                        ? 0
                        : (int64_t)of->bytes};
        }
    reduce->status = winnow_reduce_where(
        reduce->context, NULL, reduce->columns, table->column_count, n,
        reduce->aggregates, reduce->sum_count, results, NULL);
    for (unsigned i = 0; i < reduce->sum_count && reduce->status == WINNOW_OK;
         i++)
        reduce->status = add(&reduce->sums[i], &results[i]);
    if (reduce->status != WINNOW_OK) {
        strncpy(reduce->detail, winnow_last_error(), sizeof reduce->detail - 1);
        return false;
    }
    for (unsigned p = 0; p < reduce->part_count; p++) {
        reduce->parts[p].first += n;
        reduce->parts[p].count -= n;
    }
    return true;
}

/* ------------------------------------------------------------ what is kept */

static bool reserve(part *of, uint64_t n) {
    if (of->first + of->count + n <= of->capacity)
        return true;
    if (of->first != 0)
        memmove(of->room, of->room + of->first * of->bytes,
                of->count * of->bytes);
    of->first = 0;
    if (of->count + n <= of->capacity)
        return true;
    const uint64_t capacity = 2 * (of->count + n) + BATCH;
    unsigned char *const more = realloc(of->room, capacity * of->bytes);
    if (more == NULL)
        return false;
    of->room = more;
    of->capacity = capacity;
    return true;
}

static bool all_have_a_batch(const program_reduce *reduce) {
    for (unsigned p = 0; p < reduce->part_count; p++)
        if (reduce->parts[p].count < BATCH)
            return false;
    return true;
}

/* A winnow_pipe_write, of an input's elements. */
static int take(void *user, const void *elements, uint64_t n) {
    part *const of = user;
    program_reduce *const reduce = of->all;
    if (!reserve(of, n)) {
        reduce->status = WINNOW_ERR_MEMORY;
        strcpy(reduce->detail, "no memory");
        return 1;
    }
    memcpy(of->room + (of->first + of->count) * of->bytes, elements,
           n * of->bytes);
    of->count += n;
    while (all_have_a_batch(reduce))
        if (!reduce_batch(reduce, BATCH))
            return 1;
    return 0;
}

unsigned program_reduce_outputs(program_reduce *reduce,
                                winnow_pipe_output *outputs) {
    for (unsigned p = 0; p < reduce->part_count; p++)
        outputs[p] = (winnow_pipe_output){.kind = WINNOW_PIPE_ELEMENTS,
                                          .input = reduce->parts[p].input,
                                          .target = WINNOW_PIPE_TO_FUNCTION,
                                          .write = take,
                                          .user = &reduce->parts[p]};
    return reduce->part_count;
}

/* ------------------------------------------------------------------- its life */

/* A decimal's format is "d:precision,scale". */
static void take_text(program_reduce *reduce, unsigned i, const char *text) {
    enum {
        MOST_DIGITS = 18 /* of a minimum and a maximum */
    };
    winnow_expression *const expression =
        program_table_expression(reduce->table, text);
    program_sum *const sum = &reduce->sums[i];
    int precision = 0;
    *sum = (program_sum){.text = text,
                         .type = winnow_expression_type(expression)};
    (void)sscanf(winnow_expression_format(expression), "d:%d,%d", &precision,
                 &sum->scale);
    sum->has_ends = precision <= MOST_DIGITS;
    reduce->aggregates[i] = (winnow_aggregate){
        .expression = expression,
        .wanted = WINNOW_REDUCE_PARTIAL |
                  (sum->has_ends ? WANTED : WINNOW_REDUCE_COUNT |
                                                WINNOW_REDUCE_SUM)};
    if (winnow_reduction_merge(sum->type, NULL, NULL, 0,
                               WANTED | WINNOW_REDUCE_PARTIAL,
                               &sum->made) != WINNOW_OK)
        program_fail(PROGRAM_DEVICE, "%s", winnow_last_error());
}

/* A call without items says whether there are too many sums. */
static void check_number(program_reduce *made) {
    const program_table *const table = made->table;
    winnow_reduction results[WINNOW_MOST_AGGREGATES];
    for (unsigned c = 0; c < table->column_count; c++)
        made->columns[c] = (winnow_in){.type = table->columns[c].type};
    switch (winnow_reduce_where(made->context, NULL, made->columns,
                                table->column_count, 0, made->aggregates,
                                made->sum_count, results, NULL)) {
    case WINNOW_OK:
        break;
    case WINNOW_ERR_UNSUPPORTED:
        program_fail(PROGRAM_USAGE,
                     "more than %u expressions: one of decimals of more than "
                     "18 digits may take two",
                     WINNOW_MOST_AGGREGATES);
    default:
        program_fail(PROGRAM_DEVICE, "%s", winnow_last_error());
    }
}

program_reduce *program_reduce_make(const program_table *table,
                                    const char *const *texts, unsigned count) {
    program_reduce *const made = program_allocate(1, sizeof *made);
    made->table = table;
    made->sum_count = count;
    made->columns =
        program_allocate(table->column_count, sizeof *made->columns);
    for (unsigned i = 0; i < count; i++)
        take_text(made, i, texts[i]);
    for (unsigned input = 0; input < table->input_count; input++) {
        bool is_read = false;
        for (unsigned i = 0; i < count; i++)
            is_read =
                is_read || program_table_computes(
                               table, made->aggregates[i].expression, input);
        if (is_read)
            made->parts[made->part_count++] =
                (part){.all = made,
                       .input = input,
                       .bytes = (size_t)table->inputs[input].array.item.bytes};
    }
    /* Batches are reduced by the thread that brings them. */
    if (winnow_context_create(&made->context, WINNOW_DEVICE_HOST) !=
            WINNOW_OK ||
        winnow_context_set_threads(made->context, 1) != WINNOW_OK)
        program_fail(PROGRAM_DEVICE, "%s", winnow_last_error());
    if (count != 0)
        check_number(made);
    return made;
}

/* Of decimals the sum is -2^127 where it has too many digits. */
static bool overflows(const program_sum *sum) {
    const winnow_reduction *const made = &sum->made;
    return sum->type == WINNOW_INT128
               ? made->sum.uint64 == 0 && made->overflow == UINT64_C(1) << 63
               : made->overflow != 0;
}

const program_sum *program_reduce_end(program_reduce *reduce) {
    const uint64_t left = reduce->part_count != 0 ? reduce->parts[0].count : 0;
    if (reduce->status == WINNOW_OK && left != 0)
        (void)reduce_batch(reduce, left);
    if (reduce->status != WINNOW_OK)
        program_fail(PROGRAM_DEVICE, "%s", reduce->detail);
    for (unsigned i = 0; i < reduce->sum_count; i++) {
        program_sum *const sum = &reduce->sums[i];
        if (winnow_reduction_merge(sum->type, &sum->made, NULL, 1, WANTED,
                                   &sum->made) != WINNOW_OK)
            program_fail(PROGRAM_DEVICE, "%s", winnow_last_error());
        sum->overflow = overflows(sum);
    }
    return reduce->sums;
}

void program_reduce_destroy(program_reduce *reduce) {
    if (reduce == NULL)
        return;
    for (unsigned i = 0; i < reduce->sum_count; i++)
        winnow_expression_destroy(
            (winnow_expression *)(uintptr_t)reduce->aggregates[i].expression);
    for (unsigned p = 0; p < reduce->part_count; p++)
        free(reduce->parts[p].room);
    winnow_context_destroy(reduce->context);
    free(reduce->columns);
    free(reduce);
}
