/*
 * Particles that fly around a ring, which the ranks of MPI have in slices:
 * those that leave a slice go to the rank that has the next one, in place. Any
 * number of ranks:
 *
 *     mpirun -n 4 ./particles_mpi
 *
 * Positions and velocities are integers, so that sums over all ranks are exact:
 * the number of particles, of their names, and of their velocities stay the
 * same, and where each is at the end is known from where it began.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <winnow_mpi.h>

#define EACH 5000     /* particles of a rank, in the beginning */
#define WIDTH 1000000 /* of a slice */
#define STEPS 20
#define FASTEST 150000 /* in a step: no slice is flown over */

struct place {
    int64_t x; /* from 0 on, all around the ring */
    int64_t velocity;
};

/* The particles of this rank, in two columns. */
struct particles {
    uint64_t n, capacity;
    uint64_t *names;
    struct place *places;
    int32_t *ranks; /* where each belongs */
};

static struct place begin_of(uint64_t name) {
    const uint64_t mixed = (name + 1) * UINT64_C(0x9e3779b97f4a7c15);
    struct place place;

    place.x = (int64_t)(name / EACH * WIDTH + mixed % WIDTH);
    place.velocity = (int64_t)(mixed >> 40) % FASTEST;
    if (mixed >> 63 != 0)
        place.velocity = -place.velocity;
    return place;
}

static int64_t around(int64_t x, int64_t length) {
    return ((x % length) + length) % length;
}

/* Move for a step, and say to which slice each belongs. */
static void fly(struct particles *p, int64_t length) {
    for (uint64_t i = 0; i < p->n; i++) {
        struct place *const place = &p->places[i];

        place->x = around(place->x + place->velocity, length);
        p->ranks[i] = (int32_t)(place->x / WIDTH);
    }
}

/* The count, and the sums of names and velocities, of all ranks. */
struct sums {
    uint64_t count, names;
    int64_t velocities;
};

static winnow_status add_up(winnow_mpi *mpi, const struct particles *p,
                            struct sums *sums) {
    winnow_reduction names = {0}, velocities = {0};

    for (uint64_t i = 0; i < p->n; i++) {
        names.sum.uint64 += p->names[i];
        velocities.sum.int64 += p->places[i].velocity;
    }
    names.count = velocities.count = p->n;
    if (velocities.sum.int64 < 0)
        velocities.overflow = UINT64_MAX; /* the upper 64 bits of the sum */
    winnow_status status = winnow_mpi_reduce(mpi, WINNOW_UINT64, &names, 0,
                                             WINNOW_REDUCE_SUM, &names);
    if (status == WINNOW_OK)
        status = winnow_mpi_reduce(mpi, WINNOW_INT64, &velocities, 0,
                                   WINNOW_REDUCE_SUM, &velocities);
    sums->count = names.count;
    sums->names = names.sum.uint64;
    sums->velocities = velocities.sum.int64;
    return status;
}

/* Are all particles of this rank where they have to be after some steps? */
static int are_right(const struct particles *p, int rank, int64_t length) {
    for (uint64_t i = 0; i < p->n; i++) {
        const struct place place = begin_of(p->names[i]);

        if (p->places[i].velocity != place.velocity ||
            p->places[i].x !=
                around(place.x + STEPS * place.velocity, length) ||
            p->places[i].x / WIDTH != rank)
            return 0;
    }
    return 1;
}

/* The ranks beside this one. */
static unsigned find_neighbours(int rank, int ranks, int *neighbours) {
    const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    unsigned number = 0;

    if (next != rank)
        neighbours[number++] = next;
    if (last != next)
        neighbours[number++] = last;
    return number;
}

static winnow_status run(winnow_mpi *mpi, winnow_context *context,
                         struct particles *p, int rank, int ranks) {
    const int64_t length = (int64_t)WIDTH * ranks;
    const winnow_move columns[] = {
        {.d_out = p->names, .element_bytes = sizeof p->names[0]},
        {.d_out = p->places, .element_bytes = sizeof p->places[0]}};
    int neighbours[2];
    const unsigned number = find_neighbours(rank, ranks, neighbours);
    winnow_status status = WINNOW_OK;

    for (int step = 0; step < STEPS && status == WINNOW_OK; step++) {
        fly(p, length);
        status = winnow_mpi_migrate(mpi, context, p->ranks, p->n, columns, 2,
                                    p->capacity, neighbours, number, &p->n);
    }
    return status;
}

int main(int argc, char **argv) {
    struct particles p = {.n = EACH};
    struct sums before, after;
    winnow_context *context = NULL;
    winnow_mpi *mpi = NULL;
    int rank, ranks, right = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    /* All may come to one rank. */
    p.capacity = EACH * (uint64_t)ranks;
    p.names = malloc(p.capacity * sizeof p.names[0]);
    p.places = malloc(p.capacity * sizeof p.places[0]);
    p.ranks = malloc(p.capacity * sizeof p.ranks[0]);
    if (p.names == NULL || p.places == NULL || p.ranks == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (uint64_t i = 0; i < p.n; i++) {
        p.names[i] = EACH * (uint64_t)rank + i;
        p.places[i] = begin_of(p.names[i]);
    }
    if (winnow_context_create(&context, WINNOW_DEVICE_HOST) ||
        winnow_mpi_create(&mpi, MPI_COMM_WORLD, NULL) ||
        add_up(mpi, &p, &before) || run(mpi, context, &p, rank, ranks) ||
        add_up(mpi, &p, &after)) {
        fprintf(stderr, "rank %d: %s\n", rank, winnow_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    right = are_right(&p, rank, (int64_t)WIDTH * ranks) &&
            before.count == after.count && before.names == after.names &&
            before.velocities == after.velocities;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%llu particles on %d ranks: after %d steps rank 0 has %llu, "
               "%s\n",
               (unsigned long long)after.count, ranks, STEPS,
               (unsigned long long)p.n, right ? "all are right" : "WRONG");
    winnow_mpi_destroy(mpi);
    winnow_context_destroy(context);
    free(p.ranks);
    free(p.places);
    free(p.names);
    MPI_Finalize();
    return right ? 0 : 1;
}
