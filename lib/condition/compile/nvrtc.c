/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "disk.h"

#include "core/status.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUCCESS = 0,
    NO_MEMORY = 1, /* host memory */
    MOST_ARCHITECTURES = 64,
    FIRST_MINIMAL = 12004, /* the first version with that option */
    /* The bytes of the compiler's log that are shown. */
    MOST_LOG = 1500
};

typedef struct program program;

/* NVRTC's functions, with the types of disk.h. */
static struct {
    int version;
    const char *why; /* NULL, or why there is no compiler */
    int (*get_version)(int *major, int *minor);
    int (*count_archs)(int *number);
    int (*list_archs)(int *archs);
    int (*create)(program **program_p, const char *source, const char *name,
                  int headers, const char *const *header,
                  const char *const *include_name);
    int (*compile)(program *of, int options, const char *const *option);
    int (*code_size)(program *of, size_t *bytes);
    int (*get_code)(program *of, char *code);
    int (*log_size)(program *of, size_t *bytes);
    int (*get_log)(program *of, char *log);
    int (*destroy)(program **of_p);
    const char *(*name_error)(int error);
} nvrtc;

static pthread_once_t opened = PTHREAD_ONCE_INIT;

/* ------------------------------------------------------------------ opening */

/* Open the compiler of a toolkit or a wheel, in its directory. */
static void *open_below(const char *directory, const char *below) {
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                        "libnvrtc.so"};
    char path[4096];
    void *handle = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && handle == NULL;
         i++) {
        const int length =
            snprintf(path, sizeof path, "%s%s/%s", directory, below, names[i]);
        if (length > 0 && (size_t)length < sizeof path)
            handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

/* dlopen() looks for a name without a path in the system's directories. */
static void *open_system(void) {
    void *const handle = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
    return handle != NULL ? handle
                          : dlopen("libnvrtc.so.12", RTLD_NOW | RTLD_LOCAL);
}

static void *open_toolkit(void) {
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
    void *handle = NULL;
    for (size_t i = 0; i < 2 && handle == NULL; i++) {
        const char *const directory = secure_getenv(variables[i]);
        if (directory == NULL || directory[0] != '/')
            continue;
        handle = open_below(directory, "/lib64");
        if (handle == NULL)
            handle = open_below(directory, "/lib");
    }
    return handle != NULL ? handle : open_below("/usr/local/cuda", "/lib64");
}

static void *open_library(const char **why_p) {
    const char *const named = secure_getenv("WINNOW_NVRTC");
    void *handle;
    if (named != NULL && strcmp(named, "off") == 0) {
        *why_p = "WINNOW_NVRTC is off";
        return NULL;
    }
    if (named != NULL) {
        handle = dlopen(named, RTLD_NOW | RTLD_LOCAL);
        *why_p = "the file that WINNOW_NVRTC names cannot be opened";
        return handle;
    }
    const char *const last = secure_getenv("WINNOW_NVRTC_FALLBACK");
    handle = open_system();
    if (handle == NULL)
        handle = open_toolkit();
    if (handle == NULL && last != NULL)
        handle = dlopen(last, RTLD_NOW | RTLD_LOCAL);
    *why_p = "libnvrtc.so.13 or .12 was found neither by the loader nor in "
             "CUDA_HOME: WINNOW_NVRTC may name it";
    return handle;
}

static void open_nvrtc(void) {
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"nvrtcVersion", &nvrtc.get_version},
        {"nvrtcGetNumSupportedArchs", &nvrtc.count_archs},
        {"nvrtcGetSupportedArchs", &nvrtc.list_archs},
        {"nvrtcCreateProgram", &nvrtc.create},
        {"nvrtcCompileProgram", &nvrtc.compile},
        {"nvrtcGetCUBINSize", &nvrtc.code_size},
        {"nvrtcGetCUBIN", &nvrtc.get_code},
        {"nvrtcGetProgramLogSize", &nvrtc.log_size},
        {"nvrtcGetProgramLog", &nvrtc.get_log},
        {"nvrtcDestroyProgram", &nvrtc.destroy},
        {"nvrtcGetErrorString", &nvrtc.name_error},
    };
    int major, minor;
    void *const handle = open_library(&nvrtc.why);
    if (handle == NULL)
        return;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *const found = dlsym(handle, functions[i].name);
        if (found == NULL) {
            nvrtc.why = "the library found is no NVRTC of CUDA 12 or later";
            dlclose(handle);
            return;
        }
        /* As with dlsym(), an object pointer holds the function's address. */
        memcpy(functions[i].place, &found, sizeof found);
    }
    if (nvrtc.get_version(&major, &minor) != SUCCESS || major <= 0) {
        nvrtc.why = "NVRTC does not tell its version";
        dlclose(handle);
        return;
    }
    nvrtc.why = NULL;
    nvrtc.version = 1000 * major + minor;
}

/* ---------------------------------------------------------------- compiling */

static winnow_status fail(int error) {
    return winnow__fail(
        error == NO_MEMORY ? WINNOW_ERR_MEMORY : WINNOW_ERR_CUDA,
        "compiling a condition: NVRTC says: %s", nvrtc.name_error(error));
}

static winnow_status check_device(int capability) {
    int number = 0;
    int archs[MOST_ARCHITECTURES];
    if (nvrtc.count_archs(&number) != SUCCESS || number > MOST_ARCHITECTURES ||
        nvrtc.list_archs(archs) != SUCCESS)
        number = 0;
    for (int i = 0; i < number; i++)
        if (archs[i] == capability)
            return WINNOW_OK;
    return winnow__unsupported(
        "NVRTC %d.%d does not compile for devices of compute "
        "capability %d.%d",
        nvrtc.version / 1000, nvrtc.version % 1000, capability / 10,
        capability % 10);
}

static winnow_status fail_with_log(program *of) {
    size_t bytes = 0;
    char *log = NULL;
    if (nvrtc.log_size(of, &bytes) == SUCCESS && bytes != 0)
        log = malloc(bytes + 1);
    if (log == NULL || nvrtc.get_log(of, log) != SUCCESS)
        bytes = 0;
    if (log != NULL)
        log[bytes] = '\0';
    winnow_status status =
        winnow__fail(WINNOW_ERR_SYNTAX, "the source does not compile: %.*s",
                     MOST_LOG, bytes != 0 ? log : "there is no log");
    free(log);
    return status;
}

static winnow_status take_code(program *of, winnow__code *code) {
    size_t bytes = 0;
    int error = nvrtc.code_size(of, &bytes);
    if (error != SUCCESS)
        return fail(error);
    void *const made = malloc(bytes != 0 ? bytes : 1);
    if (made == NULL)
        return winnow__no_memory("compiled code");
    error = nvrtc.get_code(of, made);
    if (error != SUCCESS) {
        free(made);
        return fail(error);
    }
    *code = (winnow__code){.bytes = made, .number = bytes};
    return WINNOW_OK;
}

winnow_status winnow__nvrtc_compile(const char *source, int capability,
                                    winnow__code *code) {
    char architecture[64];
    const char *const options[] = {architecture, "-std=c++17", "-fmad=false",
                                   "-minimal"};
    pthread_once(&opened, open_nvrtc);
    if (nvrtc.version == 0)
        return winnow__unsupported("there is no compiler: %s", nvrtc.why);
    /* 12.4 and later can leave out textures and the like, which take a tenth of
     * the time. */
    const int number = nvrtc.version >= FIRST_MINIMAL ? 4 : 3;
    program *made = NULL;
    WINNOW__TRY(check_device(capability));
    snprintf(architecture, sizeof architecture, "-arch=sm_%d", capability);
    int error = nvrtc.create(&made, source, "condition.cu", 0, NULL, NULL);
    if (error != SUCCESS)
        return fail(error);
    error = nvrtc.compile(made, number, options);
    const winnow_status status = error == SUCCESS     ? take_code(made, code)
                                 : error == NO_MEMORY ? fail(error)
                                                      : fail_with_log(made);
    nvrtc.destroy(&made);
    return status;
}
