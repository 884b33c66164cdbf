/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "processes.h"

#include "checks.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_SECONDS = 300 /* of all checks */
};

int processes_devices(void) {
    int status = 0, devices = 0;
    const pid_t child = fork();
    if (child == 0)
        _exit(cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : 0;
}

static int run_rank(int ranks, int rank, int devices, int ways) {
    ranked all = {
        .ranks = ranks, .devices = devices, .first = rank, .end = rank + 1};
    int failed = 0;
    alarm(MOST_SECONDS);
    const ncclResult_t result =
        meet_open(&all.comms[rank], ranks, rank, rank % devices);
    if (result != ncclSuccess) {
        printf("not ok - rank %d meets the others: %s\n", rank,
               ncclGetErrorString(result));
        return 1;
    }
    if (ways == 2)
        failed += checks_run(&all, WINNOW_NCCL_EXACT);
    failed += checks_run(&all, WINNOW_NCCL_PEER);
    ranked_close(&all);
    return failed != 0;
}

/* The first that is lost, or fails, ends all. */
static int wait_for(pid_t *children, int ranks) {
    int wrong = 0;
    for (int left = ranks; left > 0; left--) {
        int status, rank = 0;
        const pid_t ended = wait(&status);
        while (rank < ranks && children[rank] != ended)
            rank++;
        if (ended < 0 || rank == ranks)
            return 1;
        children[rank] = 0;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            continue;
        if (!wrong)
            printf("not ok - rank %d ended with %s %d\n", rank,
                   WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status)
                                       : WEXITSTATUS(status));
        wrong = 1;
        for (int r = 0; r < ranks; r++)
            if (children[r] > 0)
                kill(children[r], SIGKILL);
    }
    return wrong;
}

int processes_main(int ranks, int devices, int ways) {
    pid_t children[RANKED_MOST] = {0};
    if (devices == 0) {
        printf("skipped: no GPU\n");
        return 77;
    }
    if (ranks < 1 || ranks > RANKED_MOST || !meet_prepare(ranks))
        return 2;
    for (int r = 0; r < ranks; r++) {
        children[r] = fork();
        if (children[r] == 0) {
            const int status = run_rank(ranks, r, devices, ways);
            fflush(stdout);
            _exit(status);
        }
        if (children[r] < 0)
            return 2;
    }
    const int wrong = wait_for(children, ranks);
    printf("%d processes on %d GPUs: %s\n", ranks, devices,
           wrong ? "failed" : "all checks passed");
    return wrong;
}
