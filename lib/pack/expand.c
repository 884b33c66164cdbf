/*
 * winnow_expand: moves packed elements to the places that a selection keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bits.h"
#include "core/status.h"
#include "selection/sink.h"
#include "tile_host.h"
#include "cuda/launch.h"
#include "kernels.h"

#include <string.h>

typedef struct details {
    const winnow_in *packed;
    const winnow_out *out;
    uint64_t available; /* at most n */
    size_t element_bytes;
    const void *fill; /* NULL: the other places keep what they have */
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static bool is_of_bits(const details *d) {
    return d->packed->type == WINNOW_BIT;
}

static winnow__bit_fill bit_fill_of(const details *d) {
    return d->fill == NULL                        ? WINNOW__FILL_NONE
           : *(const unsigned char *)d->fill == 0 ? WINNOW__FILL_ZEROS
                                                  : WINNOW__FILL_ONES;
}

static winnow_status check(winnow__query *query) {
    const details *const d = details_of(query);
    WINNOW__TRY(winnow__check_dense_elements("packed", d->packed, query->n));
    WINNOW__TRY(winnow__check_dense_output("out", d->out, d->packed, query->n));
    if (is_of_bits(d) && d->fill != NULL && *(const unsigned char *)d->fill > 1)
        return winnow__refuse(
            "fill points to a byte of %u: wanted 0 or 1 for bits",
            *(const unsigned char *)d->fill);
    return WINNOW_OK;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const details *const d = details_of(&call->query);
    const winnow_in out = winnow__as_in(d->out);
    list[0] =
        winnow__array_range("packed->d_base", d->packed, d->available, false);
    if (d->available != call->query.n)
        list[0].measure = "packed_n";
    list[1] = winnow__array_range("out->d_base", &out, call->query.n, true);
    return 2;
}

static winnow__bit_spread bit_spread_of(const winnow__call *call) {
    const details *const d = details_of(&call->query);
    return (winnow__bit_spread){
        .in = winnow__bits_at(d->packed->d_base, d->packed->offset),
        .available = d->available,
        .out = winnow__bits_at(call->out, d->out->offset),
        .fill = bit_fill_of(d)};
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__selection *from; /* its n: the places below *d_n */
    const details *d;
    const unsigned char *in;
    unsigned char *out;
} host_work;

/* Expand a tile item by item: for any size, or if the packed elements do not
 * suffice. */
static void expand_slowly(const host_work *work, uint64_t tile) {
    const details *const d = work->d;
    const uint64_t first = tile * WINNOW__SELECTION_TILE;
    const uint64_t end = first + winnow__tile_items(work->from, tile);
    for (uint64_t i = first; i < end && d->fill != NULL; i++)
        if ((work->from->keep[i / 32] >> i % 32 & 1) == 0)
            winnow__copy_element(work->out, i, d->fill, 0, d->element_bytes);
    for (winnow__survivor s = winnow__first(work->from, tile);
         winnow__next(&s) && s.rank < d->available;)
        winnow__copy_element(work->out, s.item, work->in, s.rank,
                             d->element_bytes);
}

enum {
    WORD = 32 /* items */
};

/* Expand word by word: fill all places, then overwrite those that are kept.
 * `bytes` is a constant in each call. */
static inline void expand_words(const host_work *work, uint64_t tile,
                                size_t bytes) {
    unsigned char filled[WORD * WINNOW__HOST_MOST_CONSTANT];
    const unsigned char *const fill = work->d->fill;
    const unsigned n = winnow__tile_items(work->from, tile);
    const uint32_t *word = work->from->keep + tile * WINNOW__SELECTION_WORDS;
    const unsigned char *in = work->in + work->from->before[tile] * bytes;
    unsigned char *out = work->out + tile * WINNOW__SELECTION_TILE * bytes;
    for (unsigned i = 0; i < WORD && fill != NULL; i++)
        memcpy(filled + i * bytes, fill, bytes);
    for (unsigned i = 0; i < n; i += WORD, word++, out += WORD * bytes) {
        if (*word == UINT32_MAX) {
            memcpy(out, in, WORD * bytes);
            in += WORD * bytes;
            continue;
        }
        if (fill != NULL && n - i >= WORD)
            memcpy(out, filled, WORD * bytes);
        else if (fill != NULL)
            memcpy(out, filled, (n - i) * bytes);
        for (uint32_t bits = *word; bits != 0; bits &= bits - 1, in += bytes)
            memcpy(out + (unsigned)__builtin_ctz(bits) * bytes, in, bytes);
    }
}

static void expand_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const bool all = work->from->before[tile + 1] <= work->d->available;
    switch (all ? work->d->element_bytes : 0) {
#define CASE(BYTES)                                                            \
    case BYTES:                                                                \
        expand_words(work, tile, BYTES);                                       \
        break;
        WINNOW__HOST_CONSTANT_SIZES(CASE)
#undef CASE
    default:
        expand_slowly(work, tile);
    }
}

static void host(const winnow__call *call, const winnow__host_task *task,
                 const winnow__selection *from, void *memory) {
    const details *const d = details_of(&call->query);
    host_work work = {
        .from = from, .d = d, .in = d->packed->d_base, .out = call->out};
    (void)memory;
    if (is_of_bits(d)) {
        const winnow__bit_spread spread = bit_spread_of(call);
        winnow__host_spread_bits_of(task, from, &spread);
    } else {
        winnow__host_each_tile(task, from->tiles, expand_tile, &work);
    }
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
/* One launch for each strip of the elements, since a kernel's arguments have no
 * room for a value of 4096 bytes. */
static winnow_status enqueue_fill(const winnow__call *call,
                                  winnow__expand_fill_args *args,
                                  unsigned log2_piece) {
    const details *const d = details_of(&call->query);
    for (size_t at = 0; at < d->element_bytes;
         at += WINNOW__EXPAND_FILL_BYTES) {
        const size_t left = d->element_bytes - at;
        const size_t bytes =
            left < WINNOW__EXPAND_FILL_BYTES ? left : WINNOW__EXPAND_FILL_BYTES;
        args->first = (unsigned)(at >> log2_piece);
        args->call.shape = winnow__shape_of(bytes, log2_piece);
        memcpy(args->fill, (const unsigned char *)d->fill + at, bytes);
        WINNOW__TRY(winnow__launch_sink(&winnow__expand_fill[log2_piece], 1,
                                        args, &args->call.from,
                                        call->query.launch.stream));
    }
    return WINNOW_OK;
}

static winnow_status device(const winnow__call *call,
                            const winnow__selection *from, void *memory) {
    const details *const d = details_of(&call->query);
    const winnow_launch *const launch = &call->query.launch;
    /* For bits any valid size will do: the mover is not used. */
    const winnow__mover mover = winnow__choose_mover(
        d->packed->d_base, call->out, is_of_bits(d) ? 1 : d->element_bytes);
    winnow__expand_fill_args args = {
        .call = {.from = *from,
                 .in = d->packed->d_base,
                 .out = call->out,
                 .available = d->available,
                 .items = (const unsigned long long *)launch->d_n,
                 .shape = mover.shape,
                 .width = (unsigned)(d->element_bytes >> mover.log2_piece)}};
    (void)memory;
    if (is_of_bits(d)) {
        const winnow__bit_spread spread = bit_spread_of(call);
        return winnow__spread_bits_on_device(&spread, from, launch->d_n,
                                             launch->stream);
    }
    return d->fill != NULL
               ? enqueue_fill(call, &args, mover.log2_piece)
               : winnow__launch_sink(&winnow__expand[mover.log2_piece], 1,
                                     &args.call, from, launch->stream);
}
#endif

static const winnow__operation operation =
    WINNOW__SINK_OPERATION("expand", 0, .check = check, .ranges = ranges,
                           .host = host, .device = WINNOW__IF_CUDA(device));

winnow_status winnow_expand(winnow_context *context, const void *d_selection,
                            const winnow_in *packed, uint64_t packed_n,
                            uint64_t n, const void *fill, const winnow_out *out,
                            const winnow_launch *launch) {
    const details d = {.packed = packed,
                       .out = out,
                       .available = packed_n < n ? packed_n : n,
                       .element_bytes = winnow__bytes_of(packed),
                       .fill = fill};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .in = d_selection,
                         .out = out != NULL ? out->d_base : NULL};
    return winnow__do(&call, launch);
}
