// S2's A* as its report describes it: a priority queue of whole cubes, no parents, no closed list.
//
// Reads from standard input: the limit of expansions; the number of facelets n and of faces c; the home face of each
// facelet (n); the distance between every two faces (c * c); the number of moves, and for each the facelet that comes
// to each place (n); the colour at each place of the start (n). Prints: solved (0 or 1), expanded, generated, seconds,
// and the most memory that the process had, in bytes.
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <queue>
#include <string>
#include <vector>

namespace {

constexpr std::size_t max_facelets = 120;
constexpr unsigned turned_by_a_move = 15;

struct Cube {
  std::array<std::uint8_t, max_facelets> colours;
  std::uint32_t g, f;
};

struct Later {
  bool operator()(const Cube& a, const Cube& b) const { return a.f > b.f; }
};

using Places = std::array<std::uint8_t, max_facelets>;

Places read_places(std::size_t count) {
  Places places{};
  for (std::size_t i = 0; i < count; ++i) {
    unsigned value = 0;
    std::cin >> value;
    places[i] = static_cast<std::uint8_t>(value);
  }
  return places;
}

// Linux hands ru_maxrss down from the process that forked this one; its own peak is in /proc.
std::uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss);
}

}  // namespace

int main() {
  std::uint64_t limit = 0;
  std::size_t facelets = 0, faces = 0, move_count = 0;
  std::cin >> limit >> facelets >> faces;
  if (facelets > max_facelets) return 2;
  const Places home = read_places(facelets);
  std::vector<unsigned> distance(faces * faces);
  for (unsigned& d : distance) std::cin >> d;
  std::cin >> move_count;
  std::vector<Places> moves;
  for (std::size_t i = 0; i < move_count; ++i) moves.push_back(read_places(facelets));
  Cube start{read_places(facelets), 0, 0};
  if (!std::cin) return 2;

  const auto h = [&](const Cube& cube) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < facelets; ++i) sum += distance[cube.colours[i] * faces + home[i]];
    return (sum + turned_by_a_move - 1) / turned_by_a_move;
  };
  const auto began = std::chrono::steady_clock::now();
  std::uint64_t expanded = 0, generated = 0;
  bool solved = false;
  std::priority_queue<Cube, std::vector<Cube>, Later> open;
  start.f = h(start);
  open.push(start);
  while (!open.empty() && expanded < limit) {
    const Cube cube = open.top();
    if (cube.f == cube.g) {
      solved = true;
      break;
    }
    open.pop();
    ++expanded;
    for (const Places& source : moves) {
      Cube child;
      for (std::size_t i = 0; i < facelets; ++i) child.colours[i] = cube.colours[source[i]];
      child.g = cube.g + 1;
      child.f = child.g + h(child);
      open.push(child);
      ++generated;
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::cout << solved << ' ' << expanded << ' ' << generated << ' ' << took.count() << ' ' << peak_bytes() << '\n';
}
