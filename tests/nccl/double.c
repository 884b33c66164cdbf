/*
 * NCCL's double among processes, in place of libnccl: small messages by sockets,
 * and the host waits for each. Enough for WINNOW_NCCL_PEER, which tells the ranks'
 * memory to each other by NCCL and moves elements without it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MOST_BYTES = 4096, /* of a message: a socket takes it at once */
    MOST_CALLS = 64    /* of a group */
};

struct ncclComm {
    int ranks, rank, device;
};

/* A socket for each direction, also from a rank to itself. */
static int to[RANKED_MOST][RANKED_MOST], from[RANKED_MOST][RANKED_MOST];

static struct ncclComm own;

bool meet_prepare(int ranks) {
    for (int a = 0; a < ranks; a++)
        for (int b = 0; b < ranks; b++) {
            int ends[2];
            if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
                return false;
            to[a][b] = ends[0];
            from[b][a] = ends[1];
        }
    return true;
}

ncclResult_t meet_open(ncclComm_t *comm_p, int ranks, int rank, int device) {
    own = (struct ncclComm){.ranks = ranks, .rank = rank, .device = device};
    *comm_p = &own;
    return ncclSuccess;
}

/* ------------------------------------------------------------------ messages */

static ncclResult_t send_message(const void *d_from, size_t bytes, int peer,
                                 cudaStream_t stream) {
    unsigned char message[MOST_BYTES];
    if (bytes > sizeof message)
        return ncclInvalidArgument;
    if (cudaMemcpyAsync(message, d_from, bytes, cudaMemcpyDeviceToHost,
                        stream) != cudaSuccess ||
        cudaStreamSynchronize(stream) != cudaSuccess)
        return ncclUnhandledCudaError;
    return write(to[own.rank][peer], message, bytes) == (ssize_t)bytes
               ? ncclSuccess
               : ncclSystemError;
}

static ncclResult_t receive_message(void *d_to, size_t bytes, int peer,
                                    cudaStream_t stream) {
    unsigned char message[MOST_BYTES];
    if (bytes > sizeof message)
        return ncclInvalidArgument;
    if (read(from[own.rank][peer], message, bytes) != (ssize_t)bytes)
        return ncclSystemError;
    return cudaMemcpyAsync(d_to, message, bytes, cudaMemcpyHostToDevice,
                           stream) == cudaSuccess &&
                   cudaStreamSynchronize(stream) == cudaSuccess
               ? ncclSuccess
               : ncclUnhandledCudaError;
}

/* Of a group: what is received when it ends. */
static struct receive {
    void *d_to;
    size_t bytes;
    int peer;
    cudaStream_t stream;
} receives[MOST_CALLS];
static int depth, number;

/* nccl.h may have f() for f(void). */
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);

ncclResult_t ncclGroupStart(void) {
    depth++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void) {
    ncclResult_t result = ncclSuccess;
    if (--depth != 0)
        return ncclSuccess;
    for (int i = 0; i < number && result == ncclSuccess; i++)
        result = receive_message(receives[i].d_to, receives[i].bytes,
                                 receives[i].peer, receives[i].stream);
    number = 0;
    return result;
}

ncclResult_t ncclSend(const void *d_from, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t stream) {
    (void)comm;
    return type == ncclUint8 ? send_message(d_from, count, peer, stream)
                             : ncclInvalidArgument;
}

ncclResult_t ncclRecv(void *d_to, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
    (void)comm;
    if (type != ncclUint8 || depth == 0 || number == MOST_CALLS)
        return ncclInvalidUsage;
    receives[number++] = (struct receive){d_to, count, peer, stream};
    return ncclSuccess;
}

ncclResult_t ncclAllGather(const void *d_from, void *d_to, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
    ncclResult_t result = type == ncclUint8 ? ncclSuccess : ncclInvalidArgument;
    for (int r = 0; r < comm->ranks && result == ncclSuccess; r++)
        result = send_message(d_from, count, r, stream);
    for (int r = 0; r < comm->ranks && result == ncclSuccess; r++)
        result = receive_message((unsigned char *)d_to + (size_t)r * count,
                                 count, r, stream);
    return result;
}

/* The largest of a number of each. */
ncclResult_t ncclAllReduce(const void *d_from, void *d_to, size_t count,
                           ncclDataType_t type, ncclRedOp_t operation,
                           ncclComm_t comm, cudaStream_t stream) {
    uint64_t most = 0, one;
    ncclResult_t result = ncclSuccess;
    if (type != ncclUint64 || operation != ncclMax || count != 1)
        return ncclInvalidArgument;
    for (int r = 0; r < comm->ranks && result == ncclSuccess; r++)
        result = send_message(d_from, sizeof one, r, stream);
    for (int r = 0; r < comm->ranks && result == ncclSuccess; r++) {
        if (read(from[own.rank][r], &one, sizeof one) != sizeof one)
            return ncclSystemError;
        most = one > most ? one : most;
    }
    if (result == ncclSuccess &&
        (cudaMemcpyAsync(d_to, &most, sizeof most, cudaMemcpyHostToDevice,
                         stream) != cudaSuccess ||
         cudaStreamSynchronize(stream) != cudaSuccess))
        result = ncclUnhandledCudaError;
    return result;
}

/* ---------------------------------------------------------------------- rest */

const char *ncclGetErrorString(ncclResult_t result) {
    return result == ncclSuccess ? "no error" : "an error of NCCL's double";
}

const char *ncclGetLastError(ncclComm_t comm) {
    (void)comm;
    return "tests/nccl/double.c";
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *ranks) {
    *ranks = comm->ranks;
    return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) {
    *rank = comm->rank;
    return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) {
    *device = comm->device;
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *result) {
    (void)comm;
    *result = ncclSuccess;
    return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    (void)comm;
    return ncclSuccess;
}

/* Of one process: not here. */
ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ranks, const int *devices) {
    (void)comms;
    (void)ranks;
    (void)devices;
    return ncclInvalidUsage;
}
