// A small test harness: TEST(suite, name) { CHECK(...); CHECK_EQUAL(a, b); CHECK_THROWS(expression, "part of message");
// }
#pragma once

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

struct Case {
  std::string suite, name;
  void (*run)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

struct Registration {
  Registration(const char* suite, const char* name, void (*run)()) { cases().push_back({suite, name, run}); }
};

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void fail(const char* file, int line, const std::string& message) {
  std::ostringstream text;
  text << file << ":" << line << ": " << message;
  throw Failure(text.str());
}

template <class A, class B>
void check_equal(const A& a, const B& b, const char* what, const char* file, int line) {
  if (a == b) return;
  std::ostringstream text;
  text << what << ": " << a << " is not " << b;
  fail(file, line, text.str());
}

template <class F>
void check_throws(F run, const std::string& part, const char* file, int line) {
  try {
    run();
  } catch (const std::invalid_argument& error) {
    if (std::string(error.what()).find(part) != std::string::npos) return;
    fail(file, line, std::string("threw \"") + error.what() + "\", expected \"" + part + "\"");
  }
  fail(file, line, "did not throw; expected \"" + part + "\"");
}

// As in tests/conftest.py: `all` in `make test-all` (HSTAR_TEST_ALL=1), else `few`.
inline int instances(int all, int few) {
  const char* set = std::getenv("HSTAR_TEST_ALL");
  return set != nullptr && *set != '\0' && std::string(set) != "0" ? all : few;
}

}  // namespace test

#define TEST(suite, name)                                                         \
  static void suite##_##name();                                                   \
  static const test::Registration suite##_##name##_registered{#suite, #name, suite##_##name}; \
  static void suite##_##name()
#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) test::fail(__FILE__, __LINE__, "not true: " #condition); \
  } while (false)
#define CHECK_EQUAL(a, b) test::check_equal((a), (b), #a " == " #b, __FILE__, __LINE__)
#define CHECK_THROWS(expression, part) test::check_throws([&] { (void)(expression); }, part, __FILE__, __LINE__)
