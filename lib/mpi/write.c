/*
 * winnow_mpi_write: each rank writes at its place in one file.
 *
 * Writes are independent, and in pieces. Each rank opens the file by itself: a
 * collective open that fails on some ranks does not return on others. The ranks
 * agree before they open it, after that, and after all have written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <limits.h>

enum {
    MOST_BYTES = 4096 /* of an element */
};

static winnow_status check(const char *path, const void *data, uint64_t n,
                           size_t each) {
    WINNOW__TRY(winnow__ranks_need(path, "path"));
    if (each == 0 || each > MOST_BYTES)
        return winnow__ranks_refuse("element_bytes is %zu: wanted 1 to %d",
                                    each, MOST_BYTES);
    if (data == NULL && n != 0)
        return winnow__ranks_refuse("data is NULL");
    if (n > (UINTPTR_MAX - (uintptr_t)data) / each)
        return winnow__ranks_refuse(
            "n is %llu: that runs past the end of the address space",
            (unsigned long long)n);
    return WINNOW_OK;
}

/* The status for a file error. */
static winnow_status file_status(int error, const char *call) {
    const winnow_status status = winnow__mpi_status(error, call);
    return status == WINNOW_OK ? status : WINNOW_ERR_FILE;
}
#define OF_FILE(CALL) file_status(CALL, #CALL)

/* MPI may report success though it has written less, as on a full disk. */
static winnow_status write_piece(MPI_File file, uint64_t offset,
                                 const unsigned char *data, int bytes) {
    MPI_Status written;
    int number = 0;
    WINNOW__TRY(OF_FILE(MPI_File_write_at(file, (MPI_Offset)offset, data, bytes,
                                          MPI_BYTE, &written)));
    WINNOW__TRY(OF_FILE(MPI_Get_count(&written, MPI_BYTE, &number)));
    if (number != bytes)
        return winnow__ranks_fail(WINNOW_ERR_FILE,
                                  "MPI_File_write_at: %d of %d bytes were "
                                  "written: is there room for the file?",
                                  number, bytes);
    return WINNOW_OK;
}

static winnow_status write_pieces(MPI_File file, uint64_t offset,
                                  const unsigned char *data, uint64_t bytes,
                                  uint64_t most) {
    for (uint64_t at = 0; at < bytes; at += most) {
        const uint64_t left = bytes - at;
        const uint64_t piece = left < most ? left : most;
        WINNOW__TRY(write_piece(file, offset + at, data + at, (int)piece));
    }
    return WINNOW_OK;
}

/* Returns the same status on all ranks, the worst of all. */
static winnow_status agree(const winnow_mpi *mpi, winnow_status status,
                           const winnow__mpi_same *same) {
    const winnow__mpi_word word = {.status = status, .same = same};
    return winnow__mpi_agree(mpi, &word, NULL);
}

winnow_status winnow_mpi_write(winnow_mpi *mpi, const char *path,
                               uint64_t header_bytes, const void *data,
                               uint64_t n, size_t element_bytes) {
    uint64_t first = 0, total = 0;
    MPI_File file;
    WINNOW__TRY(winnow__ranks_need(mpi, "mpi"));
    const winnow_status mine = check(path, data, n, element_bytes);
    WINNOW__TRY(winnow_mpi_place(mpi, mine == WINNOW_OK ? n * element_bytes : 0,
                                 &first, &total));
    const bool fits = header_bytes <= LLONG_MAX && total <= LLONG_MAX &&
                      header_bytes + total <= LLONG_MAX;
    const winnow__mpi_same same = {
        .of = {{"path", mine == WINNOW_OK ? winnow__mpi_hash_text(path) : 0,
                WINNOW__MPI_TEXT},
               {"header_bytes", header_bytes, WINNOW__MPI_NUMBER},
               {"element_bytes", element_bytes, WINNOW__MPI_NUMBER}}};
    WINNOW__TRY(agree(
        mpi,
        mine != WINNOW_OK || fits
            ? mine
            : winnow__ranks_refuse("the file would have more than 2^63 bytes"),
        &same));
    winnow_status status = OF_FILE(
        MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                      MPI_INFO_NULL, &file));
    const winnow_status opened = status;
    status = agree(mpi, opened, NULL);
    /* Others may have written already, but not beyond this size. */
    if (status == WINNOW_OK && mpi->rank == 0)
        status = OF_FILE(
            MPI_File_set_size(file, (MPI_Offset)(header_bytes + total)));
    if (status == WINNOW_OK)
        status = write_pieces(file, header_bytes + first, data,
                              n * element_bytes, mpi->piece_bytes);
    if (opened == WINNOW_OK) {
        const winnow_status closed = OF_FILE(MPI_File_close(&file));
        status = status == WINNOW_OK ? closed : status;
    }
    return agree(mpi, status, NULL);
}
