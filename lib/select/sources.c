/*
 * Selections from a column, a field of records, or a mask.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sources.h"

#include "core/array.h"
#include "core/status.h"
#include "elements.h"

#include <string.h>

#ifdef WINNOW_CUDA
#include "kernels.h"
#endif

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__host_loops *loops;
    const winnow__where_column *column;
    winnow__question asked;
    winnow__selection to; /* its n is the number of items */
} host_work;

static void make_tile(void *argument, uint64_t tile, unsigned char *buffer) {
    const host_work *const work = argument;
    (void)buffer;
    const winnow__span span = {.first = tile * WINNOW__SELECTION_TILE,
                               .items = winnow__tile_items(&work->to, tile),
                               .all = work->to.n};
    uint32_t *const words = work->to.keep + tile * WINNOW__SELECTION_WORDS;
    memset(words, 0, WINNOW__SELECTION_WORDS * sizeof *words);
    if (span.items != 0 && work->column->access != WINNOW__BY_BITS) {
        winnow__ask_elements(work->loops, work->column, &work->asked, &span,
                             NULL, words);
    } else if (span.items != 0) {
        const unsigned last = (span.items - 1) / 32;
        winnow__read_bits(work->column, 0, &span, words);
        words[last] &= winnow__bits_inside(32 * last, span.items);
    }
    winnow__host_count_tile(work->loops, &work->to, tile);
}

/* Tests and packs in one pass, if the tested elements are contiguous and are what the
 * sink packs. */
static bool copy_elements(const winnow__host_task *task,
                          const winnow__where_column *column,
                          const winnow__test *test,
                          const winnow__host_sink *sink) {
    const unsigned log2_size = column->log2_size;
    const winnow_predicate predicate = {
        .type = winnow__type((winnow_type)(WINNOW_UINT8 + log2_size)),
        .kind = winnow__kind_of_test(test, log2_size),
        .test = *test};
    winnow__host_task tested = *task;
    tested.predicate = &predicate;
    tested.in = column->first;
    return sink != NULL && sink->copy != NULL &&
           column->access <= WINNOW__BY_ELEMENTS &&
           column->stride == UINT64_C(1) << log2_size &&
           sink->copy(sink->argument, &tested);
}

void winnow__select_column_on_host(const winnow__host_task *task,
                                   const winnow__where_column *column,
                                   const winnow__test *test, void *selection,
                                   const winnow__host_sink *sink) {
    if (copy_elements(task, column, test, sink))
        return;
    host_work work = {.loops = task->loops,
                      .column = column,
                      .asked = {.tests = test, .number = 1},
                      .to = winnow__task_selection(task, selection)};
    winnow__host_make(task, &work.to, make_tile, &work, sink);
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static winnow_status select_bits(const winnow__call *call,
                                 const winnow__where_column *bits,
                                 const winnow__selection *to) {
    const winnow__select_bits_args args = {
        .mask = bits->first,
        .skip = bits->skip,
        .to = *to,
        .items = (const unsigned long long *)call->query.launch.d_n};
    return winnow__launch_source(call, &winnow__select_bits,
                                 WINNOW__SOURCE_TILES, &args, to);
}

static winnow_status select_column(const winnow__call *call,
                                   const winnow__where_column *column,
                                   const winnow__test *test, void *selection) {
    const uint64_t n = call->query.n;
    const unsigned log2_size = column->log2_size;
    const winnow__selection to = winnow__selection_at(selection, n);
    if (column->access == WINNOW__BY_BITS)
        return select_bits(call, column, &to);
    const winnow__select_field_args args = {
        .select = {.args = {.test = *test, .in = column->first, .n = n},
                   .to = to,
                   .items = (const unsigned long long *)call->query.launch.d_n},
        .stride = column->stride,
        .is_aligned = column->access != WINNOW__BY_BYTES};
    return column->stride == UINT64_C(1) << log2_size
               ? winnow__launch_source(call, &winnow__select_if[log2_size],
                                       WINNOW__SOURCE_TILES, &args.select, &to)
               : winnow__launch_source(call, &winnow__select_field[log2_size],
                                       1, &args, &to);
}
#endif

/* ------------------------------------------------------------------- a key */

static winnow__array_name name_of(const winnow__key *key) {
    return (winnow__array_name){.name = key->is_array ? "d_in" : "key"};
}

static winnow_status check_key(const void *of, const winnow__query *query) {
    const winnow__key *const key = of;
    if (key->is_array)
        return WINNOW_OK;
    WINNOW__TRY(winnow__check_in(name_of(key), key->in));
    if (winnow__type(key->in->type) != query->type)
        return winnow__refuse("key->type is %s, and the predicate is of %s",
                              winnow_type_name(key->in->type),
                              query->type->name);
    return winnow__check_extent(name_of(key), key->in, query->n);
}

static int key_ranges(const void *of, const winnow__call *call,
                      winnow__range *list) {
    const winnow__key *const key = of;
    const unsigned size = call->query.type->size;
    *list = winnow__in_range(name_of(key), key->in, call->query.n);
    if (!key->is_array)
        list->name = "key->d_base";
    if (winnow__stride_of(key->in) == (int64_t)size)
        list->alignment = size;
    return 1;
}

static winnow__where_column elements_of(const winnow__key *key,
                                        const winnow__query *query) {
    return winnow__elements(key->in->d_base,
                            (uint64_t)winnow__stride_of(key->in),
                            query->type->log2_size);
}

static void key_on_host(const void *of, const winnow__call *call,
                        const winnow__host_task *task, void *selection,
                        void *memory, const winnow__host_sink *sink) {
    const winnow__where_column column = elements_of(of, &call->query);
    (void)memory;
    winnow__select_column_on_host(task, &column, &call->query.predicate->test,
                                  selection, sink);
}

#ifdef WINNOW_CUDA
static winnow_status key_on_device(const void *of, const winnow__call *call,
                                   void *selection, void *memory) {
    const winnow__where_column column = elements_of(of, &call->query);
    (void)memory;
    return select_column(call, &column, &call->query.predicate->test,
                         selection);
}
#endif

winnow__source winnow__source_of_key(const winnow__key *key) {
    static const winnow__source_kind kind = {
        .check = check_key,
        .ranges = key_ranges,
        .may_be_packed = true,
        .host = key_on_host,
        .device = WINNOW__IF_CUDA(key_on_device),
    };
    return (winnow__source){.kind = &kind, .of = key, .key = key->in};
}

/* ------------------------------------------------------------------- a mask */

/* A byte of a mask that is not 0. */
static const winnow__test is_set = {.mask = UINT64_MAX, .low = 1, .span = 254};

static winnow_status check_mask(const void *of, const winnow__query *query) {
    return winnow__check_mask(of, query->n);
}

static int mask_ranges(const void *of, const winnow__call *call,
                       winnow__range *list) {
    *list = winnow__mask_range("mask->d_flags", of, call->query.n);
    return 1;
}

static winnow__where_column flags_of(const winnow_mask *mask) {
    return mask->kind == WINNOW_MASK_BITS
               ? winnow__bits(mask->d_flags, mask->offset)
               : winnow__elements(winnow__mask_start(mask), 1, 0);
}

static void mask_on_host(const void *of, const winnow__call *call,
                         const winnow__host_task *task, void *selection,
                         void *memory, const winnow__host_sink *sink) {
    const winnow__where_column column = flags_of(of);
    (void)call;
    (void)memory;
    winnow__select_column_on_host(task, &column, &is_set, selection, sink);
}

#ifdef WINNOW_CUDA
static winnow_status mask_on_device(const void *of, const winnow__call *call,
                                    void *selection, void *memory) {
    const winnow__where_column column = flags_of(of);
    (void)memory;
    return select_column(call, &column, &is_set, selection);
}
#endif

winnow__source winnow__source_of_mask(const winnow_mask *mask) {
    static const winnow__source_kind kind = {
        .check = check_mask,
        .ranges = mask_ranges,
        .host = mask_on_host,
        .device = WINNOW__IF_CUDA(mask_on_device),
    };
    return (winnow__source){.kind = &kind, .of = mask};
}
