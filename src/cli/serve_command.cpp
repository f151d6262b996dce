// `markeval serve`: the HTTP server is started, logs to standard error and stops on a signal.
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <thread>

#include "api/models.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/request_options.hpp"
#include "cli/terminal.hpp"
#include "serve/memory_reserve.hpp"
#include "serve/server.hpp"

namespace markeval::cli {
namespace {

struct ServeOptions {
  serve::ServeSettings settings;
  bool quiet = false;
};

constexpr const char* kServeExamples =
    "Examples:\n"
    "  markeval serve\n"
    "  markeval serve --port 9000 --model bge-small-en-v1.5 --preload\n"
    "  markeval serve --host 0.0.0.0 --token-file token.txt --jobs jobs.sqlite\n\n"
    "Manual: docs/how-to/serve.md";

/// A line on standard error, with the time before it.
void log_line(const std::string& line) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char time[32];
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &parts);
  say(fmt::format("{} {}", time, line));
}

void run_serve(const ServeOptions& options) {
  const serve::ServeSettings& settings = options.settings;
  if (!settings.model.empty()) require_model(settings.model);  // else every request would fail
  const std::atomic<bool>& interrupted = catch_interrupts();
  serve::spare_address_space();
  serve::Server server(settings, options.quiet ? serve::Log() : serve::Log(log_line));
  const std::string host =
      settings.host.find(':') == std::string::npos ? settings.host : "[" + settings.host + "]";
  say(fmt::format("markeval: serving at http://{}:{}", host, static_cast<int>(server.port())));
  if (!serve::is_loopback(settings.host) && !server.asks_for_token())
    say("markeval: warning: everybody who reaches this address may use the server; --token-file requires a "
        "token");
  server.load_model();
  while (!interrupted) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  say("markeval: stopping");
  server.stop();
}

}  // namespace

void add_serve_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("serve", "Scores over HTTP, and a page for colleagues");
  const auto options = std::make_shared<ServeOptions>();
  std::vector<Field> fields = fields_of(options->settings);
  add_fields(fields, {Field{"quiet", &options->quiet, "", "No line for every request"}.as("-q,--quiet")});
  command->footer(kServeExamples);
  run_when_chosen(*command, fields, [options] { run_serve(*options); });
}

}  // namespace markeval::cli
