#pragma once

#include <string>
#include <variant>
#include <vector>

namespace ddp::cli {

/// Sentences. What stands between backticks is code, in all texts of this file.
struct Paragraph {
  std::string text;
};

/// Terms, such as options, with their meanings.
struct Entry {
  std::string term;  ///< code, without backticks
  std::string text;
};
struct Entries {
  std::vector<Entry> entries;
};

/// Lines as a shell or a file has them.
struct Listing {
  std::vector<std::string> lines;
};

/// Begins a part of a section.
struct Heading {
  std::string text;
};

using Block = std::variant<Paragraph, Entries, Listing, Heading>;

struct Section {
  std::string title;
  std::vector<Block> blocks;
};

/// A page of the manual.
struct ManualPage {
  std::string name;  ///< ddpsubmit-run
  int chapter = 1;   ///< 1: commands, 5: files
  std::string summary;
  std::vector<Section> sections;  ///< behind NAME
};

/// What stands at the foot of a page.
struct Edition {
  std::string date;     ///< 2026-01-31
  std::string version;  ///< ddpsubmit 1.2.3
};

}  // namespace ddp::cli
