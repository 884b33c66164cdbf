/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipe.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_bytes(int fd, uint64_t end) {
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
           (uint64_t)about.st_size >= end;
}

/* Map pages; the first may begin before the items. */
static bool map_file(const winnow_pipe_file *file, uint64_t offset,
                     uint64_t bytes, unsigned i, winnow__mapping *mapping) {
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t first = file->offset + offset;
    const uint64_t head = first % page;
    if (!has_bytes(file->fd, first + bytes))
        return false;
    void *const start = mmap(NULL, head + bytes, PROT_READ, MAP_SHARED,
                             file->fd, (off_t)(first - head));
    if (start == MAP_FAILED)
        return false;
    /* A hint: if the file is not in the page cache, the kernel reads ahead. */
    madvise(start, head + bytes, MADV_SEQUENTIAL);
    mapping->start[i] = start;
    mapping->bytes[i] = head + bytes;
    mapping->inputs[i] = (const unsigned char *)start + head;
    return true;
}

bool winnow__map(const winnow_pipe *pipe, const winnow__source *source,
                 uint64_t first, uint64_t n, winnow__mapping *mapping) {
    *mapping = (winnow__mapping){.inputs = {NULL}};
    if (source->files == NULL || source->in_order)
        return false;
    for (unsigned i = 0; i < pipe->input_count; i++) {
        const uint64_t bytes = pipe->inputs[i].element_bytes;
        if (!map_file(&source->files[i], first * bytes, n * bytes, i,
                      mapping)) {
            winnow__unmap(pipe, mapping);
            return false;
        }
    }
    return true;
}

void winnow__unmap(const winnow_pipe *pipe, winnow__mapping *mapping) {
    for (unsigned i = 0; i < pipe->input_count; i++)
        if (mapping->start[i] != NULL)
            munmap(mapping->start[i], mapping->bytes[i]);
}
