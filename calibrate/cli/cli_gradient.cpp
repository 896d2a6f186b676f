// furrow gradient project.json: the derivatives of a fit against central differences.
#include "calibrate/cli/command.h"
#include "calibrate/cli/interrupt.h"
#include "calibrate/cli/table.h"
#include "calibrate/gradient_check.h"

namespace furrow::cli {
namespace {

void print_rows(Console& console, const GradientCheck& check) {
  Table table(
      {"parameter", "adjoint", "D(h)", "D(h/2)", "h", "error of D*", "slope", "tangent - adjoint", ""});
  for (const GradientRow& row : check.rows)
    table.add({row.name, fmt::format("{:.9e}", row.adjoint), fmt::format("{:.9e}", row.difference),
               fmt::format("{:.9e}", row.finer), fmt::format("{:.2g}", row.step),
               fmt::format("{:.1e}", row.relative_error),
               row.slope_known ? fmt::format("{:.3f}", row.slope) : "exact",
               row.has_tangent ? fmt::format("{:.1e}", row.tangent_difference) : "-",
               row.passes() ? "" : "FAILED"});
  for (const std::string& line : table.lines()) console.print(line);
  console.say(
      "D*: (4 D(h/2) - D(h)) / 3. Bars: error of D* {:.0e}, slope 2 +- {}, tangent - adjoint {:.0e}, all "
      "relative",
      GradientBars::relative_error, GradientBars::slope, GradientBars::tangent);
}

nlohmann::ordered_json to_json(const GradientCheck& check) {
  nlohmann::ordered_json json{{"passed", check.passes()}, {"cost", check.cost}, {"failure", check.failure}};
  json["parameters"] = nlohmann::ordered_json::array();
  for (const GradientRow& row : check.rows)
    json["parameters"].push_back(
        {{"name", row.name},
         {"adjoint", row.adjoint},
         {"difference", row.difference},
         {"difference_at_half_step", row.finer},
         {"step", row.step},
         {"relative_error", row.relative_error},
         {"slope", row.slope_known ? nlohmann::ordered_json(row.slope) : nullptr},
         {"tangent_difference", row.has_tangent ? nlohmann::ordered_json(row.tangent_difference) : nullptr},
         {"passed", row.passes()}});
  return json;
}

Outcome run_command(const std::filesystem::path& file, const CommonOptions& common, Console& console) {
  const Project project = read_project(file, common.rules());
  const GradientCheck check =
      check_gradient(project, common.seed, [&](double fraction, const std::string& next) {
        console.progress(fraction, next);
        return !interrupted();
      });
  console.end_progress();
  print_rows(console, check);
  if (!check.failure.empty()) console.error(check.failure);
  console.print(check.passes() ? "all derivatives hold" : "NOT all derivatives hold");
  const nlohmann::ordered_json json = to_json(check);
  if (!common.output.empty()) write_json(common.output, json);
  return {check.passes() ? kDone : kNotConverged, json};
}

}  // namespace

Command add_gradient(CLI::App& app) {
  Command command = make_command(app, "gradient", "hold adjoint and tangent against central differences",
                                 "JSON file to write the table to");
  auto file = std::make_shared<std::filesystem::path>();
  command.app->add_option("project", *file, "project.json")->required()->type_name("FILE");
  command.run = [file, common = command.common](Console& console) {
    return run_command(*file, *common, console);
  };
  return command;
}

}  // namespace furrow::cli
