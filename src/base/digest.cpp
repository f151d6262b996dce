#include "base/digest.hpp"

#include <openssl/evp.h>

#include <new>

#include "base/mapped_file.hpp"

namespace markeval {

struct Digest::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Digest::Digest(HashKind kind) : state_(std::make_unique<State>()) {
  if (state_->context == nullptr ||
      EVP_DigestInit_ex(state_->context, kind == HashKind::sha256 ? EVP_sha256() : EVP_sha1(), nullptr) !=
          1) {
    throw std::bad_alloc();
  }
}
Digest::~Digest() = default;

void Digest::add(std::string_view bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

std::string Digest::hex() {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(state_->context, bytes, &size);
  std::string text;
  for (unsigned index = 0; index < size; ++index) {
    text += "0123456789abcdef"[bytes[index] >> 4];
    text += "0123456789abcdef"[bytes[index] & 15];
  }
  return text;
}

namespace {

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace

std::string sha256_of(std::string_view bytes) {
  Digest digest(Digest::HashKind::sha256);
  digest.add(bytes);
  return digest.hex();
}

std::string sha256_of_file(const std::string& path) {
  return sha256_of(text_of(MappedFile(path)));
}

std::string git_blob_id_of_file(const std::string& path) {
  const MappedFile file(path);
  Digest digest(Digest::HashKind::sha1);
  const std::string head = "blob " + std::to_string(file.bytes().size());
  digest.add({head.c_str(), head.size() + 1});
  digest.add(text_of(file));
  return digest.hex();
}

}  // namespace markeval
