! Filter what each rank has, give all ranks equal shares of what is left, and sum
! it up.
!
! SPDX-License-Identifier: Apache-2.0
program balance
    use mpi_f08
    use winnow_mpi
    implicit none
    integer(c_int64_t), parameter :: n = 1000
    real(c_double) :: values(n)
    real(c_double), target :: kept(n)
    real(c_double), allocatable, target :: share(:)
    integer(c_int64_t) :: i, count, first, total, room, number
    integer :: rank, ranks
    type(c_ptr) :: host, positive, mpi
    type(winnow_move) :: move
    type(winnow_reduction) :: own, all
    real(c_double) :: sum_of_all

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call check(winnow_context_create(host, WINNOW_DEVICE_HOST))
    call check(winnow_predicate_compare(positive, WINNOW_FLOAT64, WINNOW_GT, &
        0d0))
    call check(winnow_mpi_create(mpi, MPI_COMM_WORLD%MPI_VAL))

    ! The higher the rank, the fewer are positive.
    values = [(real(mod(37 * i, 100_c_int64_t) - 90 * rank / ranks, c_double), &
        i = 1, n)]
    call check(winnow_copy_if(host, positive, WINNOW_FLOAT64, values, n, kept, &
        n, count))
    call check(winnow_mpi_place(mpi, count, first, total))

    room = total / ranks + 1
    allocate (share(room))
    move = winnow_move(d_in=c_loc(kept), d_out=c_loc(share), &
        element_bytes=c_sizeof(kept(1)))
    call check(winnow_mpi_balance(mpi, count, [move], 1, room, number))
    if (number /= total / ranks + merge(1, 0, rank < mod(total, &
        int(ranks, c_int64_t)))) error stop "a share"

    call check(winnow_reduce_if(host, c_null_ptr, WINNOW_FLOAT64, share, &
        number, ior(WINNOW_REDUCE_SUM, WINNOW_REDUCE_PARTIAL), own))
    call check(winnow_mpi_reduce(mpi, WINNOW_FLOAT64, own, first, &
        WINNOW_REDUCE_SUM, all))
    sum_of_all = sum(kept(1:count))
    call MPI_Allreduce(MPI_IN_PLACE, sum_of_all, 1, MPI_DOUBLE_PRECISION, &
        MPI_SUM, MPI_COMM_WORLD)
    if (all%count /= total .or. nint(winnow_real(all%sum) - sum_of_all) /= 0) &
        error stop "a sum"
    if (rank == 0) print '(*(g0, 1x))', total, "of", n * ranks, &
        "are positive, their sum is", winnow_real(all%sum)

    call winnow_mpi_destroy(mpi)
    call winnow_predicate_destroy(positive)
    call winnow_context_destroy(host)
    call MPI_Finalize()

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status

        if (status == WINNOW_OK) return
        print *, winnow_error()
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine
end program
