/*
 * Which of n items are kept: winnow_selection(7).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_SELECTION_HPP
#define WINNOW_CPP_SELECTION_HPP

#include <winnow/cpp/context.hpp>

#include <memory>
#include <utility>

namespace winnow {

/* winnow_selection_bytes(3) */
template <class... Status>
detail::if_reports<std::size_t, Status...>
selection_bytes(std::uint64_t n,
                Status &...to) noexcept(detail::silent<Status...>) {
    std::size_t bytes = 0;
    detail::report(winnow_selection_bytes(n, &bytes), to...);
    return bytes;
}

class selection {
  public:
    /* A selection of n items, not written yet, in host memory that the object
     * owns. */
    template <class... Status,
              class = std::enable_if_t<detail::reports<Status...>>>
    explicit selection(std::uint64_t n,
                       Status &...to) noexcept(detail::silent<Status...>) {
        const std::size_t bytes = selection_bytes(n, to...);
        const auto make = [&] {
            owned_.reset(
                new block[(bytes + sizeof(block) - 1) / sizeof(block)]);
        };
        if (bytes && detail::allocate(make, to...))
            *this = selection(std::move(owned_), bytes, n);
    }
    /* A selection in device or host memory of the caller. */
    selection(void *d_memory, std::size_t bytes, std::uint64_t n) noexcept
        : memory_(d_memory), bytes_(bytes), items_(n) {
    }
    selection(selection &&from) noexcept
        : owned_(std::move(from.owned_)),
          memory_(std::exchange(from.memory_, nullptr)),
          bytes_(std::exchange(from.bytes_, 0)),
          items_(std::exchange(from.items_, 0)) {
    }
    selection &operator=(selection &&from) noexcept {
        owned_ = std::move(from.owned_);
        memory_ = std::exchange(from.memory_, nullptr);
        bytes_ = std::exchange(from.bytes_, 0);
        items_ = std::exchange(from.items_, 0);
        return *this;
    }

    void *get() noexcept {
        return memory_;
    }
    const void *get() const noexcept {
        return memory_;
    }
    std::size_t bytes() const noexcept {
        return bytes_;
    }
    std::uint64_t items() const noexcept {
        return items_;
    }

  private:
    struct alignas(16) block {
        unsigned char bytes[16];
    };

    selection(std::unique_ptr<block[]> memory, std::size_t bytes,
              std::uint64_t n) noexcept
        : owned_(std::move(memory)), memory_(owned_.get()), bytes_(bytes),
          items_(n) {
    }

    std::unique_ptr<block[]> owned_;
    void *memory_ = nullptr;
    std::size_t bytes_ = 0;
    std::uint64_t items_ = 0;
};

} /* namespace winnow */

#endif /* WINNOW_CPP_SELECTION_HPP */
