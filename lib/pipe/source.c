/*
 * Reads items from files, and through the caller's function.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "core/status.h"
#include "pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* -------------------------------------------------------------------- files */

static winnow_status fail_read(unsigned i, int error,
                               winnow__file_error *error_p) {
    *error_p = (winnow__file_error){.number = error, .failed = i};
    return winnow__fail(WINNOW_ERR_FILE, "files[%u] cannot be read: %s", i,
                        strerror(error));
}

/* The number of elements of input i in a file of known size. */
static winnow_status count_elements(const winnow_pipe *pipe,
                                    const winnow_pipe_file *file, unsigned i,
                                    uint64_t *n_p) {
    const uint32_t bytes = pipe->inputs[i].element_bytes;
    struct stat about;
    if (fstat(file->fd, &about) != 0)
        return winnow__refuse("files[%u].fd is %d: %s", i, file->fd,
                              strerror(errno));
    if (!S_ISREG(about.st_mode))
        return winnow__refuse(
            "files[%u] has no size: n has to be given, or in_order", i);
    const uint64_t size = (uint64_t)about.st_size;
    const uint64_t rest = size > file->offset ? size - file->offset : 0;
    if (rest % bytes != 0)
        return winnow__fail(WINNOW_ERR_FILE,
                            "files[%u] ends in the middle of an element: it "
                            "has %llu bytes of elements of %u",
                            i, (unsigned long long)rest, (unsigned)bytes);
    *n_p = rest / bytes;
    return WINNOW_OK;
}

static winnow_status count_items(const winnow_pipe *pipe,
                                 const winnow_pipe_file *files, uint64_t *n_p,
                                 winnow__file_error *error_p) {
    uint64_t n = 0;
    for (unsigned i = 0; i < pipe->input_count; i++) {
        uint64_t own = 0;
        *error_p = (winnow__file_error){.failed = i};
        WINNOW__TRY(count_elements(pipe, &files[i], i, &own));
        if (i != 0 && own != n) {
            error_p->failed = 0; /* the detail begins with it */
            return winnow__fail(
                WINNOW_ERR_FILE, "files[0] has %llu elements, files[%u] %llu",
                (unsigned long long)n, i, (unsigned long long)own);
        }
        n = own;
    }
    *n_p = n;
    return WINNOW_OK;
}

winnow_status winnow__source_of_files(const winnow_pipe *pipe,
                                      const winnow_pipe_file *files, uint64_t n,
                                      winnow__source *source_p,
                                      winnow__file_error *error_p) {
    *source_p = (winnow__source){.files = files, .n = n};
    for (unsigned i = 0; i < pipe->input_count; i++) {
        if (files[i].reserved[0] != 0 || files[i].reserved[1] != 0)
            return winnow__refuse("files[%u].reserved is not 0", i);
        source_p->in_order = source_p->in_order || files[i].in_order != 0;
    }
    return n == WINNOW_NO_LIMIT && !source_p->in_order
               ? count_items(pipe, files, &source_p->n, error_p)
               : WINNOW_OK;
}

/* Can a byte be read at once? If that is unknown: yes. */
static bool is_cached(int fd, uint64_t offset) {
#ifdef RWF_NOWAIT
    unsigned char byte;
    const struct iovec to = {.iov_base = &byte, .iov_len = 1};
    return preadv2(fd, &to, 1, (off_t)offset, RWF_NOWAIT) >= 0 ||
           errno != EAGAIN;
#else
    (void)fd;
    (void)offset;
    return true;
#endif
}

void winnow__source_announce(const winnow_pipe *pipe,
                             const winnow__source *source, uint64_t first,
                             uint64_t n) {
    if (source->files == NULL || source->in_order || first >= source->n)
        return;
    if (n > source->n - first)
        n = source->n - first;
    for (unsigned i = 0; i < pipe->input_count; i++) {
        const winnow_pipe_file *const file = &source->files[i];
        const uint64_t bytes = pipe->inputs[i].element_bytes;
        const uint64_t start = file->offset + first * bytes;
        /* Testing each page would take 2% of the time of reading it. */
        if (!is_cached(file->fd, start) ||
            !is_cached(file->fd, start + n * bytes - 1))
            (void)posix_fadvise(file->fd, (off_t)start, (off_t)(n * bytes),
                                POSIX_FADV_WILLNEED);
    }
}

/* Read all bytes that are there. Only at the end of the file are there fewer. */
static winnow_status read_bytes(const winnow_pipe_file *file, unsigned i,
                                uint64_t offset, unsigned char *to,
                                uint64_t bytes, uint64_t *got_p,
                                winnow__file_error *error_p) {
    const size_t most = (size_t)1 << 30;
    uint64_t got = 0;
    while (got < bytes) {
        const size_t wanted = bytes - got < most ? (size_t)(bytes - got) : most;
        const ssize_t result =
            file->in_order ? read(file->fd, to + got, wanted)
                           : pread(file->fd, to + got, wanted,
                                   (off_t)(file->offset + offset + got));
        if (result == 0)
            break;
        if (result > 0)
            got += (uint64_t)result;
        else if (errno != EINTR)
            return fail_read(i, errno, error_p);
    }
    *got_p = got;
    return WINNOW_OK;
}

static winnow_status fail_short(unsigned i, uint64_t item, uint64_t rest,
                                winnow__file_error *error_p) {
    *error_p = (winnow__file_error){.failed = i};
    if (rest != 0)
        return winnow__fail(WINNOW_ERR_FILE,
                            "files[%u] ends in the middle of element %llu", i,
                            (unsigned long long)item);
    return winnow__fail(WINNOW_ERR_FILE, "files[%u] ends before element %llu",
                        i, (unsigned long long)item);
}

static winnow_status read_files(const winnow_pipe *pipe,
                                const winnow__source *source, uint64_t first,
                                uint64_t n, void *const *to, uint64_t *got_p,
                                winnow__file_error *error_p) {
    const bool may_end = source->n == WINNOW_NO_LIMIT;
    uint64_t items = n;
    for (unsigned i = 0; i < pipe->input_count; i++) {
        const uint32_t bytes = pipe->inputs[i].element_bytes;
        uint64_t got = 0;
        WINNOW__TRY(read_bytes(&source->files[i], i, first * bytes, to[i],
                               n * bytes, &got, error_p));
        const uint64_t own = got / bytes;
        if (got % bytes != 0 || (own < n && !may_end))
            return fail_short(i, first + own, got % bytes, error_p);
        if (i != 0 && own != items)
            return fail_short(own < items ? i : 0,
                              first + (own < items ? own : items), 0, error_p);
        items = own;
    }
    *got_p = items;
    return WINNOW_OK;
}

winnow_status winnow__source_read_input(const winnow_pipe *pipe,
                                        const winnow__source *source,
                                        unsigned i, uint64_t first, uint64_t n,
                                        void *to, winnow__file_error *error_p) {
    const uint64_t bytes = pipe->inputs[i].element_bytes;
    uint64_t got = 0;
    if (source->inputs != NULL) {
        const unsigned char *const from =
            (const unsigned char *)source->inputs[i] + first * bytes;
        memcpy(to, from, n * bytes); /* staging.c says why */
        return WINNOW_OK;
    }
    winnow_status status = read_bytes(&source->files[i], i, first * bytes, to,
                                      n * bytes, &got, error_p);
    return status != WINNOW_OK || got == n * bytes
               ? status
               : fail_short(i, first + got / bytes, got % bytes, error_p);
}

/* --------------------------------------------------------------- a function */

static winnow_status read_by_function(const winnow_pipe *pipe,
                                      const winnow__source *source, uint64_t n,
                                      void *const *to, uint64_t *got_p) {
    void *at[WINNOW_PIPE_MOST_INPUTS];
    uint64_t all = 0, got = 1;
    while (all < n && got != 0) {
        for (unsigned i = 0; i < pipe->input_count; i++)
            at[i] =
                (unsigned char *)to[i] + all * pipe->inputs[i].element_bytes;
        got = 0;
        if (source->read(source->user, at, n - all, &got) != 0)
            return winnow__fail(WINNOW_ERR_STOPPED, "`read` stopped the pipe");
        if (got > n - all)
            return winnow__refuse(
                "`read` wrote %llu items where there was room for %llu",
                (unsigned long long)got, (unsigned long long)(n - all));
        all += got;
    }
    *got_p = all;
    return WINNOW_OK;
}

winnow_status winnow__source_read(const winnow_pipe *pipe,
                                  const winnow__source *source, uint64_t first,
                                  uint64_t n, void *const *to, uint64_t *got_p,
                                  winnow__file_error *error_p) {
    return source->read != NULL
               ? read_by_function(pipe, source, n, to, got_p)
               : read_files(pipe, source, first, n, to, got_p, error_p);
}
