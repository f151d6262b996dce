// A server on 127.0.0.1 that answers as a test tells it to, byte by byte if need be; over TLS with a
// certificate made on the spot.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace markeval {

/// A key and a certificate for 127.0.0.1 that says it is its own authority.
struct SelfSigned {
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{EVP_EC_gen("P-256"), EVP_PKEY_free};
  std::unique_ptr<X509, decltype(&X509_free)> certificate{X509_new(), X509_free};

  SelfSigned() {
    X509* const one = certificate.get();
    X509_set_version(one, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(one), 1);
    X509_gmtime_adj(X509_getm_notBefore(one), -3600);
    X509_gmtime_adj(X509_getm_notAfter(one), 3600);
    X509_set_pubkey(one, key.get());
    X509_NAME* const name = X509_get_subject_name(one);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1,
                               -1, 0);
    X509_set_issuer_name(one, name);
    for (const auto& [id, value] : {std::pair{NID_subject_alt_name, "IP:127.0.0.1"},
                                    std::pair{NID_basic_constraints, "critical,CA:TRUE"}}) {
      X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value);
      X509_add_ext(one, extension, -1);
      X509_EXTENSION_free(extension);
    }
    X509_sign(one, key.get(), EVP_sha256());
  }
  /// As a file for CURL_CA_BUNDLE.
  void write(const std::string& path) const {
    FILE* const file = std::fopen(path.c_str(), "w");
    PEM_write_X509(file, certificate.get());
    std::fclose(file);
  }
};

struct WebQuestion {
  std::string target;                          ///< "/owner/tiny?blobs=true"
  std::map<std::string, std::string> headers;  ///< names as sent

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

/// "HTTP/1.1 200 OK", its headers and its body. `promised`: the length it claims.
inline std::string web_answer(int status, const std::string& body, const std::string& headers = "",
                              std::size_t promised = std::string::npos) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nConnection: close\r\nContent-Length: " +
         std::to_string(promised == std::string::npos ? body.size() : promised) + "\r\n" + headers + "\r\n" +
         body;
}

class WebServer {
 public:
  /// All bytes of the answer; the connection is closed behind them.
  using Handler = std::function<std::string(const WebQuestion&)>;

  explicit WebServer(Handler handler, const SelfSigned* identity = nullptr) : handler_(std::move(handler)) {
    if (identity != nullptr) {
      context_.reset(SSL_CTX_new(TLS_server_method()));
      SSL_CTX_use_certificate(context_.get(), identity->certificate.get());
      SSL_CTX_use_PrivateKey(context_.get(), identity->key.get());
    }
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, plain, size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, plain, &size) != 0)
      throw std::runtime_error("no server on 127.0.0.1");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~WebServer() { stop(); }

  std::string address() const {
    return (context_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_);
  }
  void stop() {
    if (!thread_.joinable()) return;
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

 private:
  void serve() {
    sigset_t broken_pipe;  // a client may hang up in the middle of a handshake; OpenSSL writes without
                           // MSG_NOSIGNAL
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    while (!stopping_) {
      const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      std::unique_ptr<SSL, decltype(&SSL_free)> secure(context_ ? SSL_new(context_.get()) : nullptr,
                                                       SSL_free);
      if (!secure || (SSL_set_fd(secure.get(), connection) == 1 && SSL_accept(secure.get()) == 1))
        answer(connection, secure.get());
      if (secure) SSL_shutdown(secure.get());
      ::shutdown(connection, SHUT_WR);
      for (char rest[4096]; ::recv(connection, rest, sizeof rest, 0) > 0;) continue;  // or the answer is lost
      ::close(connection);
    }
  }

  void answer(int connection, SSL* secure) {
    std::string head;
    char bytes[4096];
    while (head.find("\r\n\r\n") == std::string::npos) {
      const auto got = secure != nullptr ? SSL_read(secure, bytes, sizeof bytes)
                                         : static_cast<int>(::recv(connection, bytes, sizeof bytes, 0));
      if (got <= 0) return;
      head.append(bytes, static_cast<std::size_t>(got));
    }
    WebQuestion question;
    const std::size_t first = head.find(' ');
    question.target = head.substr(first + 1, head.find(' ', first + 1) - first - 1);
    for (std::size_t line = head.find("\r\n") + 2; line < head.size() - 2;) {
      const std::size_t end = head.find("\r\n", line), colon = head.find(": ", line);
      if (colon < end)
        question.headers[head.substr(line, colon - line)] = head.substr(colon + 2, end - colon - 2);
      line = end + 2;
    }
    std::string_view rest_of_answer;
    const std::string whole = handler_(question);
    rest_of_answer = whole;
    while (!rest_of_answer.empty()) {
      const auto sent = secure != nullptr ? SSL_write(secure, rest_of_answer.data(),
                                                      static_cast<int>(rest_of_answer.size()))
                                          : static_cast<int>(::send(connection, rest_of_answer.data(),
                                                                    rest_of_answer.size(), MSG_NOSIGNAL));
      if (sent <= 0) return;
      rest_of_answer.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  Handler handler_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_{nullptr, SSL_CTX_free};
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace markeval
