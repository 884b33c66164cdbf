/*
 * Packs a column in place on the host, by all threads of the team.
 *
 * The selection has the place of each survivor, so no thread waits for another
 * one's count. But another thread may not have read yet what a thread
 * overwrites. The column is cut into pieces, which threads take in order. The
 * survivors of a piece go to at most two other pieces, which come before it. If
 * these have been read, the survivors go there at once. Otherwise they go to
 * the thread's buffer, and from there to their places when both pieces have
 * been read. A thread waits only after it has read its own piece, so one can
 * always go on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "columns.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* For fewer bytes it is not worth waking a second thread. */
    LEAST_BYTES_PER_THREAD = 1 << 20,
    /* Items of a piece, unless the buffer holds fewer. Reading a piece takes
     * about 10 microseconds. */
    MOST_ITEMS = 8192,
    /* How often a thread checks whether a piece was read before it assumes that
     * the piece's thread has no CPU: several times what reading takes. */
    LOOKS = 100000,
    LINE = 64, /* bytes of a cache line */
    WORD = 32  /* items of a word of the selection */
};

typedef struct shared {
    const winnow__selection *from;
    unsigned char *data;
    size_t bytes;      /* of an element */
    uint64_t capacity; /* elements that may be written */
    uint64_t words;    /* of the selection */
    uint64_t step;     /* words of the selection in a piece */
    winnow__turns turns;
    atomic_uchar *read; /* for each piece: was it read? */
} shared;

/* Words of a selection, from `word` on; their survivors have places from `rank` on. */
typedef struct part {
    uint64_t word, rank, number;
} part;

/* The number of survivors before a word, up to the capacity. */
static uint64_t rank_of(const shared *s, uint64_t word) {
    const uint64_t rank = winnow__host_rank(s->from, 32 * word);
    return rank < s->capacity ? rank : s->capacity;
}

static part part_of(const shared *s, uint64_t word, uint64_t end) {
    const uint64_t rank = rank_of(s, word);
    return (part){word, rank, rank_of(s, end) - rank};
}

static unsigned char *element(const shared *s, uint64_t i) {
    return s->data + i * s->bytes;
}

/* The number of consecutive words whose items are all kept. */
static uint64_t count_full(const uint32_t *keep, uint64_t most) {
    uint64_t words = 0;
    while (words < most && keep[words] == UINT32_MAX)
        words++;
    return words;
}

/* Move the survivors, in ascending order, to `to`. That is never after the
 * survivors' own places, so nothing is overwritten before it is read. */
static void pack(const shared *s, const part *p, unsigned char *to) {
    /* A copy: for the compiler, a byte that is written could be part of *s. */
    const size_t bytes = s->bytes;
    const uint32_t *const keep = s->from->keep;
    uint64_t left = p->number;
    for (uint64_t word = p->word; left != 0; word++) {
        uint32_t bits = keep[word];
        if (bits == 0)
            continue; /* fast, so that few survivors do not cost much */
        const unsigned char *const in = element(s, word * WORD);
        const uint64_t full = count_full(keep + word, left / WORD);
        if (full != 0) {
            if (to != in)
                memmove(to, in, full * WORD * bytes);
            to += full * WORD * bytes;
            left -= full * WORD;
            word += full - 1;
            continue;
        }
        for (; bits != 0 && left != 0; bits &= bits - 1, left--) {
            const unsigned i = (unsigned)__builtin_ctz(bits);
            if (to != in + i * bytes)
                winnow__copy_element(to, 0, in, i, bytes);
            to += bytes;
        }
    }
}

/* ------------------------------------------------------------- many threads */

static part piece_of(const shared *s, uint64_t piece) {
    const uint64_t word = piece * s->step;
    const uint64_t left = s->words - word;
    return part_of(s, word, left < s->step ? s->words : word + s->step);
}

/* An acquire: the piece is written after the other thread has read it. */
static bool is_read(const shared *s, uint64_t piece) {
    return atomic_load_explicit(&s->read[piece], memory_order_acquire) != 0;
}

/* Give way to the thread that reads the piece, which may need this CPU. */
static void wait_for(shared *s, uint64_t piece) {
    for (unsigned i = 0; !is_read(s, piece); i++)
        if (i > LOOKS)
            winnow__give_way(&s->turns);
}

/* The first earlier piece that was not read yet and that this piece's survivors
 * overwrite. If there is none, the result is `piece`. */
static uint64_t blocked_by(const shared *s, const part *p, uint64_t piece) {
    const uint64_t items = s->step * WORD;
    uint64_t other = p->rank / items;
    const uint64_t last = (p->rank + p->number - 1) / items;
    while (other <= last && other < piece && is_read(s, other))
        other++;
    return other <= last && other < piece ? other : piece;
}

static void pack_piece(shared *s, uint64_t piece, unsigned char *buffer) {
    const part p = piece_of(s, piece);
    unsigned char *const out = element(s, p.rank);
    const bool at_once = p.number == 0 || blocked_by(s, &p, piece) == piece;
    uint64_t other;
    pack(s, &p, at_once ? out : buffer);
    /* A release: this thread's reads of the piece come before the writes of
     * threads that acquire this. */
    atomic_store_explicit(&s->read[piece], 1, memory_order_release);
    if (at_once)
        return;
    while ((other = blocked_by(s, &p, piece)) != piece)
        wait_for(s, other);
    winnow__host_copy_bytes(out, buffer, p.number * s->bytes);
}

static void pack_pieces(void *argument, unsigned char *buffer) {
    shared *const s = argument;
    uint64_t piece;
    while (winnow__take_turn(&s->turns, &piece))
        pack_piece(s, piece, buffer);
}

/* The bytes to read: the words, and each survivor with its cache line, but at
 * most the whole column. */
static uint64_t bytes_to_read(const shared *s) {
    const uint64_t kept = rank_of(s, s->words) * (s->bytes + LINE);
    const uint64_t all = s->from->n * s->bytes;
    return s->from->n / 8 + (kept < all ? kept : all);
}

/* False: one thread has to do all the work. */
static bool pack_together(const winnow__host_task *task, shared *s) {
    const unsigned threads = winnow__team_threads(
        task->team, bytes_to_read(s) / LEAST_BYTES_PER_THREAD);
    if (threads < 2)
        return false;
    s->read = calloc(s->turns.pieces, sizeof *s->read);
    const bool done = s->read != NULL &&
                      winnow__team_run(task->team, threads, pack_pieces, s);
    free(s->read);
    return done;
}

void winnow__host_pack_in_place(const winnow__host_task *task,
                                const winnow__selection *from, void *data,
                                uint64_t capacity, size_t bytes) {
    const size_t items = WINNOW__HOST_CHUNK / bytes < MOST_ITEMS
                             ? WINNOW__HOST_CHUNK / bytes
                             : MOST_ITEMS;
    shared s = {.from = from,
                .data = data,
                .bytes = bytes,
                .capacity = capacity,
                .words = from->tiles * WINNOW__SELECTION_WORDS,
                .step = items / WORD};
    if (from->before[from->tiles] == from->n)
        return; /* every item is in its place already */
    s.turns = winnow__begin_turns((s.words + s.step - 1) / s.step);
    if (!pack_together(task, &s)) {
        const part all = part_of(&s, 0, s.words);
        pack(&s, &all, s.data);
    }
}
