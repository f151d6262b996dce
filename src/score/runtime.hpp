// What calls share: threads, a device, and the models on it. Any thread may use it.
#pragma once

#include <atomic>
#include <memory>

#include "base/parallel.hpp"
#include "cache/vector_cache.hpp"
#include "compute/device.hpp"
#include "embed/model_pool.hpp"
#include "request/observer.hpp"
#include "request/score_request.hpp"

namespace markeval::score {

class Runtime {
 public:
  explicit Runtime(const Settings& settings)
      : machine_(std::make_shared<Machine>(settings)),
        pool(machine_->pool),
        device(*machine_->device),
        models(machine_->models) {}
  /// The device and the models of `other`; beside what the device does, work of a call runs on `threads`
  /// threads of its own. 0: on those of `other`.
  Runtime(const Runtime& other, std::size_t threads)
      : machine_(other.machine_),
        own_(threads > 0 ? std::make_unique<ThreadPool>(threads) : nullptr),
        pool(own_ != nullptr ? *own_ : machine_->pool),
        device(*machine_->device),
        models(machine_->models) {}
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

 private:
  struct Machine {
    explicit Machine(const Settings& settings)
        : pool(settings.threads),
          device(compute::make_device(settings.device, pool)),
          models(*device, settings.max_model_bytes) {}

    ThreadPool pool;
    std::unique_ptr<compute::Device> device;
    embed::ModelPool models;
  };
  std::shared_ptr<Machine> machine_;
  std::unique_ptr<ThreadPool> own_;

 public:
  ThreadPool& pool;
  compute::Device& device;
  embed::ModelPool& models;
};

/// Who asks: with what, whom to tell, and what stops the work.
struct Caller {
  Runtime& runtime;
  Observer* observer = nullptr;
  const std::atomic<bool>* cancel = nullptr;
};

/// The cache a request names.
cache::VectorCache open_cache(const EncoderOptions& options, LogSink* log);

}  // namespace markeval::score
