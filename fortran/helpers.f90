
contains

    ! A text of the library's, such as winnow_last_error() returns.
    function winnow_string(address) result(text)
        type(c_ptr), intent(in) :: address
        character(kind=c_char), pointer :: letters(:)
        character(:), allocatable :: text
        integer :: length, i

        interface
            function strlen(text) bind(C)
                import
                type(c_ptr), value :: text
                integer(c_size_t) :: strlen
            end function
        end interface

        length = 0
        if (c_associated(address)) length = int(strlen(address))
        allocate (character(length) :: text)
        if (length == 0) return
        call c_f_pointer(address, letters, [length])
        do i = 1, length
            text(i:i) = letters(i)
        end do
    end function

    ! What a call that failed in this thread says of it.
    function winnow_error() result(text)
        character(:), allocatable :: text

        text = winnow_string(winnow_last_error())
    end function

    ! A sum, minimum or maximum of floats; of integers it is number%int64.
    pure function winnow_real(number) result(value)
        type(winnow_number), intent(in) :: number
        real(c_double) :: value

        value = transfer(number%int64, value)
    end function

