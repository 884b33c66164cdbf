/*
 * Threads that sleep until there is work, and join in when they wake. The
 * caller does not wait for threads that have not begun when all work is done.
 * Work is cut into pieces, which threads take one by one: so it is done in time
 * even if some threads get no CPU.
 *
 * A child of fork() has only the forking thread, and threads that it does not
 * have may hold the locks: it does not use the team.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "team.h"

#include "core/floating.h"

#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    ALIGNMENT = 64,
    /* The size of a stack. The library takes up to 40 KiB (tests/test_small_stack.c).
     * The functions of a pipe also run here, and the program's thread-local storage is
     * here. */
    STACK_BYTES = 512 << 10
};

struct winnow__team {
    size_t buffer_bytes;
    pid_t process;          /* the process that made the threads */
    atomic_uint threads;    /* threads wanted; 0: as many as CPUs */
    pthread_mutex_t in_use; /* held by the caller whose work runs */

    pthread_mutex_t lock; /* protects all members below */
    pthread_cond_t begin, end;
    winnow__work *work; /* for a thread that gets a place */
    void *argument;
    unsigned places;  /* places left for threads that wake up */
    unsigned working; /* threads that have begun and not ended */
    bool closing;

    /* the caller that holds the team */
    unsigned char *buffer;
    unsigned started;
    pthread_t thread[WINNOW__MOST_THREADS];
};

static unsigned char *make_buffer(const winnow__team *team) {
    return aligned_alloc(ALIGNMENT, (team->buffer_bytes + ALIGNMENT - 1) /
                                        ALIGNMENT * ALIGNMENT);
}

winnow__team *winnow__team_create(size_t buffer_bytes) {
    winnow__team *team = calloc(1, sizeof *team);
    if (team == NULL)
        return NULL;
    team->buffer_bytes = buffer_bytes;
    team->process = getpid();
    pthread_mutex_init(&team->in_use, NULL);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begin, NULL);
    pthread_cond_init(&team->end, NULL);
    return team;
}

void winnow__team_destroy(winnow__team *team) {
    if (team->process == getpid()) {
        pthread_mutex_lock(&team->lock);
        team->closing = true;
        pthread_cond_broadcast(&team->begin);
        pthread_mutex_unlock(&team->lock);
        for (unsigned i = 0; i < team->started; i++)
            pthread_join(team->thread[i], NULL);
        pthread_cond_destroy(&team->end);
        pthread_cond_destroy(&team->begin);
        pthread_mutex_destroy(&team->lock);
        pthread_mutex_destroy(&team->in_use);
    }
    free(team->buffer);
    free(team);
}

void winnow__team_set_threads(winnow__team *team, unsigned threads) {
    atomic_store(&team->threads, threads);
}

static void *live(void *argument) {
    winnow__team *const team = argument;
    unsigned char *const buffer = make_buffer(team);
    winnow__floating_begin(); /* the thread inherited its maker's */
    pthread_mutex_lock(&team->lock);
    while (!team->closing) {
        if (team->places == 0 || buffer == NULL) {
            pthread_cond_wait(&team->begin, &team->lock);
            continue;
        }
        team->places--;
        team->working++;
        pthread_mutex_unlock(&team->lock);
        team->work(team->argument, buffer);
        pthread_mutex_lock(&team->lock);
        if (--team->working == 0)
            pthread_cond_signal(&team->end);
    }
    pthread_mutex_unlock(&team->lock);
    free(buffer);
    return NULL;
}

/* The number of CPUs that the process may use. */
static unsigned count_cpus(void) {
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        return (unsigned)CPU_COUNT(&cpus);
    const long all = sysconf(_SC_NPROCESSORS_ONLN);
    return all > 1 ? (unsigned)all : 1;
}

unsigned winnow__team_threads(const winnow__team *team, uint64_t most) {
    if (most < 2 || team->process != getpid())
        return 1;
    unsigned threads = atomic_load(&team->threads);
    if (threads == 0)
        threads = count_cpus();
    if (threads > WINNOW__MOST_THREADS)
        threads = WINNOW__MOST_THREADS;
    return threads < most ? threads : (unsigned)most;
}

/* Signals belong to the program's own threads, except those of a fault in the
 * thread itself: if these are blocked, the kernel ends the process without
 * running the program's handler. */
static void block_signals(sigset_t *before) {
    static const int faults[] = {SIGSEGV, SIGBUS,  SIGFPE,
                                 SIGILL,  SIGTRAP, SIGSYS};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

/* The thread-local storage of the program and its libraries. The C library takes
 * it from the stack, and starts no thread if the stack has no room for it. */
static int add_storage(struct dl_phdr_info *info, size_t bytes, void *sum) {
    (void)bytes;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)sum +=
                info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
    return 0;
}

/* Start threads until there are `others`. A thread that cannot be started stays
 * missing. */
static void start(winnow__team *team, unsigned others) {
    sigset_t before;
    pthread_attr_t attributes;
    size_t bytes = STACK_BYTES;
    if (team->started >= others)
        return;
    dl_iterate_phdr(add_storage, &bytes);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    block_signals(&before);
    while (team->started < others &&
           pthread_create(&team->thread[team->started], &attributes, live,
                          team) == 0)
        team->started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static void work_with(winnow__team *team, unsigned others, winnow__work *work,
                      void *argument) {
    pthread_mutex_lock(&team->lock);
    team->work = work;
    team->argument = argument;
    team->places = others;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->lock);
    work(argument, team->buffer);
    pthread_mutex_lock(&team->lock);
    team->places = 0; /* a thread that wakes up now is too late */
    while (team->working != 0)
        pthread_cond_wait(&team->end, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

bool winnow__team_run(winnow__team *team, unsigned threads, winnow__work *work,
                      void *argument) {
    if (pthread_mutex_trylock(&team->in_use) != 0)
        return false;
    if (team->buffer == NULL)
        team->buffer = make_buffer(team);
    if (team->buffer != NULL)
        start(team, threads - 1);
    const bool possible = team->buffer != NULL && team->started != 0;
    if (possible)
        work_with(team, threads - 1, work, argument);
    pthread_mutex_unlock(&team->in_use);
    return possible;
}

void winnow__team_work(winnow__team *team, unsigned threads, winnow__work *work,
                       void *argument, unsigned char *buffer) {
    if (threads < 2 || !winnow__team_run(team, threads, work, argument))
        work(argument, buffer);
}

void winnow__give_way(winnow__turns *turns) {
    atomic_store_explicit(&turns->crowded, true, memory_order_relaxed);
    sched_yield();
}
