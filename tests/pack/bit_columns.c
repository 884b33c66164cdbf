/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bit_columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    GUARD = 37 /* bytes around an output; not aligned */
};

/* Bytes on the backend; what they were, and what they are to be. */
struct bytes {
    size_t number;
    unsigned char *d, *first, *wanted;
};

static bool bit_of(const unsigned char *bytes, uint64_t bit) {
    return bytes[bit / 8] >> bit % 8 & 1;
}

static void set_bit(unsigned char *bytes, uint64_t bit, bool value) {
    const unsigned char one = (unsigned char)(1U << bit % 8);

    bytes[bit / 8] =
        (unsigned char)(value ? bytes[bit / 8] | one : bytes[bit / 8] & ~one);
}

/* Their memory ends where they do. */
static struct bytes bytes_make(const struct backend *backend, uint64_t seed,
                               size_t number) {
    struct bytes b = {.number = number,
                      .d = backend_alloc(backend, number),
                      .first = must_alloc(number),
                      .wanted = must_alloc(number)};

    for (size_t i = 0; i < number; i++)
        b.first[i] = (unsigned char)data_random(seed, i);
    memcpy(b.wanted, b.first, number);
    backend_upload(backend, b.d, b.first, number);
    return b;
}

static void bytes_free(const struct backend *backend, struct bytes *b) {
    backend_free(backend, b->d);
    free(b->first);
    free(b->wanted);
}

static bool bytes_check(const struct backend *backend, const struct bytes *b,
                        const char *what, const struct bit_call *call,
                        struct report *report) {
    unsigned char *const seen = must_alloc(b->number);
    size_t i = 0;

    backend_download(backend, seen, b->d, b->number);
    while (i < b->number && seen[i] == b->wanted[i])
        i++;
    if (i < b->number)
        report_fail(report,
                    "way %d, %s, n %" PRIu64 ", there %" PRIu64
                    ", offsets %" PRIu64 " and %" PRIu64 ", position %" PRIu64
                    ", capacities %" PRIu64 " and %" PRIu64
                    ", fill %d, seed %" PRIu64 ": byte %zu of %zu is %#x, "
                    "wanted %#x, and was %#x",
                    (int)call->way, what, call->n, call->there, call->in_offset,
                    call->out_offset, call->position, call->capacity,
                    call->rejected_capacity, call->fill, call->seed, i,
                    b->number, seen[i], b->wanted[i], b->first[i]);
    free(seen);
    return i == b->number;
}

/* ------------------------------------------------------------------- oracle */

/* Pack the bits whose items are kept, or are not: to bit `at`, behind `start`
 * others, into room for `capacity`. */
static void expect_packed(const unsigned char *in, uint64_t first,
                          const uint8_t *keep, bool kept, uint64_t n,
                          unsigned char *out, uint64_t at, uint64_t start,
                          uint64_t capacity) {
    uint64_t rank = start;

    for (uint64_t i = 0; i < n; i++)
        if ((keep[i] != 0) == kept && rank < capacity)
            set_bit(out, at + rank++, bit_of(in, first + i));
}

/* -------------------------------------------------------------------- calls */

static uint64_t bits_to_bytes(uint64_t bits) {
    return (bits + 7) / 8;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Words on the backend: the count, the position, the number of items. */
enum {
    COUNT,
    POSITION,
    THERE,
    WORDS
};

static winnow_launch launch_of(const struct bit_call *call,
                               const struct backend *backend,
                               uint64_t *d_words) {
    return (winnow_launch){
        .size = sizeof(winnow_launch),
        .stream = backend->stream,
        .d_n = call->there != BITS_ALL ? d_words + THERE : NULL,
        .d_position = call->position != BITS_ALL ? d_words + POSITION : NULL};
}

static bool is_done(const struct backend *backend, winnow_status status,
                    struct report *report) {
    const char *error;

    if (status != WINNOW_OK)
        return report_fail(report, "%s: %s", winnow_status_name(status),
                           winnow_last_error());
    error = backend_wait(backend);
    return error ? report_fail(report, "%s", error) : true;
}

static bool is_flagged(const struct bit_call *call) {
    return call->way == BITS_FLAGGED || call->way == BITS_FLAGGED_IN_PLACE;
}

/* A workspace as large as the plan says, or the context's own. */
static winnow_status compact(const struct selected *selected,
                             const struct bit_call *call,
                             const winnow_mask *mask, const winnow_move *moves,
                             uint64_t capacity, uint64_t *d_words) {
    const struct backend *const backend = selected->backend;
    winnow_launch launch = launch_of(call, backend, d_words);
    winnow_plan plan = {.size = sizeof(plan)};
    winnow_status status;

    for (int planned = call->seed % 2 == 0; planned >= 0; planned--) {
        launch.plan = planned ? &plan : NULL;
        status =
            is_flagged(call)
                ? winnow_copy_flagged(backend->context, mask, call->n, moves, 3,
                                      capacity, d_words + COUNT, &launch)
                : winnow_compact_columns(backend->context,
                                         selected->d_selection, call->n, moves,
                                         3, capacity, d_words + COUNT, &launch);
        if (planned && status == WINNOW_OK) {
            launch.workspace_bytes = plan.workspace_bytes;
            if (plan.workspace_bytes != 0)
                launch.d_workspace =
                    backend_alloc(backend, plan.workspace_bytes);
        } else if (planned) {
            return status;
        }
    }
    if (status == WINNOW_OK && backend_wait(backend) != NULL)
        status = WINNOW_ERR_CUDA;
    if (launch.d_workspace != NULL)
        backend_free(backend, launch.d_workspace);
    return status;
}

static bool run_compact(struct selected *selected, const struct bit_call *call,
                        const uint8_t *keep, struct report *report) {
    const struct backend *const backend = selected->backend;
    const bool in_place =
        call->way == BITS_IN_PLACE || call->way == BITS_FLAGGED_IN_PLACE;
    const uint64_t n = call->n, there = least(call->there, n);
    const uint64_t start = call->position == BITS_ALL ? 0 : call->position;
    const uint64_t capacity =
        call->position == BITS_ALL ? call->capacity : least(call->capacity, n);
    const uint64_t room =
        in_place || capacity == BITS_ALL ? n : least(capacity, n);
    const uint64_t kept = selected_number(keep, there);
    const uint64_t first = call->in_offset, second = call->out_offset;
    const size_t end = bits_to_bytes(n + first + second);
    struct bytes in[3], out[3], flags;
    uint64_t words[WORDS] = {99, start, there}, *d_words;
    winnow_move moves[3];
    bool ok;

    /* Bits from `first` to `second`, bytes, and bits the other way. */
    for (int c = 0; c < 3; c++) {
        const size_t guard = in_place ? GUARD : 0;

        in[c] = bytes_make(backend, call->seed + 10 + c,
                           c == 1 ? n + 2 * guard : end + 2 * guard);
        out[c] = in_place ? in[c]
                          : bytes_make(backend, call->seed + 20 + c,
                                       2 * GUARD + (c == 1 ? room : end));
        moves[c] = (winnow_move){.d_in = in[c].d + guard,
                                 .d_out = out[c].d + GUARD,
                                 .element_bytes = c == 1,
                                 .type = c == 1 ? WINNOW_OPAQUE : WINNOW_BIT};
        if (c != 1) {
            moves[c].in_offset = c == 0 ? first : second;
            moves[c].out_offset = in_place ? moves[c].in_offset
                                  : c == 0 ? second
                                           : first;
            expect_packed(in[c].first + guard, moves[c].in_offset, keep, true,
                          there, out[c].wanted + GUARD, moves[c].out_offset,
                          start, least(room, capacity));
        } else {
            uint64_t rank = start;

            for (uint64_t i = 0; i < there; i++)
                if (keep[i] && rank < least(room, capacity))
                    out[c].wanted[GUARD + rank++] = in[c].first[guard + i];
        }
    }
    flags = bytes_make(backend, 3, bits_to_bytes(n + first));
    for (uint64_t i = 0; i < n; i++)
        set_bit(flags.wanted, first + i, keep[i]);
    backend_upload(backend, flags.d, flags.wanted, flags.number);
    d_words = backend_alloc(backend, sizeof(words));
    backend_upload(backend, d_words, words, sizeof(words));
    ok = is_done(backend,
                 compact(selected, call,
                         &(winnow_mask){.kind = WINNOW_MASK_BITS,
                                        .d_flags = flags.d,
                                        .offset = first},
                         moves, capacity, d_words),
                 report);
    for (int c = 0; c < 3 && ok; c++)
        ok = bytes_check(backend, &out[c], c == 1 ? "bytes" : "bits", call,
                         report);
    for (int c = 0; c < 3 && ok && !in_place; c++)
        ok = bytes_check(backend, &in[c], "an input", call, report);
    backend_download(backend, words, d_words, sizeof(words));
    if (ok && words[COUNT] != kept)
        ok = report_fail(report, "the count is %" PRIu64 ", wanted %" PRIu64,
                         words[COUNT], kept);
    if (ok && call->position != BITS_ALL &&
        words[POSITION] !=
            start + least(kept, start < capacity ? capacity - start : 0))
        ok = report_fail(report, "the position is %" PRIu64, words[POSITION]);
    backend_free(backend, d_words);
    bytes_free(backend, &flags);
    for (int c = 0; c < 3; c++) {
        bytes_free(backend, &in[c]);
        if (!in_place)
            bytes_free(backend, &out[c]);
    }
    return ok;
}

static bool run_split(struct selected *selected, const struct bit_call *call,
                      const uint8_t *keep, struct report *report) {
    const struct backend *const backend = selected->backend;
    const uint64_t n = call->n, there = least(call->there, n);
    const uint64_t kept = selected_number(keep, there);
    /* One behind the other, with no byte between. */
    const uint64_t room = least(call->capacity, n);
    const uint64_t rejected_room = least(call->rejected_capacity, n);
    const uint64_t first = call->out_offset, second = call->in_offset;
    const size_t behind = GUARD + bits_to_bytes(first + room);
    struct bytes in = bytes_make(backend, call->seed + 10,
                                 bits_to_bytes(call->in_offset + n));
    struct bytes out =
        bytes_make(backend, call->seed + 20,
                   behind + bits_to_bytes(second + rejected_room) + GUARD);
    const winnow_in array = {
        .type = WINNOW_BIT, .d_base = in.d, .offset = call->in_offset};
    const winnow_out kept_bits = {
        .type = WINNOW_BIT, .d_base = out.d + GUARD, .offset = first};
    const winnow_out rejected_bits = {
        .type = WINNOW_BIT, .d_base = out.d + behind, .offset = second};
    uint64_t words[WORDS] = {99, 99, there}, *d_words;
    winnow_launch launch;
    bool ok;

    expect_packed(in.first, call->in_offset, keep, true, there,
                  out.wanted + GUARD, first, 0, room);
    expect_packed(in.first, call->in_offset, keep, false, there,
                  out.wanted + behind, second, 0, rejected_room);
    d_words = backend_alloc(backend, sizeof(words));
    backend_upload(backend, d_words, words, sizeof(words));
    launch = launch_of(call, backend, d_words);
    launch.d_position = NULL;
    ok = is_done(backend,
                 winnow_split(backend->context, selected->d_selection, &array,
                              n, &kept_bits, call->capacity, &rejected_bits,
                              call->rejected_capacity, d_words, &launch),
                 report) &&
         bytes_check(backend, &out, "split", call, report) &&
         bytes_check(backend, &in, "an input", call, report);
    backend_download(backend, words, d_words, sizeof(words));
    if (ok && (words[0] != kept || words[1] != there - kept))
        ok = report_fail(report,
                         "the counts are %" PRIu64 " and %" PRIu64
                         ", wanted %" PRIu64 " of %" PRIu64,
                         words[0], words[1], kept, there);
    backend_free(backend, d_words);
    bytes_free(backend, &in);
    bytes_free(backend, &out);
    return ok;
}

static bool run_expand(struct selected *selected, const struct bit_call *call,
                       const uint8_t *keep, struct report *report) {
    const struct backend *const backend = selected->backend;
    const uint64_t n = call->n, there = least(call->there, n);
    const uint64_t available = least(call->capacity, n);
    const unsigned char fill = call->fill == 1;
    struct bytes in = bytes_make(backend, call->seed + 10,
                                 bits_to_bytes(call->in_offset + available));
    struct bytes out =
        bytes_make(backend, call->seed + 20,
                   2 * GUARD + bits_to_bytes(n + call->out_offset));
    const winnow_in array = {
        .type = WINNOW_BIT, .d_base = in.d, .offset = call->in_offset};
    const winnow_out places = {.type = WINNOW_BIT,
                               .d_base = out.d + GUARD,
                               .offset = call->out_offset};
    uint64_t words[WORDS] = {0, 0, there}, *d_words, rank = 0;
    winnow_launch launch;
    bool ok;

    for (uint64_t i = 0; i < there; i++)
        if (!keep[i] && call->fill >= 0)
            set_bit(out.wanted + GUARD, call->out_offset + i, fill);
        else if (keep[i] && rank < available)
            set_bit(out.wanted + GUARD, call->out_offset + i,
                    bit_of(in.first, call->in_offset + rank++));
    d_words = backend_alloc(backend, sizeof(words));
    backend_upload(backend, d_words, words, sizeof(words));
    launch = launch_of(call, backend, d_words);
    launch.d_position = NULL;
    ok = is_done(backend,
                 winnow_expand(backend->context, selected->d_selection, &array,
                               call->capacity, n, call->fill < 0 ? NULL : &fill,
                               &places, &launch),
                 report) &&
         bytes_check(backend, &out, "expand", call, report) &&
         bytes_check(backend, &in, "an input", call, report);
    backend_free(backend, d_words);
    bytes_free(backend, &in);
    bytes_free(backend, &out);
    return ok;
}

bool bit_call_run(struct selected *selected, const struct bit_call *call,
                  const uint8_t *keep, struct report *report) {
    return (call->is_selected ||
            selected_make(selected, keep, call->n, report)) &&
           (call->way == BITS_SPLIT ? run_split(selected, call, keep, report)
            : call->way == BITS_EXPAND
                ? run_expand(selected, call, keep, report)
                : run_compact(selected, call, keep, report));
}

struct bit_call bit_call_random(uint64_t seed, uint64_t most) {
    static const uint64_t edges[] = {
        0,   1,    7,    8,    31,   32,   33,   63,   64,   65,   127,  128,
        129, 4063, 4064, 4095, 4096, 4097, 4127, 4160, 8191, 8193, 12289};
    uint64_t draw[12];
    struct bit_call call = {.there = BITS_ALL,
                            .position = BITS_ALL,
                            .capacity = BITS_ALL,
                            .rejected_capacity = BITS_ALL,
                            .seed = seed};

    for (unsigned i = 0; i < 12; i++)
        draw[i] = data_random(seed ^ 0x6269, i) >> 8;
    call.way = (enum bit_way)(draw[0] % BITS_WAYS);
    call.n = draw[1] % 2 ? draw[2] % (most + 1)
                         : edges[draw[2] % (sizeof(edges) / sizeof(edges[0]))];
    call.n = least(call.n, most);
    if (draw[3] % 3 == 0)
        call.there = draw[4] % (call.n + 2);
    call.in_offset = draw[5] % 71;
    call.out_offset = draw[6] % 71;
    if (draw[7] % 3 == 0)
        call.capacity = draw[8] % (call.n + 1);
    if (draw[7] % 5 == 0)
        call.rejected_capacity = draw[9] % (call.n + 1);
    if (call.way <= BITS_FLAGGED && draw[10] % 3 == 0)
        call.position = draw[11] % (call.n + 1);
    call.fill = (int)(draw[11] % 3) - 1;
    return call;
}
