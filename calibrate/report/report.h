// `furrow report`: one self-contained page about a fit (no script, nothing loaded from elsewhere), from the
// files in its folder: fit.json, history.csv and, where they exist, validation.json with its error maps.
#pragma once

#include <filesystem>

namespace furrow {

/// Writes report.html into `target` (a folder; the fit's own when empty) and returns it. InputError when the
/// folder holds no fit.json.
std::filesystem::path write_report(const std::filesystem::path& fit,
                                   const std::filesystem::path& target = {});

}  // namespace furrow
