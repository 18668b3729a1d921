// hstar_tests [suite]: runs the cases of one suite, or all; fails if there are none.
#include <ctime>

#include "check.hpp"

int main(int argc, char** argv) {
  const std::string suite = argc > 1 ? argv[1] : "";
  int run = 0, failed = 0;
  for (const test::Case& one : test::cases()) {
    if (!suite.empty() && one.suite != suite) continue;
    ++run;
    const std::clock_t began = std::clock();
    try {
      one.run();
      const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
      std::cout << "ok      " << one.suite << "." << one.name << " (" << seconds << " s of the processor)" << std::endl;
    } catch (const std::exception& error) {
      ++failed;
      std::cout << "FAILED  " << one.suite << "." << one.name << ": " << error.what() << std::endl;
    }
  }
  std::cout << run << " run, " << failed << " failed" << std::endl;
  return run > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
