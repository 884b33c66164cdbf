/*
 * WINNOW_NCCL_PEER between processes, on the GPUs that there are: several ranks
 * may have the same one. What NCCL does is done by double.c, since NCCL itself
 * refuses that. The argument says how many ranks; else there are 2.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "processes.h"

#include <stdlib.h>

int main(int argc, char **argv) {
    return processes_main(argc > 1 ? atoi(argv[1]) : 2, processes_devices(), 1);
}
