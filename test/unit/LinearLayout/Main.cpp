//===- Main.cpp - Runs the properties --------------------------------------===//
//
// unit-LinearLayout [--seed=N] [--cases=N] [name...]: fresh seeds unless told.
//
//===----------------------------------------------------------------------===//
#include "test/unit/LinearLayout/Check.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace tile::test {

namespace {
struct Entry {
  std::string name;
  unsigned cases;
  std::function<void(Random &)> body;
};
struct Options {
  std::optional<uint64_t> seed;
  std::optional<unsigned> cases;
  std::vector<std::string> names;
};
} // namespace

static std::vector<Entry> &getEntries() {
  static std::vector<Entry> entries;
  return entries;
}

static std::string &getFailure() {
  static std::string failure;
  return failure;
}

Property::Property(const char *name, unsigned cases, std::function<void(Random &)> body) {
  getEntries().push_back({name, cases, std::move(body)});
}

void recordFailure(const char *file, int line, const std::string &text) {
  if (getFailure().empty())
    getFailure() = std::string(file) + ":" + std::to_string(line) + ": " + text;
}

bool hasFailed() { return !getFailure().empty(); }

std::string describe(llvm::ArrayRef<int64_t> values) {
  std::string text = "(";
  for (int64_t value : values)
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + ")";
}

/// Runs the cases of one property up to the first failure.
static bool runProperty(const Entry &entry, const Options &options) {
  std::random_device device;
  unsigned cases = options.seed ? 1 : options.cases.value_or(entry.cases);
  for (unsigned i = 0; i < cases; ++i) {
    uint64_t seed = options.seed.value_or(uint64_t(device()) << 32 | device());
    Random random(seed);
    getFailure().clear();
    entry.body(random);
    if (!hasFailed())
      continue;
    llvm::errs() << "FAILED " << entry.name << " (case " << i << ")\n  " << getFailure()
                 << "\n  repeat with: --seed=" << seed << " " << entry.name << "\n";
    return false;
  }
  return true;
}

static std::optional<Options> parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    uint64_t value;
    if (argument.consume_front("--seed=") && !argument.getAsInteger(10, value)) {
      options.seed = value;
    } else if (argument.consume_front("--cases=") && !argument.getAsInteger(10, value)) {
      options.cases = value;
    } else if (llvm::any_of(getEntries(), [&](const Entry &e) { return e.name == argument; })) {
      options.names.push_back(argument.str());
    } else {
      llvm::errs() << "unknown option or property: " << argument << "\n";
      return std::nullopt;
    }
  }
  return options;
}

static int runAll(int argc, char **argv) {
  std::optional<Options> options = parseOptions(argc, argv);
  if (!options)
    return 2;
  unsigned failed = 0, run = 0;
  for (const Entry &entry : getEntries()) {
    if (!options->names.empty() && !llvm::is_contained(options->names, entry.name))
      continue;
    ++run;
    failed += !runProperty(entry, *options);
  }
  llvm::outs() << run - failed << " of " << run << " properties hold\n";
  return failed != 0 || run == 0;
}

} // namespace tile::test

int main(int argc, char **argv) { return tile::test::runAll(argc, argv); }
