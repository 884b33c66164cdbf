/*
 * Compile a CUDA source by NVRTC, which is looked for when this runs.
 *
 * usage: nvrtc SOURCE OPTION...
 *
 * exit status: 0 it compiles without a message, 1 it does not, 77 there is no
 * NVRTC
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct program *program;
typedef int create_function(program *, const char *, const char *, int,
                            const char *const *, const char *const *);
typedef int compile_function(program, int, const char *const *);
typedef int size_function(program, size_t *);
typedef int text_function(program, char *);

static void *open_library(void) {
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13",
                                        "libnvrtc.so.12"};
    void *library = NULL;

    for (size_t i = 0; library == NULL && i < sizeof(names) / sizeof(names[0]);
         i++)
        library = dlopen(names[i], RTLD_NOW);
    return library;
}

/* The text of a file, which this program keeps. */
static char *read_file(const char *name) {
    FILE *const file = fopen(name, "r");
    char *text = NULL;
    long bytes;

    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (bytes = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0) {
        text = calloc((size_t)bytes + 1, 1);
        if (text != NULL &&
            fread(text, 1, (size_t)bytes, file) != (size_t)bytes)
            text[0] = '\0';
    }
    fclose(file);
    return text;
}

int main(int number, char **arguments) {
    void *const library = open_library();
    char *source, *log;
    size_t bytes = 0;
    program made = NULL;
    int status;

    if (library == NULL) {
        printf("%s\n", dlerror());
        return 77;
    }
    create_function *create;
    compile_function *compile;
    size_function *log_size;
    text_function *log_text;
    *(void **)&create = dlsym(library, "nvrtcCreateProgram");
    *(void **)&compile = dlsym(library, "nvrtcCompileProgram");
    *(void **)&log_size = dlsym(library, "nvrtcGetProgramLogSize");
    *(void **)&log_text = dlsym(library, "nvrtcGetProgramLog");
    source = number < 2 ? NULL : read_file(arguments[1]);
    if (create == NULL || compile == NULL || log_size == NULL ||
        log_text == NULL || source == NULL ||
        create(&made, source, "source.cu", 0, NULL, NULL) != 0) {
        printf("NVRTC cannot be asked\n");
        return 1;
    }
    status = compile(made, number - 2, (const char *const *)arguments + 2);
    if (log_size(made, &bytes) == 0 && (log = calloc(bytes + 1, 1)) != NULL &&
        log_text(made, log) == 0)
        printf("%s", log);
    return status != 0 || bytes > 1;
}
