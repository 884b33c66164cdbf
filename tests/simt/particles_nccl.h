/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_PARTICLES_NCCL_H
#define WINNOW_TESTS_SIMT_PARTICLES_NCCL_H

/* main() of examples/particles_nccl.c, on all devices of the CPU device. */
int particles_nccl(void);

#endif
