// Controls that count how often a build asks whether to stop, and say yes to one of those.
#pragma once

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "base/control.hpp"

namespace test {

struct Always final : hstar::Stop {
  bool requested() const noexcept override { return true; }
};

class Asking : public hstar::Control {
 public:
  explicit Asking(std::size_t stop_at = ~std::size_t{0}) : stop_at_(stop_at) {}
  bool requested() const noexcept override {
    const std::lock_guard lock(mutex_);
    done_.push_back(done);
    stopped_ = stopped_ || done_.size() == stop_at_;
    return stopped_;
  }
  std::size_t asked() const { return done_.size(); }
  // How often it asked when so many entries were done.
  std::size_t asked_at(std::uint64_t entries) const {
    return static_cast<std::size_t>(std::count(done_.begin(), done_.end(), entries));
  }

 private:
  mutable std::mutex mutex_;
  std::size_t stop_at_;
  mutable bool stopped_ = false;
  mutable std::vector<std::uint64_t> done_;  // at each question
};

// Whichever of its questions is answered by yes, the first ones, the last ones or some between, a build gives up:
// made(stop) returns false or throws Stopped. How many questions there are.
template <class Made>
std::size_t gives_up_at_every_question(Made made) {
  Asking whole;
  if (!made(whole)) throw std::runtime_error("what was not stopped is not complete");
  const std::size_t questions = whole.asked();
  if (questions == 0) throw std::runtime_error("it never asks whether to stop");
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, questions / 4, questions / 2, questions - 1, questions}) {
    if (n < 1 || n > questions) continue;
    Asking stop(n);
    try {
      if (made(stop)) throw std::runtime_error("what was stopped is complete");
    } catch (const hstar::Stopped&) {
    }
  }
  return questions;
}

}  // namespace test
