/*
 * Where what is kept goes. A regular file has its name only when it is whole:
 * until then it is a temporary file in the same directory. Pipes, devices and
 * descriptors of who started the program are written in place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_OUTPUT_H
#define WINNOW_PROGRAMS_OUTPUT_H

#include "npy.h"

#include <sys/types.h>

typedef struct program_output {
    const char *path;   /* "standard output" */
    char *real;         /* the name that it gets in the end; NULL: in place */
    unsigned temporary; /* which of the temporary files it is until then */
    bool replaces;      /* a file, whose owner, group and mode it gets */
    uid_t owner;
    gid_t group;
    mode_t mode;
    int fd;             /* what is written to */
    int end_fd;         /* what fd is copied to in the end; -1: nothing */
    bool has_place;     /* written by pwrite(2), from `offset` on */
    uint64_t offset;    /* where it begins, in fd */
    npy_array array;    /* of its header, if it has one; not its own memory */
    bool is_npy;
    size_t header_bytes;
} program_output;

/* Remove temporary files at exit and when a signal ends the program. */
void program_outputs_begin(void);

/* path NULL: standard output. array NULL: no header. Fails if it cannot be
 * written. */
void program_output_open(program_output *output, const char *path,
                         const npy_array *array);

/* Is it the file that fd has, written in place? */
bool program_output_is(const program_output *output, int fd);
/* Do both write the same regular file, or standard output? */
bool program_outputs_meet(const program_output *a, const program_output *b);

/* All elements are written, n of them, of `bytes` each: write the header, and
 * all to the disk. */
void program_output_end(program_output *output, uint64_t n, uint64_t bytes);
/* Give it its name. */
void program_output_name(program_output *output);

#endif
