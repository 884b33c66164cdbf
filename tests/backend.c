/*
 * A context under test and the memory it works on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#ifdef WINNOW_CUDA
#include "gpu.h"
#endif

#ifdef WINNOW_SIMT
/* All sizes take most of an hour on the CPU device. They run with
 * WINNOW_TEST_REDUCED=0. */
__attribute__((constructor)) static void reduce_sizes(void) {
    if (setenv("WINNOW_TEST_REDUCED", "1", 0) != 0)
        perror("setenv");
}
#endif

static void open_context(struct backend *backend, int device) {
    winnow_status status = winnow_context_create(&backend->context, device);

    if (status != WINNOW_OK) {
        fprintf(stderr, "winnow_context_create(%d): %s: %s\n", device,
                winnow_status_name(status), winnow_last_error());
        abort();
    }
}

void backend_open_host(struct backend *backend) {
    *backend = (struct backend){.name = "host"};
    open_context(backend, WINNOW_DEVICE_HOST);
}

const char *const backend_isas[BACKEND_ISAS] = {"portable", "avx2", "avx512"};

bool backend_open_isa(struct backend *backend, const char *isa) {
    winnow_status status;

    *backend = (struct backend){.name = "host"};
    if (setenv("WINNOW_HOST_ISA", isa, 1) != 0)
        abort();
    status = winnow_context_create(&backend->context, WINNOW_DEVICE_HOST);
    unsetenv("WINNOW_HOST_ISA");
    if (status != WINNOW_OK &&
        strstr(winnow_last_error(), "WINNOW_HOST_ISA") == NULL)
        abort();
    return status == WINNOW_OK;
}

#ifdef WINNOW_CUDA

void backend_open_gpu(struct backend *backend) {
    *backend = (struct backend){.name = "gpu", .gpu = true};
    /* No test writes to the user's own. */
    setenv("WINNOW_CACHE", "off", 0);
#ifdef WINNOW_SIMT
    /* What NVRTC compiles does not run on the CPU device; its double does. */
    setenv("WINNOW_NVRTC", "off", 0);
#endif
    open_context(backend, 0);
    backend->stream = gpu_stream_create();
}

void backend_close(struct backend *backend) {
    if (backend->gpu)
        gpu_stream_destroy(backend->stream);
    winnow_context_destroy(backend->context);
}

void *backend_alloc(const struct backend *backend, size_t bytes) {
    return backend->gpu ? gpu_alloc(bytes) : must_alloc(bytes);
}

void backend_free(const struct backend *backend, void *memory) {
    if (backend->gpu)
        gpu_free(memory);
    else
        free(memory);
}

static void copy(const struct backend *backend, void *to, const void *from,
                 size_t bytes) {
    if (backend->gpu)
        gpu_copy(to, from, bytes, backend->stream);
    else
        memcpy(to, from, bytes);
}

const char *backend_wait(const struct backend *backend) {
    cudaError_t error = cudaSuccess;

    if (backend->gpu)
        error = cudaStreamSynchronize(backend->stream);
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

#else

void backend_close(struct backend *backend) {
    winnow_context_destroy(backend->context);
}

void *backend_alloc(const struct backend *backend, size_t bytes) {
    (void)backend;
    return must_alloc(bytes);
}

void backend_free(const struct backend *backend, void *memory) {
    (void)backend;
    free(memory);
}

static void copy(const struct backend *backend, void *to, const void *from,
                 size_t bytes) {
    (void)backend;
    memcpy(to, from, bytes);
}

const char *backend_wait(const struct backend *backend) {
    (void)backend;
    return NULL;
}

#endif

void backend_upload(const struct backend *backend, void *to, const void *from,
                    size_t bytes) {
    if (bytes)
        copy(backend, to, from, bytes);
}

void backend_download(const struct backend *backend, void *to, const void *from,
                      size_t bytes) {
    if (bytes)
        copy(backend, to, from, bytes);
}
