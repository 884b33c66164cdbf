/*
 * Owners of the library's objects. SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_HANDLE_HPP
#define WINNOW_CPP_HANDLE_HPP

#include <memory>

namespace winnow {
namespace detail {

template <class Object, void (*Destroy)(Object *)>
class handle {
  public:
    /* NULL if the handle is empty: after a move, or after an error that was
     * written to a status. */
    Object *get() const noexcept {
        return object_.get();
    }
    explicit operator bool() const noexcept {
        return object_ != nullptr;
    }
    /* Gives up ownership: the caller destroys the object. */
    Object *release() noexcept {
        return object_.release();
    }

  protected:
    handle() noexcept = default;
    explicit handle(Object *object) noexcept : object_(object) {
    }
    void reset(Object *object) noexcept {
        object_.reset(object);
    }

  private:
    struct destroy {
        void operator()(Object *object) const noexcept {
            Destroy(object);
        }
    };
    std::unique_ptr<Object, destroy> object_;
};

} /* namespace detail */
} /* namespace winnow */

#endif /* WINNOW_CPP_HANDLE_HPP */
