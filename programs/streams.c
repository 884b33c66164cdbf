/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "streams.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void flush_at_exit(void) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    const int error = errno;
    fprintf(stderr, "winnow: standard output: %s\n", strerror(error));
    _exit(program_output_status(error));
}

void program_streams_begin(void) {
    /* A stream in its place fails as a closed one does: EBADF. */
    static const int unused[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", unused[fd] | O_CLOEXEC) != fd)
            _exit(PROGRAM_DEVICE); /* not even that: there may be no stderr */
    atexit(flush_at_exit);
}

void program_streams_flush(void) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    const int error = errno;
    clearerr(stdout);
    (void)freopen("/dev/null", "w", stdout); /* at exit there is no more */
    program_fail(program_output_status(error), "standard output: %s",
                 strerror(error));
}

static bool is_of_descriptors(const char *folder) {
    int bytes = 0;
    long process = 0;
    if (strcmp(folder, "/dev/fd") == 0)
        return true;
    if (sscanf(folder, "/proc/%ld%n", &process, &bytes) != 1 ||
        process != (long)getpid())
        return false;
    folder += bytes;
    bytes = 0;
    (void)sscanf(folder, "/task/%ld%n", &process, &bytes);
    return strcmp(folder + bytes, "/fd") == 0;
}

/* The folder of a path, without links, and the name in it. */
static bool split(const char *path, char *folder, char *name) {
    char copy[PATH_MAX];
    if (strlen(path) >= sizeof copy)
        return false;
    strcpy(copy, path);
    strcpy(name, basename(copy));
    strcpy(copy, path);
    return realpath(dirname(copy), folder) != NULL;
}

int program_streams_find(const char *path) {
    enum {
        MOST_LINKS = 40 /* the system's limit */
    };
    static char at[PATH_MAX], folder[PATH_MAX], name[PATH_MAX], to[PATH_MAX];
    if (strlen(path) >= sizeof at)
        return -1;
    strcpy(at, path);
    for (unsigned links = 0; links < MOST_LINKS; links++) {
        if (!split(at, folder, name))
            return -1;
        const size_t digits = strspn(name, "0123456789");
        if (digits != 0 && digits < 10 && name[digits] == '\0' &&
            is_of_descriptors(folder))
            return atoi(name);
        const ssize_t bytes = readlink(at, to, sizeof to - 1);
        if (bytes < 0)
            return -1;
        to[bytes] = '\0';
        const int all = to[0] == '/'
                            ? snprintf(at, sizeof at, "%s", to)
                            : snprintf(at, sizeof at, "%s/%s", folder, to);
        if (all < 0 || (size_t)all >= sizeof at)
            return -1;
    }
    return -1;
}
