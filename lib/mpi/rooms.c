/*
 * Memory that is kept between calls: allocating pinned or device memory takes
 * longer than sending small messages.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

static bool fits(const winnow__mpi_room *room, const winnow__mpi_memory *about,
                 bool on_host, size_t bytes) {
    return room->bytes >= bytes && room->on_host == on_host &&
           room->about.is_cuda == about->is_cuda &&
           room->about.is_device == about->is_device &&
           room->about.device == about->device;
}

winnow_status winnow__mpi_take(winnow_mpi *mpi, winnow__mpi_use use,
                               const winnow__mpi_memory *about, bool on_host,
                               size_t bytes, void **memory_p) {
    winnow__mpi_room *const room = &mpi->rooms[use];
    const size_t most = bytes + bytes / 4; /* later calls may need more */
    *memory_p = NULL;
    if (bytes == 0)
        return WINNOW_OK;
    if (!fits(room, about, on_host, bytes)) {
        winnow__mpi_free(&room->about, room->on_host, room->memory);
        *room = (winnow__mpi_room){.about = *about, .on_host = on_host};
        WINNOW__TRY(winnow__mpi_alloc(about, on_host, most, &room->memory));
        room->bytes = most;
    }
    *memory_p = room->memory;
    return WINNOW_OK;
}

void winnow__mpi_free_rooms(winnow_mpi *mpi) {
    for (unsigned i = 0; i < WINNOW__MPI_USES; i++)
        winnow__mpi_free(&mpi->rooms[i].about, mpi->rooms[i].on_host,
                         mpi->rooms[i].memory);
}
