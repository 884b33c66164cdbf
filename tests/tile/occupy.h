/*
 * Another program's long kernel: it holds multiprocessors for as long as it is
 * told to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_OCCUPY_H
#define WINNOW_TESTS_OCCUPY_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In pinned memory, which host and device share. */
struct occupation {
    unsigned begun; /* blocks that hold their multiprocessor */
    uint32_t end;   /* set by the host: let go */
    unsigned ended; /* blocks that have, one way or the other */
};

/*
 * One block on each of this many multiprocessors, with all of its shared memory
 * and all of its threads, until `end` is set, or for `seconds` at most.
 */
cudaError_t occupy(struct occupation *occupation, unsigned multiprocessors,
                   double seconds, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
