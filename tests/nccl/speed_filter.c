/*
 * A filter of 1 GiB on one GPU, and of 1 GiB on each of them with the place of
 * its survivors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "speed.h"

#include <stdio.h>

/* What is filtered by. */
typedef struct filter {
    int kept; /* of speed_rank's kept[] */
    const char *name;
} filter;

/* ------------------------------------------------------------------- calls */

static void call_copy(const speed_rank *s, const void *argument) {
    const filter *const f = argument;
    const winnow_launch launch = {.size = sizeof launch,
                                  .stream = s->stream,
                                  .d_workspace = s->d_workspace,
                                  .workspace_bytes = s->workspace_bytes};
    SPEED_WINNOW(winnow_copy_if(s->context, s->kept[f->kept], WINNOW_UINT32,
                                s->d_in, SPEED_FILTERED, s->d_parts,
                                WINNOW_NO_LIMIT, s->d_count, &launch));
}

static void call_both(const speed_rank *s, const void *argument,
                      winnow_nccl_way way) {
    const winnow_launch launch = {.size = sizeof launch, .stream = s->stream};
    call_copy(s, argument);
    SPEED_WINNOW(winnow_nccl_place(s->nccl[way], s->d_count, s->d_count + 1,
                                   s->d_count + 2, &launch));
}

static void call_exact(const speed_rank *s, const void *argument) {
    call_both(s, argument, WINNOW_NCCL_EXACT);
}

static void call_peer(const speed_rank *s, const void *argument) {
    call_both(s, argument, WINNOW_NCCL_PEER);
}

/* ------------------------------------------------------------------ checks */

typedef struct tally {
    uint64_t count, sum;
} tally;

/* Two numbers of 4 bytes are those of an element that exchange has filled in. */
static void add(tally *t, uint64_t x, uint32_t bound) {
    const uint64_t passes = x < bound;
    t->count += passes;
    t->sum += passes * speed_mix(x);
}

static tally expect(int rank, uint32_t bound) {
    tally t = {0, 0};
    for (uint64_t i = 0; i < SPEED_FILTERED / 2; i++) {
        const uint64_t both = speed_mix(speed_name(rank, i));
        add(&t, both & UINT32_MAX, bound);
        add(&t, both >> 32, bound);
    }
    return t;
}

static tally find(const speed_rank *s, uint64_t count, uint32_t bound) {
    const uint32_t *const staging = (const uint32_t *)(void *)s->staging;
    tally t = {0, 0};
    uint64_t m;
    for (uint64_t at = 0; at < count; at += m) {
        m = count - at < SPEED_STAGING / 4 ? count - at : SPEED_STAGING / 4;
        speed_get(s, s->d_parts + at * 4, m * 4);
        for (uint64_t i = 0; i < m; i++)
            add(&t, staging[i], bound);
    }
    return t;
}

/* The survivors are those of the host, and the place is behind lower ranks. */
static void check(const speed_rank *s, const filter *f, winnow_nccl_way way) {
    static uint64_t counts[RANKED_MOST];
    const uint32_t bound = speed_bounds[f->kept];
    const tally wanted = expect(s->rank, bound);
    uint64_t got[3], first = 0, total = 0;
    counts[s->rank] = wanted.count;
    /* Loads the kernels, while nobody waits. */
    call_copy(s, f);
    SPEED_CUDA(
        cudaMemsetAsync(s->d_parts, 0xff, SPEED_FILTERED * 4, s->stream));
    SPEED_CUDA(cudaMemsetAsync(s->d_count, 0xff, sizeof got, s->stream));
    speed_wait(s);
    speed_meet(s);
    call_both(s, f, way);
    speed_wait(s);
    speed_meet(s);
    speed_check_late(s);
    for (int r = 0; r < s->ranks; r++) {
        first += r < s->rank ? counts[r] : 0;
        total += counts[r];
    }
    speed_get_numbers(s, got, s->d_count, 3);
    if (got[0] != wanted.count || got[1] != first || got[2] != total)
        speed_stop("rank %d: %llu kept, %llu before, %llu of all, not %llu, "
                   "%llu, %llu",
                   s->rank, (unsigned long long)got[0],
                   (unsigned long long)got[1], (unsigned long long)got[2],
                   (unsigned long long)wanted.count, (unsigned long long)first,
                   (unsigned long long)total);
    const tally found = find(s, got[0], bound);
    if (found.count != wanted.count || found.sum != wanted.sum)
        speed_stop("rank %d: other survivors than expected", s->rank);
    speed_meet(s);
}

/* ------------------------------------------------------------------- table */

static void measure(const speed_rank *s, const filter *f) {
    enum {
        BATCH = 10,
        RUNS = 15
    };
    speed_case c[3] = {{.call = call_copy, .alone = true},
                       {.call = call_exact},
                       {.call = call_peer}};
    for (int i = 0; i < 3; i++) {
        c[i].argument = f;
        c[i].batch = BATCH;
    }
    speed_run(s, c, 3, RUNS);
    if (s->rank != 0)
        return;
    printf("%-8s %10.1f %10.1f %5.2f %10.1f %5.2f\n", f->name, c[0].taken * 1e6,
           c[1].taken * 1e6, s->ranks * c[0].taken / c[1].taken,
           c[2].taken * 1e6, s->ranks * c[0].taken / c[2].taken);
    fflush(stdout);
}

void speed_filter(const speed_rank *s) {
    static const filter filters[] = {{0, "1%"}, {1, "50%"}};
    speed_enter(s, "filter");
    if (s->rank == 0)
        printf("\nfilter of 1 GiB, us: on one GPU; 1 GiB on each of %d, and "
               "the place, with\n"
               "the throughput over one GPU's: at least %.2f\n"
               "%-8s %10s %10s %5s %10s %5s\n",
               s->ranks, 0.95 * s->ranks, "kept", "one GPU", "EXACT", "",
               "PEER", "");
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        check(s, &filters[i], WINNOW_NCCL_EXACT);
        check(s, &filters[i], WINNOW_NCCL_PEER);
        measure(s, &filters[i]);
    }
}
