/*
 * How errors are told. SPDX-License-Identifier: Apache-2.0
 *
 * A function that can fail throws winnow::error. With a winnow::status as one
 * more argument, the last, it writes to that instead, and never throws.
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
    /* Which argument, and what was wanted: winnow_last_error(3). */
    const std::string &detail() const noexcept {
        return detail_;
    }

  private:
    winnow_status code_;
    std::string detail_;
};

/* How the last call that was given it ended. */
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
    /* Empty after a success, and where there was no memory for the text. */
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

/* Where the thread's last error is in a text; line 0: it is in none. */
inline winnow_place last_error_place() noexcept {
    winnow_place place = winnow_place();
    place.size = sizeof place;
    if (winnow_last_error_place(&place) != WINNOW_OK)
        place.field = WINNOW_NO_FIELD;
    return place;
}

namespace detail {

/* What may end a list of arguments: nothing, or one status. */
template <class... Status>
inline constexpr bool reports = sizeof...(Status) == 0 ||
                                (sizeof...(Status) == 1 &&
                                 (std::is_same_v<Status, status> && ...));

template <class Result, class... Status>
using if_reports = std::enable_if_t<reports<Status...>, Result>;

template <class... Status>
inline constexpr bool silent = sizeof...(Status) == 1;

/* Tell an error, or a success. Is it one? */
inline bool tell(winnow_status code, const char *what) {
    if (code != WINNOW_OK)
        throw error(code, what);
    return true;
}
inline bool tell(winnow_status code, const char *what, status &to) noexcept {
    to.set(code, what);
    return code == WINNOW_OK;
}

/* What a function of the library returned. */
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

/* Allocate by a function. Without a status std::bad_alloc passes. */
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
