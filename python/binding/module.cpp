// markeval._native: what the Python package is made of. Not for users: names and arguments may change.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "api/align.hpp"
#include "api/compare.hpp"
#include "api/models.hpp"
#include "api/presets.hpp"
#include "api/training.hpp"
#include "binding/errors.hpp"
#include "binding/inputs.hpp"
#include "binding/options.hpp"
#include "binding/parts.hpp"
#include "binding/python_words.hpp"
#include "binding/results.hpp"
#include "binding/running.hpp"
#include "cli/program.hpp"
#include "request/lookup.hpp"
#include "score/compare.hpp"
#include "study/experiment.hpp"
#include "study/experiment_fields.hpp"

namespace nb = nanobind;

namespace markeval::binding {
namespace {

/// What print(report) shows: the signatures have an attribute.
TextOptions for_python() {
  TextOptions options;
  options.signatures_stand = "report.signature has them";
  return options;
}

/// With the lock released, and stopped by Ctrl-C.
std::string work(FunctionRef<std::string(const std::atomic<bool>*)> make) {
  std::string made;
  run([&](Observer*, const std::atomic<bool>* cancel) { made = make(cancel); }, nb::none(), false);
  return made;
}

/// A class with what all reports of scores have.
template <typename AnyReport>
nb::class_<AnyReport> report_class(nb::module_& module, const char* name) {
  nb::class_<AnyReport> type(module, name);
  type.def("warnings", [](const AnyReport& report) { return in_python(report.warnings()); });
  type.def("text", [](const AnyReport& report) {
    return in_python(work([&](auto) { return report.text(for_python()); }));
  });
  type.def("markdown", [](const AnyReport& report) {
    return in_python(work([&](auto) { return report.text({.style = TableStyle::markdown}); }));
  });
  type.def("json", [](const AnyReport& report) { return work([&](auto) { return report.json(); }); });
  type.def("tsv", [](const AnyReport& report) { return work([&](auto) { return report.tsv(); }); });
  const auto html = [](const AnyReport& report, const std::vector<std::string>& command) {
    return work([&](auto) { return report.html(command); });
  };
  type.def("html", html, nb::arg("command"));
  return type;
}

constexpr std::size_t kBriefBytes = 16 << 10;  // of text: a lexical metric is through with them at once

/// An Evaluator with the lock released while it works.
class NativeEvaluator {
 public:
  NativeEvaluator(std::size_t threads, std::string device)
      : evaluator_(std::make_unique<Evaluator>(Settings{threads, std::move(device)})), process_(getpid()) {}
  /// In a forked process the threads of the evaluator do not exist: it is left as it is.
  ~NativeEvaluator() {
    if (getpid() != process_) static_cast<void>(evaluator_.release());
  }
  NativeEvaluator(const NativeEvaluator&) = delete;
  NativeEvaluator& operator=(const NativeEvaluator&) = delete;

  /// `lexical`: all metrics are, so that few texts take no time.
  Report score(nb::handle references, nb::handle systems, std::vector<std::string> metrics, nb::dict options,
               nb::handle progress, bool lexical) {
    InputKeeper keeper;
    const ScoreRequest request = score_request(keeper, references, systems, std::move(metrics), options);
    std::optional<Report> report;
    run([&](Observer* observer,
            const std::atomic<bool>* cancel) { report = evaluator_->score(request, observer, cancel); },
        progress, lexical && request.resamples == 0 && keeper.text_bytes() < kBriefBytes);
    return std::move(*report);
  }

  ComparisonReport compare(nb::handle references, nb::handle systems, std::vector<std::string> metrics,
                           nb::dict options, nb::dict comparison, nb::handle progress) {
    InputKeeper keeper;
    const ScoreRequest request = score_request(keeper, references, systems, std::move(metrics), options);
    CompareOptions compare_options;
    set_fields(comparison, fields_of(compare_options));
    std::optional<ComparisonReport> report;
    run(
        [&](Observer* observer, const std::atomic<bool>* cancel) {
          report = evaluator_->compare(request, compare_options, observer, cancel);
        },
        progress, false);
    return std::move(*report);
  }

  /// `columns`: a table in memory, or None for the file that the options name.
  CorrelationReport correlate(nb::handle columns, nb::dict options, nb::handle progress) {
    CorrelateRequest request;
    const nb::dict given = nb::cast<nb::dict>(options.attr("copy")());
    request.gathered = take_gathered(given);
    set_fields(given, fields_of(request));
    if (!columns.is_none()) request.columns = table_columns(columns);
    std::optional<CorrelationReport> report;
    run([&](Observer* observer,
            const std::atomic<bool>* cancel) { report = evaluator_->correlate(request, observer, cancel); },
        progress, false);
    return std::move(*report);
  }

  /// Of a corpus in parts: parallel/corpus_parts.hpp. `comparison` is None where the parts are for a score.
  nb::bytes score_part(nb::handle references, nb::handle systems, std::vector<std::string> metrics,
                       nb::dict options, nb::handle comparison, nb::bytes counts, nb::handle vectors) {
    InputKeeper keeper;
    ScoreRequest request = score_request(keeper, references, systems, std::move(metrics), options);
    if (!comparison.is_none()) {
      CompareOptions compare_options;
      set_fields(nb::cast<nb::dict>(comparison), fields_of(compare_options));
      request = score::request_of_comparison(request, compare_options);
    }
    const parallel::CarriedParts carried{{counts.c_str(), counts.size()}, views_of(vectors)};
    return bytes_of(work([&](const std::atomic<bool>* cancel) {
      return parallel::CorpusParts(evaluator_->runtime()).score(request, carried, nullptr, cancel);
    }));
  }
  nb::bytes count_part(nb::handle references, nb::handle systems, std::vector<std::string> metrics,
                       nb::dict options) {
    InputKeeper keeper;
    const ScoreRequest request = score_request(keeper, references, systems, std::move(metrics), options);
    return bytes_of(work([&](const std::atomic<bool>* cancel) {
      return parallel::CorpusParts(evaluator_->runtime()).count(request, cancel);
    }));
  }
  nb::bytes embed_part(nb::handle texts, std::vector<std::string> metrics, nb::dict options) {
    ScoreRequest request;
    set_fields(options, fields_of(request));
    request.metrics.assign(metrics.begin(), metrics.end());
    const std::vector<std::string> lines = text_list(texts, "texts");
    return bytes_of(work([&](const std::atomic<bool>* cancel) {
      return parallel::CorpusParts(evaluator_->runtime()).embed(lines, request, cancel);
    }));
  }

  nb::dict embed(nb::handle texts, nb::dict options, nb::handle progress) {
    EmbedRequest request;
    set_fields(options, fields_of(request));
    const std::vector<std::string> lines = text_list(texts, "texts");
    TextVectors vectors;
    run(
        [&](Observer* observer, const std::atomic<bool>* cancel) {
          vectors = evaluator_->embed(lines, request, observer, cancel);
        },
        progress, false);
    return vectors_of(std::move(vectors), !request.layer.has_value());
  }

  std::vector<std::vector<std::int32_t>> tokenize(nb::handle texts, nb::dict options) {
    EmbedRequest request;
    set_fields(options, fields_of(request));
    const std::vector<std::string> lines = text_list(texts, "texts");
    std::vector<std::vector<std::int32_t>> ids;
    run([&](Observer*,
            const std::atomic<bool>* cancel) { ids = evaluator_->tokenize(lines, request, cancel); },
        nb::none(), false);
    return ids;
  }

  std::string baseline(nb::handle texts, nb::dict options, nb::handle progress) {
    const std::vector<std::string> lines = text_list(texts, "texts");
    BaselineRequest request;
    set_fields(options, fields_of(request));
    request.texts = {"texts", Texts{lines}};
    std::string file;
    run([&](Observer* observer,
            const std::atomic<bool>* cancel) { file = evaluator_->baseline(request, observer, cancel); },
        progress, false);
    return file;
  }

 private:
  static ScoreRequest score_request(InputKeeper& keeper, nb::handle references, nb::handle systems,
                                    std::vector<std::string> metrics, nb::dict options) {
    ScoreRequest request;
    options = nb::cast<nb::dict>(options.attr("copy")());
    take_weights(options, request);
    request.gathered = take_gathered(options);
    set_fields(options, fields_of(request));
    request.references = keeper.inputs(references);
    request.systems = keeper.inputs(systems);
    request.metrics.assign(metrics.begin(), metrics.end());
    return request;
  }

  std::unique_ptr<Evaluator> evaluator_;
  pid_t process_;
};

TrainReport train_metric(nb::dict options, std::size_t threads, std::string device, nb::handle progress) {
  TrainRequest request;
  set_fields(options, fields_of(request));
  TrainReport report;
  run(
      [&](Observer* observer, const std::atomic<bool>* cancel) {
        report = train(request, Settings{threads, std::move(device)}, observer, cancel);
      },
      progress, false);
  return report;
}

StudyReport experiment(nb::dict options, std::size_t threads, std::string device, nb::handle progress) {
  ExperimentRequest request;
  set_fields(options, fields_of(request));
  std::optional<StudyReport> report;
  run(
      [&](Observer* observer, const std::atomic<bool>* cancel) {
        report = run_experiment(request, Settings{threads, std::move(device)}, observer, cancel);
      },
      progress, false);
  return std::move(*report);
}

/// `reference` and `text`: a path (str) or a list of str.
AlignReport align_text(nb::handle reference, nb::handle text, std::string unit, bool ignore_case,
                       bool replace_invalid) {
  AlignRequest request;
  const auto take = [](nb::handle given, const char* name, std::string& path,
                       std::vector<std::string>& lines) {
    if (nb::isinstance<nb::str>(given)) {
      path = nb::cast<std::string>(given);
    } else {
      lines = text_list(given, name);
    }
  };
  take(reference, "reference", request.reference, request.reference_lines);
  take(text, "text", request.text, request.text_lines);
  request.unit = std::move(unit);
  request.ignore_case = ignore_case;
  request.replace_invalid = replace_invalid;
  AlignReport report;
  run([&](Observer*, const std::atomic<bool>* cancel) { report = align(request, cancel); }, nb::none(),
      false);
  return report;
}

ConvertedModel convert(const std::string& name, const std::string& to) {
  ConvertedModel converted;
  run([&](Observer*, const std::atomic<bool>*) { converted = convert_model(name, to); }, nb::none(), false);
  return converted;
}

PulledModel pull(std::string name, std::string revision, std::string endpoint, bool no_checksum,
                 nb::handle progress) {
  const ModelRequest request{std::move(name), std::move(revision), std::move(endpoint), !no_checksum};
  PulledModel pulled;
  run([&](Observer* observer,
          const std::atomic<bool>* cancel) { pulled = pull_model(request, observer, cancel); },
      progress, false);
  return pulled;
}

template <typename Request>
std::vector<std::string> names_in() {
  Request request;
  std::vector<std::string> names;
  for (const request::Field& field : fields_of(request)) names.emplace_back(field.name);
  return names;
}

/// What a request can be told: a test holds the keyword arguments of the package against it.
std::vector<std::string> field_names(const std::string& request) {
  if (request == "score") return names_in<ScoreRequest>();
  if (request == "compare") return names_in<CompareOptions>();
  if (request == "correlate") return names_in<CorrelateRequest>();
  if (request == "embed") return names_in<EmbedRequest>();
  if (request == "train") return names_in<TrainRequest>();
  if (request == "experiment") return names_in<ExperimentRequest>();
  if (request == "settings") return names_in<Settings>();
  throw nb::key_error(request.c_str());
}

/// The command line; the GIL is free meanwhile.
int run_program(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const WithoutLock released;
  return cli::run_program(static_cast<int>(words.size()), arguments.data());
}

}  // namespace

NB_MODULE(_native, module) {
  module.doc() = "The native engine of markeval.";
  add_errors(module);
  module.attr("MOST_RESAMPLES") = request::kMostResamples;
  module.def("version", &version);
  module.def("run_program", &run_program, nb::arg("words"));
  module.def("metrics_json", [] { return describe_as_json(metric_names()); });
  module.def("preset_metrics", &preset_metrics, nb::arg("name"), nb::arg("model"));
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end_calls));
  module.def(
      "in_python", [](std::string_view message) { return in_python(message); }, nb::arg("message"));
  module.def("metric_words", &metric_words, nb::arg("metric"), nb::arg("text"));
  module.def(
      "find_request",
      [](const std::vector<std::string>& requests, std::string_view asked) {
        return request::find_request(requests, asked);
      },
      nb::arg("requests"), nb::arg("asked"));
  report_class<Report>(module, "Report")
      .def("results", &results_of)
      .def("errors", [](const Report& report) { return errors_of(report.errors()); })
      .def("explanation_json", &Report::explanation_json);
  report_class<ComparisonReport>(module, "ComparisonReport")
      .def("errors", [](const ComparisonReport& report) { return errors_of(report.errors()); });
  report_class<CorrelationReport>(module, "CorrelationReport");
  nb::class_<TrainReport>(module, "TrainReport")
      .def("warnings", [](const TrainReport& report) { return in_python(report.warnings); })
      .def("text", &TrainReport::text)
      .def("json", &TrainReport::json)
      .def("tsv", &TrainReport::tsv);
  module.def("train", &train_metric, nb::arg("options"), nb::arg("threads"), nb::arg("device"),
             nb::arg("progress").none());
  nb::class_<StudyReport>(module, "StudyReport")
      .def("warnings", [](const StudyReport& report) { return in_python(report.warnings()); })
      .def("text", [](const StudyReport& report) { return report.text(); })
      .def("json", &StudyReport::json)
      .def("tsv", &StudyReport::tsv)
      .def("html", &StudyReport::html, nb::arg("command"));
  module.def("study_names", &study_names);
  module.def("experiment", &experiment, nb::arg("options"), nb::arg("threads"), nb::arg("device"),
             nb::arg("progress").none());
  nb::class_<AlignReport>(module, "AlignReport")
      .def_ro("lines", &AlignReport::lines)
      .def_ro("edits", &AlignReport::edits)
      .def_prop_ro("error_rate", &AlignReport::error_rate);
  module.def("align", &align_text, nb::arg("reference"), nb::arg("text"), nb::arg("unit"),
             nb::arg("ignore_case"), nb::arg("replace_invalid"));
  nb::class_<ConvertedModel>(module, "ConvertedModel")
      .def_ro("folder", &ConvertedModel::folder)
      .def_ro("tensors", &ConvertedModel::tensors)
      .def_ro("weight_bytes", &ConvertedModel::weight_bytes);
  module.def("list_models", &model_table);
  module.def("convert_model", &convert, nb::arg("name"), nb::arg("to"));
  nb::class_<PulledModel>(module, "PulledModel")
      .def_ro("folder", &PulledModel::folder)
      .def_ro("revision", &PulledModel::revision)
      .def_ro("already_there", &PulledModel::already_there)
      .def_ro("warnings", &PulledModel::warnings);
  module.def("pull_model", &pull, nb::arg("name"), nb::arg("revision"), nb::arg("endpoint"),
             nb::arg("no_checksum"), nb::arg("progress").none());
  module.attr("METRIC_OF_LABELS") = parallel::kMetricOfLabels;
  module.def(
      "plan_parts",
      [](std::vector<std::string> metrics) {
        ScoreRequest request;
        request.metrics.assign(metrics.begin(), metrics.end());
        return plans_of(parallel::plan_parts(request));
      },
      nb::arg("metrics"));
  module.def(
      "merge_counts",
      [](nb::handle counts) { return bytes_of(parallel::CorpusParts::merge_counts(views_of(counts))); },
      nb::arg("counts"));
  module.def("field_names", &field_names, nb::arg("request"));
  nb::class_<NativeEvaluator>(module, "Evaluator")
      .def(nb::init<std::size_t, std::string>(), nb::arg("threads"), nb::arg("device"))
      .def("score", &NativeEvaluator::score, nb::arg("references"), nb::arg("systems"), nb::arg("metrics"),
           nb::arg("options"), nb::arg("progress").none(), nb::arg("lexical"))
      .def("compare", &NativeEvaluator::compare, nb::arg("references"), nb::arg("systems"),
           nb::arg("metrics"), nb::arg("options"), nb::arg("comparison"), nb::arg("progress").none())
      .def("correlate", &NativeEvaluator::correlate, nb::arg("columns").none(), nb::arg("options"),
           nb::arg("progress").none())
      .def("score_part", &NativeEvaluator::score_part, nb::arg("references"), nb::arg("systems"),
           nb::arg("metrics"), nb::arg("options"), nb::arg("comparison").none(), nb::arg("counts"),
           nb::arg("vectors"))
      .def("count_part", &NativeEvaluator::count_part, nb::arg("references"), nb::arg("systems"),
           nb::arg("metrics"), nb::arg("options"))
      .def("embed_part", &NativeEvaluator::embed_part, nb::arg("texts"), nb::arg("metrics"),
           nb::arg("options"))
      .def("embed", &NativeEvaluator::embed, nb::arg("texts"), nb::arg("options"), nb::arg("progress").none())
      .def("tokenize", &NativeEvaluator::tokenize, nb::arg("texts"), nb::arg("options"))
      .def("baseline", &NativeEvaluator::baseline, nb::arg("texts"), nb::arg("options"),
           nb::arg("progress").none());
}

}  // namespace markeval::binding
