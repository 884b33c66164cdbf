/*
 * Code that is loaded at run time. That of the CPU device is a shared library of
 * the host's, which NVRTC's double makes (nvrtc.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

namespace simt {

/* How many bytes it has: as the double writes it in front. */
struct CodeHead {
    char magic[8];
    uint64_t bytes;
};

CUresult load_library(CUlibrary *library, const void *code, CUjit_option *,
                      void **, unsigned, CUlibraryOption *, void **, unsigned) {
    SIMT_DRIVER_CALL(cuLibraryLoadData);
    CodeHead head;
    std::memcpy(&head, code, sizeof head);
    if (std::memcmp(head.magic, "simtcode", sizeof head.magic) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    /* A name of its own: dlopen() opens no name twice. */
    char path[] = "/tmp/winnow-simt-XXXXXX";
    const int file = mkstemp(path);
    const char *from = static_cast<const char *>(code) + sizeof head;
    if (file < 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const bool written =
        write(file, from, head.bytes) == static_cast<ssize_t>(head.bytes);
    void *const handle =
        written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (handle == nullptr)
        std::fprintf(stderr, "%s\n", dlerror());
    unlink(path);
    close(file);
    *library = static_cast<CUlibrary>(handle);
    return handle != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Its kernels may still be launched by graphs: it stays. */
CUresult unload_library(CUlibrary) {
    SIMT_DRIVER_CALL(cuLibraryUnload);
    return CUDA_SUCCESS;
}

CUresult library_kernel(CUkernel *kernel, CUlibrary library, const char *name) {
    SIMT_DRIVER_CALL(cuLibraryGetKernel);
    *kernel = static_cast<CUkernel>(dlsym(library, name));
    return *kernel != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

} // namespace simt
