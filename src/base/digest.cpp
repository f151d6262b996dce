// The plain functions of OpenSSL, though it calls them old: they ask for no memory. The new ones start a
// whole library at first use, and that start crashes where there is no memory for it.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/digest.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <span>
#include <variant>
#include <vector>

#include "base/open_file.hpp"

namespace markeval {
namespace {

constexpr std::size_t kHashedBytes = std::size_t{1} << 20;

}  // namespace

struct Digest::State {
  std::variant<SHA_CTX, SHA256_CTX> context;
};

Digest::Digest(HashKind kind) : state_(std::make_unique<State>()) {
  if (kind == HashKind::sha1) {
    SHA1_Init(&state_->context.emplace<SHA_CTX>());
  } else {
    SHA256_Init(&state_->context.emplace<SHA256_CTX>());
  }
}
Digest::~Digest() = default;

void Digest::add(std::string_view bytes) {
  if (auto* const sha256 = std::get_if<SHA256_CTX>(&state_->context)) {
    SHA256_Update(sha256, bytes.data(), bytes.size());
  } else {
    SHA1_Update(&std::get<SHA_CTX>(state_->context), bytes.data(), bytes.size());
  }
}

void Digest::add(const OpenFile& file, std::size_t begin, std::size_t count) {
  std::vector<std::byte> block(std::min(count, kHashedBytes));
  for (std::size_t done = 0; done < count; done += block.size()) {
    const auto part = std::span(block).first(std::min(block.size(), count - done));
    file.read_at(begin + done, part);
    add({reinterpret_cast<const char*>(part.data()), part.size()});
  }
}

std::string Digest::hex() {
  unsigned char bytes[SHA256_DIGEST_LENGTH];
  std::size_t size = SHA256_DIGEST_LENGTH;
  if (auto* const sha256 = std::get_if<SHA256_CTX>(&state_->context)) {
    SHA256_Final(bytes, sha256);
  } else {
    SHA1_Final(bytes, &std::get<SHA_CTX>(state_->context));
    size = SHA_DIGEST_LENGTH;
  }
  std::string text;
  for (const unsigned char byte : std::span(bytes).first(size)) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string sha256_of(std::string_view bytes) {
  Digest digest(Digest::HashKind::sha256);
  digest.add(bytes);
  return digest.hex();
}

std::string sha256_of(const OpenFile& file) {
  Digest digest(Digest::HashKind::sha256);
  digest.add(file, 0, file.size());
  file.require_unchanged();
  return digest.hex();
}

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string sha256_of_file(const std::string& path) {
  return sha256_of(OpenFile(path));
}

std::string git_blob_id_of_file(const std::string& path) {
  const OpenFile file(path);
  Digest digest(Digest::HashKind::sha1);
  const std::string head = "blob " + std::to_string(file.size());
  digest.add({head.c_str(), head.size() + 1});
  digest.add(file, 0, file.size());
  file.require_unchanged();
  return digest.hex();
}

}  // namespace markeval
