// What a fit's folder remembers of how it was asked for: OUT/run.json, so that `validate`, `export` and
// `report` need the folder only.
#pragma once

#include <filesystem>

#include "calibrate/project.h"

namespace furrow {

struct RunRecord {
  std::filesystem::path project;  ///< absolute
  PathRules rules;
  std::filesystem::path layout;  ///< in the place of the scene's, absolute; empty: the scene's own
};

void write_run_record(const std::filesystem::path& folder, const RunRecord& record);

/// InputError when the folder holds no fit.
RunRecord read_run_record(const std::filesystem::path& folder);

}  // namespace furrow
