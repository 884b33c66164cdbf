/*
 * libwinnow-nccl on the GPUs that there are, a thread each; or on so many of them
 * as the argument says. With `speed` before it, how fast it is: speed.h. With
 * `processes` before it, in a process each: processes.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "checks.h"
#include "processes.h"
#include "speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    struct report report = {{0}};
    ranked all;
    int devices = 0, failed = 0;
    if (argc > 1 && strcmp(argv[1], "processes") == 0) {
        devices = processes_devices();
        return processes_main(argc > 2 ? atoi(argv[2]) : devices, devices, 2);
    }
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        return 77;
    }
    const bool speed = argc > 1 && strcmp(argv[1], "speed") == 0;
    const char *const wanted = argv[speed ? 2 : 1];
    int ranks = wanted != NULL ? atoi(wanted) : devices;
    if (ranks < 1 || ranks > devices)
        return 2;
    ranks = ranks < RANKED_MOST ? ranks : RANKED_MOST;
    if (speed)
        return speed_main(ranks);
    if (!ranked_open(&all, ranks, &report)) {
        printf("not ok - %s\n", report.text);
        return 1;
    }
    failed += checks_run(&all, WINNOW_NCCL_EXACT);
    failed += checks_run(&all, WINNOW_NCCL_PEER);
    ranked_close(&all);
    printf("%d of %d GPUs, %d failed\n", ranks, devices, failed);
    return failed != 0;
}
