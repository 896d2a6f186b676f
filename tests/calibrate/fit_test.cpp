// A whole fit on a small block: truth, resumption, held-out poses.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "calibrate/fit.h"
#include "calibrate/validate.h"
#include "forward/base/error.h"
#include "tests/calibrate/block_project.h"

namespace furrow {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json read(const fs::path& file) {
  std::ifstream in(file);
  return Json::parse(in);
}

/// fit.json without what two runs may differ in.
std::string comparable(const fs::path& folder, bool with_counts = true) {
  Json fit = read(folder / "fit.json");
  if (!with_counts) fit.erase("forward_solves");
  fit.erase("wall_s");
  fit.erase("peak_memory_mb");
  return fit.dump(1);
}

class BlockFit : public ::testing::Test {
 protected:
  FitResult fit(const fs::path& project_file, const fs::path& output, bool resume = false) {
    const FitResult result = run_fit(read_project(project_file), {output, resume, {}});
    write_run_record(output, {project_file, {}, {}});
    return result;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(BlockFit, RecoversTheTruthFromThreeTimesOff) {
  for (const double factor : {3.0, 1.0 / 3}) {
    testing::BlockTruth truth;
    truth.start_factor = factor;
    const FitResult result = fit(testing::write_block_project(folder_, truth), folder_.path() / "out");
    EXPECT_EQ(result.termination, Termination::converged) << result.message;
    ASSERT_EQ(result.parameters.size(), 2u);
    for (std::size_t k = 0; k < 2; ++k) {
      const ParameterEstimate& e = result.parameters[k];
      const double log_error = std::log(e.value / (k == 0 ? truth.left : truth.right));
      EXPECT_LE(std::abs(log_error), 3 * e.log_std) << e.name << " = " << e.value;
      EXPECT_LE(e.noise_log_std, 0.02);
      EXPECT_TRUE(e.determined && !e.weak && !e.at_bound);
    }
    EXPECT_NEAR(result.chi2_per_dof, 1, 0.25);
  }
}

TEST_F(BlockFit, ResumesToTheSameDigitsWhereverItWasKilled) {
  const fs::path project_file = testing::write_block_project(folder_), out = folder_.path() / "out";
  int snapshots = 0;
  const auto snapshot = [&](const FitProgress&) {  // what a kill at this moment would leave
    const fs::path folder = folder_.path() / fmt::format("killed_{}", snapshots++);
    fs::create_directories(folder);
    if (fs::exists(out / "checkpoint" / "journal.bin"))
      fs::copy(out / "checkpoint", folder / "checkpoint", fs::copy_options::recursive);
    return true;
  };
  run_fit(read_project(project_file), {out, false, snapshot});
  ASSERT_GT(snapshots, 5);
  const std::string whole = comparable(out);
  const std::string without_counts = comparable(out, false);  // a torn record is solved once more
  for (int k = 0; k < snapshots; ++k)
    for (const std::uintmax_t torn : {0, 9}) {
      const fs::path folder = folder_.path() / fmt::format("killed_{}", k),
                     journal = folder / "checkpoint" / "journal.bin";
      if (!fs::exists(journal)) continue;
      if (fs::file_size(journal) < 1000 + torn) continue;  // nothing evaluated yet
      const fs::path again = folder_.path() / "again";
      fs::remove_all(again);
      fs::copy(folder, again, fs::copy_options::recursive);
      fs::resize_file(again / "checkpoint" / "journal.bin", fs::file_size(journal) - torn);
      fit(project_file, again, true);
      EXPECT_EQ(comparable(again, torn == 0), torn == 0 ? whole : without_counts)
          << "killed at " << k << ", last record torn by " << torn;
    }
}

TEST_F(BlockFit, StopsCleanlyAndGoesOn) {
  const fs::path project_file = testing::write_block_project(folder_), whole = folder_.path() / "whole",
                 part = folder_.path() / "part";
  fit(project_file, whole);
  const Project project = read_project(project_file);
  const FitResult stopped =
      run_fit(project, {part, false, [](const FitProgress& p) { return p.iteration < 2; }});
  EXPECT_EQ(stopped.termination, Termination::interrupted);
  EXPECT_EQ(read(part / "fit.json")["status"], "interrupted");
  fit(project_file, part, true);
  EXPECT_EQ(comparable(part), comparable(whole));
}

TEST_F(BlockFit, ValidateBeatsTheBaselines) {
  const fs::path out = folder_.path() / "out";
  fit(testing::write_block_project(folder_), out);
  const FittedHead head = read_fitted_head(out);
  EXPECT_TRUE(head.warnings.empty());
  const Validation validation = validate(head, [](const std::string&) {});
  ASSERT_TRUE(validation.complete());
  const double own = validation.total(&HeldOutPose::fit).motion.mean();
  EXPECT_LT(own, 0.02);  // the scans' own noise has a mean length of 0.016 mm
  EXPECT_LT(5 * own, validation.total(&HeldOutPose::uniform).motion.mean());
  EXPECT_LT(5 * own, validation.total(&HeldOutPose::naive).motion.mean());
  EXPECT_GT(validation.uniform_young, 0.003);
  EXPECT_LT(validation.uniform_young, 0.006);

  const Json json = read(write_validation(out, head, validation));
  ASSERT_EQ(json["observations"].size(), 1u);
  const Json& turned = json["observations"][0];
  for (const char* key : {"mean_error", "rms", "p95", "max"}) {
    EXPECT_GT(turned[key].get<double>(), 0) << key;
    EXPECT_GT(turned["naive"][key].get<double>(), turned[key].get<double>()) << key;
    EXPECT_GT(turned["motion"][key].get<double>(), 0) << key;
  }
  for (const char* map : {"turned.ply", "turned_naive.ply"})
    EXPECT_EQ(read_surface(out / "validation" / map).vertex_count(), 50);
}

TEST_F(BlockFit, FoldersWithoutAFitAreRefused) {
  EXPECT_THROW(read_fitted_head(folder_.path()), InputError);
  write_run_record(folder_.path(), {testing::write_block_project(folder_), {}});
  EXPECT_THROW(read_fitted_head(folder_.path()), InputError);
}

}  // namespace
}  // namespace furrow
