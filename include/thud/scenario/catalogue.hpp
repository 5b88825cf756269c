#pragma once

#include <string>
#include <vector>

#include "thud/scenario/values.hpp"

namespace thud {

/// A study of the library.
struct StudyEntry {
  std::string name, path, title, about;
  std::string scenario;               ///< as the file names it
  std::vector<std::string> commands;  ///< that run it: "sweep", "fit", "sensitivity"
};

/// The studies that can be run by name.
[[nodiscard]] std::vector<StudyEntry> list_studies();
/// Studies to begin a file of one's own with, by kind.
[[nodiscard]] std::vector<StudyEntry> list_study_templates();

/// What a name or a path leads to when it is a study rather than a scenario: its path; empty otherwise, also when there is
/// no such file or it cannot be read. A name of the scenario library is never one of a study.
[[nodiscard]] std::string find_study_file(const std::string& name_or_path);
/// The commands that run a study, by the sections of its file.
[[nodiscard]] std::vector<std::string> commands_of_study(const std::string& path);

}  // namespace thud
