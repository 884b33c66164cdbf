/*
 * Which ranks share a host, and which share a process?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peers.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

/* A hash of the boot id, which all containers of a host share. */
uint64_t winnow__nccl_host(void) {
    FILE *const file = fopen("/proc/sys/kernel/random/boot_id", "re");
    uint64_t hash = 1;
    int c;
    if (file == NULL)
        return 0;
    while ((c = getc(file)) != EOF)
        hash = winnow__ranks_mix(hash, (uint64_t)c);
    fclose(file);
    return hash;
}

static uint64_t drawn;

static void draw(void) {
    if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
        drawn = (uintptr_t)&drawn;
}

/* A process id is not enough: containers have their own. After fork() the child
 * has the same random number, but another process id. */
uint64_t winnow__nccl_process(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, draw);
    return winnow__ranks_mix(drawn, (uint64_t)getpid());
}
