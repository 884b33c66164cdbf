/*
 * winnow_select_where: a selection of the items that pass a condition over
 * several columns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "where_program.h"
#include "selection/format.h"
#include "core/status.h"

#include <string.h>

#ifdef WINNOW_CUDA
#include "cuda/launch.h"
#include "selection/kernels.h"
#endif

typedef struct details {
    size_t selection_bytes; /* first: winnow__check_source() */
    const winnow_condition *condition;
    const winnow_column *columns;
    unsigned number_of_columns;
    const uint64_t *d_n;
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

/* ------------------------------------------------------------------ checks */

static uint64_t stride_of(const winnow_column *column) {
    return column->stride != 0 ? column->stride
                               : winnow_type_size(column->type);
}

/* Does the last element end inside of the address space? */
static winnow_status check_extent(const winnow_column *column, unsigned i,
                                  uint64_t n) {
    const uint64_t most = UINTPTR_MAX - winnow_type_size(column->type);
    const uint64_t stride = stride_of(column);
    if (column->offset > most - (uintptr_t)column->d_base ||
        (n != 0 &&
         stride > (most - (uintptr_t)column->d_base - column->offset) / n))
        return winnow__fail(
            WINNOW_ERR_ARGUMENT,
            "columns[%u]: n is %llu: items %llu bytes apart run "
            "past the end of the address space",
            i, (unsigned long long)n, (unsigned long long)stride);
    return WINNOW_OK;
}

static winnow_status check_test(const details *d, const winnow__node *node,
                                uint64_t n) {
    const unsigned i = node->column;
    if (i >= d->number_of_columns)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "the condition tests column %u, and "
                            "number_of_columns is %u",
                            i, d->number_of_columns);
    if (winnow__type(d->columns[i].type) == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "columns[%u].type %d is no winnow_type", i,
                            (int)d->columns[i].type);
    if (winnow__type(d->columns[i].type) != node->type)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "columns[%u] is of %s, and the condition tests it "
                            "as %s",
                            i, winnow_type_name(d->columns[i].type),
                            node->type->name);
    return check_extent(&d->columns[i], i, n);
}

static winnow_status check(winnow__query *query) {
    const details *const d = details_of(query);
    if (d->condition == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "condition is NULL");
    if (d->columns == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "columns is NULL");
    for (unsigned i = 0; i < d->condition->number; i++) {
        const winnow__node *const node = &d->condition->nodes[i];
        if (node->kind != WINNOW__NODE_TEST)
            continue;
        winnow_status status = check_test(d, node, query->n);
        if (status != WINNOW_OK)
            return status;
    }
    return winnow__check_source(query);
}

/* The columns that are tested, a bit for each. */
static unsigned columns_tested(const winnow_condition *condition) {
    unsigned tested = 0;
    for (unsigned i = 0; i < condition->number; i++)
        if (condition->nodes[i].kind == WINNOW__NODE_TEST)
            tested |= 1u << condition->nodes[i].column;
    return tested;
}

static const unsigned char *first_of(const winnow_column *column) {
    return column->d_base == NULL
               ? NULL
               : (const unsigned char *)column->d_base + column->offset;
}

static winnow__range column_range(const winnow_column *column, unsigned i,
                                  uint64_t n) {
    static const char *const names[WINNOW_CONDITION_MOST_COLUMNS] = {
        "columns[0].d_base",  "columns[1].d_base",  "columns[2].d_base",
        "columns[3].d_base",  "columns[4].d_base",  "columns[5].d_base",
        "columns[6].d_base",  "columns[7].d_base",  "columns[8].d_base",
        "columns[9].d_base",  "columns[10].d_base", "columns[11].d_base",
        "columns[12].d_base", "columns[13].d_base", "columns[14].d_base",
        "columns[15].d_base"};
    return (winnow__range){.name = names[i],
                           .start = first_of(column),
                           .bytes = n == 0 ? 0
                                           : (n - 1) * stride_of(column) +
                                                 winnow_type_size(column->type),
                           .alignment = 1,
                           .wanted = n != 0,
                           .measure = "n"};
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const details *const d = details_of(&call->query);
    const unsigned tested = columns_tested(d->condition);
    int number = 0;
    for (unsigned i = 0; i < WINNOW_CONDITION_MOST_COLUMNS; i++)
        if ((tested >> i & 1) != 0)
            list[number++] = column_range(&d->columns[i], i, call->query.n);
    list[number] = winnow__result_range("d_n", d->d_n, sizeof *d->d_n);
    list[number].wanted = false;
    list[number++].written = false;
    list[number++] =
        winnow__selection_range("d_selection", call->out, call->query.n, true);
    return number;
}

/* ----------------------------------------------------------------- program */

static winnow__where_column program_column(const winnow_column *column) {
    const winnow__type_info *const type = winnow__type(column->type);
    const unsigned char *const first = first_of(column);
    const uint64_t stride = stride_of(column);
    const bool aligned =
        (uintptr_t)first % type->size == 0 && stride % type->size == 0;
    const bool vectors = stride == type->size && (uintptr_t)first % 16 == 0;
    return (winnow__where_column){.first = first,
                                  .stride = stride,
                                  .log2_size = (uint8_t)type->log2_size,
                                  .access = vectors   ? WINNOW__BY_VECTORS
                                            : aligned ? WINNOW__BY_ELEMENTS
                                                      : WINNOW__BY_BYTES};
}

static void make_program(const details *d, winnow__where_program *program) {
    const unsigned tested = columns_tested(d->condition);
    for (unsigned i = 0; i < WINNOW__WHERE_COLUMNS; i++)
        program->columns[i] = (tested >> i & 1) != 0
                                  ? program_column(&d->columns[i])
                                  : (winnow__where_column){0};
    winnow__compile(d->condition, program);
}

/* ---------------------------------------------------------------- the host */

typedef struct host_work {
    winnow__where_program program;
    uint64_t n; /* items that are looked at */
    winnow__selection to;
} host_work;

typedef uint32_t words_of_slot[WINNOW__SELECTION_WORDS];

/* The items from `first` on, 32 at most, as elements side by side: those that
 * are undecided, and anything for the others. */
static const void *gather(const winnow__where_column *column, uint64_t first,
                          uint32_t undecided, unsigned char *to) {
    const size_t size = (size_t)1 << column->log2_size;
    const unsigned char *const from = column->first + first * column->stride;
    if (column->stride == size && column->access != WINNOW__BY_BYTES)
        return from;
    for (; undecided != 0; undecided &= undecided - 1) {
        const unsigned i = (unsigned)__builtin_ctz(undecided);
        memcpy(to + i * size, from + i * column->stride, size);
    }
    return to;
}

/* The bits of n elements, 32 at most. */
#define DEFINE_WORD(BITS)                                                      \
    static uint32_t word_##BITS(const winnow__test *test, const void *in,      \
                                unsigned n) {                                  \
        const uint##BITS##_t *const from = in;                                 \
        const uint##BITS##_t flip = (uint##BITS##_t)test->flip;                \
        const uint##BITS##_t mask = (uint##BITS##_t)test->mask;                \
        const uint##BITS##_t low = (uint##BITS##_t)test->low;                  \
        const uint##BITS##_t span = (uint##BITS##_t)test->span;                \
        uint32_t word = 0;                                                     \
        for (unsigned i = 0; i < n; i++) {                                     \
            const uint##BITS##_t x = from[i];                                  \
            const uint##BITS##_t sign = (uint##BITS##_t)(-(x >> (BITS - 1)));  \
            const uint##BITS##_t key =                                         \
                (uint##BITS##_t)((x ^ (sign & flip)) & mask);                  \
            word |= (uint32_t)((uint##BITS##_t)(key - low) <= span) << i;      \
        }                                                                      \
        return word;                                                           \
    }
DEFINE_WORD(8)
DEFINE_WORD(16)
DEFINE_WORD(32)
DEFINE_WORD(64)

static uint32_t (*const word_of[WINNOW__SIZES])(const winnow__test *,
                                                const void *, unsigned) = {
    word_8, word_16, word_32, word_64};

/* Which of `items` items, 32 at most, pass the step. */
static uint32_t test_word(const winnow__where_program *program,
                          const winnow__where_step *step, uint64_t first,
                          unsigned items, uint32_t undecided) {
    const winnow__where_column *const column = &program->columns[step->column];
    _Alignas(16) unsigned char room[32 * sizeof(uint64_t)] = {0};
    const void *const elements = gather(column, first, undecided, room);
    uint32_t pass = 0;
    for (unsigned t = 0; t < step->tests; t++)
        pass |= word_of[column->log2_size](&program->test[step->first + t],
                                           elements, items);
    return pass & undecided;
}

static void put(words_of_slot slots[], unsigned slot, unsigned w,
                uint32_t items) {
    if (slot != WINNOW__REJECTED)
        slots[slot][w] |= items;
}

static void take_step(const host_work *work, const winnow__where_step *step,
                      uint64_t tile, words_of_slot slots[]) {
    const uint64_t begin = tile * WINNOW__SELECTION_TILE;
    for (unsigned w = 0; w < WINNOW__SELECTION_WORDS; w++) {
        const uint32_t undecided = slots[step->slot][w];
        if (undecided == 0)
            continue;
        const uint64_t first = begin + 32 * w, left = work->n - first;
        const uint32_t pass =
            test_word(&work->program, step, first,
                      left < 32 ? (unsigned)left : 32, undecided);
        slots[step->slot][w] = 0;
        put(slots, step->yes, w, pass);
        put(slots, step->no, w, undecided & ~pass);
    }
}

/* The bits of the tile's items that are looked at. */
static void fill_inside(const host_work *work, uint64_t tile,
                        words_of_slot words) {
    for (unsigned w = 0; w < WINNOW__SELECTION_WORDS; w++) {
        const uint64_t first = tile * WINNOW__SELECTION_TILE + 32 * w;
        const uint64_t left = first < work->n ? work->n - first : 0;
        words[w] = left >= 32 ? UINT32_MAX : (UINT32_C(1) << left) - 1;
    }
}

static void select_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const winnow__where_program *const program = &work->program;
    words_of_slot slots[WINNOW__WHERE_SLOTS];
    memset(slots, 0, program->slots * sizeof slots[0]);
    fill_inside(work, tile, slots[program->step[0].slot]);
    for (unsigned i = 0; i < program->steps; i++)
        take_step(work, &program->step[i], tile, slots);
    memcpy(work->to.keep + tile * WINNOW__SELECTION_WORDS, slots[WINNOW__KEPT],
           sizeof slots[WINNOW__KEPT]);
    winnow__host_count_tile(&work->to, tile);
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const details *const d = details_of(&call->query);
    host_work work = {.n = task->n,
                      .to = winnow__selection_at(call->out, task->n)};
    if (d->d_n != NULL && *d->d_n < work.n)
        work.n = *d->d_n;
    make_program(d, &work.program);
    winnow__host_each_tile(task, work.to.tiles, select_tile, &work);
    winnow__host_scan(&work.to);
    return WINNOW_OK;
}

/* ---------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const details *const d = details_of(&call->query);
    winnow__select_where_args args = {
        .to = winnow__selection_at(call->out, call->query.n),
        .n = (const unsigned long long *)(const void *)d->d_n};
    winnow__kernel kernel = winnow__select_where;
    (void)plan;
    (void)memory;
    make_program(d, &args.program);
    kernel.shared_bytes = args.program.slots * WINNOW__WHERE_SLOT_BYTES;
    return winnow__launch_source(&kernel, WINNOW__SOURCE_TILES, &args, &args.to,
                                 call->stream);
}
#endif

static const winnow__operation operation = {
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(winnow__plan_selection),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status winnow_select_where(winnow_context *context,
                                  const winnow_condition *condition,
                                  const winnow_column *columns,
                                  unsigned number_of_columns, uint64_t n,
                                  void *d_selection, size_t selection_bytes,
                                  const uint64_t *d_n, winnow_stream stream) {
    const details d = {.selection_bytes = selection_bytes,
                       .condition = condition,
                       .columns = columns,
                       .number_of_columns = number_of_columns,
                       .d_n = d_n};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .out = d_selection,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
