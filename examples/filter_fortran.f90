! Filters in Fortran: of an array, and of a table.
!
! SPDX-License-Identifier: Apache-2.0
program filter
    use winnow
    implicit none
    real(c_float), target :: prices(5) = [12.5, 3.0, 8.0, 99.0, 9.5]
    integer(c_int64_t), target :: ids(5) = [1, 2, 3, 4, 5]
    character(kind=c_char, len=6), target :: price = "price" // c_null_char
    character(kind=c_char, len=3), target :: id = "id" // c_null_char
    real(c_float) :: low(5)
    integer(c_int64_t), target :: kept_ids(5)
    integer(c_int64_t) :: count
    type(winnow_field) :: fields(2)
    type(c_ptr) :: host, less, wanted

    call check(winnow_context_create(host, WINNOW_DEVICE_HOST))
    call check(winnow_predicate_compare(less, WINNOW_FLOAT32, WINNOW_LT, 10.0))
    call check(winnow_copy_if(host, less, WINNOW_FLOAT32, prices, 5_c_int64_t, &
        low, 5_c_int64_t, count))
    print '(*(g0, 1x))', low(1:count)
    if (count /= 3 .or. any(nint(2 * low(1:3)) /= [6, 16, 19])) error stop

    ! One column packed by a condition of two.
    fields = [winnow_field(name=c_loc(price), type=WINNOW_FLOAT32), &
        winnow_field(name=c_loc(id), type=WINNOW_INT64)]
    call check(winnow_condition_parse(wanted, fields, 2, &
        "price < 10 and id not in (3, 4)" // c_null_char))
    call check(winnow_copy_where(host, wanted, &
        [winnow_in(type=WINNOW_FLOAT32, d_base=c_loc(prices)), &
        winnow_in(type=WINNOW_INT64, d_base=c_loc(ids))], 2, 5_c_int64_t, &
        [winnow_move(d_in=c_loc(ids), d_out=c_loc(kept_ids), &
        element_bytes=8)], 1, winnow_no_limit(), count))
    print '(*(g0, 1x))', kept_ids(1:count)
    if (count /= 2 .or. any(kept_ids(1:2) /= [2, 5])) error stop

    call winnow_condition_destroy(wanted)
    call winnow_predicate_destroy(less)
    call winnow_context_destroy(host)

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status

        if (status == WINNOW_OK) return
        print *, winnow_error()
        error stop
    end subroutine
end program
