/*
 * The example, for the CPU device, over NCCL's double.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "particles_nccl.h"

#define main particles_nccl
#include "examples/particles_nccl.c"
