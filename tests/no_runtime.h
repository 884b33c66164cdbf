/*
 * What the CUDA runtime says of errors, for tests that bring the rest of it
 * themselves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_NO_RUNTIME_H
#define WINNOW_TESTS_NO_RUNTIME_H

#include <cuda_runtime_api.h>

/* The error that cudaGetLastError() returns, and forgets. */
extern cudaError_t no_runtime_last;

/* What a function of the runtime returns: an error is the last one then. */
cudaError_t no_runtime_say(cudaError_t error);

#endif
