// The list of expected entries against a sorted vector of keys.
#include <random>

#include "check.hpp"
#include "search/hot_list.hpp"

using namespace hstar;

namespace {

struct Key {
  unsigned f, h, seq, flight, child;
};

bool goes_before(TieBreaking tie, const Key& a, const Key& b) {
  if (a.f != b.f) return a.f < b.f;
  if (tie == TieBreaking::fifo) return a.seq < b.seq;
  if (tie == TieBreaking::low_h && a.h != b.h) return a.h < b.h;
  return a.seq > b.seq;
}

}  // namespace

TEST(hot_list, equals_a_sorted_vector) {
  std::mt19937 random(5);
  for (const TieBreaking tie : {TieBreaking::low_h, TieBreaking::lifo, TieBreaking::fifo}) {
    HotList<unsigned> list(tie, 200);
    std::vector<Key> model;
    for (unsigned step = 0; step < 20000; ++step) {
      const unsigned what = random() % 100;
      if (what < 50 && model.size() < 200) {
        const Key key{static_cast<unsigned>(random() % 4), static_cast<unsigned>(random() % 4), step,
                      static_cast<unsigned>(random() % 9), step};
        list.add({key.f, key.h, key.flight, key.child});
        model.push_back(key);
      } else if (what < 60) {
        const auto flight = static_cast<unsigned>(random() % 9);
        list.remove(flight);
        std::erase_if(model, [&](const Key& key) { return key.flight == flight; });
      } else if (!model.empty()) {
        list.pop();
        model.erase(std::ranges::min_element(model, [&](const Key& a, const Key& b) { return goes_before(tie, a, b); }));
      }
      CHECK_EQUAL(list.size(), model.size());
      CHECK_EQUAL(list.empty(), model.empty());
      if (model.empty()) continue;
      const Key first = *std::ranges::min_element(model, [&](const Key& a, const Key& b) { return goes_before(tie, a, b); });
      CHECK_EQUAL(list.first().child, first.child);
      for (unsigned f = 0; f < 4; ++f)
        for (unsigned h = 0; h < 4; ++h)  // an older entry of any key
          CHECK_EQUAL(list.leads(f, h), !goes_before(tie, {f, h, 0, 0, 0}, {first.f, first.h, 1, 0, 0}));
    }
  }
}
