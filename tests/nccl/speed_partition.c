/*
 * Items of a key and a value are partitioned by the rank that they belong to,
 * and exchanged, in pieces: the partition of a piece runs beside the exchange of
 * the one before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "speed.h"

#include <stdio.h>

/* Columns, in each of the three memories: keys, and behind them values. */
#define KEYS(MEMORY, AT) ((MEMORY) + (AT)*4)
#define VALUES(MEMORY, ALL, AT) ((MEMORY) + (ALL)*4 + (AT)*8)
#define OUT_ITEMS (SPEED_PIECES * SPEED_ROOM)

/* ------------------------------------------------------------------- items */

/* The value of item i of a rank is its name, and all else follows from that. */
static int part_of(uint64_t name, int ranks) {
    return (int)((speed_mix(name) & UINT32_MAX) * (uint64_t)ranks >> 32);
}

static uint32_t key_of(uint64_t name, int ranks) {
    return ((uint32_t)(speed_mix(name) >> 32) & ~7u) |
           (uint32_t)part_of(name, ranks);
}

typedef struct tally {
    uint64_t count, sum;
} tally;

/* Of what goes from a rank to another. */
static tally sent[RANKED_MOST][SPEED_PIECES][RANKED_MOST];

static void fill_chunk(const speed_rank *s, uint64_t at, uint64_t m) {
    uint32_t *const keys = (uint32_t *)(void *)s->staging;
    uint64_t *const values = (uint64_t *)(void *)s->staging;
    for (uint64_t i = 0; i < m; i++) {
        const uint64_t name = speed_name(s->rank, at + i);
        tally *const t =
            &sent[s->rank][(at + i) / SPEED_PIECE][part_of(name, s->ranks)];
        keys[i] = key_of(name, s->ranks);
        t->count++;
        t->sum += speed_mix(~name);
    }
    speed_put(s, KEYS(s->d_in, at), m * 4);
    for (uint64_t i = 0; i < m; i++)
        values[i] = speed_name(s->rank, at + i);
    speed_put(s, VALUES(s->d_in, SPEED_ITEMS, at), m * 8);
}

static void fill(const speed_rank *s) {
    const uint64_t m = SPEED_STAGING / 8;
    for (uint64_t at = 0; at < SPEED_ITEMS; at += m)
        fill_chunk(s, at, m);
}

/* ------------------------------------------------------------------- calls */

static void partition(const speed_rank *s, unsigned piece) {
    const uint64_t at = piece * SPEED_PIECE;
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = KEYS(s->d_in, at)};
    const winnow_move moves[2] = {{.d_in = KEYS(s->d_in, at),
                                   .d_out = KEYS(s->d_parts, at),
                                   .element_bytes = 4},
                                  {.d_in = VALUES(s->d_in, SPEED_ITEMS, at),
                                   .d_out = VALUES(s->d_parts, SPEED_ITEMS, at),
                                   .element_bytes = 8}};
    const winnow_digit digit = {.bits = s->ranks <= 2   ? 1
                                        : s->ranks <= 4 ? 2
                                                        : 3,
                                .parts = (uint32_t)s->ranks};
    const winnow_launch launch = {.size = sizeof launch,
                                  .stream = s->front,
                                  .d_workspace = s->d_workspace,
                                  .workspace_bytes = s->workspace_bytes};
    SPEED_WINNOW(
        winnow_partition_by_key(s->context, &keys, SPEED_PIECE, &digit, moves,
                                2, s->d_offsets + piece * SPEED_ROW, &launch));
}

/* Items of d_parts from `at` on, by a row of offsets. */
static void exchange(const speed_rank *s, winnow_nccl_way way, unsigned row,
                     uint64_t at, uint64_t to, uint64_t room) {
    unsigned char *const d_out = s->d_out[way];
    const winnow_move moves[2] = {{.d_in = KEYS(s->d_parts, at),
                                   .d_out = KEYS(d_out, to),
                                   .element_bytes = 4},
                                  {.d_in = VALUES(s->d_parts, SPEED_ITEMS, at),
                                   .d_out = VALUES(d_out, OUT_ITEMS, to),
                                   .element_bytes = 8}};
    const winnow_launch launch = {.size = sizeof launch, .stream = s->stream};
    SPEED_WINNOW(winnow_nccl_exchange(
        s->nccl[way], s->d_offsets + row * SPEED_ROW, moves, 2, room,
        s->d_from + row * SPEED_ROW, &launch));
}

static void exchange_piece(const speed_rank *s, winnow_nccl_way way,
                           unsigned piece) {
    exchange(s, way, piece, piece * SPEED_PIECE, piece * SPEED_ROOM,
             SPEED_ROOM);
}

/* `front` begins where `stream` is: what is overwritten has been sent. */
static void begin_front(const speed_rank *s) {
    SPEED_CUDA(cudaEventRecord(s->ready, s->stream));
    SPEED_CUDA(cudaStreamWaitEvent(s->front, s->ready, 0));
}

static void partition_then(const speed_rank *s, unsigned piece) {
    partition(s, piece);
    SPEED_CUDA(cudaEventRecord(s->done[piece], s->front));
}

static void call_overlapped(const speed_rank *s, const void *argument) {
    const winnow_nccl_way way = *(const winnow_nccl_way *)argument;
    begin_front(s);
    partition_then(s, 0);
    for (unsigned piece = 0; piece < SPEED_PIECES; piece++) {
        if (piece + 1 < SPEED_PIECES)
            partition_then(s, piece + 1);
        SPEED_CUDA(cudaStreamWaitEvent(s->stream, s->done[piece], 0));
        exchange_piece(s, way, piece);
    }
}

static void call_partitions(const speed_rank *s, const void *argument) {
    (void)argument;
    begin_front(s);
    for (unsigned piece = 0; piece < SPEED_PIECES; piece++)
        partition(s, piece);
    SPEED_CUDA(cudaEventRecord(s->done[0], s->front));
    SPEED_CUDA(cudaStreamWaitEvent(s->stream, s->done[0], 0));
}

static void call_pieces(const speed_rank *s, const void *argument) {
    for (unsigned piece = 0; piece < SPEED_PIECES; piece++)
        exchange_piece(s, *(const winnow_nccl_way *)argument, piece);
}

/* All items at once, in equal parts. */
static void call_whole(const speed_rank *s, const void *argument) {
    exchange(s, *(const winnow_nccl_way *)argument, SPEED_PIECES, 0, 0,
             OUT_ITEMS);
}

/* ------------------------------------------------------------------ checks */

/* Item i of a chunk, of a rank, is one of a piece that belongs to this rank. */
static bool is_right(const speed_rank *s, int from, unsigned piece,
                     uint64_t value, uint32_t key) {
    const uint64_t i = value & ((UINT64_C(1) << 56) - 1);
    return value == speed_name(from, i) && i / SPEED_PIECE == piece &&
           part_of(value, s->ranks) == s->rank &&
           key == key_of(value, s->ranks);
}

/* What came from a rank: `count` items, from `at` on in the output. */
static tally find(const speed_rank *s, winnow_nccl_way way, unsigned piece,
                  int from, uint64_t at, uint64_t count) {
    enum {
        MOST = 4 << 20 /* 12 bytes of each fit */
    };
    const uint64_t *const values = (const uint64_t *)(void *)s->staging;
    uint32_t *const keys = (uint32_t *)(void *)(s->staging + MOST * 8);
    tally t = {0, 0};
    for (uint64_t done = 0, m; done < count; done += m) {
        m = count - done < MOST ? count - done : MOST;
        SPEED_CUDA(cudaMemcpyAsync(keys, KEYS(s->d_out[way], at + done), m * 4,
                                   cudaMemcpyDeviceToHost, s->stream));
        speed_get(s, VALUES(s->d_out[way], OUT_ITEMS, at + done), m * 8);
        for (uint64_t i = 0; i < m; i++) {
            if (!is_right(s, from, piece, values[i], keys[i]))
                speed_stop("rank %d, piece %u: item %llu of rank %d is wrong",
                           s->rank, piece, (unsigned long long)(done + i),
                           from);
            t.count++;
            t.sum += speed_mix(~values[i]);
        }
    }
    return t;
}

static void check_piece(const speed_rank *s, winnow_nccl_way way,
                        unsigned piece) {
    uint64_t offsets[SPEED_ROW];
    uint64_t at = 0;
    speed_get_numbers(s, offsets, s->d_from + piece * SPEED_ROW, SPEED_ROW);
    for (int from = 0; from < s->ranks; from++) {
        const tally *const wanted = &sent[from][piece][s->rank];
        if (offsets[from] != at || offsets[from + 1] != at + wanted->count)
            speed_stop("rank %d, piece %u: what came from rank %d is at %llu "
                       "to %llu, not %llu to %llu",
                       s->rank, piece, from, (unsigned long long)offsets[from],
                       (unsigned long long)offsets[from + 1],
                       (unsigned long long)at,
                       (unsigned long long)(at + wanted->count));
        if (at + wanted->count > SPEED_ROOM)
            speed_stop("rank %d, piece %u: no room", s->rank, piece);
        const tally found =
            find(s, way, piece, from, piece * SPEED_ROOM + at, wanted->count);
        if (found.sum != wanted->sum)
            speed_stop("rank %d, piece %u: other items than expected", s->rank,
                       piece);
        at += wanted->count;
    }
}

static void clear(const speed_rank *s, winnow_nccl_way way) {
    const size_t row = SPEED_ROW * sizeof(uint64_t);
    SPEED_CUDA(cudaMemsetAsync(s->d_out[way], 0xff, OUT_ITEMS * 12, s->stream));
    SPEED_CUDA(
        cudaMemsetAsync(s->d_from, 0xff, (SPEED_PIECES + 1) * row, s->stream));
    speed_wait(s);
    speed_meet(s);
}

static void check_pieces(const speed_rank *s, winnow_nccl_way way,
                         void (*call)(const speed_rank *, const void *)) {
    clear(s, way);
    call(s, &way);
    speed_wait(s);
    speed_meet(s);
    speed_check_late(s);
    for (unsigned piece = 0; piece < SPEED_PIECES; piece++)
        check_piece(s, way, piece);
}

/* As many bytes as in the pieces, if not the same. */
static void check_whole(const speed_rank *s, winnow_nccl_way way) {
    uint64_t offsets[SPEED_ROW];
    clear(s, way);
    call_whole(s, &way);
    speed_wait(s);
    speed_meet(s);
    speed_check_late(s);
    speed_get_numbers(s, offsets, s->d_from + SPEED_PIECES * SPEED_ROW,
                      SPEED_ROW);
    for (int r = 0; r <= s->ranks; r++)
        if (offsets[r] != SPEED_ITEMS / (uint64_t)s->ranks * (uint64_t)r)
            speed_stop("rank %d: offset %d is %llu", s->rank, r,
                       (unsigned long long)offsets[r]);
}

/* ------------------------------------------------------------------- table */

static void measure(const speed_rank *s, winnow_nccl_way way) {
    enum {
        BATCH = 3,
        RUNS = 9
    };
    speed_case c[] = {{.call = call_partitions},
                      {.call = call_whole},
                      {.call = call_pieces},
                      {.call = call_overlapped}};
    for (int i = 0; i < 4; i++) {
        c[i].argument = &way;
        c[i].batch = BATCH;
    }
    speed_run(s, c, 4, RUNS);
    if (s->rank != 0)
        return;
    printf("%-8s %10.1f %10.1f %10.1f %10.1f %10.2f %10.2f\n",
           way == WINNOW_NCCL_PEER ? "PEER" : "EXACT", c[0].taken * 1e6,
           c[1].taken * 1e6, c[2].taken * 1e6, c[3].taken * 1e6,
           c[3].taken / c[1].taken, c[3].taken / c[2].taken);
    fflush(stdout);
}

void speed_partition(const speed_rank *s) {
    uint64_t offsets[RANKED_MOST + 1];
    speed_enter(s, "partition and exchange");
    fill(s);
    for (int r = 0; r <= s->ranks; r++)
        offsets[r] = SPEED_ITEMS / (uint64_t)s->ranks * (uint64_t)r;
    speed_put_numbers(s, s->d_offsets + SPEED_PIECES * SPEED_ROW, offsets,
                      (size_t)s->ranks + 1);
    call_partitions(s, NULL); /* loads the kernels, while nobody waits */
    speed_wait(s);
    speed_meet(s); /* and `sent` is whole */
    if (s->rank == 0)
        printf("\npartition and exchange of %llu items of 12 bytes a GPU, us: "
               "partition in %d\n"
               "pieces, exchange at once, in pieces, both overlapped, and "
               "that over either\n"
               "exchange: at most 1.25\n"
               "%-8s %10s %10s %10s %10s %10s %10s\n",
               (unsigned long long)SPEED_ITEMS, SPEED_PIECES, "", "partition",
               "exchange", "in pieces", "overlapped", "/ exchange", "/ pieces");
    for (int w = 0; w < SPEED_WAYS; w++) {
        const winnow_nccl_way way = (winnow_nccl_way)w;
        check_pieces(s, way, call_overlapped);
        check_pieces(s, way, call_pieces);
        check_whole(s, way);
        measure(s, way);
    }
}
