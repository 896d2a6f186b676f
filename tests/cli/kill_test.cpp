// A fit that is killed at random moments and resumed, and a fit on one and on two threads, write the same
// fit.json.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "forward/base/mesh_io.h"
#include "tests/cli/block_scene.h"

namespace furrow {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// The program as a child, its output thrown away.
class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments) : pid_(::fork()) {
    if (pid_ != 0) return;
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, 1);
    ::dup2(nowhere, 2);
    std::vector<char*> argv{const_cast<char*>(FURROW_EXECUTABLE)};
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    ::execv(FURROW_EXECUTABLE, argv.data());
    ::_exit(127);
  }
  /// SIGKILL after `seconds`; true when it was still running.
  bool kill_after(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return WIFSIGNALED(status);
  }
  int wait() {  ///< exit status, -1 for a signal
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_;
};

/// fit.json without what two runs may differ in.
std::string comparable(const fs::path& folder) {
  std::ifstream in(folder / "fit.json");
  if (!in) return "no fit.json";
  nlohmann::ordered_json fit = nlohmann::ordered_json::parse(in);
  fit.erase("wall_s");
  fit.erase("peak_memory_mb");
  return fit.dump(1);
}

/// scene.json of a block in two clusters with the given stiffnesses [kPa] under three gravities.
void write_scene(const testing::TemporaryFolder& folder, const std::string& name, double left, double right) {
  folder.write(name, fmt::format(R"({{ "furrow": 1, "model": "tet",
    "surface": {{"mesh": "block.obj", "unit": "mm"}}, "volume": {{"mesh": "block.obj", "fixed": ["base"]}},
    "tet": {{"size": "10 mm"}},
    "tissue": {{"poisson": 0.45, "clusters": {{"layout": "layout.txt", "names": "names.json",
      "young": {{"left": "{} kPa", "right": "{} kPa"}}}}}},
    "poses": [{{"name": "left", "gravity": ["9.81 m/s^2", "0 m/s^2", "0 m/s^2"]}},
              {{"name": "front", "gravity": ["0 m/s^2", "0 m/s^2", "9.81 m/s^2"]}}] }})",
                                 left, right));
}

class KilledFit : public ::testing::Test {
 protected:
  void SetUp() override {  // a capture of stiffnesses 3 and 6 kPa, made by the program itself; the fit starts
                           // three times stiffer
    folder_.write("block.obj", testing::block_obj(8));
    const SurfaceMesh block = read_surface(folder_.path() / "block.obj");
    std::string layout;
    for (int v = 0; v < block.vertex_count(); ++v) layout += block.vertices(v, 0) < 59 ? "1\n" : "2\n";
    folder_.write("layout.txt", layout);
    folder_.write("names.json", R"({"1": "left", "2": "right"})");
    write_scene(folder_, "truth.json", 3, 6);
    write_scene(folder_, "scene.json", 9, 18);
    ASSERT_EQ(Child({"simulate", (folder_.path() / "truth.json").string(), "-o",
                     (folder_.path() / "capture").string()})
                  .wait(),
              0);
    folder_.write("project.json",
                  R"({ "furrow": 1, "subject": "block", "scene": "scene.json", "observations": [
      {"name": "left", "kind": "mesh", "mesh": "capture/surface/left.obj", "sigma": "0.01 mm",
       "gravity": ["9.81 m/s^2", "0 m/s^2", "0 m/s^2"]},
      {"name": "front", "kind": "mesh", "mesh": "capture/surface/front.obj", "sigma": "0.01 mm",
       "gravity": ["0 m/s^2", "0 m/s^2", "9.81 m/s^2"]}],
      "parameters": [{"name": "tissue.young.*", "range": ["0.1 kPa", "500 kPa"]}] })");
  }
  std::vector<std::string> fit(const fs::path& out, bool resume, const std::string& threads = "2") const {
    std::vector<std::string> arguments{"fit", project_.string(), "-o", out.string(), "--threads", threads};
    if (resume) arguments.push_back("--resume");
    return arguments;
  }
  testing::TemporaryFolder folder_;
  fs::path project_ = folder_.path() / "project.json";
};

TEST_F(KilledFit, ResumesToTheSameResultFromTenRandomMoments) {
  const auto began = Clock::now();
  ASSERT_EQ(Child(fit(folder_.path() / "whole", false)).wait(), 0);
  const double whole_s = std::chrono::duration<double>(Clock::now() - began).count();
  const std::string whole = comparable(folder_.path() / "whole");
  std::mt19937 generator(17);
  std::uniform_real_distribution<double> moment(0.02, 0.98);
  int killed = 0;
  for (int attempt = 0; attempt < 40 && killed < 10; ++attempt) {
    const fs::path out = folder_.path() / fmt::format("killed_{}", attempt);
    const double at = moment(generator);
    if (!Child(fit(out, false)).kill_after(at * whole_s)) continue;  // it had ended
    ++killed;
    if (attempt % 2 == 0 && fs::exists(out / "checkpoint" / "journal.bin"))  // and once more while it resumes
      Child(fit(out, true)).kill_after(moment(generator) * whole_s);
    EXPECT_FALSE(fs::exists(out / "fit.json") && comparable(out) != whole) << "half a result stayed behind";
    const bool started = fs::exists(out / "checkpoint" /
                                    "journal.bin");  // else it was killed before there was anything to resume
    EXPECT_EQ(Child(fit(out, started)).wait(), 0);
    EXPECT_EQ(comparable(out), whole) << "killed after " << at << " of " << whole_s << " s";
  }
  EXPECT_EQ(killed, 10);
}

TEST_F(KilledFit, OneAndTwoThreadsGiveTheSameDigits) {
  for (const char* threads : {"1", "2"})
    ASSERT_EQ(Child(fit(folder_.path() / threads, false, threads)).wait(), 0);
  EXPECT_EQ(comparable(folder_.path() / "1"), comparable(folder_.path() / "2"));
}

}  // namespace
}  // namespace furrow
