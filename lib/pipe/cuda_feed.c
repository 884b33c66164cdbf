/*
 * How fed items get into chunks: copied directly, staged in pinned memory,
 * copied by threads, or left in host memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda.h"

enum {
    /* Smaller pieces of pinned memory are staged by the host, together with others. */
    SMALL_BYTES = 64 << 10
};

/* How the inputs of a feed are copied. */
typedef struct feed_way {
    uint64_t staged; /* bit i: input i goes through the slot's memory */
    uint64_t direct; /* bit i: input i is copied from where it is, */
    uint64_t pinned; /* and that is pinned host memory */
    bool is_on_host; /* all inputs are in host memory */
    bool is_late;    /* a chunk has left some there */
} feed_way;

static winnow_status find_way(const winnow_pipe *pipe,
                              const winnow__source *source, feed_way *way_p) {
    *way_p = (feed_way){.is_on_host = true};
    for (unsigned i = 0; i < pipe->input_count; i++) {
        bool reached = false, on_host = true;
        if (source->inputs != NULL) {
            winnow_status status =
                winnow__pipe_look_at(source->inputs[i], &reached, &on_host);
            if (status != WINNOW_OK)
                return status;
        }
        *(reached ? &way_p->direct : &way_p->staged) |= UINT64_C(1) << i;
        if (reached && on_host)
            way_p->pinned |= UINT64_C(1) << i;
        way_p->is_on_host = way_p->is_on_host && on_host;
    }
    return WINNOW_OK;
}

static winnow_status copy_direct(winnow__pipe_on_device *own,
                                 winnow__pipe_slot *slot,
                                 const winnow__source *source, uint64_t inputs,
                                 uint64_t first, uint64_t n) {
    const winnow_pipe *const pipe = own->pipe;
    for (unsigned i = 0; i < pipe->input_count; i++) {
        const uint64_t bytes = pipe->inputs[i].element_bytes;
        if ((inputs >> i & 1) != 0)
            WINNOW__TRY(winnow__pipe_copy(
                (unsigned char *)slot->d_in[i] + slot->piece.n * bytes,
                (const unsigned char *)source->inputs[i] + first * bytes,
                n * bytes, own->in, "copying a chunk to the device"));
    }
    return WINNOW_OK;
}

/* Stage items, of all inputs, in a chunk's slot. They are copied together with what
 * follows. *got_p: as in winnow__source_read(). */
static winnow_status stage(winnow__pipe_on_device *own, winnow__pipe_slot *slot,
                           const winnow__source *source, uint64_t first,
                           uint64_t n, uint64_t *got_p) {
    winnow_pipe *const pipe = own->pipe;
    winnow__file_error *const error_p = &pipe->error;
    void *to[WINNOW_PIPE_MOST_INPUTS];
    WINNOW__TRY(winnow__pipe_make_staging(own, slot));
    for (unsigned i = 0; i < pipe->input_count; i++) {
        to[i] = (unsigned char *)slot->staged_in[i] +
                slot->piece.n * pipe->inputs[i].element_bytes;
        if (source->inputs != NULL)
            WINNOW__TRY(winnow__source_read_input(pipe, source, i, first, n,
                                                  to[i], error_p));
    }
    *got_p = n;
    if (source->inputs == NULL)
        WINNOW__TRY(
            winnow__source_read(pipe, source, first, n, to, got_p, error_p));
    slot->staged += *got_p;
    return WINNOW_OK;
}

/* Let threads copy the items of some inputs. */
static void put_load(winnow__pipe_on_device *own, winnow__pipe_slot *slot,
                     uint64_t inputs, uint64_t first, uint64_t n) {
    const winnow_pipe *const pipe = own->pipe;
    winnow__load load = {.first = first, .n = n, .inputs = inputs};
    if (inputs == 0)
        return;
    for (unsigned i = 0; i < pipe->input_count; i++)
        load.d_to[i] = (unsigned char *)slot->d_in[i] +
                       slot->piece.n * pipe->inputs[i].element_bytes;
    winnow__staging_put(own->staging, &load);
    slot->is_loaded = true;
}

/* The state of a feed. */
typedef struct feeding {
    winnow__pipe_on_device *own;
    const winnow__source *source;
    feed_way way;
    uint64_t first; /* the source's next item */
    bool at_end;    /* the source's end was not known */
} feeding;

/* Add n items to a chunk, each input in its way. */
static winnow_status fill(feeding *f, winnow__pipe_slot *slot, uint64_t n,
                          uint64_t *got_p) {
    winnow__pipe_on_device *const own = f->own;
    const winnow__source *const source = f->source;
    const bool small =
        f->way.is_on_host && n * own->pipe->item_bytes < SMALL_BYTES;
    uint64_t direct = f->way.direct & ~slot->late;
    uint64_t staged = f->way.staged & ~slot->late;
    if (source->in_order || (small && slot->late == 0))
        return stage(own, slot, source, f->first, n, got_p);
    *got_p = n;
    if (slot->staged != 0)
        WINNOW__TRY(winnow__pipe_copy_staged(own, slot));
    WINNOW__TRY(copy_direct(own, slot, source, direct, f->first, n));
    put_load(own, slot, staged, f->first, n);
    return WINNOW_OK;
}

/* winnow__pipe_advance() made sure that the next chunk's slot is not in use. A chunk
 * that is one piece of memory may leave inputs where they are. */
static void begin_chunk(feeding *f) {
    winnow__pipe_on_device *const own = f->own;
    const winnow__source *const source = f->source;
    const winnow_pipe *const pipe = own->pipe;
    winnow__pipe_slot *const slot = winnow__pipe_slot_of(own, own->begun++);
    slot->piece = (winnow__piece){.first = pipe->state.fed};
    slot->most = winnow__pipe_next_items(own, f->way.pinned);
    slot->staged = 0;
    slot->late = source->n - f->first >= pipe->chunk_items
                     ? winnow__pipe_late_inputs(own, f->way.pinned)
                     : 0;
    f->way.is_late = f->way.is_late || slot->late != 0;
    for (unsigned i = 0; i < pipe->input_count; i++)
        slot->chunk.in[i] = (slot->late >> i & 1) == 0
                                ? slot->d_in[i]
                                : (const unsigned char *)source->inputs[i] +
                                      f->first * pipe->inputs[i].element_bytes;
    winnow__source_announce(pipe, source, f->first + pipe->chunk_items,
                            2 * pipe->chunk_items);
}

static bool has_room(const winnow__pipe_slot *slot) {
    return slot != NULL && slot->piece.n < slot->most;
}

/* Is there a chunk with room for items? At most two are filled at a time, so that
 * threads can go on with the next one. */
static bool can_fill(const winnow__pipe_on_device *own) {
    return has_room(winnow__pipe_filling(own)) ||
           (own->begun - own->launched < own->ahead &&
            own->begun - own->delivered < own->slot_count);
}

static winnow_status fill_next(feeding *f) {
    winnow__pipe_on_device *const own = f->own;
    if (!has_room(winnow__pipe_filling(own)))
        begin_chunk(f);
    winnow__pipe_slot *const slot = winnow__pipe_filling(own);
    const uint64_t room = slot->most - slot->piece.n;
    const uint64_t left = f->source->n - f->first;
    const uint64_t n = left < room ? left : room;
    uint64_t got = 0;
    WINNOW__TRY(fill(f, slot, n, &got));
    slot->piece.n += got;
    own->pipe->state.fed += got;
    f->first += got;
    f->at_end = got < n;
    return WINNOW_OK;
}

/* Launch the first chunk that is not launched, if it is complete. */
static winnow_status launch_next(winnow__pipe_on_device *own) {
    winnow__pipe_slot *const slot = winnow__pipe_slot_of(own, own->launched);
    if (slot->is_loaded)
        WINNOW__TRY(winnow__staging_bring(own->staging));
    slot->is_loaded = false;
    if (has_room(slot))
        return WINNOW_OK;
    WINNOW__TRY(winnow__pipe_launch(own));
    return winnow__pipe_advance(own, 1, own->slot_count - own->ahead);
}

/* Take all items. The last chunk may stay incomplete. */
static winnow_status feed_items(void *argument) {
    feeding *const f = argument;
    winnow__pipe_on_device *const own = f->own;
    winnow_status status = WINNOW_OK;
    bool has_items = true;
    while (status == WINNOW_OK && has_items) {
        status = can_fill(own) ? fill_next(f) : launch_next(own);
        has_items = f->first < f->source->n && !f->at_end;
    }
    while (status == WINNOW_OK && winnow__pipe_filling(own) != NULL) {
        const bool is_last = has_room(winnow__pipe_slot_of(own, own->launched));
        status = launch_next(own);
        if (is_last)
            break;
    }
    return status;
}

winnow_status winnow__pipe_feed_source(winnow__pipe_on_device *own,
                                       const winnow__source *source) {
    const winnow_pipe *const pipe = own->pipe;
    feeding f = {.own = own, .source = source};
    WINNOW__TRY(find_way(pipe, source, &f.way));
    const uint64_t most =
        source->n < pipe->chunk_items ? source->n : pipe->chunk_items;
    const bool by_threads =
        f.way.staged != 0 && !source->in_order &&
        (f.way.direct != 0 || most * pipe->item_bytes >= SMALL_BYTES);
    own->ahead = by_threads && own->slot_count > 3 ? 2 : 1;
    WINNOW__TRY(by_threads
                    ? winnow__staging_run(own->staging, source, feed_items, &f)
                    : feed_items(&f));
    if ((pipe->options.flags & WINNOW_PIPE_ASYNCHRONOUS) != 0)
        return WINNOW_OK;
    if (f.way.direct != 0)
        WINNOW__TRY(winnow__cuda_status(cudaStreamSynchronize(own->in),
                                        "waiting until the input is copied"));
    if (f.way.is_late)
        WINNOW__TRY(winnow__cuda_status(cudaStreamSynchronize(own->work),
                                        "waiting until the input is filtered"));
    return WINNOW_OK;
}

/* Memory is registered while a piece of it is copied and filtered. */
winnow_status winnow__pipe_feed_registered(winnow__pipe_on_device *own,
                                           const winnow__source *source) {
    const winnow_pipe *const pipe = own->pipe;
    const uint64_t most = winnow__registered_items(pipe);
    winnow_status status = WINNOW_OK;
    for (uint64_t first = 0; first < source->n && status == WINNOW_OK;
         first += most) {
        const uint64_t left = source->n - first;
        const void *inputs[WINNOW_PIPE_MOST_INPUTS];
        winnow__registered registered;
        for (unsigned i = 0; i < pipe->input_count; i++)
            inputs[i] = (const unsigned char *)source->inputs[i] +
                        first * pipe->inputs[i].element_bytes;
        const winnow__source piece = {.inputs = inputs,
                                      .n = left < most ? left : most};
        status = winnow__register(pipe, inputs, piece.n, &registered);
        if (status != WINNOW_OK)
            break;
        status = winnow__pipe_feed_source(own, &piece);
        winnow__pipe_drain(own);
        const winnow_status last = winnow__unregister(pipe, &registered);
        status = status == WINNOW_OK ? last : status;
    }
    return status;
}
