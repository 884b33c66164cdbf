/*
 * A pipe on a CUDA device. A chunk goes through three streams: it is copied in,
 * filtered, and copied out. How much is copied out is known when it has been
 * filtered; the host looks at that while the next chunk is copied in, so that
 * no copy waits for the host.
 *
 *     stream in     copy k + 1 | copy k + 2
 *     stream work   filter k   | filter k + 1
 *     stream out    copy k - 1 | copy k
 *
 * What orders them:
 *   - the filter waits, on the device, for `copied` of its chunk;
 *   - the host waits for `filtered` before it reads the count, which the
 *     kernels have written to pinned memory, and enqueues the copy out;
 *   - the host waits for `drained` before it writes what was copied out. A slot
 *     is filled again behind that, so that its memory is in use by nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "cuda.h"
#include "register.h"

#include "core/status.h"

#include <stdlib.h>
#include <string.h>

enum {
    USUAL_SLOTS = 4,
    /* A smaller piece of pinned memory is copied by the host, together with
     * others. */
    SMALL_BYTES = 64 << 10
};

static winnow__pipe_slot *slot_of(const winnow__pipe_on_device *own,
                                  uint64_t number) {
    return &own->slots[number % own->slot_count];
}

/* ------------------------------------------------------------ the way through */

static winnow_status copy(void *to, const void *from, uint64_t bytes,
                          cudaStream_t stream, const char *what) {
    return bytes == 0
               ? WINNOW_OK
               : winnow__cuda_status(cudaMemcpyAsync(to, from, bytes,
                                                     cudaMemcpyDefault, stream),
                                     what);
}

/* Copy what is staged: the last items of the slot. */
static winnow_status copy_staged(winnow__pipe_on_device *own,
                                 winnow__pipe_slot *slot) {
    const winnow_pipe *const pipe = own->pipe;
    const uint64_t first = slot->piece.n - slot->staged;
    winnow_status status = WINNOW_OK;
    for (unsigned i = 0; i < pipe->input_count && status == WINNOW_OK; i++) {
        const uint64_t bytes = pipe->inputs[i].element_bytes;
        if (slot->staged_in[i] != NULL)
            status = copy((unsigned char *)slot->d_in[i] + first * bytes,
                          (unsigned char *)slot->staged_in[i] + first * bytes,
                          slot->staged * bytes, own->in,
                          "copying a chunk to the device");
    }
    slot->staged = 0;
    return status;
}

/* The chunk is complete. */
static winnow_status launch(winnow__pipe_on_device *own) {
    winnow__pipe_slot *const slot = slot_of(own, own->launched);
    winnow_status status = copy_staged(own, slot);
    if (status == WINNOW_OK)
        status = winnow__cuda_status(cudaEventRecord(slot->copied, own->in),
                                     "recording that a chunk is copied");
    if (status == WINNOW_OK)
        status =
            winnow__cuda_status(cudaStreamWaitEvent(own->work, slot->copied, 0),
                                "waiting for a chunk's copy");
    if (status == WINNOW_OK)
        status = winnow__chunk_filter(own->pipe, &slot->chunk, slot->piece.n,
                                      own->work);
    if (status == WINNOW_OK)
        status = winnow__cuda_status(cudaEventRecord(slot->filtered, own->work),
                                     "recording that a chunk is filtered");
    own->launched++;
    return status;
}

static winnow_status copy_output(winnow__pipe_on_device *own,
                                 const winnow__pipe_slot *slot, unsigned o) {
    const winnow_pipe_output *const output = &own->pipe->outputs[o];
    const winnow__piece *const piece = &slot->piece;
    const size_t bytes = winnow__pipe_output_bytes(own->pipe, o);
    const uint64_t count = output->target == WINNOW_PIPE_TO_MEMORY
                               ? winnow__sink_room(output, piece)
                               : winnow__sink_count(output, piece);
    void *const to = own->drains[o]
                         ? slot->drained_out[o]
                         : (unsigned char *)output->memory +
                               winnow__sink_start(output, piece) * bytes;
    return count == 0 ? WINNOW_OK
                      : copy(to, slot->chunk.out[o], count * bytes, own->out,
                             "copying what is kept of a chunk");
}

/* Learn the count of the next chunk, and have what it keeps copied out. */
static winnow_status settle(winnow__pipe_on_device *own) {
    winnow__pipe_slot *const slot = slot_of(own, own->settled);
    winnow_status status =
        winnow__cuda_status(cudaEventSynchronize(slot->filtered),
                            "waiting until a chunk is filtered");
    if (status != WINNOW_OK)
        return status;
    slot->piece.before = own->kept;
    slot->piece.kept = *slot->chunk.count;
    own->kept += slot->piece.kept;
    own->items += slot->piece.n;
    for (unsigned o = 0; o < own->pipe->output_count && status == WINNOW_OK;
         o++)
        status = copy_output(own, slot, o);
    if (status == WINNOW_OK)
        status = winnow__cuda_status(cudaEventRecord(slot->drained, own->out),
                                     "recording that a chunk is copied out");
    own->settled++;
    return status;
}

static winnow_status write_output(winnow__pipe_on_device *own,
                                  winnow__pipe_slot *slot, unsigned o) {
    const winnow_pipe_output *const output = &own->pipe->outputs[o];
    const winnow__piece *const piece = &slot->piece;
    const size_t bytes = winnow__pipe_output_bytes(own->pipe, o);
    void *const from = slot->drained_out[o];
    const bool to_memory = output->target == WINNOW_PIPE_TO_MEMORY;
    const uint64_t count = to_memory ? winnow__sink_room(output, piece)
                                     : winnow__sink_count(output, piece);
    if (output->kind == WINNOW_PIPE_INDICES)
        winnow__sink_shift(from, count, piece->first);
    if (!to_memory)
        return winnow__sink_write(own->pipe, o, piece, from,
                                  &own->pipe->state.error_number);
    if (count != 0)
        winnow__workers_copy(own->workers,
                             (unsigned char *)output->memory +
                                 winnow__sink_start(output, piece) * bytes,
                             from, count * bytes);
    return WINNOW_OK;
}

/* Write what the next chunk keeps. */
static winnow_status deliver(winnow__pipe_on_device *own) {
    winnow_pipe *const pipe = own->pipe;
    winnow__pipe_slot *const slot = slot_of(own, own->delivered);
    winnow_status status =
        winnow__cuda_status(cudaEventSynchronize(slot->drained),
                            "waiting until a chunk is copied out");
    for (unsigned o = 0; o < pipe->output_count && status == WINNOW_OK; o++)
        if (own->drains[o])
            status = write_output(own, slot, o);
    if (status != WINNOW_OK)
        return status;
    pipe->state.items += slot->piece.n;
    pipe->state.kept += slot->piece.kept;
    own->delivered++;
    return winnow__pipe_progress(pipe);
}

/* Bring chunks on their way, all that are `counted` or more chunks old to be
 * copied out, and all that are `old` or more to be written. */
static winnow_status advance(winnow__pipe_on_device *own, uint64_t counted,
                             uint64_t old) {
    winnow_status status = WINNOW_OK;
    while (status == WINNOW_OK && own->launched - own->settled > counted)
        status = settle(own);
    while (status == WINNOW_OK && own->launched - own->delivered > old)
        status = deliver(own);
    return status;
}

/* ------------------------------------------------------------------- filling */

/* Is it memory that the device reaches? *on_host_p: and the host, too. */
static winnow_status look_at(const void *memory, bool *reached_p,
                             bool *on_host_p) {
    struct cudaPointerAttributes about;
    winnow_status status =
        winnow__cuda_status(cudaPointerGetAttributes(&about, memory),
                            "asking what memory an address is of");
    if (status != WINNOW_OK)
        return status;
    *reached_p = about.type != cudaMemoryTypeUnregistered;
    *on_host_p = about.type == cudaMemoryTypeUnregistered ||
                 about.type == cudaMemoryTypeHost;
    return WINNOW_OK;
}

/* How the inputs of a feed are copied. */
typedef struct feed_way {
    uint64_t staged; /* bit i: input i goes through memory of the slot's */
    uint64_t direct; /* bit i: it is copied from where it is, */
    uint64_t pinned; /* and that is pinned memory of the host's */
    bool is_on_host; /* all are in memory of the host's */
    bool is_late;    /* a chunk has left some there */
} feed_way;

static winnow_status find_way(const winnow_pipe *pipe,
                              const winnow__source *source, feed_way *way_p) {
    *way_p = (feed_way){.is_on_host = true};
    for (unsigned i = 0; i < pipe->input_count; i++) {
        bool reached = false, on_host = true;
        if (source->inputs != NULL) {
            winnow_status status =
                look_at(source->inputs[i], &reached, &on_host);
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
    winnow_status status = WINNOW_OK;
    for (unsigned i = 0; i < pipe->input_count && status == WINNOW_OK; i++) {
        const uint64_t bytes = pipe->inputs[i].element_bytes;
        if ((inputs >> i & 1) != 0)
            status =
                copy((unsigned char *)slot->d_in[i] + slot->piece.n * bytes,
                     (const unsigned char *)source->inputs[i] + first * bytes,
                     n * bytes, own->in, "copying a chunk to the device");
    }
    return status;
}

/* Add items to what is staged of a chunk, all inputs of them: it is copied with
 * what comes next. *got_p as winnow__source_read(). */
static winnow_status stage(winnow__pipe_on_device *own, winnow__pipe_slot *slot,
                           const winnow__source *source, uint64_t first,
                           uint64_t n, uint64_t *got_p) {
    winnow_pipe *const pipe = own->pipe;
    int *const error_number_p = &pipe->state.error_number;
    void *to[WINNOW_PIPE_MOST_INPUTS];
    winnow_status status = winnow__pipe_make_staging(own, slot);
    for (unsigned i = 0; i < pipe->input_count && status == WINNOW_OK; i++) {
        to[i] = (unsigned char *)slot->staged_in[i] +
                slot->piece.n * pipe->inputs[i].element_bytes;
        if (source->inputs != NULL)
            status = winnow__source_read_input(pipe, source, i, first, n, to[i],
                                               error_number_p);
    }
    *got_p = n;
    if (status == WINNOW_OK && source->inputs == NULL)
        status = winnow__source_read(pipe, source, first, n, to, got_p,
                                     error_number_p);
    if (status == WINNOW_OK)
        slot->staged += *got_p;
    return status;
}

/* Have the items of some inputs brought by threads. */
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

/* What feeds have in common. */
typedef struct feeding {
    winnow__pipe_on_device *own;
    const winnow__source *source;
    feed_way way;
    uint64_t first; /* item of the source, the next to come to a chunk */
    bool at_end;    /* of a source with an end that was not known */
} feeding;

/* Add n items to a chunk, each input by its way. */
static winnow_status fill(feeding *f, winnow__pipe_slot *slot, uint64_t n,
                          uint64_t *got_p) {
    winnow__pipe_on_device *const own = f->own;
    const winnow__source *const source = f->source;
    const bool small =
        f->way.is_on_host && n * own->pipe->item_bytes < SMALL_BYTES;
    uint64_t direct = f->way.direct & ~slot->late;
    uint64_t staged = f->way.staged & ~slot->late;
    winnow_status status = WINNOW_OK;
    if (source->in_order || (small && slot->late == 0))
        return stage(own, slot, source, f->first, n, got_p);
    *got_p = n;
    if (slot->staged != 0)
        status = copy_staged(own, slot);
    if (status == WINNOW_OK)
        status = copy_direct(own, slot, source, direct, f->first, n);
    if (status == WINNOW_OK)
        put_load(own, slot, staged, f->first, n);
    return status;
}

/* The next chunk's slot is one that nothing uses: advance() has seen to it. A
 * chunk that is one piece of memory may leave inputs where they are. */
static void begin_chunk(feeding *f) {
    winnow__pipe_on_device *const own = f->own;
    const winnow__source *const source = f->source;
    const winnow_pipe *const pipe = own->pipe;
    winnow__pipe_slot *const slot = slot_of(own, own->begun++);
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

/* The chunk that was begun last; NULL: it is launched. */
static winnow__pipe_slot *filling(const winnow__pipe_on_device *own) {
    return own->begun == own->launched ? NULL : slot_of(own, own->begun - 1);
}

/* Until nothing is in use. */
static void drain(winnow__pipe_on_device *own) {
    if (own->in != NULL)
        cudaStreamSynchronize(own->in);
    if (own->work != NULL)
        cudaStreamSynchronize(own->work);
    if (own->out != NULL)
        cudaStreamSynchronize(own->out);
}

static bool has_room(const winnow__pipe_slot *slot) {
    return slot != NULL && slot->piece.n < slot->most;
}

/* Is there a chunk that items can come to? Two at most are filled at a time, so
 * that threads can go on with the next. */
static bool can_fill(const winnow__pipe_on_device *own) {
    return has_room(filling(own)) ||
           (own->begun - own->launched < own->ahead &&
            own->begun - own->delivered < own->slot_count);
}

static winnow_status fill_next(feeding *f) {
    winnow__pipe_on_device *const own = f->own;
    if (!has_room(filling(own)))
        begin_chunk(f);
    winnow__pipe_slot *const slot = filling(own);
    const uint64_t room = slot->most - slot->piece.n;
    const uint64_t left = f->source->n - f->first;
    const uint64_t n = left < room ? left : room;
    uint64_t got = 0;
    winnow_status status = fill(f, slot, n, &got);
    if (status != WINNOW_OK)
        return status;
    slot->piece.n += got;
    own->pipe->state.fed += got;
    f->first += got;
    f->at_end = got < n;
    return WINNOW_OK;
}

/* Launch the first chunk that is not, if it is complete. */
static winnow_status launch_next(winnow__pipe_on_device *own) {
    winnow__pipe_slot *const slot = slot_of(own, own->launched);
    winnow_status status = WINNOW_OK;
    if (slot->is_loaded)
        status = winnow__staging_bring(own->staging);
    slot->is_loaded = false;
    if (status != WINNOW_OK || has_room(slot))
        return status;
    status = launch(own);
    return status == WINNOW_OK ? advance(own, 1, own->slot_count - own->ahead)
                               : status;
}

/* Take all items: the last chunk may stay incomplete. */
static winnow_status feed_items(void *argument) {
    feeding *const f = argument;
    winnow__pipe_on_device *const own = f->own;
    winnow_status status = WINNOW_OK;
    bool has_items = true;
    while (status == WINNOW_OK && has_items) {
        status = can_fill(own) ? fill_next(f) : launch_next(own);
        has_items = f->first < f->source->n && !f->at_end;
    }
    while (status == WINNOW_OK && filling(own) != NULL) {
        const bool is_last = has_room(slot_of(own, own->launched));
        status = launch_next(own);
        if (is_last)
            break;
    }
    return status;
}

static winnow_status feed_source(winnow__pipe_on_device *own,
                                 const winnow__source *source) {
    const winnow_pipe *const pipe = own->pipe;
    feeding f = {.own = own, .source = source};
    winnow_status status = find_way(pipe, source, &f.way);
    if (status != WINNOW_OK)
        return status;
    const uint64_t most =
        source->n < pipe->chunk_items ? source->n : pipe->chunk_items;
    const bool by_threads =
        f.way.staged != 0 && !source->in_order &&
        (f.way.direct != 0 || most * pipe->item_bytes >= SMALL_BYTES);
    own->ahead = by_threads && own->slot_count > 3 ? 2 : 1;
    status = by_threads
                 ? winnow__staging_run(own->staging, source, feed_items, &f)
                 : feed_items(&f);
    if ((pipe->options.flags & WINNOW_PIPE_ASYNCHRONOUS) != 0)
        return status;
    if (status == WINNOW_OK && f.way.direct != 0)
        status = winnow__cuda_status(cudaStreamSynchronize(own->in),
                                     "waiting until the input is copied");
    if (status == WINNOW_OK && f.way.is_late)
        status = winnow__cuda_status(cudaStreamSynchronize(own->work),
                                     "waiting until the input is filtered");
    return status;
}

/* Memory is registered for as long as a piece of it is copied and filtered. */
static winnow_status feed_registered(winnow__pipe_on_device *own,
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
        status = feed_source(own, &piece);
        drain(own);
        const winnow_status last = winnow__unregister(pipe, &registered);
        status = status == WINNOW_OK ? last : status;
    }
    return status;
}

static winnow_status finish_chunks(winnow__pipe_on_device *own) {
    winnow_status status = filling(own) != NULL ? launch(own) : WINNOW_OK;
    return status == WINNOW_OK ? advance(own, 0, 0) : status;
}

/* ------------------------------------------------------------- the backend's */

winnow_status winnow__pipe_enter(const winnow_pipe *pipe,
                                 winnow__pipe_scope *scope) {
    winnow_status status = winnow__enter(pipe->context, &scope->entered);
    if (status != WINNOW_OK)
        return status;
    scope->mode = cudaStreamCaptureModeRelaxed;
    status =
        winnow__cuda_status(cudaThreadExchangeStreamCaptureMode(&scope->mode),
                            "entering the relaxed mode of capturing");
    if (status != WINNOW_OK)
        winnow__leave(pipe->context, scope->entered);
    return status;
}

void winnow__pipe_leave(const winnow_pipe *pipe, winnow__pipe_scope *scope) {
    cudaThreadExchangeStreamCaptureMode(&scope->mode);
    winnow__leave(pipe->context, scope->entered);
}

static winnow_status feed(winnow_pipe *pipe, winnow__source *source) {
    winnow__pipe_scope scope;
    winnow_status status = winnow__pipe_enter(pipe, &scope);
    if (status != WINNOW_OK)
        return status;
    const bool registers = source->inputs != NULL &&
                           (pipe->options.flags & WINNOW_PIPE_REGISTER) != 0;
    status = registers ? feed_registered(pipe->own, source)
                       : feed_source(pipe->own, source);
    if (status != WINNOW_OK)
        drain(pipe->own);
    winnow__pipe_leave(pipe, &scope);
    return status;
}

static winnow_status finish(winnow_pipe *pipe) {
    winnow__pipe_scope scope;
    winnow_status status = winnow__pipe_enter(pipe, &scope);
    if (status != WINNOW_OK)
        return status;
    status = finish_chunks(pipe->own);
    if (status != WINNOW_OK)
        drain(pipe->own);
    winnow__pipe_leave(pipe, &scope);
    return status;
}

/* Which outputs are copied to where they go, and which go through memory of the
 * pipe's. */
static winnow_status look_at_outputs(winnow__pipe_on_device *own) {
    const winnow_pipe *const pipe = own->pipe;
    for (unsigned o = 0; o < pipe->output_count; o++) {
        const winnow_pipe_output *const output = &pipe->outputs[o];
        bool reached = false, on_host = true;
        own->drains[o] = true;
        if (output->target != WINNOW_PIPE_TO_MEMORY || output->capacity == 0)
            continue;
        winnow_status status = look_at(output->memory, &reached, &on_host);
        if (status != WINNOW_OK)
            return status;
        if (!on_host && output->kind != WINNOW_PIPE_ELEMENTS)
            return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                                "outputs[%u].memory is the device's: indices "
                                "and masks go to the host's",
                                o);
        own->drains[o] = !reached || output->kind == WINNOW_PIPE_INDICES;
    }
    return WINNOW_OK;
}

static void free_all(winnow__pipe_on_device *own) {
    drain(own);
    winnow__staging_destroy(own->staging);
    winnow__pipe_free_slots(own);
    winnow__workers_destroy(own->workers);
    free(own);
}

static winnow_status make(winnow__pipe_on_device *own) {
    const winnow_pipe *const pipe = own->pipe;
    own->slot_count =
        pipe->options.buffers != 0 ? pipe->options.buffers : USUAL_SLOTS;
    for (unsigned c = 0; c < pipe->column_count; c++)
        own->keyed |= UINT64_C(1) << pipe->columns[c].input;
    own->workers = winnow__workers_create(pipe->options.threads);
    if (own->workers == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY, "no host memory for a pipe");
    winnow_status status = look_at_outputs(own);
    if (status == WINNOW_OK)
        status = winnow__pipe_make_slots(own);
    if (status != WINNOW_OK)
        return status;
    own->staging = winnow__staging_create(own->pipe, own->in);
    return own->staging == NULL
               ? winnow__fail(WINNOW_ERR_MEMORY, "no host memory for a pipe")
               : WINNOW_OK;
}

static winnow_status create(winnow_pipe *pipe) {
    winnow__pipe_scope scope;
    winnow__pipe_on_device *const own = calloc(1, sizeof *own);
    if (own == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY, "no host memory for a pipe");
    own->pipe = pipe;
    winnow_status status = winnow__pipe_enter(pipe, &scope);
    if (status != WINNOW_OK) {
        free(own);
        return status;
    }
    status = make(own);
    if (status == WINNOW_OK)
        pipe->own = own;
    else
        free_all(own);
    winnow__pipe_leave(pipe, &scope);
    return status;
}

/* Where the device cannot be made current, it is gone, with all that it had. */
static void destroy(winnow_pipe *pipe) {
    winnow__pipe_on_device *const own = pipe->own;
    winnow__pipe_scope scope;
    const bool there = winnow__pipe_enter(pipe, &scope) == WINNOW_OK;
    free_all(own);
    if (there)
        winnow__pipe_leave(pipe, &scope);
}

const winnow__pipe_backend winnow__cuda_pipe = {
    .create = create, .feed = feed, .finish = finish, .destroy = destroy};
