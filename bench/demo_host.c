/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "demo_place.h"

#include <winnow.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct timespec start;

static void *host_alloc(size_t bytes) {
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        demo_fail("malloc", "out of memory");
    return memory;
}

static void host_poison(void *memory, size_t bytes) {
    memset(memory, DEMO_POISON, bytes);
}

static void host_write(void *d_to, const void *from, size_t bytes) {
    memcpy(d_to, from, bytes);
}

static const void *host_view(void *buffer, const void *d_from, size_t bytes) {
    (void)buffer;
    (void)bytes;
    return d_from;
}

static void host_clock_start(void) {
    clock_gettime(CLOCK_MONOTONIC, &start);
}

static double host_clock_stop(void) {
    struct timespec stop;
    clock_gettime(CLOCK_MONOTONIC, &stop);
    return (double)(stop.tv_sec - start.tv_sec) +
           1e-9 * (double)(stop.tv_nsec - start.tv_nsec);
}

const demo_place *demo_place_host(void) {
    static const demo_place place = {
        .device = WINNOW_DEVICE_HOST,
        .name = "the host backend",
        .runs = 3,
        .alloc = host_alloc,
        .release = free,
        .poison = host_poison,
        .write = host_write,
        .view = host_view,
        .clock_start = host_clock_start,
        .clock_stop = host_clock_stop,
    };
    return &place;
}
