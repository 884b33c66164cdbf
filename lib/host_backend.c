/*
 * The CPU backend: the same calls on host pointers, done before they return.
 *
 * The input is cut into chunks. Threads count the survivors of every chunk;
 * the counts are summed; threads then write each chunk's survivors to its own
 * place. In place the writes could run over input that another thread has yet
 * to read, so there the threads go through the input side by side.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "context.h"
#include "host_select.h"
#include "kernels/sample.h"
#include "status.h"

#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_max_threads(void) {
    return 1;
}
static int omp_get_num_threads(void) {
    return 1;
}
static int omp_get_thread_num(void) {
    return 0;
}
#endif

/* Enough for any number of threads to balance; few enough for the stack. */
enum {
    MOST_CHUNKS = 512
};
/* Below this many elements a chunk is not worth a thread. */
enum {
    LEAST_CHUNK = 1 << 14
};
/* In place: what a thread takes at a time, on its stack, and how many may. */
enum {
    PIECE_BYTES = 1 << 16,
    MOST_THREADS = 256
};

typedef struct chunks {
    int64_t number;
    uint64_t size; /* elements; the last may have fewer */
} chunks;

static chunks cut(uint64_t n) {
    uint64_t size = n / MOST_CHUNKS + 1;
    if (size < LEAST_CHUNK)
        size = LEAST_CHUNK;
    return (chunks){(int64_t)((n + size - 1) / size), size};
}

static uint64_t chunk_end(chunks c, int64_t i, uint64_t n) {
    const uint64_t end = ((uint64_t)i + 1) * c.size;
    return end < n ? end : n;
}

static const unsigned char *element(const winnow__call *call, uint64_t i) {
    return (const unsigned char *)call->in + i * call->predicate->type->size;
}

/* Count the survivors of each chunk; returns the total. */
static uint64_t count_chunks(const winnow__call *call, chunks c,
                             uint64_t counts[]) {
    uint64_t total = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : total)               \
    if (c.number > 1)
    for (int64_t i = 0; i < c.number; i++) {
        const uint64_t start = (uint64_t)i * c.size;
        counts[i] = winnow__host_count(call->predicate, element(call, start),
                                       chunk_end(c, i, call->n) - start);
        total += counts[i];
    }
    return total;
}

static void copy_apart(const winnow__call *call, chunks c,
                       const uint64_t places[]) {
    const unsigned size = call->predicate->type->size;
#pragma omp parallel for schedule(dynamic) if (c.number > 1)
    for (int64_t i = 0; i < c.number; i++) {
        const uint64_t start = (uint64_t)i * c.size;
        if (places[i] < call->capacity)
            winnow__host_pack(call->predicate, element(call, start),
                              chunk_end(c, i, call->n) - start,
                              (unsigned char *)call->out + places[i] * size,
                              call->capacity - places[i]);
    }
}

static int threads_for(uint64_t n, uint64_t piece) {
    int threads = omp_get_max_threads();
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    if ((uint64_t)threads > n / piece + 1)
        threads = (int)(n / piece + 1);
    return threads;
}

/*
 * Returns the number of survivors. Each thread packs a piece of the input into
 * a buffer of its own; when all have, they know their places, which lie below
 * any input that is still to be read.
 */
static uint64_t copy_in_place(const winnow__call *call) {
    const unsigned size = call->predicate->type->size;
    const uint64_t piece = PIECE_BYTES / size;
    uint64_t counts[2][MOST_THREADS];
    uint64_t total = 0;
    const int wanted = threads_for(call->n, piece);
    (void)wanted; /* unused without OpenMP */
#pragma omp parallel num_threads(wanted)
    {
        _Alignas(16) unsigned char buffer[PIECE_BYTES];
        const unsigned threads = (unsigned)omp_get_num_threads();
        const unsigned me = (unsigned)omp_get_thread_num();
        const uint64_t rounds = (call->n / piece + threads) / threads;
        uint64_t before = 0; /* survivors of all earlier rounds */
        for (uint64_t round = 0; round < rounds; round++) {
            uint64_t *const count = counts[round % 2];
            const uint64_t start = (round * threads + me) * piece;
            uint64_t length = start < call->n ? call->n - start : 0;
            if (length > piece)
                length = piece;
            count[me] = winnow__host_pack(call->predicate, element(call, start),
                                          length, buffer, piece);
#pragma omp barrier
            uint64_t place = before;
            for (unsigned i = 0; i < threads; i++) {
                if (i < me)
                    place += count[i];
                before += count[i];
            }
            uint64_t fits = place < call->capacity ? call->capacity - place : 0;
            if (fits > count[me])
                fits = count[me];
            if (fits != 0)
                memcpy((unsigned char *)call->out + place * size, buffer,
                       fits * size);
        }
#pragma omp master
        total = before;
    }
    return total;
}

static void copy_if(const winnow__call *call) {
    if (call->out == call->in && call->capacity != 0) {
        *call->count = copy_in_place(call);
        return;
    }
    uint64_t places[MOST_CHUNKS];
    const chunks c = cut(call->n);
    const uint64_t total = count_chunks(call, c, places);
    uint64_t before = 0;
    for (int64_t i = 0; i < c.number; i++) {
        const uint64_t count = places[i];
        places[i] = before;
        before += count;
    }
    copy_apart(call, c, places);
    *call->count = total;
}

static void count_if(const winnow__call *call) {
    uint64_t counts[MOST_CHUNKS];
    *call->count = count_chunks(call, cut(call->n), counts);
}

/* The sample of kernels/estimate.cu, element for element. */
static void estimate(const winnow__call *call) {
    uint64_t kept = 0, seen = 0;
    for (unsigned i = 0; i < winnow__sample_runs(call->n); i++) {
        const winnow__sample_run part = winnow__sample(call->n, i);
        kept += winnow__host_count(call->predicate, element(call, part.start),
                                   part.length);
        seen += part.length;
    }
    *call->estimate = seen != 0 ? (double)kept / (double)seen : 0.0;
}

static winnow_status run(const winnow__call *call, const winnow__range ranges[],
                         int number) {
    (void)ranges, (void)number; /* all memory is the host's */
    switch (call->operation) {
    case WINNOW__COPY_IF:
        copy_if(call);
        break;
    case WINNOW__COUNT_IF:
        count_if(call);
        break;
    case WINNOW__ESTIMATE:
        estimate(call);
        break;
    }
    if (call->options.d_strategy != NULL)
        *call->options.d_strategy = WINNOW_HOST;
    return WINNOW_OK;
}

static winnow_status supports(const winnow__call *call) {
    if (call->stream != NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "stream is not NULL, and the context is "
                            "WINNOW_HOST");
    if (call->options.strategy != WINNOW_AUTO &&
        call->options.strategy != WINNOW_HOST)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "strategy %s needs a GPU, and the context is "
                            "WINNOW_HOST",
                            winnow_strategy_name(call->options.strategy));
    return WINNOW_OK;
}

static winnow_status workspace(const winnow__call *call, size_t *bytes_p) {
    (void)call;
    *bytes_p = 0;
    return WINNOW_OK;
}

static void destroy(winnow_context *context) {
    free(context);
}

static const winnow__backend backend = {supports, workspace, run, destroy};

winnow_status winnow__host_create(winnow_context **context_p) {
    winnow_context *context = malloc(sizeof *context);
    if (context == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY, "no host memory for a context");
    context->backend = &backend;
    *context_p = context;
    return WINNOW_OK;
}
