! Every function of the module winnow_mpi, on any number of ranks, with the handles
! of the module `mpi`.
!
! SPDX-License-Identifier: Apache-2.0
program calls_mpi
    use mpi
    use winnow_mpi
    implicit none
    integer :: rank, ranks, error, last
    type(c_ptr) :: host, handle

    handle = c_null_ptr
    if (winnow_mpi_create(handle, 0) /= WINNOW_ERR_ARGUMENT) &
        error stop "before MPI_Init()"
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    last = ranks - 1
    call check(winnow_context_create(host, WINNOW_DEVICE_HOST))
    call objects
    call places
    call shares
    call parts
    call movers
    call results
    call files
    call winnow_mpi_destroy(handle)
    call winnow_context_destroy(host)
    call MPI_Finalize(error)
    if (winnow_mpi_create(handle, MPI_COMM_WORLD) /= WINNOW_ERR_ARGUMENT) &
        error stop "after MPI_Finalize()"

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status

        if (status /= WINNOW_OK) call wrong(winnow_error())
    end subroutine

    subroutine wrong(what)
        character(*), intent(in) :: what
        integer :: ignored

        print *, "rank", rank, "of", ranks, ": ", what
        call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
    end subroutine

    subroutine objects
        type(winnow_mpi_options) :: options
        integer :: half
        type(c_ptr) :: other
        integer(c_int64_t) :: total

        if (winnow_mpi_create(handle, MPI_COMM_NULL) /= WINNOW_ERR_ARGUMENT) &
            call wrong("a communicator that is none")
        if (index(winnow_error(), "MPI_COMM_NULL") == 0) &
            call wrong("its message")
        ! Those of a half alone.
        call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
        call check(winnow_mpi_create(other, half))
        call MPI_Comm_free(half, error)
        call check(winnow_mpi_place(other, 1_c_int64_t, total_p=total))
        if (total /= (ranks + 1 - mod(rank, 2)) / 2) call wrong("a half")
        call winnow_mpi_destroy(other)
        options%size = c_sizeof(options)
        options%piece_bytes = 64
        options%memory = WINNOW_MPI_DIRECT
        call check(winnow_mpi_create(handle, MPI_COMM_WORLD, options))
    end subroutine

    subroutine places
        integer(c_int64_t) :: first, total

        call check(winnow_mpi_place(handle, int(rank + 1, c_int64_t), first, &
            total))
        if (first /= rank * (rank + 1) / 2) call wrong("a place")
        if (total /= ranks * (ranks + 1) / 2) call wrong("a total")
        call check(winnow_mpi_place(handle, 1_c_int64_t, first))
        if (first /= rank) call wrong("a place alone")
    end subroutine

    ! The last rank has all: 10 of each rank.
    subroutine shares
        integer(c_int32_t), target :: all(10 * ranks), mine(10)
        real(c_double), target :: twice(10 * ranks), my_twice(10)
        integer(c_int64_t) :: had, n
        integer :: i

        all = [(i, i = 0, 10 * ranks - 1)]
        twice = 2 * all
        had = merge(10 * ranks, 0, rank == last)
        call check(winnow_mpi_balance(handle, had, [ &
            winnow_move(d_in=c_loc(all), d_out=c_loc(mine), element_bytes=4), &
            winnow_move(d_in=c_loc(twice), d_out=c_loc(my_twice), &
            element_bytes=8)], 2, 10_c_int64_t, n))
        if (n /= 10) call wrong("a share")
        if (any(mine /= 10 * rank + [(i, i = 0, 9)])) call wrong("its items")
        if (any(nint(my_twice) /= 2 * mine)) call wrong("its second column")
    end subroutine

    ! r + 1 to rank r, from each.
    subroutine parts
        integer(c_int32_t), target :: sent(ranks * (ranks + 1) / 2)
        integer(c_int32_t), target :: come(ranks * (rank + 1))
        integer(c_int64_t) :: offsets(ranks + 1), from(ranks + 1), n
        integer :: r

        offsets = [(int(r * (r + 1) / 2, c_int64_t), r = 0, ranks)]
        sent = rank
        call check(winnow_mpi_exchange(handle, offsets, &
            [winnow_move(d_in=c_loc(sent), d_out=c_loc(come), &
            element_bytes=4)], 1, int(size(come), c_int64_t), from, n))
        if (n /= size(come)) call wrong("what comes")
        if (any(from /= [(r * (rank + 1), r = 0, ranks)])) &
            call wrong("where it comes from")
        do r = 0, last
            if (any(come(from(r + 1) + 1:from(r + 2)) /= r)) &
                call wrong("what has come")
        end do
        come = -1
        call check(winnow_mpi_exchange(handle, offsets, &
            [winnow_move(d_in=c_loc(sent), d_out=c_loc(come), &
            element_bytes=4)], 1, int(size(come), c_int64_t)))
        if (any(come(1:rank + 1) /= 0)) call wrong("what comes, not counted")
    end subroutine

    ! The first of two items goes to the next rank, and the second stays.
    subroutine movers
        integer(c_int32_t), target :: items(2)
        integer(c_int32_t) :: to(2)
        integer(c_int) :: neighbours(2)
        integer(c_int64_t) :: n
        integer :: before, number, round

        before = modulo(rank - 1, ranks)
        neighbours = [mod(rank + 1, ranks), before]
        number = merge(2, 1, ranks > 2)
        do round = 1, merge(2, 1, ranks > 1)
            items = 2 * rank + [0, 1]
            to = [mod(rank + 1, ranks), rank]
            if (round == 1) then
                call check(winnow_mpi_migrate(handle, host, to, 2_c_int64_t, &
                    [winnow_move(d_out=c_loc(items), element_bytes=4)], 1, &
                    2_c_int64_t, neighbour_count=0, n_p=n))
            else
                call check(winnow_mpi_migrate(handle, host, to, 2_c_int64_t, &
                    [winnow_move(d_out=c_loc(items), element_bytes=4)], 1, &
                    2_c_int64_t, neighbours, number, n))
            end if
            if (n /= 2) call wrong("how many are here then")
            if (any(items /= [2 * before, 2 * rank + 1])) &
                call wrong("which are here then")
        end do
    end subroutine

    subroutine results
        type(winnow_reduction) :: partial, all
        real(c_double) :: one(1)

        one = rank + 0.5d0
        call check(winnow_reduce_if(host, c_null_ptr, WINNOW_FLOAT64, one, &
            1_c_int64_t, ior(WINNOW_REDUCE_SUM, WINNOW_REDUCE_PARTIAL), &
            partial))
        call check(winnow_mpi_reduce(handle, WINNOW_FLOAT64, partial, &
            int(rank, c_int64_t), WINNOW_REDUCE_SUM, all))
        if (all%count /= ranks .or. &
            nint(2 * winnow_real(all%sum)) /= ranks * ranks) &
            call wrong("a sum of all")
    end subroutine

    subroutine files
        character(*), parameter :: name = "calls_mpi.tmp"
        integer(c_int32_t) :: mine(rank + 1), got(ranks * (ranks + 1) / 2)
        integer :: unit, r, at

        mine = rank
        call check(winnow_mpi_write(handle, name // c_null_char, 0_c_int64_t, &
            mine, int(rank + 1, c_int64_t), 4_c_size_t))
        if (rank == 0) then
            open (newunit=unit, file=name, access="stream", status="old", &
                form="unformatted")
            read (unit) got
            close (unit, status="delete")
            at = 0
            do r = 0, last
                if (any(got(at + 1:at + r + 1) /= r)) call wrong("a file")
                at = at + r + 1
            end do
        end if
    end subroutine
end program
