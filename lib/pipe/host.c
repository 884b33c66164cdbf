/*
 * A pipe on the host. Threads take pieces in order. A thread reads its piece, filters
 * it into memory of its own that fits in the caches, and waits for the piece's turn,
 * which tells where its output begins. Streams and functions are written during the
 * turn. Memory and files are written after it, by all threads at the same time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "chunk.h"
#include "sink.h"

#include "core/round.h"
#include "core/status.h"
#include "host/task.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* The memory of a thread. */
typedef struct host_lane {
    winnow__chunk chunk;
    void *memory;                        /* for all members below but count */
    void *read[WINNOW_PIPE_MOST_INPUTS]; /* where inputs of files are read */
    uint64_t count;
} host_lane;

enum {
    MOST_PIECES = 256,     /* of a part */
    MOST_CACHED = 16 << 20 /* of an output, in bytes */
};

/* A piece that is written while an earlier one is not. */
typedef struct host_written {
    bool is;
    uint64_t n, kept;
} host_written;

typedef struct host {
    host_lane *lanes[WINNOW__MOST_THREADS];

    pthread_mutex_t reading; /* for a source that is read in order */
    pthread_mutex_t lock;    /* for all members below, and the pipe's state */
    /* Signals the turn of piece i at i % WINNOW__MOST_THREADS, so that only one thread
     * wakes. */
    pthread_cond_t turned[WINNOW__MOST_THREADS];
    unsigned taken; /* lanes */

    /* A feed, or a part of it. Pieces are numbered from 0. */
    winnow_pipe *pipe;
    const winnow__source *source;
    uint64_t start;      /* of the source: its item that piece 0 begins at */
    uint64_t base;       /* the number of that item among all, */
    uint64_t before;     /* and how many were kept before */
    uint64_t pieces;     /* there may be fewer, */
    uint64_t items;      /* and these items; WINNOW_NO_LIMIT: unknown */
    uint64_t next, turn; /* piece to take; whose turn it is */
    uint64_t done;       /* pieces that are written, as all before them */
    bool at_end;         /* of a source with an end that is not known */
    winnow_status status;
    winnow__file_error error;
    char detail[512];
    host_written written[MOST_PIECES]; /* by number */
} host;

/* -------------------------------------------------------------------- lanes */

static uint64_t room(uint64_t bytes) {
    return winnow__round_up(bytes, 64) + 64;
}

static uint64_t lane_bytes(const winnow_pipe *pipe) {
    uint64_t bytes = room(pipe->selection_bytes);
    for (unsigned i = 0; i < pipe->input_count; i++)
        bytes += room(pipe->chunk_items * pipe->inputs[i].element_bytes);
    for (unsigned o = 0; o < pipe->output_count; o++)
        bytes += room(pipe->chunk_items * winnow__pipe_output_bytes(pipe, o));
    return bytes;
}

static void lay_out(const winnow_pipe *pipe, host_lane *lane) {
    unsigned char *at = lane->memory;
    lane->chunk.selection = at;
    at += room(pipe->selection_bytes);
    for (unsigned i = 0; i < pipe->input_count; i++) {
        lane->read[i] = at;
        at += room(pipe->chunk_items * pipe->inputs[i].element_bytes);
    }
    for (unsigned o = 0; o < pipe->output_count; o++) {
        lane->chunk.out[o] = at;
        at += room(pipe->chunk_items * winnow__pipe_output_bytes(pipe, o));
    }
    lane->chunk.count = &lane->count;
}

static void free_lane(host_lane *lane) {
    if (lane == NULL)
        return;
    winnow__chunk_destroy(&lane->chunk);
    free(lane->memory);
    free(lane);
}

static host_lane *make_lane(const winnow_pipe *pipe) {
    host_lane *const made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->memory = aligned_alloc(64, lane_bytes(pipe));
    if (made->memory == NULL || !winnow__chunk_create(pipe, &made->chunk)) {
        free_lane(made);
        return NULL;
    }
    lay_out(pipe, made);
    return made;
}

/* A lane for this thread, for one run. */
static host_lane *take_lane(host *own) {
    pthread_mutex_lock(&own->lock);
    const unsigned number = own->taken++;
    pthread_mutex_unlock(&own->lock);
    if (own->lanes[number] == NULL)
        own->lanes[number] = make_lane(own->pipe);
    return own->lanes[number];
}

/* ------------------------------------------------------------------- pieces */

static pthread_cond_t *turned(host *own, uint64_t number) {
    return &own->turned[number % WINNOW__MOST_THREADS];
}

/* The detail is of the failing thread. The caller's thread gets it later. */
static void fail(host *own, winnow_status status, winnow__file_error error) {
    pthread_mutex_lock(&own->lock);
    if (own->status == WINNOW_OK) {
        own->status = status;
        own->error = error;
        snprintf(own->detail, sizeof own->detail, "%s", winnow_last_error());
    }
    for (unsigned i = 0; i < WINNOW__MOST_THREADS; i++)
        pthread_cond_broadcast(&own->turned[i]);
    pthread_mutex_unlock(&own->lock);
}

/* Take the next piece. False: there is none. */
static bool take_piece(host *own, uint64_t *number_p) {
    pthread_mutex_lock(&own->lock);
    const bool there =
        own->status == WINNOW_OK && !own->at_end && own->next < own->pieces;
    if (there)
        *number_p = own->next++;
    pthread_mutex_unlock(&own->lock);
    return there;
}

/* The number of items in a piece. */
static uint64_t items_of(const host *own, uint64_t number) {
    const uint64_t first = number * own->pipe->chunk_items;
    const uint64_t left = own->items - first;
    return left < own->pipe->chunk_items ? left : own->pipe->chunk_items;
}

static void count_fed(host *own, uint64_t n, bool at_end) {
    pthread_mutex_lock(&own->lock);
    own->pipe->state.fed += n;
    own->at_end = own->at_end || at_end;
    pthread_mutex_unlock(&own->lock);
}

static bool read_piece(host *own, host_lane *lane, winnow__piece *piece) {
    const winnow_pipe *const pipe = own->pipe;
    const uint64_t wanted = piece->n;
    winnow__file_error error = {0};
    winnow_status status = winnow__source_read(
        pipe, own->source, own->start + piece->first - own->base, wanted,
        lane->read, &piece->n, &error);
    if (status != WINNOW_OK) {
        fail(own, status, error);
        return false;
    }
    for (unsigned i = 0; i < pipe->input_count; i++)
        lane->chunk.in[i] = lane->read[i];
    count_fed(own, piece->n, piece->n < wanted);
    return true;
}

static void find_piece(host *own, host_lane *lane, const winnow__piece *piece) {
    const winnow_pipe *const pipe = own->pipe;
    const uint64_t first = own->start + piece->first - own->base;
    for (unsigned i = 0; i < pipe->input_count; i++)
        lane->chunk.in[i] = (const unsigned char *)own->source->inputs[i] +
                            first * pipe->inputs[i].element_bytes;
    count_fed(own, piece->n, false);
}

/* Take a piece and get its items. False: there is none, or an error. */
static bool get_piece(host *own, host_lane *lane, uint64_t *number_p,
                      winnow__piece *piece) {
    const bool in_order = own->source->in_order;
    if (in_order)
        pthread_mutex_lock(&own->reading);
    bool got = take_piece(own, number_p);
    if (got) {
        *piece = (winnow__piece){.first = own->base +
                                          *number_p * own->pipe->chunk_items,
                                 .n = items_of(own, *number_p)};
        if (own->source->inputs != NULL)
            find_piece(own, lane, piece);
        else
            got = read_piece(own, lane, piece);
    }
    if (in_order)
        pthread_mutex_unlock(&own->reading);
    return got;
}

static winnow_status filter(host *own, host_lane *lane, winnow__piece *piece) {
    const winnow_pipe *const pipe = own->pipe;
    if (piece->n == 0)
        return WINNOW_OK;
    WINNOW__TRY(winnow__chunk_filter(pipe, &lane->chunk, piece->n, NULL));
    piece->kept = lane->count;
    for (unsigned o = 0; o < pipe->output_count; o++)
        if (pipe->outputs[o].kind == WINNOW_PIPE_INDICES)
            winnow__sink_shift(lane->chunk.out[o], piece->kept, piece->first);
    return WINNOW_OK;
}

/* Wait for a piece's turn, and learn what is kept before it. */
static bool wait_for_turn(host *own, uint64_t number, winnow__piece *piece) {
    pthread_mutex_lock(&own->lock);
    while (own->status == WINNOW_OK && own->turn != number)
        pthread_cond_wait(turned(own, number), &own->lock);
    const bool is = own->status == WINNOW_OK;
    piece->before = own->before;
    pthread_mutex_unlock(&own->lock);
    return is;
}

static void end_turn(host *own, const winnow__piece *piece) {
    pthread_mutex_lock(&own->lock);
    own->before += piece->kept;
    own->turn++;
    pthread_cond_broadcast(turned(own, own->turn));
    pthread_mutex_unlock(&own->lock);
}

/* A large output is stored past the caches: it would evict what they hold. */
static void put(const winnow_context *context, void *output, uint64_t offset,
                const void *from, uint64_t bytes) {
    unsigned char *const to = (unsigned char *)output + offset;
    if (offset > MOST_CACHED)
        winnow__host_stream(winnow__host_loops_of(context), to, from, bytes);
    else
        winnow__host_copy_bytes(to, from, bytes);
}

/* Write the outputs that are written in order, or all others. */
static winnow_status write_outputs(host *own, host_lane *lane,
                                   const winnow__piece *piece, bool in_order,
                                   winnow__file_error *error_p) {
    const winnow_pipe *const pipe = own->pipe;
    for (unsigned o = 0; o < pipe->output_count; o++) {
        const winnow_pipe_output *const output = &pipe->outputs[o];
        const size_t bytes = winnow__pipe_output_bytes(pipe, o);
        if (winnow__sink_is_in_order(output) != in_order)
            continue;
        if (output->target != WINNOW_PIPE_TO_MEMORY)
            WINNOW__TRY(winnow__sink_write(pipe, o, piece, lane->chunk.out[o],
                                           error_p));
        else if (winnow__sink_room(output, piece) != 0)
            put(pipe->context, output->memory,
                winnow__sink_start(output, piece) * bytes, lane->chunk.out[o],
                winnow__sink_room(output, piece) * bytes);
    }
    return WINNOW_OK;
}

static void end_piece(host *own, uint64_t number, const winnow__piece *piece) {
    winnow_pipe_state *const state = &own->pipe->state;
    pthread_mutex_lock(&own->lock);
    own->written[number] =
        (host_written){.is = true, .n = piece->n, .kept = piece->kept};
    while (own->done < own->pieces && own->written[own->done].is) {
        host_written *const first = &own->written[own->done++];
        state->items += first->n;
        state->kept += first->kept;
        first->is = false;
    }
    pthread_mutex_unlock(&own->lock);
}

static bool do_piece(host *own, host_lane *lane) {
    const bool in_order = own->pipe->writes_in_order;
    winnow__piece piece;
    uint64_t number;
    winnow__file_error error = {0};
    if (!get_piece(own, lane, &number, &piece))
        return false;
    winnow_status status = filter(own, lane, &piece);
    if (status == WINNOW_OK && !wait_for_turn(own, number, &piece))
        return false;
    if (status == WINNOW_OK && in_order)
        status = write_outputs(own, lane, &piece, true, &error);
    if (status == WINNOW_OK) {
        end_turn(own, &piece);
        status = write_outputs(own, lane, &piece, false, &error);
    }
    if (status == WINNOW_OK)
        end_piece(own, number, &piece);
    else
        fail(own, status, error);
    return status == WINNOW_OK;
}

static void work(void *argument, unsigned char *buffer) {
    host *const own = argument;
    host_lane *const lane = take_lane(own);
    (void)buffer;
    if (lane == NULL) /* other threads may have one */
        return;
    while (do_piece(own, lane))
        ;
}

/* -------------------------------------------------------------------- feeds */

static void run(host *own) {
    const winnow_pipe *const pipe = own->pipe;
    winnow__team *const team = winnow__host_team(pipe->context);
    unsigned threads = winnow__team_threads(team, own->pieces);
    if (pipe->options.threads != 0 && threads > pipe->options.threads)
        threads = pipe->options.threads;
    winnow__team_work(team, threads, work, own, NULL);
}

/* Filter items of a source, from `start` on. */
static void filter_items(host *own, const winnow__source *source,
                         uint64_t start, uint64_t items) {
    own->source = source;
    own->start = start;
    own->base = own->pipe->state.fed;
    own->before = own->pipe->state.kept;
    own->pieces = (items - 1) / own->pipe->chunk_items + 1;
    own->items = items;
    own->taken = 0;
    own->next = own->turn = own->done = 0;
    run(own);
}

/* The same for files that are mapped. False: they cannot be mapped. */
static bool filter_mapped(host *own, const winnow__source *source,
                          uint64_t start, uint64_t items) {
    winnow__mapping mapping;
    const winnow__source mapped = {.inputs = mapping.inputs, .n = items};
    if ((own->pipe->options.flags & WINNOW_PIPE_MAP) == 0 ||
        !winnow__map(own->pipe, source, start, items, &mapping))
        return false;
    filter_items(own, &mapped, 0, items);
    winnow__unmap(own->pipe, &mapping);
    return true;
}

/* Filter a part of a feed, and then call the caller's function. */
static winnow_status feed_part(winnow_pipe *pipe, const winnow__source *source,
                               uint64_t start, uint64_t items) {
    host *const own = pipe->own;
    if (!filter_mapped(own, source, start, items))
        filter_items(own, source, start, items);
    if (own->status == WINNOW_OK && !own->at_end && own->next < own->pieces)
        return winnow__fail(WINNOW_ERR_MEMORY,
                            "no host memory for a chunk of %llu bytes",
                            (unsigned long long)lane_bytes(pipe));
    pipe->error = own->error;
    if (own->status != WINNOW_OK)
        return winnow__fail(own->status, "%s", own->detail);
    return winnow__pipe_progress(pipe);
}

static winnow_status feed(winnow_pipe *pipe, winnow__source *source) {
    const uint64_t part_bytes = UINT64_C(64) << 20;
    host *const own = pipe->own;
    const uint64_t chunk_bytes = pipe->chunk_items * pipe->item_bytes;
    const uint64_t wanted =
        chunk_bytes < part_bytes ? part_bytes / chunk_bytes : 1;
    const uint64_t pieces = wanted < MOST_PIECES ? wanted : MOST_PIECES;
    const uint64_t most = pieces * pipe->chunk_items;
    own->at_end = false;
    for (uint64_t first = 0; first < source->n && !own->at_end;) {
        const uint64_t left = source->n - first;
        const uint64_t items = left < most ? left : most;
        if (first == 0)
            winnow__source_announce(pipe, source, 0, items);
        winnow__source_announce(pipe, source, first + items, most);
        WINNOW__TRY(feed_part(pipe, source, first, items));
        first += items;
    }
    return WINNOW_OK;
}

static winnow_status finish(winnow_pipe *pipe) {
    (void)pipe; /* all is written */
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- its life */

static winnow_status create(winnow_pipe *pipe) {
    host *const own = calloc(1, sizeof *own);
    if (own == NULL)
        return winnow__no_memory("a pipe");
    own->pipe = pipe;
    pthread_mutex_init(&own->reading, NULL);
    pthread_mutex_init(&own->lock, NULL);
    for (unsigned i = 0; i < WINNOW__MOST_THREADS; i++)
        pthread_cond_init(&own->turned[i], NULL);
    pipe->own = own;
    return WINNOW_OK;
}

static void destroy(winnow_pipe *pipe) {
    host *const own = pipe->own;
    for (unsigned i = 0; i < WINNOW__MOST_THREADS; i++)
        free_lane(own->lanes[i]);
    for (unsigned i = 0; i < WINNOW__MOST_THREADS; i++)
        pthread_cond_destroy(&own->turned[i]);
    pthread_mutex_destroy(&own->lock);
    pthread_mutex_destroy(&own->reading);
    free(own);
}

const winnow__pipe_backend winnow__host_pipe = {
    .create = create, .feed = feed, .finish = finish, .destroy = destroy};
