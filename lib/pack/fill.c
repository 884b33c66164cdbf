/*
 * winnow_fill: fills the places behind a count in device memory with a value.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/round.h"
#include "core/status.h"
#include "selection/format.h"
#include "cuda/context.h"
#include "cuda/launch.h"
#include "kernels.h"
#include "rows.h"

#include <string.h>

typedef struct details {
    const void *fill;
    const winnow_out *out;
    const uint64_t *count;
    size_t bytes; /* of an element */
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static winnow_status check(winnow__query *query) {
    const details *const d = details_of(query);
    query->type = winnow__type(WINNOW_UINT8);
    WINNOW__TRY(winnow__need(d->fill, "fill"));
    WINNOW__TRY(winnow__need(d->out, "out"));
    if (d->out->type == WINNOW_BIT)
        return winnow__unsupported(
            "out is of bits: wanted elements of whole bytes");
    const winnow_in seen = winnow__as_in(d->out);
    return winnow__check_dense_elements("out", &seen, query->n);
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const details *const d = details_of(&call->query);
    list[1] = winnow__elements_range("out->d_base", call->out, call->query.n,
                                     d->bytes, true);
    list[0] = winnow__result_range("d_count", d->count, sizeof *d->count);
    list[0].written = false;
    return 2;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    unsigned char *first; /* the first place to fill */
    uint64_t places;
    const void *fill;
    size_t bytes;
} host_work;

/* The filled part is copied to the place after it, and doubles each time. */
static void fill_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const size_t bytes =
        winnow__items_of_tile(work->places, tile) * work->bytes;
    unsigned char *const to =
        work->first + tile * WINNOW__SELECTION_TILE * work->bytes;
    memcpy(to, work->fill, work->bytes);
    for (size_t done = work->bytes; done < bytes; done *= 2)
        memcpy(to + done, to, done < bytes - done ? done : bytes - done);
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const details *const d = details_of(&call->query);
    const uint64_t count = *d->count < task->n ? *d->count : task->n;
    host_work work = {.first = (unsigned char *)call->out + count * d->bytes,
                      .places = task->n - count,
                      .fill = d->fill,
                      .bytes = d->bytes};
    winnow__host_each_tile(
        task, winnow__divide_up(work.places, WINNOW__SELECTION_TILE), fill_tile,
        &work);
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
/* Enough blocks for the device, and at least one thread for each piece of a strip. */
static unsigned blocks_of(const winnow__call *call, unsigned strip) {
    enum {
        EACH = 8 /* blocks for each multiprocessor */
    };
    const uint64_t vectors = winnow__divide_up(
        call->query.n * details_of(&call->query)->bytes, sizeof(uint32_t[4]));
    const uint64_t wanted =
        winnow__divide_up(vectors, WINNOW__SELECTION_THREADS);
    const uint64_t most =
        (uint64_t)EACH * winnow__cuda(call->query.context)->multiprocessors;
    const uint64_t least = winnow__divide_up(strip, WINNOW__SELECTION_THREADS);
    const uint64_t blocks = wanted < most ? wanted : most;
    return (unsigned)(blocks > least ? blocks : least);
}

/* One launch for each strip of the elements, as in winnow_expand(). */
static winnow_status enqueue(const winnow__call *call, const winnow__plan *own,
                             const struct winnow__workspace *memory) {
    const details *const d = details_of(&call->query);
    const unsigned log2 =
        winnow__choose_mover(call->out, call->out, d->bytes).log2_piece;
    winnow__fill_args args = {
        .out = call->out,
        .n = call->query.n,
        .count = (const unsigned long long *)d->count,
        .items = (const unsigned long long *)call->query.launch.d_n,
        .width = (unsigned)(d->bytes >> log2)};
    (void)own;
    (void)memory;
    for (size_t at = 0; at < d->bytes && call->query.n != 0;
         at += WINNOW__EXPAND_FILL_BYTES) {
        const size_t left = d->bytes - at;
        const size_t bytes =
            left < WINNOW__EXPAND_FILL_BYTES ? left : WINNOW__EXPAND_FILL_BYTES;
        args.first = (unsigned)(at >> log2);
        args.strip = (unsigned)(bytes >> log2);
        memcpy(args.fill, (const unsigned char *)d->fill + at, bytes);
        for (size_t i = bytes; args.width == 1 && i < 16; i += bytes)
            memcpy((unsigned char *)args.fill + i, d->fill, bytes);
        WINNOW__TRY(winnow__launch(&winnow__fill[log2],
                                   blocks_of(call, args.strip), &args,
                                   call->query.launch.stream));
    }
    return WINNOW_OK;
}
#endif

static const winnow__operation operation = {.name = "fill",
                                            .takes = WINNOW__TAKES_N,
                                            .predicate = WINNOW__NO_PREDICATE,
                                            .check = check,
                                            .ranges = ranges,
                                            .run_on_host = run_on_host,
                                            .enqueue =
                                                WINNOW__IF_CUDA(enqueue)};

winnow_status winnow_fill(winnow_context *context, const uint64_t *d_count,
                          uint64_t n, const void *fill, const winnow_out *out,
                          const winnow_launch *launch) {
    const details d = {.fill = fill,
                       .out = out,
                       .count = d_count,
                       .bytes = out != NULL ? winnow__element_bytes(
                                                  out->type, out->element_bytes)
                                            : 0};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .out = out != NULL ? out->d_base : NULL};
    return winnow__do(&call, launch);
}
