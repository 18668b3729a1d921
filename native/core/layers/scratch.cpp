#include "layers/scratch.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace hstar {

namespace {

constexpr const char* kCheckpoint = "checkpoint";
constexpr const char* kPrefix = "layer-";

// Of the bytes of a checkpoint, so that a damaged one is recognised (FNV-1a).
std::uint64_t sum_of(std::span<const std::byte> bytes) noexcept {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) sum = (sum ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
  return sum;
}

bool write_all(int file, std::span<const std::byte> bytes, std::uint64_t offset) noexcept {
  while (!bytes.empty()) {
    const ssize_t done = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
  return true;
}

bool read_all(int file, std::span<std::byte> bytes, std::uint64_t offset) noexcept {
  while (!bytes.empty()) {
    const ssize_t done = pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
  return true;
}

std::uint64_t size_of(int file) noexcept {
  struct stat found {};
  return fstat(file, &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

}  // namespace

ScratchFile::~ScratchFile() {
  close(file_);
  scratch_.forget(*this);
}

std::uint64_t ScratchFile::append(std::span<const std::span<const std::byte>> pieces) {
  std::uint64_t all = 0;
  for (const auto& piece : pieces) all += piece.size();
  if (scratch_.used_.fetch_add(all) + all > scratch_.most_) {
    scratch_.used_ -= all;
    throw DiskFull{};
  }
  const std::uint64_t offset = bytes_.fetch_add(all);
  std::uint64_t at = offset;
  for (const auto& piece : pieces) {
    if (!write_all(file_, piece, at)) throw DiskFull{};
    at += piece.size();
  }
  return offset;
}

void ScratchFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (!read_all(file_, bytes, offset)) throw DiskFull{};
}

void ScratchFile::sync() const {
  if (fdatasync(file_) != 0) throw DiskFull{};
}

Scratch::Scratch(std::string directory, std::uint64_t most_bytes)
    : directory_(std::move(directory)), most_(most_bytes) {
  std::error_code failed;
  std::filesystem::create_directories(directory_, failed);
  lock_ = ::open(path("lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) throw std::invalid_argument(directory_ + ": " + std::strerror(errno));
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    close(lock_);
    throw std::invalid_argument(directory_ + " is in use by another search");
  }
}

Scratch::~Scratch() { close(lock_); }

std::unique_ptr<ScratchFile> Scratch::make() {
  for (;;) {
    std::string name = kPrefix + std::to_string(made_++);
    const int file = ::open(path(name).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) throw DiskFull{};
    open_.insert(name);
    return std::make_unique<ScratchFile>(*this, std::move(name), file, 0);
  }
}

std::unique_ptr<ScratchFile> Scratch::open(const std::string& name, std::uint64_t bytes) {
  const int file = ::open(path(name).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  if (size_of(file) < bytes) {
    close(file);
    return nullptr;
  }
  used_ += bytes;
  open_.insert(name);
  return std::make_unique<ScratchFile>(*this, name, file, bytes);
}

void Scratch::forget(const ScratchFile& file) noexcept {
  open_.erase(file.name());
  if (named_.contains(file.name())) return;
  unlink(path(file.name()).c_str());
  used_ -= file.bytes();
}

void Scratch::write_checkpoint(std::span<const std::byte> bytes, std::set<std::string> names) {
  const std::string temporary = path("checkpoint.new");
  const int file = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) throw DiskFull{};
  const std::uint64_t sum = sum_of(bytes);
  const bool written = write_all(file, {reinterpret_cast<const std::byte*>(&sum), sizeof sum}, 0) &&
                       write_all(file, bytes, sizeof sum) && fsync(file) == 0;
  close(file);
  if (!written || rename(temporary.c_str(), path(kCheckpoint).c_str()) != 0) throw DiskFull{};
  if (const int directory = ::open(directory_.c_str(), O_RDONLY | O_CLOEXEC); directory >= 0) {
    fsync(directory);
    close(directory);
  }
  for (const std::string& name : named_) {
    if (names.contains(name) || open_.contains(name)) continue;
    std::error_code failed;
    const std::uint64_t freed = std::filesystem::file_size(path(name), failed);
    if (!failed) used_ -= freed;
    unlink(path(name).c_str());
  }
  named_ = std::move(names);
}

std::optional<std::vector<std::byte>> Scratch::read_checkpoint() const {
  const int file = ::open(path(kCheckpoint).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  const std::uint64_t all = size_of(file);
  std::uint64_t sum = 0;
  std::vector<std::byte> bytes(all < sizeof sum ? 0 : all - sizeof sum);
  const bool whole = all >= sizeof sum && read_all(file, {reinterpret_cast<std::byte*>(&sum), sizeof sum}, 0) &&
                     read_all(file, bytes, sizeof sum) && sum == sum_of(bytes);
  close(file);
  if (!whole) return std::nullopt;
  return bytes;
}

void Scratch::adopt(std::set<std::string> names) {
  named_ = std::move(names);
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, failed)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name.starts_with(kPrefix) || name.starts_with(kCheckpoint);
    if (!ours || (name == kCheckpoint && !named_.empty()) || named_.contains(name) || open_.contains(name)) continue;
    unlink(path(name).c_str());
  }
}

}  // namespace hstar
