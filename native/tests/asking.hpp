// A build's progress that counts how often the build asks whether to stop, and says yes to one of those.
#pragma once

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "pattern/pattern_database.hpp"

namespace test {

class Asking : public hstar::BuildProgress {
 public:
  explicit Asking(std::size_t stop_at = ~std::size_t{0}) : stop_at_(stop_at) {}
  bool stopping() noexcept override {
    const std::lock_guard lock(mutex_);
    done_.push_back(done);
    if (done_.size() == stop_at_) cancelled = true;
    return BuildProgress::stopping();
  }
  std::size_t asked() const { return done_.size(); }
  // How often it asked when so many entries were done.
  std::size_t asked_at(std::uint64_t entries) const {
    return static_cast<std::size_t>(std::count(done_.begin(), done_.end(), entries));
  }

 private:
  std::mutex mutex_;
  std::size_t stop_at_;
  std::vector<std::uint64_t> done_;  // at each question
};

// A build ends without a table, whichever of its questions is answered by yes: the first ones, the last ones, some between.
template <class Build>
void ends_at_every_question(std::size_t questions, Build build) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, questions / 4, questions / 2, questions - 20, questions - 1,
                              questions}) {
    Asking progress(n);
    if (!build(progress).table.empty()) throw std::runtime_error("a cancelled build has a table");
  }
}

}  // namespace test
