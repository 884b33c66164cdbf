/*
 * How errors are reported. SPDX-License-Identifier: Apache-2.0
 *
 * A function that can fail throws winnow::error. With a winnow::status as an
 * additional last argument it writes to the status instead, and never throws.
 */
#ifndef WINNOW_CPP_STATUS_HPP
#define WINNOW_CPP_STATUS_HPP

#include <winnow.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace winnow {

class error : public std::runtime_error {
  public:
    error(winnow_status code, const std::string &detail)
        : std::runtime_error(std::string(winnow_status_string(code)) + ": " +
                             detail),
          code_(code), detail_(detail) {
    }

    winnow_status code() const noexcept {
        return code_;
    }
    /* The argument that was wrong and what is required:
     * winnow_last_error(3). */
    const std::string &detail() const noexcept {
        return detail_;
    }

  private:
    winnow_status code_;
    std::string detail_;
};

/* The result of the last call to which the status was passed. */
class status {
  public:
    bool ok() const noexcept {
        return code_ == WINNOW_OK;
    }
    explicit operator bool() const noexcept {
        return ok();
    }
    winnow_status code() const noexcept {
        return code_;
    }
    /* Empty after success, and if there was no memory for the text. */
    const std::string &detail() const noexcept {
        return detail_;
    }
    const char *name() const noexcept {
        return winnow_status_name(code_);
    }

    void set(winnow_status code, const char *detail) noexcept {
        code_ = code;
        detail_.clear();
        try {
            if (code != WINNOW_OK)
                detail_ = detail;
        } catch (...) {
        }
    }

  private:
    winnow_status code_ = WINNOW_OK;
    std::string detail_;
};

/* The place of the thread's last error in a text. If line is 0, the error has
 * no place. */
inline winnow_place last_error_place() noexcept {
    winnow_place place = winnow_place();
    place.size = sizeof place;
    if (winnow_last_error_place(&place) != WINNOW_OK)
        place.field = WINNOW_NO_FIELD;
    return place;
}

namespace detail {

/* Are the last arguments of a function nothing, or one status? */
template <class... Status>
inline constexpr bool reports = sizeof...(Status) == 0 ||
                                (sizeof...(Status) == 1 &&
                                 (std::is_same_v<Status, status> && ...));

template <class Result, class... Status>
using if_reports = std::enable_if_t<reports<Status...>, Result>;

template <class... Status>
inline constexpr bool silent = sizeof...(Status) == 1;

/* Report a status to the caller. Returns whether it is a success. */
inline bool tell(winnow_status code, const char *what) {
    if (code != WINNOW_OK)
        throw error(code, what);
    return true;
}
inline bool tell(winnow_status code, const char *what, status &to) noexcept {
    to.set(code, what);
    return code == WINNOW_OK;
}

/* The same for the status that a function of the library returned. */
template <class... Status>
bool report(winnow_status code, Status &...to) noexcept(silent<Status...>) {
    return tell(code, code == WINNOW_OK ? "" : winnow_last_error(), to...);
}

/* Check an argument that the library does not see. */
template <class... Status>
bool require(bool right, const char *otherwise,
             Status &...to) noexcept(silent<Status...>) {
    return tell(right ? WINNOW_OK : WINNOW_ERR_ARGUMENT, otherwise, to...);
}

/* Call a function that allocates. Without a status std::bad_alloc is thrown. */
template <class Function>
bool allocate(Function &&function) {
    function();
    return true;
}
template <class Function>
bool allocate(Function &&function, status &to) noexcept {
    try {
        function();
        return tell(WINNOW_OK, "", to);
    } catch (const std::exception &) {
        return tell(WINNOW_ERR_MEMORY, "no host memory for the result", to);
    }
}

} /* namespace detail */
} /* namespace winnow */

#endif /* WINNOW_CPP_STATUS_HPP */
