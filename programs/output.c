/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "output.h"

#include "fail.h"
#include "progress.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ----------------------------------------------------------- temporary files */

/* Their names, which a signal's handler reads. */
static char *volatile temporaries[WINNOW_PIPE_MOST_OUTPUTS];
static unsigned temporary_count;

static const int ending[] = {SIGHUP,  SIGINT,  SIGTERM, SIGQUIT,
                             SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};
enum {
    ENDING = sizeof ending / sizeof ending[0]
};

static void remove_temporaries(void) {
    for (unsigned i = 0; i < WINNOW_PIPE_MOST_OUTPUTS; i++)
        if (temporaries[i] != NULL)
            (void)unlink(temporaries[i]);
}

/* The signal is raised again when the handler returns, and ends the program. */
static void handle(int number) {
    remove_temporaries();
    program_progress_clear();
    signal(number, SIG_DFL);
    raise(number);
}

/* A file that is mapped, and is cut by another program meanwhile. */
static void handle_fault(int number) {
    static const char text[] =
        "winnow: an input became shorter, or cannot be read\n";
    (void)number;
    remove_temporaries();
    program_progress_clear();
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(PROGRAM_OUTPUT);
    _exit(PROGRAM_FORMAT);
}

void program_outputs_begin(void) {
    struct sigaction old;
    atexit(remove_temporaries);
    /* A reader that goes away and a limit on a file's size are errors. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGBUS, handle_fault);
    for (unsigned i = 0; i < ENDING; i++)
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ending[i], &(struct sigaction){.sa_handler = handle},
                      NULL);
}

/* A signal comes before a file is made, or behind what names it. */
static void block_signals(int how) {
    sigset_t set;
    sigemptyset(&set);
    for (unsigned i = 0; i < ENDING; i++)
        sigaddset(&set, ending[i]);
    sigprocmask(how, &set, NULL);
}

static _Noreturn void fail(const program_output *output, int error) {
    program_fail(program_output_status(error), "%s: %s", output->path,
                 strerror(error));
}

/* -------------------------------------------------------------------- opening */

/* mkstemp(), of a file that exec() closes. */
static int make_temporary(char *name) {
    const int fd = mkstemp(name);
    if (fd >= 0)
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* DIRECTORY/.winnow-XXXXXX */
static char *name_beside(const char *real) {
    static const char pattern[] = "/.winnow-XXXXXX";
    char *const made = program_allocate(strlen(real) + 2 + sizeof pattern, 1);
    strcpy(made, real);
    char *const directory = dirname(made); /* in it, or "." */
    memmove(made, directory, strlen(directory) + 1);
    strcat(made, pattern);
    return made;
}

static void open_beside(program_output *output) {
    char *const name = name_beside(output->real);
    block_signals(SIG_BLOCK);
    output->fd = make_temporary(name);
    const int error = errno;
    output->temporary = temporary_count;
    if (output->fd >= 0)
        temporaries[temporary_count++] = name;
    block_signals(SIG_UNBLOCK);
    if (output->fd < 0)
        fail(output, error);
    output->has_place = true;
}

static mode_t new_mode(void) {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* What is replaced may be written: a file that nobody may write is refused to
 * root as well. */
static void check_replaced(program_output *output, const struct stat *about) {
    output->real = realpath(output->path, NULL);
    if (output->real == NULL ||
        faccessat(AT_FDCWD, output->real, W_OK, AT_EACCESS) != 0)
        fail(output, errno);
    if ((about->st_mode & 0222) == 0)
        fail(output, EACCES);
    output->replaces = true;
    output->owner = about->st_uid;
    output->group = about->st_gid;
    output->mode = about->st_mode & 07777;
}

/* A regular file, or none yet. */
static void open_regular(program_output *output, const struct stat *about) {
    struct stat link;
    if (about != NULL) {
        check_replaced(output, about);
    } else if (output->path[0] == '\0') {
        fail(output, ENOENT);
    } else if (output->path[strlen(output->path) - 1] == '/') {
        fail(output, ENOTDIR);
    } else if (lstat(output->path, &link) == 0) {
        program_fail(PROGRAM_OUTPUT, "%s: a symbolic link that leads nowhere",
                     output->path);
    } else {
        output->real = strdup(output->path);
        if (output->real == NULL)
            program_fail(PROGRAM_DEVICE, "no memory");
        output->mode = new_mode();
    }
    open_beside(output);
}

/* An unlinked file. */
static int open_spool(void) {
    const char *directory = getenv("TMPDIR");
    char name[4096];
    if (directory == NULL || directory[0] == '\0')
        directory = "/tmp";
    const int bytes =
        snprintf(name, sizeof name, "%s/.winnow-XXXXXX", directory);
    if (bytes < 0 || (size_t)bytes >= sizeof name)
        program_fail(PROGRAM_OUTPUT, "TMPDIR is too long");
    block_signals(SIG_BLOCK);
    const int fd = make_temporary(name), error = errno;
    if (fd >= 0)
        unlink(name);
    block_signals(SIG_UNBLOCK);
    if (fd < 0)
        program_fail(PROGRAM_OUTPUT, "%s: %s", name, strerror(error));
    return fd;
}

/* A header has the number of items, and so is written last: what cannot be
 * written twice is collected in a file first. */
static void look_at(program_output *output) {
    const int flags = fcntl(output->fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        fail(output, EBADF);
    const off_t at =
        (flags & O_APPEND) != 0 ? -1 : lseek(output->fd, 0, SEEK_CUR);
    output->has_place = at >= 0;
    output->offset = at >= 0 ? (uint64_t)at : 0;
    if (isatty(output->fd) == 1 && output->fd == STDOUT_FILENO)
        program_fail(PROGRAM_USAGE,
                     "standard output is a terminal: name a file by -o");
    if (output->has_place || !output->is_npy)
        return;
    output->end_fd = output->fd;
    output->fd = open_spool();
    output->has_place = true;
}

/* A pipe, a device, or a descriptor of who started the program: its own are
 * closed by exec(). */
static void open_in_place(program_output *output, const char *path,
                          int descriptor) {
    if (descriptor >= 0) {
        const int flags = fcntl(descriptor, F_GETFD);
        output->fd = descriptor;
        if (flags < 0 || (flags & FD_CLOEXEC) != 0)
            fail(output, EBADF);
    } else if (path != NULL) {
        output->fd = open(path, O_WRONLY | O_CLOEXEC);
    }
    if (output->fd < 0)
        fail(output, errno);
    look_at(output);
}

void program_output_open(program_output *output, const char *path,
                         const npy_array *array) {
    const int descriptor = path != NULL ? program_streams_find(path) : -1;
    struct stat about;
    *output = (program_output){.path = path != NULL ? path : "standard output",
                               .fd = STDOUT_FILENO,
                               .end_fd = -1,
                               .is_npy = array != NULL};
    if (array != NULL) {
        output->array = *array;
        char *const header =
            npy_write(array, UINT64_MAX, 1, &output->header_bytes);
        if (header == NULL)
            program_fail(PROGRAM_DEVICE, "no memory");
        free(header);
    }
    if (path == NULL || descriptor >= 0) {
        open_in_place(output, path, descriptor);
        return;
    }
    const bool is_there = stat(path, &about) == 0;
    if (!is_there && errno != ENOENT)
        fail(output, errno);
    if (is_there && S_ISDIR(about.st_mode))
        program_fail(PROGRAM_OUTPUT,
                     "%s: Is a directory: name a file in it, such as %s%skept%s",
                     path, path, path[strlen(path) - 1] == '/' ? "" : "/",
                     array != NULL ? ".npy" : "");
    if (is_there && !S_ISREG(about.st_mode))
        open_in_place(output, path, -1);
    else
        open_regular(output, is_there ? &about : NULL);
}

static int own_fd(const program_output *output) {
    return output->end_fd >= 0 ? output->end_fd : output->fd;
}

bool program_output_is(const program_output *output, int fd) {
    struct stat a, b;
    return output->real == NULL && fstat(own_fd(output), &a) == 0 &&
           fstat(fd, &b) == 0 && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* By the directory and the name in it: the file need not be there. */
static bool is_same_name(const char *a, const char *b) {
    const char *const name_a = strrchr(a, '/'), *const name_b = strrchr(b, '/');
    char *const copy_a = strdup(a), *const copy_b = strdup(b);
    struct stat in_a, in_b;
    const bool is_same =
        strcmp(name_a != NULL ? name_a + 1 : a,
               name_b != NULL ? name_b + 1 : b) == 0 &&
        copy_a != NULL && copy_b != NULL && stat(dirname(copy_a), &in_a) == 0 &&
        stat(dirname(copy_b), &in_b) == 0 && in_a.st_dev == in_b.st_dev &&
        in_a.st_ino == in_b.st_ino;
    if (copy_a == NULL || copy_b == NULL)
        program_fail(PROGRAM_DEVICE, "no memory");
    free(copy_a);
    free(copy_b);
    return is_same;
}

bool program_outputs_meet(const program_output *a, const program_output *b) {
    if (a->real != NULL && b->real != NULL)
        return is_same_name(a->real, b->real);
    if (a->real != NULL || b->real != NULL)
        return false;
    return own_fd(a) == own_fd(b) || program_output_is(a, own_fd(b));
}

/* -------------------------------------------------------------------- the end */

static void write_at(const program_output *output, const char *from,
                     size_t bytes, uint64_t offset) {
    while (bytes != 0) {
        const ssize_t done = pwrite(output->fd, from, bytes, (off_t)offset);
        if (done < 0 && errno != EINTR)
            fail(output, errno);
        if (done > 0) {
            from += done;
            bytes -= (size_t)done;
            offset += (uint64_t)done;
        }
    }
}

/* Errors that follow are still to be told. */
static int close_one(int fd) {
    return fd != STDERR_FILENO ? close(fd) : 0;
}

static void copy_spool(const program_output *output, uint64_t all) {
    static char buffer[1 << 18];
    for (uint64_t at = 0; at < all;) {
        const ssize_t got = pread(output->fd, buffer, sizeof buffer, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            fail(output, got < 0 ? errno : EIO);
        for (ssize_t done = 0; done < got;) {
            const ssize_t now =
                write(output->end_fd, buffer + done, (size_t)(got - done));
            if (now < 0 && errno != EINTR)
                fail(output, errno);
            if (now > 0)
                done += now;
        }
        at += (uint64_t)got;
    }
}

/* The owner and the group are kept where they can be. Who runs a program as
 * another user by its mode is to have that user's: without both, none does. At
 * the end, since writing takes these bits away. */
static void set_mode(const program_output *output) {
    mode_t mode = output->mode;
    if (output->replaces) {
        const bool group = fchown(output->fd, (uid_t)-1, output->group) == 0;
        const bool owner = fchown(output->fd, output->owner, (gid_t)-1) == 0;
        if (!group || !owner)
            mode &= ~(mode_t)(S_ISUID | S_ISGID);
    }
    if (fchmod(output->fd, mode) != 0)
        fail(output, errno);
}

void program_output_end(program_output *output, uint64_t n, uint64_t bytes) {
    const uint64_t all = output->header_bytes + n * bytes;
    if (output->is_npy) {
        size_t written;
        char *const header =
            npy_write(&output->array, n, output->header_bytes, &written);
        if (header == NULL)
            program_fail(PROGRAM_DEVICE, "no memory");
        write_at(output, header, written, output->offset);
        free(header);
    }
    if (output->end_fd >= 0) {
        copy_spool(output, all);
        if (close_one(output->end_fd) != 0)
            fail(output, errno);
    }
    if (output->real != NULL)
        set_mode(output);
    if (output->real != NULL && fsync(output->fd) != 0)
        fail(output, errno);
    /* Whoever goes on with the same file finds its end. */
    if (output->real == NULL && output->end_fd < 0 && output->has_place)
        (void)lseek(output->fd, (off_t)(output->offset + all), SEEK_SET);
    if (close_one(output->fd) != 0)
        fail(output, errno);
}

/* That the name is there after a power cut, too. Some file systems cannot. */
static void sync_directory(const char *real) {
    const char *const name = strrchr(real, '/');
    const size_t bytes = name != NULL ? (size_t)(name - real) + 1 : 0;
    char directory[PATH_MAX] = ".";
    if (bytes >= sizeof directory)
        return; /* it was opened, and so is no longer than that */
    if (bytes != 0)
        memcpy(directory, real, bytes);
    const int fd = open(directory, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

void program_output_name(program_output *output) {
    if (output->real == NULL)
        return;
    if (rename(temporaries[output->temporary], output->real) != 0)
        fail(output, errno);
    char *const name = temporaries[output->temporary];
    temporaries[output->temporary] = NULL;
    free(name);
    sync_directory(output->real);
    free(output->real);
    output->real = NULL;
}
