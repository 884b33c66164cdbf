/*
 * winnow_select_where: a selection of the items that pass a condition over
 * several columns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "where.h"

#include "core/array.h"
#include "core/status.h"
#include "where_program.h"

#include <string.h>

#ifdef WINNOW_CUDA
#include "cuda/launch.h"
#include "selection/kernels.h"
#endif

/* ------------------------------------------------------------------ checks */

static winnow__array_name name_of(unsigned i) {
    return (winnow__array_name){.name = "columns", .number = i + 1};
}

static winnow_status check_test(const winnow__where *where,
                                const winnow__node *node, uint64_t n) {
    const unsigned i = node->column;
    if (i >= where->column_count)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "the condition tests column %u, and column_count "
                            "is %u",
                            i, where->column_count);
    const winnow_in *const column = &where->columns[i];
    winnow_status status = winnow__check_in(name_of(i), column);
    if (status != WINNOW_OK)
        return status;
    if (winnow__type(column->type) != node->type)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "columns[%u] is of %s, and the condition tests it "
                            "as %s",
                            i, winnow_type_name(column->type),
                            node->type->name);
    return winnow__check_extent(name_of(i), column, n);
}

winnow_status winnow__check_where(const winnow__where *where, uint64_t n) {
    if (where->condition == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "condition is NULL");
    if (where->columns == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "columns is NULL");
    for (unsigned i = 0; i < where->condition->number; i++) {
        const winnow__node *const node = &where->condition->nodes[i];
        if (node->kind != WINNOW__NODE_TEST)
            continue;
        winnow_status status = check_test(where, node, n);
        if (status != WINNOW_OK)
            return status;
    }
    return WINNOW_OK;
}

/* The columns that are tested, a bit for each. */
static unsigned columns_tested(const winnow_condition *condition) {
    unsigned tested = 0;
    for (unsigned i = 0; i < condition->number; i++)
        if (condition->nodes[i].kind == WINNOW__NODE_TEST)
            tested |= 1u << condition->nodes[i].column;
    return tested;
}

int winnow__where_ranges(const winnow__where *where, uint64_t n,
                         winnow__range *list) {
    const unsigned tested = columns_tested(where->condition);
    int number = 0;
    for (unsigned i = 0; i < WINNOW_CONDITION_MOST_COLUMNS; i++)
        if ((tested >> i & 1) != 0)
            list[number++] =
                winnow__in_range(name_of(i), &where->columns[i], n);
    return number;
}

/* ----------------------------------------------------------------- program */

static winnow__where_column program_column(const winnow_in *column) {
    const winnow__type_info *const type = winnow__type(column->type);
    const uintptr_t first = (uintptr_t)column->d_base;
    const uint64_t stride = (uint64_t)winnow__stride_of(column);
    const bool aligned = first % type->size == 0 && stride % type->size == 0;
    const bool vectors = stride == type->size && first % 16 == 0;
    return (winnow__where_column){.first = column->d_base,
                                  .stride = stride,
                                  .log2_size = (uint8_t)type->log2_size,
                                  .access = vectors   ? WINNOW__BY_VECTORS
                                            : aligned ? WINNOW__BY_ELEMENTS
                                                      : WINNOW__BY_BYTES};
}

static void make_program(const winnow__where *where,
                         winnow__where_program *program) {
    const unsigned tested = columns_tested(where->condition);
    for (unsigned i = 0; i < WINNOW__WHERE_COLUMNS; i++)
        program->columns[i] = (tested >> i & 1) != 0
                                  ? program_column(&where->columns[i])
                                  : (winnow__where_column){0};
    winnow__compile(where->condition, program);
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
    /* Strides may be negative: modulo 2^64. */
    const uintptr_t from = (uintptr_t)column->first + first * column->stride;
    if (column->stride == size && column->access != WINNOW__BY_BYTES)
        return (const void *)from;
    for (; undecided != 0; undecided &= undecided - 1) {
        const unsigned i = (unsigned)__builtin_ctz(undecided);
        memcpy(to + i * size, (const void *)(from + i * column->stride), size);
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

void winnow__select_where_on_host(const winnow__host_task *task,
                                  const winnow__where *where, void *selection) {
    host_work work = {.n = task->n,
                      .to = winnow__selection_at(selection, task->bound)};
    make_program(where, &work.program);
    winnow__host_each_tile(task, work.to.tiles, select_tile, &work);
    winnow__host_scan(&work.to);
}

/* ---------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
winnow_status winnow__select_where_on_device(const winnow__where *where,
                                             uint64_t n, const uint64_t *d_n,
                                             void *selection,
                                             winnow_stream stream) {
    winnow__select_where_args args = {.to = winnow__selection_at(selection, n),
                                      .n = (const unsigned long long *)d_n};
    winnow__kernel kernel = winnow__select_where;
    make_program(where, &args.program);
    kernel.shared_bytes = args.program.slots * WINNOW__WHERE_SLOT_BYTES;
    return winnow__launch_source(&kernel, WINNOW__SOURCE_TILES, &args, &args.to,
                                 stream);
}
#endif

/* ---------------------------------------------------------------------- API */

typedef struct details {
    size_t selection_bytes; /* first: winnow__check_source() */
    winnow__where where;
} details;

static const winnow__where *where_of(const winnow__query *query) {
    return &((const details *)query->details)->where;
}

static winnow_status check(winnow__query *query) {
    winnow_status status = winnow__check_where(where_of(query), query->n);
    return status == WINNOW_OK ? winnow__check_source(query) : status;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const uint64_t n = call->query.n;
    const int number = winnow__where_ranges(where_of(&call->query), n, list);
    list[number] = winnow__selection_range("d_selection", call->out, n, true);
    return number + 1;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    winnow__select_where_on_host(task, where_of(&call->query), call->out);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    (void)plan;
    (void)memory;
    return winnow__select_where_on_device(where_of(&call->query), call->query.n,
                                          call->query.launch.d_n, call->out,
                                          call->query.launch.stream);
}
#endif

static const winnow__operation operation = {
    .name = "select_where",
    .takes = WINNOW__TAKES_N,
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(winnow__plan_source),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status winnow_select_where(winnow_context *context,
                                  const winnow_condition *condition,
                                  const winnow_in *columns,
                                  unsigned column_count, uint64_t n,
                                  void *d_selection, size_t selection_bytes,
                                  const winnow_launch *launch) {
    const details d = {.selection_bytes = selection_bytes,
                       .where = {.condition = condition,
                                 .columns = columns,
                                 .column_count = column_count}};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .out = d_selection};
    return winnow__do(&call, launch);
}
