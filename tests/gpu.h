/*
 * The CUDA runtime for tests: every return code is looked at, and a failure
 * ends the program with the call's text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_GPU_H
#define WINNOW_TESTS_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPU_MUST(call) gpu_must((call), #call, __FILE__, __LINE__)
void gpu_must(cudaError_t error, const char *call, const char *file, int line);

/*
 * Is there a device? Asked of the CUDA runtime and not of the library, so that
 * a library that fails to see one fails its tests instead of skipping them.
 * No driver and no device are the two answers that mean no; others end the
 * program. The reason is static text.
 */
bool gpu_present(const char **reason_p);

cudaStream_t gpu_stream_create(void);
void gpu_stream_destroy(cudaStream_t stream);
void *gpu_alloc(size_t bytes);
void gpu_free(void *memory);
void gpu_copy(void *to, const void *from, size_t bytes, cudaStream_t stream);
void gpu_wait(cudaStream_t stream);

/* Functions of the driver's, by the runtime, so that the tests need no link to
 * the driver. */
struct gpu_function {
    const char *name;
    void **function_p;
};

/* False: it lacks one of them. */
bool gpu_find(const struct gpu_function functions[], size_t number,
              unsigned version);
#define GPU_FIND(functions, version)                                           \
    gpu_find((functions), sizeof(functions) / sizeof((functions)[0]), (version))

/* The driver's current context of this thread, for comparison only. */
void *gpu_current_context(void);

#ifdef __cplusplus
}
#endif

#endif
