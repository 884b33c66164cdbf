/*
 * Writes survivors to files, and through the caller's function.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sink.h"

#include "core/status.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

uint64_t winnow__sink_room(const winnow_pipe_output *output,
                           const winnow__piece *piece) {
    const uint64_t start = winnow__sink_start(output, piece);
    const uint64_t count = winnow__sink_count(output, piece);
    const uint64_t room =
        start < output->capacity ? output->capacity - start : 0;
    return count < room ? count : room;
}

void winnow__sink_shift(uint64_t *indices, uint64_t n, uint64_t first) {
    if (first == 0)
        return;
    for (uint64_t i = 0; i < n; i++)
        indices[i] += first;
}

static winnow_status write_bytes(const winnow_pipe_output *output, unsigned o,
                                 uint64_t offset, const unsigned char *from,
                                 uint64_t bytes, winnow__file_error *error_p) {
    const size_t most = (size_t)1 << 30;
    while (bytes != 0) {
        const size_t wanted = bytes < most ? (size_t)bytes : most;
        const ssize_t result = output->target == WINNOW_PIPE_TO_STREAM
                                   ? write(output->fd, from, wanted)
                                   : pwrite(output->fd, from, wanted,
                                            (off_t)(output->offset + offset));
        if (result < 0 && errno != EINTR) {
            *error_p = (winnow__file_error){
                .number = errno, .failed = WINNOW_PIPE_FAILED_OUTPUT + o};
            return winnow__fail(WINNOW_ERR_FILE,
                                "outputs[%u] cannot be written: %s", o,
                                strerror(errno));
        }
        if (result > 0) {
            from += result;
            offset += (uint64_t)result;
            bytes -= (uint64_t)result;
        }
    }
    return WINNOW_OK;
}

winnow_status winnow__sink_write(const winnow_pipe *pipe, unsigned o,
                                 const winnow__piece *piece,
                                 const void *elements,
                                 winnow__file_error *error_p) {
    const winnow_pipe_output *const output = &pipe->outputs[o];
    const uint64_t count = winnow__sink_count(output, piece);
    const size_t bytes = winnow__pipe_output_bytes(pipe, o);
    if (output->target != WINNOW_PIPE_TO_FUNCTION)
        return write_bytes(output, o, winnow__sink_start(output, piece) * bytes,
                           elements, count * bytes, error_p);
    if (count != 0 && output->write(output->user, elements, count) != 0)
        return winnow__fail(WINNOW_ERR_STOPPED,
                            "outputs[%u].write stopped the pipe", o);
    return WINNOW_OK;
}
