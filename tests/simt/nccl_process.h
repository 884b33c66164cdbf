/*
 * Which ranks pretend to be on hosts and in processes of their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_NCCL_PROCESS_H
#define WINNOW_TESTS_SIMT_NCCL_PROCESS_H

#include <stdbool.h>

/* Each thread is a host; a process. */
extern bool nccl_hosts, nccl_processes;

#endif
