/*
 * NVRTC's double: it compiles a kernel for the CPU device, by the compiler that
 * the tests were compiled with. It is opened where the library opens NVRTC.
 *
 * What this compiler takes, NVRTC may refuse, or compile without an end. So where
 * WINNOW_SIMT_NVRTC_TOO names a program, each source is given to it as well: a
 * file, and the options. A source that it refuses does not compile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SUCCESS = 0,
    NO_MEMORY = 1,
    FAILED = 6
};

typedef struct program {
    char *source;
    char *code;
    size_t code_bytes;
    char *log;
    size_t log_bytes;
} program;

int nvrtcVersion(int *major, int *minor);
int nvrtcGetNumSupportedArchs(int *number);
int nvrtcGetSupportedArchs(int *archs);
int nvrtcCreateProgram(program **program_p, const char *source,
                       const char *name, int headers, const char *const *header,
                       const char *const *include_name);
int nvrtcCompileProgram(program *of, int options, const char *const *option);
int nvrtcGetCUBINSize(program *of, size_t *bytes);
int nvrtcGetCUBIN(program *of, char *code);
int nvrtcGetProgramLogSize(program *of, size_t *bytes);
int nvrtcGetProgramLog(program *of, char *log);
int nvrtcDestroyProgram(program **program_p);
const char *nvrtcGetErrorString(int error);

/* How often it has compiled: a test asks for it. */
_Atomic unsigned simt_nvrtc_compiled;
/* How many compilations wait for each other, for a minute at most: a test that
 * sets it is one of compilations at the same time. */
_Atomic unsigned simt_nvrtc_meet;

static const char head[] = "#include <cmath>\n"
                           "#include <cstring>\n"
                           "#include \"simt/kernel.hpp\"\n"
                           "using std::memcpy;\n";
static const char tail[] =
    "\nnamespace {\nconst bool announced = (simt::announce(&winnow_kernel), "
    "true);\n}\n";

int nvrtcVersion(int *major, int *minor) {
    *major = 99;
    *minor = 1;
    return SUCCESS;
}

int nvrtcGetNumSupportedArchs(int *number) {
    *number = 3;
    return SUCCESS;
}

int nvrtcGetSupportedArchs(int *archs) {
    archs[0] = 75;
    archs[1] = 80;
    archs[2] = 90;
    return SUCCESS;
}

int nvrtcCreateProgram(program **program_p, const char *source,
                       const char *name, int headers, const char *const *header,
                       const char *const *include_name) {
    program *const made = calloc(1, sizeof *made);
    (void)name, (void)headers, (void)header, (void)include_name;
    if (made == NULL || (made->source = strdup(source)) == NULL) {
        free(made);
        return NO_MEMORY;
    }
    *program_p = made;
    return SUCCESS;
}

/* The bytes of a file, behind `before` others; NULL: it cannot be read. */
static char *read_file(const char *path, size_t before, size_t *bytes) {
    FILE *const file = fopen(path, "rb");
    char *made = NULL;
    *bytes = 0;
    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        const long end = ftell(file);
        rewind(file);
        made = end >= 0 ? calloc(1, before + (size_t)end + 1) : NULL;
        if (made != NULL)
            *bytes = before + fread(made + before, 1, (size_t)end, file);
    }
    fclose(file);
    return made;
}

static void write_file(const char *path, const char *text) {
    FILE *const file = fopen(path, "w");
    if (file != NULL) {
        fputs(text, file);
        fclose(file);
    }
}

/* Does the other program take the source? What it says is behind the log. */
static bool is_taken_too(const program *of, const char *folder, const char *log,
                         int options, const char *const *option) {
    const char *const other = getenv("WINNOW_SIMT_NVRTC_TOO");
    char source[64], command[4096];
    if (other == NULL)
        return true;
    snprintf(source, sizeof source, "%s/condition.cu", folder);
    int used =
        snprintf(command, sizeof command, "said=$('%s' %s", other, source);
    for (int i = 0; i < options && used < (int)sizeof command; i++)
        used += snprintf(command + used, sizeof command - (size_t)used, " '%s'",
                         option[i]);
    if (used < (int)sizeof command)
        used +=
            snprintf(command + used, sizeof command - (size_t)used,
                     " 2>&1) || { echo \"WINNOW_SIMT_NVRTC_TOO: exit status "
                     "$?\"; echo \"$said\"; exit 1; } >>%s",
                     log);
    write_file(source, of->source);
    const bool is_taken = used < (int)sizeof command && system(command) == 0;
    unlink(source);
    return is_taken;
}

int nvrtcCompileProgram(program *of, int options, const char *const *option) {
    char folder[] = "/tmp/winnow-simt-XXXXXX";
    char source[64], code[64], log[64], command[4096];
    struct {
        char magic[8];
        uint64_t bytes;
    } about = {.magic = {'s', 'i', 'm', 't', 'c', 'o', 'd', 'e'}};
    simt_nvrtc_compiled++;
    for (int i = 0; simt_nvrtc_compiled < simt_nvrtc_meet; i++) {
        if (i == 30000) /* five minutes: the other compilation never comes */
            return FAILED;
        usleep(10000);
    }
    if (mkdtemp(folder) == NULL)
        return NO_MEMORY;
    snprintf(source, sizeof source, "%s/kernel.cc", folder);
    snprintf(code, sizeof code, "%s/kernel.so", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(command, sizeof command, "%s -o %s %s >%s 2>&1", SIMT_COMPILER,
             code, source, log);
    FILE *const file = fopen(source, "w");
    if (file != NULL) {
        /* The loader has one of a function's static variables for all libraries,
         * by its name, in which the argument's type is: a type for each. */
        fprintf(file, "%s#define Args Args%s\n#line 1 \"condition.cu\"\n%s%s",
                head, folder + sizeof folder - sizeof "XXXXXX", of->source,
                tail);
        fclose(file);
    }
    const bool is_taken =
        system(command) == 0 && is_taken_too(of, folder, log, options, option);
    of->log = read_file(log, 0, &of->log_bytes);
    if (is_taken)
        of->code = read_file(code, sizeof about, &of->code_bytes);
    unlink(source);
    unlink(code);
    unlink(log);
    rmdir(folder);
    if (of->code == NULL)
        return FAILED;
    about.bytes = of->code_bytes - sizeof about;
    memcpy(of->code, &about, sizeof about);
    return SUCCESS;
}

int nvrtcGetCUBINSize(program *of, size_t *bytes) {
    *bytes = of->code_bytes;
    return SUCCESS;
}

int nvrtcGetCUBIN(program *of, char *code) {
    memcpy(code, of->code, of->code_bytes);
    return SUCCESS;
}

int nvrtcGetProgramLogSize(program *of, size_t *bytes) {
    *bytes = of->log_bytes + 1;
    return SUCCESS;
}

int nvrtcGetProgramLog(program *of, char *log) {
    memcpy(log, of->log != NULL ? of->log : "", of->log_bytes + 1);
    return SUCCESS;
}

int nvrtcDestroyProgram(program **program_p) {
    free((*program_p)->source);
    free((*program_p)->code);
    free((*program_p)->log);
    free(*program_p);
    *program_p = NULL;
    return SUCCESS;
}

const char *nvrtcGetErrorString(int error) {
    return error == FAILED ? "NVRTC_ERROR_COMPILATION" : "an error";
}
