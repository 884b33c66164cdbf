/*
 * partition_by_key on a GPU: enqueues the kernels (kernels/partition/args.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "plan.h"

#include "kernels/core/clear.h"

enum {
    COLUMNS = WINNOW__PARTITION_COLUMNS,
    /* Lanes of a warp: 2^5. */
    LANE_BITS = 5,
    /* The most static shared memory of a block that scatters. */
    STATIC_SHARED_BYTES = 256,
    OFFSETS_PER_BLOCK = 256
};

typedef winnow__partition_plan plan;

/* The most bytes for any move that may be the keys': a plan has no addresses
 * that would tell. All calls that it serves need this much. */
static size_t most_bytes(const winnow__query *query) {
    const winnow__partition *const given = winnow__partition_of(query);
    winnow__partition of = *given;
    winnow__query other = *query;
    size_t most = 0;
    other.details = &of;
    for (unsigned keys = 0; keys <= given->move_count; keys++) {
        const bool is_move = keys < given->move_count;
        if (is_move ? given->moves[keys].element_bytes != query->type->size
                    : given->move_count > COLUMNS)
            continue;
        of.column_count = 0;
        for (unsigned i = 0; i < given->move_count; i++)
            if (i != keys)
                of.columns[of.column_count++] = &given->moves[i];
        const size_t bytes = winnow__partition_make_plan(&other).bytes;
        if (bytes > most)
            most = bytes;
    }
    return most;
}

winnow_status
winnow__cuda_partition_plan(const winnow__query *query,
                            const winnow__constraints *constraints,
                            winnow__plan *plan_p) {
    (void)constraints;
    if (winnow__partition_is_small(query)) {
        winnow__partition_plan_small(query, plan_p);
        return WINNOW_OK;
    }
    winnow__plan_several(query->launch.plan != NULL
                             ? most_bytes(query)
                             : winnow__partition_make_plan(query).bytes,
                         plan_p);
    return WINNOW_OK;
}

/* A call while it is enqueued. */
typedef struct job {
    const winnow__call *call;
    const winnow__partition *details;
    const winnow__partition_memory *results;
    plan p;
    char *memory;
    bool drops;              /* may a key belong to no part? */
    bool estimated;          /* the first pass */
    uint32_t order[COLUMNS]; /* of the columns, by their widths */
} job;

static unsigned long long *longs(const job *j, size_t offset) {
    return (unsigned long long *)(void *)(j->memory + offset);
}

/* The largest value of a field that is in a key. */
static uint64_t greatest_field(const job *j) {
    const unsigned width = 8 * j->call->query.type->size;
    return winnow__partition_mask(j->details) &
           UINT64_MAX >> (64 - width) >> j->details->shift;
}

static job make_job(const winnow__call *call, const winnow__workspace *memory) {
    job j = {.call = call,
             .details = winnow__partition_of(&call->query),
             .results = call->memory,
             .p = winnow__partition_make_plan(&call->query),
             .memory = memory->rest};
    uint32_t number = 0;
    j.drops = greatest_field(&j) >= j.details->parts;
    j.estimated = j.p.estimated && !j.drops;
    for (size_t width = 1; width <= 16; width *= 2)
        for (uint32_t c = 0; c < j.details->column_count; c++)
            if (j.details->columns[c]->element_bytes == width)
                j.order[number++] = c;
    return j;
}

/* ---------------------------------------------------------------- arguments */

/* The lowest bit of the pass's digit in a part. */
static unsigned low_bit(const plan *p, unsigned pass) {
    unsigned bits = 0;
    if (p->exact)
        return pass == 0 ? p->bits[1] : 0;
    for (unsigned i = 0; i < pass; i++)
        bits += p->bits[i];
    return bits;
}

static winnow__partition_field field_of(const job *j, unsigned pass) {
    const unsigned low = low_bit(&j->p, pass);
    const uint64_t greatest = greatest_field(j) >> low;
    const uint32_t digits = winnow__partition_digits(&j->p, pass);
    /* A digit above the key is 0. */
    const bool beyond =
        j->details->shift + low >= 8 * j->call->query.type->size;
    return (winnow__partition_field){
        .mask = winnow__partition_mask(j->details),
        .shift = j->details->shift,
        .parts = j->details->parts,
        .drops = pass == 0 && j->drops,
        .digit_shift = beyond ? 0 : j->details->shift + low,
        .digit_mask = beyond ? 0 : (uint32_t)greatest & (digits - 1),
        .digits = digits};
}

static winnow__partition_chunks chunks_of(const job *j, unsigned pass) {
    const plan *const p = &j->p;
    return (winnow__partition_chunks){
        .n = j->call->query.n,
        .items = (const unsigned long long *)j->call->query.launch.d_n,
        .chunk_items = p->chunk_items,
        .tile_items = p->tile_items,
        .number = p->chunks[pass],
        .segments = pass == 0 ? 0 : winnow__partition_digits(p, pass - 1),
        .segment_offsets = pass == 0 ? NULL : longs(j, p->offsets[pass - 1]),
        .first_chunk = (uint32_t *)(void *)(j->memory + p->first_chunk)};
}

/* The output of a pass in the workspace; NULL: in the call's memory. */
static char *rows_behind(const job *j, unsigned pass) {
    return pass + 1 == j->p.passes
               ? NULL
               : j->memory + (pass % 2 == 0 ? 0 : j->p.second_rows);
}

static const void *keys_of(const job *j, unsigned pass) {
    return pass == 0 ? j->call->in : rows_behind(j, pass - 1) + j->p.keys;
}

/* The digits that can occur: not all, if the pass has the upper digit. */
static uint32_t present(const job *j, unsigned pass) {
    return j->p.exact || pass + 1 != j->p.passes
               ? winnow__partition_digits(&j->p, pass)
               : ((j->details->parts - 1) >> low_bit(&j->p, pass)) + 1;
}

/* If there is one pass, its digits are the parts. */
static unsigned long long *offsets_of(const job *j, unsigned pass) {
    return j->p.passes == 1 ? (unsigned long long *)j->results->offsets
                            : longs(j, j->p.offsets[pass]);
}

static winnow__partition_exchange *exchange_of(const job *j) {
    return j->estimated ? (void *)(j->memory + j->p.estimate.exchange) : NULL;
}

static winnow__partition_count_args count_args(const job *j, unsigned pass) {
    const plan *const p = &j->p;
    const winnow__kernel kernel = winnow__partition_scatter_kernel(
        p, p->bits[pass], false, false, WINNOW__PARTITION_OWN, p->batch_bytes);
    return (winnow__partition_count_args){
        .keys = keys_of(j, pass),
        .field = field_of(j, pass),
        .chunks = chunks_of(j, pass),
        .few_chunks = p->few_chunks[pass],
        .blocks = winnow__partition_resident(&j->call->query, &kernel,
                                             WINNOW__PARTITION_TILE_BLOCKS),
        .table = longs(j, p->table),
        .totals = longs(j, p->totals),
        .offsets = offsets_of(j, pass),
        .present = present(j, pass),
        .part_items =
            p->exact || p->passes > 2 ? longs(j, p->part_items) : NULL,
        .slice = p->slice,
        .parts_of_digit = UINT32_C(1) << low_bit(p, pass),
        .part_offsets = (unsigned long long *)j->results->offsets,
        .estimated = pass == 0 ? exchange_of(j) : NULL};
}

static void set_columns(const job *j, unsigned pass,
                        winnow__partition_scatter_args *args) {
    const char *const from = pass == 0 ? NULL : rows_behind(j, pass - 1);
    char *const to = rows_behind(j, pass);
    args->keys_out = to != NULL ? to + j->p.keys : j->results->keys_out;
    args->moves = j->details->column_count;
    for (uint32_t i = 0; i < args->moves; i++) {
        const uint32_t c = j->order[i];
        const winnow_move *const column = j->details->columns[c];
        args->move[i] = (winnow__partition_move){
            .in = from != NULL ? from + j->p.columns[c] : column->d_in,
            .out = to != NULL ? to + j->p.columns[c] : column->d_out,
            .spare = j->estimated ? j->memory + j->p.estimate.spare[c] : NULL,
            .bytes = column->element_bytes};
    }
}

static winnow__partition_estimate_args estimate_args(const job *j) {
    const winnow__partition_estimate_plan *const e = &j->p.estimate;
    return (winnow__partition_estimate_args){
        .estimate = (void *)(j->memory + e->exchange),
        .spare_keys = j->memory + e->spare_keys,
        .spare_items = e->spare_items,
        .spare_left_over = e->spare_left_over,
        .sampled_one_in = e->sampled_one_in,
        .sector = e->sector,
        .key_bytes = j->call->query.type->size,
        .part_items =
            e->part_table_bytes != 0 ? longs(j, j->p.part_items) : NULL};
}

/* The number of counters of a digit: at most one for each lane. */
static uint32_t spread_of(unsigned bits) {
    uint32_t spread = 0;
    while (spread < LANE_BITS &&
           (UINT32_C(2) << (bits + spread)) <= WINNOW__PARTITION_BINS)
        spread++;
    return spread;
}

static winnow__partition_scatter_args scatter_args(const job *j,
                                                   unsigned pass) {
    const plan *const p = &j->p;
    winnow__partition_scatter_args args = {.keys = keys_of(j, pass),
                                           .field = field_of(j, pass),
                                           .chunks = chunks_of(j, pass),
                                           .spread = spread_of(p->bits[pass]),
                                           .table = longs(j, p->table),
                                           .totals = longs(j, p->totals),
                                           .offsets = offsets_of(j, pass),
                                           .present = present(j, pass)};
    set_columns(j, pass, &args);
    if (pass == 0 && j->estimated)
        args.estimate = estimate_args(j);
    return args;
}

/* Set where blocks reserve places: in digits or in parts. */
static void set_regions(const job *j, unsigned pass,
                        winnow__partition_scatter_args *args) {
    const uint32_t parts = j->details->parts;
    uint32_t *const of_parts =
        (uint32_t *)(void *)(longs(j, j->p.part_items) + parts);
    uint32_t *const of_digits = of_parts + 2 * (size_t)parts;
    if (pass != 0) {
        args->region_begins = (unsigned long long *)j->results->offsets;
        args->region_sectors = of_parts;
        args->region_rest = of_parts + parts;
        args->regions = parts;
        return;
    }
    args->region_begins = args->offsets;
    args->region_sectors = of_digits;
    args->region_rest = of_digits + WINNOW__PARTITION_DIGITS;
    args->regions = args->field.digits;
    args->chunks.next_tile = args->region_rest + WINNOW__PARTITION_DIGITS;
    args->chunks.number = j->p.exact_blocks;
}

/* ----------------------------------------------------------------- launches */

static winnow_status launch(const job *j, const winnow__kernel *kernel,
                            unsigned blocks, const void *args) {
    return winnow__launch_overlapping(j->call, kernel, blocks, args);
}

static bool is_exact(const job *j, unsigned pass) {
    return j->p.exact && !(pass == 0 && j->estimated);
}

/* Does a separate kernel count the parts? */
static bool counts_parts(const job *j) {
    return j->p.passes > 2 || (j->p.exact && !j->estimated);
}

static winnow__kernel scatter_kernel(const job *j, unsigned pass) {
    const unsigned bits = j->p.bits[pass];
    const bool exact = is_exact(j, pass);
    return winnow__partition_scatter_kernel(
        &j->p, bits,
        exact || (j->p.any_order && bits >= WINNOW__PARTITION_ANY_BITS),
        pass == 0 && j->drops,
        exact ? WINNOW__PARTITION_EXACT : WINNOW__PARTITION_OWN,
        j->p.batch_bytes);
}

/* Load the kernels without dynamic shared memory, before anything is enqueued. */
static winnow_status load_others(const job *j) {
    const winnow__kernel *const kernels[] = {
        &winnow__partition_sample[j->p.wide_keys],
        &winnow__partition_collect,
        &winnow__partition_restore[j->p.wide_keys],
        &winnow__partition_count[j->p.wide_keys],
        &winnow__partition_scan,
        &winnow__partition_cut,
        &winnow__partition_offsets,
        &winnow__partition_sum_parts};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        WINNOW__TRY(winnow__load(j->call->query.context, kernels[i]));
    return WINNOW_OK;
}

/* Load the others. */
static winnow_status allow_all(const job *j) {
    const winnow__cuda_context *const context =
        winnow__cuda(j->call->query.context);
    const uint64_t most = context->shared_bytes - STATIC_SHARED_BYTES;
    winnow_status status = WINNOW_OK;
    for (unsigned i = 0; i < j->p.passes && status == WINNOW_OK; i++) {
        const winnow__kernel kernel = scatter_kernel(j, i);
        status = winnow__allow_shared(&kernel, most);
    }
    if (status == WINNOW_OK && counts_parts(j))
        status = winnow__allow_shared(
            &winnow__partition_count_parts[j->p.wide_keys], most);
    else if (status == WINNOW_OK && j->p.exact)
        status = winnow__allow_shared(&winnow__partition_count[j->p.wide_keys],
                                      WINNOW__PARTITION_COUNTED_PARTS *
                                          sizeof(uint32_t));
    if (status == WINNOW_OK && j->estimated) {
        const winnow__kernel kernel = winnow__partition_estimate_kernel(&j->p);
        status = winnow__allow_shared(&kernel, most);
    }
    return status;
}

/* Clear the counts of parts, and the exchange of an estimate, which follows. */
static winnow_status clear(const job *j) {
    void *first = exchange_of(j);
    uint64_t bytes = first != NULL ? sizeof(winnow__partition_exchange) : 0;
    if (j->p.zero_bytes != 0) {
        first = j->memory + j->p.part_items;
        bytes += j->p.zero_bytes;
    }
    return bytes == 0
               ? WINNOW_OK
               : winnow__cuda_status(
                     winnow__clear(first, bytes, j->call->query.launch.stream),
                     "launching a kernel");
}

/* Count the items of all parts. */
static winnow_status launch_count_parts(const job *j) {
    const plan *const p = &j->p;
    winnow__kernel kernel = winnow__partition_count_parts[p->wide_keys];
    winnow__partition_count_args args = count_args(j, 0);
    kernel.shared_bytes += p->slice * (unsigned)sizeof(uint32_t);
    args.chunks.number = p->count_chunks;
    args.chunks.chunk_items = p->count_chunk_items;
    return launch(j, &kernel,
                  p->count_chunks *
                      (unsigned)winnow__divide_up(j->details->parts, p->slice),
                  &args);
}

/* Turn the counts of all parts into offsets. */
static winnow_status launch_sum_parts(const job *j) {
    const winnow__partition_count_args args = count_args(j, 0);
    return launch(j, &winnow__partition_sum_parts,
                  (j->details->parts - 1) / WINNOW__PARTITION_SUMMED_PARTS + 1,
                  &args);
}

/* Count the digits, and sum the counts. */
static winnow_status launch_count(const job *j, unsigned pass) {
    const winnow__partition_count_args args = count_args(j, pass);
    winnow__kernel kernel = winnow__partition_count[j->p.wide_keys];
    if (pass == 0 && j->estimated)
        kernel.shared_bytes += j->p.estimate.part_table_bytes;
    WINNOW__TRY(launch(j, &kernel, args.chunks.number, &args));
    return launch(j, &winnow__partition_scan,
                  (args.field.digits - 1) / WINNOW__PARTITION_SCAN_DIGITS + 1,
                  &args);
}

/* Set the next columns for a launch, from `first` on, as many as it has room
 * for. */
static void set_batch(const job *j, const winnow__partition_scatter_args *args,
                      unsigned first, winnow__partition_scatter_args *batch) {
    uint64_t bytes = 0;
    unsigned i = first;
    for (; i < args->moves; i++) {
        bytes += args->move[i].bytes;
        if (bytes > j->p.batch_bytes)
            break;
        batch->move[i - first] = args->move[i];
    }
    batch->moves = i - first;
}

/* The keys are written with the first columns. The grid has a block for each
 * chunk, or the resident blocks: the host does not know a later pass's number
 * of chunks. */
static winnow_status launch_scatter(const job *j, unsigned pass) {
    const winnow__kernel kernel = scatter_kernel(j, pass);
    const unsigned most = winnow__partition_resident(
        &j->call->query, &kernel, WINNOW__PARTITION_TILE_BLOCKS);
    winnow__partition_scatter_args args = scatter_args(j, pass);
    winnow__partition_scatter_args batch;
    winnow_status status;
    unsigned first = 0;
    if (is_exact(j, pass))
        set_regions(j, pass, &args);
    batch = args;
    do {
        set_batch(j, &args, first, &batch);
        status = launch(j, &kernel,
                        args.chunks.number < most ? args.chunks.number : most,
                        &batch);
        first += batch.moves;
        batch.keys_out = NULL;
    } while (status == WINNOW_OK && first < args.moves);
    return status;
}

/* -------------------------------------------------------------------- passes
 */

static winnow_status enqueue_pass(const job *j, unsigned pass) {
    if (pass != 0) {
        const winnow__partition_count_args args = count_args(j, pass);
        WINNOW__TRY(launch(j, &winnow__partition_cut, 1, &args));
    } else if (j->estimated) {
        const winnow__partition_scatter_args args = scatter_args(j, pass);
        WINNOW__TRY(winnow__partition_enqueue_estimate(j->call, &j->p, &args));
    }
    if (!is_exact(j, pass))
        WINNOW__TRY(launch_count(j, pass));
    WINNOW__TRY(launch_scatter(j, pass));
    /* An estimate counts the parts while it scatters. */
    return j->p.exact && pass == 0 && j->estimated ? launch_sum_parts(j)
                                                   : WINNOW_OK;
}

/* One thread for each part, and one more. */
static winnow_status launch_offsets(const job *j) {
    const winnow__partition_count_args args = count_args(j, j->p.passes - 1);
    return launch(j, &winnow__partition_offsets,
                  j->details->parts / OFFSETS_PER_BLOCK + 1, &args);
}

winnow_status winnow__cuda_partition_load(const winnow__call *call,
                                          const winnow__workspace *memory) {
    const job j = make_job(call, memory);
    WINNOW__TRY(load_others(&j));
    return allow_all(&j);
}

winnow_status winnow__cuda_partition_enqueue(const winnow__call *call,
                                             const winnow__plan *own,
                                             const winnow__workspace *memory) {
    (void)own;
    if (winnow__partition_is_small(&call->query))
        return winnow__partition_enqueue_small(call, memory);
    const job j = make_job(call, memory);
    WINNOW__TRY(load_others(&j));
    WINNOW__TRY(allow_all(&j));
    WINNOW__TRY(clear(&j));
    if (counts_parts(&j))
        WINNOW__TRY(launch_count_parts(&j));
    if (counts_parts(&j))
        WINNOW__TRY(launch_sum_parts(&j));
    for (unsigned i = 0; i < j.p.passes; i++)
        WINNOW__TRY(enqueue_pass(&j, i));
    return j.p.passes == 2 && !j.p.exact ? launch_offsets(&j) : WINNOW_OK;
}
