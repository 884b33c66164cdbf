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
#include "elements.h"
#include "source.h"
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
        if (node->kind == WINNOW__NODE_SET)
            return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                                "the condition has a set of values");
        if (node->kind != WINNOW__NODE_TEST)
            continue;
        winnow_status status = check_test(where, node, n);
        if (status != WINNOW_OK)
            return status;
    }
    winnow__tested tested = {0};
    winnow__add_tested(&tested, where->condition);
    if (where->condition->tests > WINNOW__WHERE_TESTS ||
        tested.number > WINNOW__WHERE_COLUMNS)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "the condition has %u tests of %u columns",
                            where->condition->tests, tested.number);
    return WINNOW_OK;
}

int winnow__where_ranges(const winnow__where *where, uint64_t n,
                         winnow__range *list) {
    winnow__tested tested = {0};
    winnow__add_tested(&tested, where->condition);
    for (unsigned i = 0; i < tested.number; i++)
        list[i] = winnow__in_range(name_of(tested.column[i]),
                                   &where->columns[tested.column[i]], n);
    return (int)tested.number;
}

/* ----------------------------------------------------------------- program */

static winnow__where_column program_column(const winnow_in *column) {
    return winnow__elements(column->d_base, (uint64_t)winnow__stride_of(column),
                            winnow__type(column->type)->log2_size);
}

static void make_program(const winnow__where *where,
                         winnow__where_program *program) {
    winnow__tested tested = {0};
    winnow__add_tested(&tested, where->condition);
    for (unsigned i = 0; i < tested.number; i++)
        program->columns[i] = program_column(&where->columns[tested.column[i]]);
    winnow__compile(where->condition, program);
}

/* ---------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__host_loops *loops;
    winnow__where_program program;
    winnow__selection to; /* its n: the items that are looked at */
} host_work;

typedef uint32_t words_of_slot[WINNOW__SELECTION_WORDS];

enum {
    STEP = 4, /* words that are looked at together */
    /* Bytes of a column that are read although no item of them waits: to skip
     * fewer takes longer, as what lies behind is not fetched ahead. */
    GAP = 2048
};

/* The first words from w on with an item that waits. */
static unsigned skip_decided(const words_of_slot waiting, unsigned w) {
    while (w < WINNOW__SELECTION_WORDS &&
           (waiting[w] | waiting[w + 1] | waiting[w + 2] | waiting[w + 3]) == 0)
        w += STEP;
    return w;
}

/* The bits of the items that wait and pass; of others, any. */
static void test_waiting(const host_work *work, const winnow__where_step *step,
                         uint64_t tile, const words_of_slot waiting,
                         words_of_slot pass) {
    const winnow__where_column *const column =
        &work->program.columns[step->column];
    const unsigned gap = GAP / 32 >> column->log2_size; /* words */
    const unsigned items = winnow__tile_items(&work->to, tile);
    unsigned next = skip_decided(waiting, 0);
    while (next < WINNOW__SELECTION_WORDS) {
        const unsigned first = next;
        unsigned end;
        do {
            end = next + STEP;
            next = skip_decided(waiting, end);
        } while (next < WINNOW__SELECTION_WORDS && next - end <= gap);
        const winnow__span span = {
            .first = tile * WINNOW__SELECTION_TILE + 32 * first,
            .items = (32 * end < items ? 32 * end : items) - 32 * first,
            .all = work->to.n};
        winnow__test_elements(work->loops, column,
                              &work->program.test[step->first], step->tests,
                              &span, waiting + first, pass + first);
    }
}

static void put(words_of_slot slots[], unsigned slot,
                const words_of_slot items) {
    for (unsigned w = 0; w < WINNOW__SELECTION_WORDS; w++)
        slots[slot][w] |= items[w];
}

static void take_step(const host_work *work, const winnow__where_step *step,
                      uint64_t tile, words_of_slot slots[]) {
    words_of_slot pass = {0}, fail;
    test_waiting(work, step, tile, slots[step->slot], pass);
    for (unsigned w = 0; w < WINNOW__SELECTION_WORDS; w++) {
        fail[w] = slots[step->slot][w] & ~pass[w];
        pass[w] &= slots[step->slot][w];
        slots[step->slot][w] = 0; /* which may be of a step that is to come */
    }
    if (step->yes != WINNOW__REJECTED)
        put(slots, step->yes, pass);
    if (step->no != WINNOW__REJECTED)
        put(slots, step->no, fail);
}

/* Set the bits of the tile's items that are looked at. */
static void fill_inside(unsigned items, words_of_slot words) {
    memset(words, 0xff, items / 32 * sizeof words[0]);
    if (items % 32 != 0)
        words[items / 32] = (UINT32_C(1) << items % 32) - 1;
}

static void select_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const winnow__where_program *const program = &work->program;
    words_of_slot slots[WINNOW__WHERE_SLOTS];
    memset(slots, 0, program->slots * sizeof slots[0]);
    fill_inside(winnow__tile_items(&work->to, tile),
                slots[program->step[0].slot]);
    for (unsigned i = 0; i < program->steps; i++)
        take_step(work, &program->step[i], tile, slots);
    memcpy(work->to.keep + tile * WINNOW__SELECTION_WORDS, slots[WINNOW__KEPT],
           sizeof slots[WINNOW__KEPT]);
    winnow__host_count_tile(work->loops, &work->to, tile);
}

void winnow__select_where_on_host(const winnow__host_task *task,
                                  const winnow__where *where, void *selection,
                                  const winnow__host_sink *sink) {
    host_work work = {.loops = task->loops,
                      .to = winnow__selection_at(selection, task->bound)};
    work.to.n = task->n;
    make_program(where, &work.program);
    const winnow__where_step *const step = &work.program.step[0];
    if (work.program.steps == 1 && step->tests == 1 &&
        step->yes == WINNOW__KEPT) {
        const winnow__where_column *const column =
            &work.program.columns[step->column];
        const winnow__source source = {.test = work.program.test[step->first],
                                       .log2_size = column->log2_size,
                                       .in = column->first,
                                       .stride = (int64_t)column->stride};
        winnow__make_on_host(task, &source, selection, sink);
        return;
    }
    winnow__host_make(task, &work.to, select_tile, &work, sink);
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
    winnow__select_where_on_host(task, where_of(&call->query), call->out, NULL);
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
