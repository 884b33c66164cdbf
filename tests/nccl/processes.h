/*
 * The same checks by ranks in processes of their own, which open each other's
 * memory by CUDA's handles. Where a process is lost the others are ended.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_NCCL_PROCESSES_H
#define WINNOW_TESTS_NCCL_PROCESSES_H

#include "ranked.h"

/* How many GPUs there are, of a process that does not use them. */
int processes_devices(void);

/* Forks: the caller must not have used CUDA. Rank r has device r % devices.
 *
 *   ways  2: both; 1: WINNOW_NCCL_PEER alone
 *
 * Returns what main() does. */
int processes_main(int ranks, int devices, int ways);

/* ---- what they meet by: NCCL (meet.c), or its double (double.c) */

/* Before the processes are there. */
bool meet_prepare(int ranks);
ncclResult_t meet_open(ncclComm_t *comm_p, int ranks, int rank, int device);

#endif
