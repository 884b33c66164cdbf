/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "input.h"

#include "fail.h"
#include "fields.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

size_t program_name_bytes(const char *text) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char digits[] = "0123456789";
    size_t bytes = strspn(text, letters);
    if (bytes == 0)
        return 0;
    while (text[bytes] != '\0' && (strchr(letters, text[bytes]) != NULL ||
                                   strchr(digits, text[bytes]) != NULL))
        bytes++;
    return text[bytes] == '=' ? bytes : 0;
}

static void open_file(program_input *input, const char *path) {
    const bool is_standard = strcmp(path, "-") == 0;
    struct stat about;
    input->path = is_standard ? "standard input" : path;
    input->file.fd =
        is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (input->file.fd < 0 || fstat(input->file.fd, &about) != 0)
        program_fail(PROGRAM_INPUT, "%s: %s", input->path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        program_fail(PROGRAM_INPUT, "%s: %s", input->path, strerror(EISDIR));
    if (is_standard && isatty(STDIN_FILENO) == 1)
        program_fail(PROGRAM_USAGE,
                     "standard input is a terminal: name a file");
    /* Those of /proc have no size: how long they are is seen by reading. */
    input->file.in_order = !S_ISREG(about.st_mode) || about.st_size == 0;
}

/* All bytes, or fewer at the file's end. */
static size_t read_bytes(const program_input *input, void *to, size_t bytes) {
    size_t got = 0;
    while (got < bytes) {
        const ssize_t now = read(input->file.fd, (char *)to + got, bytes - got);
        if (now == 0)
            break;
        if (now > 0)
            got += (size_t)now;
        else if (errno != EINTR)
            program_fail(PROGRAM_INPUT, "%s: %s", input->path, strerror(errno));
    }
    return got;
}

static void read_header(program_input *input) {
    unsigned char start[NPY_MAGIC_BYTES + 4] = {0};
    unsigned version = 0;
    char why[256];
    const size_t magic = read_bytes(input, start, NPY_MAGIC_BYTES);
    const unsigned length =
        magic == NPY_MAGIC_BYTES ? npy_length_bytes(start, &version) : 0;
    if (length == 0)
        program_fail(PROGRAM_FORMAT,
                     "%s: no .npy file of version 1 to 3; raw records take "
                     "--fields",
                     input->path);
    size_t bytes = 0;
    if (read_bytes(input, start + NPY_MAGIC_BYTES, length) != length)
        program_fail(PROGRAM_FORMAT, "%s: it ends in its header", input->path);
    for (unsigned i = length; i-- != 0;)
        bytes = bytes << 8 | start[NPY_MAGIC_BYTES + i];
    if (bytes > NPY_MOST_TEXT_BYTES)
        program_fail(PROGRAM_FORMAT,
                     "%s: its header has %zu bytes, more than %d", input->path,
                     bytes, NPY_MOST_TEXT_BYTES);
    char *const text = program_allocate(1, bytes);
    const bool is_whole = read_bytes(input, text, bytes) == bytes;
    errno = 0;
    const bool is_right =
        is_whole &&
        npy_parse(&input->array, version, text, bytes,
                  input->name != NULL ? input->name : "x", why, sizeof why);
    const bool is_memory = errno == ENOMEM;
    free(text);
    if (!is_right)
        program_fail(is_whole && is_memory ? PROGRAM_DEVICE : PROGRAM_FORMAT, "%s: %s", input->path,
                     is_whole ? why : "it ends in its header");
}

/* A .npy file as records would be its header, and elements that are shifted. */
static void refuse_npy(const program_input *input) {
    unsigned char start[NPY_MAGIC_BYTES];
    unsigned version;
    const off_t at = lseek(input->file.fd, 0, SEEK_CUR);
    if (at >= 0 &&
        pread(input->file.fd, start, sizeof start, at) == sizeof start &&
        npy_length_bytes(start, &version) != 0)
        program_fail(PROGRAM_FORMAT,
                     "%s: a .npy file, which names its own fields: leave out "
                     "--fields",
                     input->path);
}

/* A file of known size has all of its elements; they begin where it is. */
static void check_size(program_input *input) {
    struct stat about;
    npy_array *const array = &input->array;
    const off_t at = lseek(input->file.fd, 0, SEEK_CUR);
    if (at < 0 || fstat(input->file.fd, &about) != 0)
        program_fail(PROGRAM_INPUT, "%s: %s", input->path, strerror(errno));
    input->file.offset = (uint64_t)at;
    const uint64_t rest =
        about.st_size > at ? (uint64_t)(about.st_size - at) : 0;
    const uint64_t there = rest / array->item.bytes;
    if (array->items == WINNOW_NO_LIMIT) {
        if (rest % array->item.bytes != 0)
            program_fail(PROGRAM_FORMAT,
                         "%s: it ends in the middle of a record: %" PRIu64
                         " bytes, of records of %" PRIu64,
                         input->path, rest, array->item.bytes);
        array->items = there;
    }
    if (there < array->items)
        program_fail(PROGRAM_FORMAT,
                     "%s: too short: it has %" PRIu64 " of %" PRIu64
                     " elements",
                     input->path, there, array->items);
}

void program_input_open(program_input *input, const char *text,
                        const char *fields) {
    const size_t bytes = program_name_bytes(text);
    *input = (program_input){.is_npy = fields == NULL};
    if (bytes != 0) {
        input->name = program_allocate(bytes + 1, 1);
        memcpy(input->name, text, bytes);
    }
    open_file(input, bytes != 0 ? text + bytes + 1 : text);
    if (fields == NULL)
        read_header(input);
    else
        program_fields_parse(&input->array, fields);
    if (input->array.item.bytes == 0 || input->array.item.bytes > 4096)
        program_fail(PROGRAM_FORMAT,
                     "%s: its elements have %" PRIu64 " bytes: wanted 1 to "
                     "4096",
                     input->path, input->array.item.bytes);
    if (input->file.in_order)
        return;
    if (fields != NULL)
        refuse_npy(input);
    check_size(input);
}
