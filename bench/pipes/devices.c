/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "devices.h"

#include "ways.h"

#include <pthread.h>
#include <stdio.h>

enum {
    MOST_DEVICES = 16
};

typedef struct member {
    pipes_range range;
    double seconds;
} member;

typedef struct team {
    member members[MOST_DEVICES];
    unsigned count;
    pthread_barrier_t begin;
} team;

static void *copy(void *argument) {
    member *const m = argument;
    m->seconds = pipes_copy_range(&m->range);
    return NULL;
}

static void *run(void *argument) {
    member *const m = argument;
    m->seconds = pipes_run_range(&m->range);
    return NULL;
}

/* A thread for each device; all begin at once. */
static double time_of(team *all, void *(*work)(void *)) {
    pthread_t threads[MOST_DEVICES];
    double seconds = 0;
    pthread_barrier_init(&all->begin, NULL, all->count);
    for (unsigned d = 0; d < all->count; d++) {
        all->members[d].range.begin = &all->begin;
        if (pthread_create(&threads[d], NULL, work, &all->members[d]) != 0)
            bench_fail("no thread");
    }
    for (unsigned d = 0; d < all->count; d++) {
        pthread_join(threads[d], NULL);
        if (all->members[d].seconds > seconds)
            seconds = all->members[d].seconds;
    }
    pthread_barrier_destroy(&all->begin);
    return seconds;
}

static double time_copies(const pipes_trial *t, void *state) {
    (void)t;
    return time_of(state, copy);
}

static double time_pipes(const pipes_trial *t, void *state) {
    (void)t;
    return time_of(state, run);
}

static void split(const pipes_trial *t, team *all, unsigned count) {
    all->count = count;
    for (unsigned d = 0; d < count; d++) {
        pipes_range *const range = &all->members[d].range;
        const uint64_t end =
            t->n / count * (d + 1) + (d + 1 == count ? t->n % count : 0);
        range->first = t->n / count * d;
        range->n = end - range->first;
        range->before = pipes_kept(t, range->first);
        range->kept = pipes_kept(t, end) - range->before;
    }
}

/* How many there are, of which each gets a context. */
static unsigned open_devices(const pipes_trial *t, team *all) {
    unsigned count = 0;
    for (; count < MOST_DEVICES; count++) {
        pipes_range *const range = &all->members[count].range;
        const winnow_status status =
            winnow_context_create(&range->context, (int)count);
        if (status == WINNOW_ERR_NO_DEVICE)
            break;
        bench_check(status, "winnow_context_create");
        range->t = t;
        range->device = (int)count;
        range->condition = pipes_condition(t->share);
    }
    return count;
}

static void close_devices(team *all, unsigned count) {
    for (unsigned d = 0; d < count; d++) {
        winnow_condition_destroy(all->members[d].range.condition);
        winnow_context_destroy(all->members[d].range.context);
    }
}

void pipes_measure_devices(const pipes_trial *t) {
    team all = {.count = 0};
    const unsigned devices = open_devices(t, &all);
    const uint64_t bytes = pipes_bytes_in(t) + pipes_bytes_out(t);
    for (unsigned count = 1; count <= devices; count *= 2) {
        char copies[32], pipes[32];
        snprintf(copies, sizeof copies, "copies, %u devices", count);
        snprintf(pipes, sizeof pipes, "pipes, %u devices", count);
        const pipes_way ways[] = {{.name = copies,
                                   .run = time_copies,
                                   .state = &all,
                                   .bytes = bytes,
                                   .is_floor = true},
                                  {.name = pipes,
                                   .run = time_pipes,
                                   .state = &all,
                                   .bytes = bytes,
                                   .filters = true}};
        split(t, &all, count);
        pipes_measure(t, ways, 2);
    }
    close_devices(&all, devices);
}
