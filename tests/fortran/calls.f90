! Calls with arguments of each kind that the module has, on the host.
!
! SPDX-License-Identifier: Apache-2.0
program calls
    use winnow
    implicit none
    integer(c_int32_t), target :: numbers(8) = [3, -1, 4, -1, 5, -9, 2, 6]
    integer(c_int32_t), target :: packed(8)
    integer(c_int32_t) :: indices(8)
    integer(c_int64_t) :: count, counts(2)
    integer(c_int64_t), parameter :: n = 8
    type(c_ptr) :: host, positive, both, other

    if (winnow_string(winnow_version_string()) /= "0.1.0") then
        if (winnow_version() == 100) error stop "version"
    end if
    if (winnow_string(c_null_ptr) /= "") error stop "no text"
    if (winnow_string(winnow_type_name(WINNOW_BFLOAT16)) /= "bfloat16") &
        error stop "a name"
    if (winnow_type_size(WINNOW_INT16) /= 2) error stop "a size"
    if (winnow_no_index() /= -1) error stop "no index"

    call check(winnow_context_create(host, WINNOW_DEVICE_HOST))
    call check(winnow_context_set_threads(host, 2))
    if (winnow_context_tune(host) /= WINNOW_ERR_UNSUPPORTED) error stop "tune"
    call check(winnow_predicate_compare(positive, WINNOW_INT32, WINNOW_GT, 0))

    call arrays
    call launches
    call reductions
    call selections
    call conditions
    call errors

    call winnow_predicate_destroy(positive)
    call winnow_context_destroy(host)

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status

        if (status == WINNOW_OK) return
        print *, winnow_string(winnow_status_name(status)), winnow_error()
        error stop "a call fails"
    end subroutine

    ! With pointers of C, as those of a device are.
    subroutine arrays
        integer(c_int32_t), pointer :: from(:)
        type(c_ptr) :: address_of_numbers


        address_of_numbers = c_loc(numbers)
        call c_f_pointer(address_of_numbers, from, [n])
        call check(winnow_copy_if(host, positive, WINNOW_INT32, from, n, &
            packed, winnow_no_limit(), count))
        if (count /= 5 .or. any(packed(1:5) /= [3, 4, 5, 2, 6])) &
            error stop "copy_if"
        call check(winnow_copy_if(host, positive, WINNOW_INT32, numbers(5), &
            4_c_int64_t, packed, 1_c_int64_t))
        if (packed(1) /= 5) error stop "a part of an array"
        call check(winnow_copy_index_if(host, positive, WINNOW_INT32, numbers, &
            n, WINNOW_UINT32, indices, n, count))
        if (any(indices(1:5) /= [0, 2, 4, 6, 7])) error stop "copy_index_if"
        call check(winnow_partition_if(host, positive, WINNOW_INT32, numbers, &
            n, packed, d_counts=counts))
        if (any(counts /= [5, 3])) error stop "partition_if"
        if (any(packed(6:8) /= [-1, -1, -9])) error stop "rejected"
    end subroutine

    subroutine launches
        type(winnow_launch) :: launch
        type(winnow_plan), target :: plan
        integer(c_int64_t), target :: fewer = 3

        call check(winnow_launch_init(launch, c_sizeof(launch)))
        launch%d_n = c_loc(fewer)
        launch%order = WINNOW_STABLE
        call check(winnow_count_if(host, positive, WINNOW_INT32, numbers, n, &
            count, launch))
        if (count /= 2) error stop "d_n"
        plan%size = c_sizeof(plan)
        launch%plan = c_loc(plan)
        call check(winnow_copy_if(host, positive, WINNOW_INT32, n=n, &
            capacity=n, launch=launch))
        if (plan%strategy /= WINNOW_HOST) error stop "plan"
    end subroutine

    subroutine reductions
        type(winnow_reduction) :: result
        real(c_double) :: halves(3) = [0.5d0, 1.5d0, -1.5d0], fraction

        call check(winnow_reduce_if(host, positive, WINNOW_INT32, numbers, n, &
            ior(WINNOW_REDUCE_SUM, WINNOW_REDUCE_MAXIMUM), result))
        if (result%sum%int64 /= 20 .or. result%maximum%int64 /= 6) &
            error stop "integers"
        call check(winnow_reduce_if(host, c_null_ptr, WINNOW_FLOAT64, halves, &
            3_c_int64_t, WINNOW_REDUCE_SUM, result))
        if (nint(2 * winnow_real(result%sum)) /= 1) error stop "floats"
        call check(winnow_estimate_selectivity(host, positive, WINNOW_INT32, &
            numbers, n, fraction))
        if (nint(8 * fraction) /= 5) error stop "selectivity"
    end subroutine

    subroutine selections
        integer(c_size_t) :: bytes
        integer(c_int64_t), allocatable, target :: memory(:)
        integer(c_int32_t), target :: back(8)
        integer(c_int32_t), target :: offsets(4) = [0, 3, 6, 11]
        character(kind=c_char, len=11), target :: words = "onetwothree"
        character(kind=c_char) :: letters(11)
        integer(c_int32_t) :: ends(4)
        type(winnow_in) :: strings

        call check(winnow_selection_bytes(n, bytes))
        ! Allocated memory is aligned to 16 bytes.
        allocate (memory(bytes / 8 + 1))
        call check(winnow_select_if(host, positive, WINNOW_INT32, numbers, n, &
            memory, bytes))
        call check(winnow_compact(host, memory, numbers, n, 4_c_size_t, &
            packed, n, count))
        if (count /= 5 .or. packed(5) /= 6) error stop "compact"
        back = -1
        call check(winnow_expand(host, memory, &
            winnow_in(type=WINNOW_INT32, d_base=c_loc(numbers)), 8_c_int64_t, &
            n, 7, winnow_out(type=WINNOW_INT32, d_base=c_loc(back))))
        if (any(back /= [3, 7, -1, 7, 4, 7, -1, 5])) error stop "expand"
        call check(winnow_fill(host, count, 7_c_int64_t, 9, &
            winnow_out(type=WINNOW_INT32, d_base=c_loc(back))))
        if (any(back /= [3, 7, -1, 7, 4, 9, 9, 5])) error stop "fill"
        call check(winnow_select_unique(host, &
            winnow_in(type=WINNOW_INT32, d_base=c_loc(numbers)), n, &
            d_selection=memory, selection_bytes=bytes))
        call check(winnow_selection_count(host, memory, n, count))
        if (count /= 8) error stop "unique"

        call check(winnow_predicate_range(other, WINNOW_INT32, 3, 11))
        call check(winnow_select_if(host, other, WINNOW_INT32, offsets, &
            3_c_int64_t, memory, bytes))
        strings = winnow_in(type=WINNOW_STRING32, d_base=c_loc(offsets), &
            d_data=c_loc(words), data_size=11)
        call check(winnow_compact_strings(host, memory, strings, &
            3_c_int64_t, ends, 3_c_int64_t, letters, 11_c_int64_t, counts))
        if (any(counts /= [2, 8]) .or. any(ends(1:3) /= [0, 3, 8])) &
            error stop "strings"
        if (any(letters(1:8) /= transfer("twothree", letters(1:8)))) &
            error stop "letters"
        call winnow_predicate_destroy(other)
    end subroutine

    subroutine conditions
        type(c_ptr) :: is_positive, is_one_of
        type(winnow_move) :: move

        call check(winnow_condition_test(is_positive, 0, positive))
        call check(winnow_condition_in(is_one_of, c_null_ptr, 0, WINNOW_INT32, &
            [4, -9, 6], 3_c_int64_t))
        call check(winnow_condition_and(both, is_positive, is_one_of))
        call winnow_condition_destroy(is_positive)
        call winnow_condition_destroy(is_one_of)
        move = winnow_move(d_in=c_loc(numbers), d_out=c_loc(packed), &
            element_bytes=4)
        call check(winnow_copy_where(host, both, &
            [winnow_in(type=WINNOW_INT32, d_base=c_loc(numbers))], 1, n, &
            [move], 1, n, count))
        if (count /= 2 .or. any(packed(1:2) /= [4, 6])) error stop "where"
        call winnow_condition_destroy(both)
    end subroutine

    subroutine errors
        if (winnow_count_if(host, positive, WINNOW_FLOAT32, numbers, n, &
            count) /= WINNOW_ERR_ARGUMENT) error stop "no error"
        if (index(winnow_error(), "type") == 0) error stop "no detail"
    end subroutine
end program
