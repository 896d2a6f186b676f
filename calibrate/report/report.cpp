#include "calibrate/report/report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "calibrate/report/charts.h"
#include "calibrate/report/picture.h"
#include "forward/base/error.h"
#include "forward/base/json_file.h"
#include "forward/base/mesh_io.h"

namespace furrow {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr const char* kStyle = R"(
:root{--ink:#1d2733;--soft:#64707d;--line:#e3e8ee;--paper:#fff;--good:#2f855a;--bad:#c53030;--accent:#2b6cb0}
*{box-sizing:border-box}
body{margin:0;background:#f4f6f8;color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
main{max-width:880px;margin:32px auto;padding:0 20px}
section{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:22px 28px;margin:18px 0}
h1{font-size:26px;margin:0 0 4px}h2{font-size:17px;margin:0 0 12px}p{margin:6px 0}.soft{color:var(--soft)}
.badge{display:inline-block;padding:2px 10px;border-radius:20px;color:#fff;font-size:13px;font-weight:600;vertical-align:middle}
table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums;margin-top:12px}
th{color:var(--soft);font-weight:600;text-align:right;border-bottom:1px solid var(--line);padding:4px 8px}
td{text-align:right;padding:4px 8px;border-bottom:1px solid #f0f3f6}
th:first-child,td:first-child{text-align:left;padding-left:0}th:last-child,td:last-child{padding-right:0}
svg{max-width:100%;height:auto}svg text{font-size:12.5px;fill:var(--ink)}svg text.axis{font-size:11px;fill:var(--soft)}
svg .grid{stroke:var(--line)}
.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:14px;margin-top:14px}
figure{margin:0}figure img{width:100%;border:1px solid var(--line);border-radius:6px}figcaption{font-size:12.5px;color:var(--soft)}
.scale{height:10px;border-radius:5px;background:linear-gradient(90deg,#24286e,#1e6ea5,#46a578,#e4c850,#be2828)}
.ends{display:flex;justify-content:space-between;font-size:12px;color:var(--soft)}
code{font-size:12px;word-break:break-all}
)";

// Colours of the calibrated head and of the baselines in every chart.
constexpr const char* kFit = "#2b6cb0";
constexpr const char* kUniform = "#a0aec0";
constexpr const char* kNaive = "#dd8452";

std::string number(const Json& value, const char* form = "{:.4g}") {
  return value.is_number() ? fmt::format(fmt::runtime(form), value.get<double>()) : "&ndash;";
}

std::string percent(const Json& value) {
  return value.is_number() ? fmt::format("{:.2f} %", 100 * value.get<double>()) : "&ndash;";
}

/// The member, or null where there is none.
Json at(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object[key] : Json(nullptr);
}

std::string text(const Json& object, const char* key) {
  const Json member = at(object, key);
  return member.is_string() ? member.get<std::string>() : "";
}

double number_or(const Json& object, const char* key, double otherwise) {
  return object.contains(key) && object[key].is_number() ? object[key].get<double>() : otherwise;
}

bool flag(const Json& object, const char* key) {
  return object.value(key, false);
}

/// Cells are HTML.
std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  auto line = [](const std::vector<std::string>& cells, const char* tag) {
    std::string out = "<tr>";
    for (const std::string& cell : cells) out += fmt::format("<{0}>{1}</{0}>", tag, cell);
    return out + "</tr>\n";
  };
  std::string out = "<table>" + line(head, "th");
  for (const auto& row : rows) out += line(row, "td");
  return out + "</table>\n";
}

std::string section(const std::string& title, const std::string& inside) {
  return inside.empty() ? "" : "<section><h2>" + escaped(title) + "</h2>\n" + inside + "</section>\n";
}

std::string title_of(const Json& fit) {
  const std::string subject = text(fit, "subject"), status = text(fit, "status");
  const char* colour = status == "converged" ? "var(--good)" : "var(--bad)";
  std::string words = status;
  std::replace(words.begin(), words.end(), '_', ' ');
  return fmt::format(
      "<section><h1>{} <span class=\"badge\" style=\"background:{}\">{}</span></h1>"
      "<p class=\"soft\">{}</p><p class=\"soft\">{} evaluations, {} forward solves, {:.0f} s, {:.0f} MB; "
      "rest shape: {}</p></section>\n",
      escaped(subject.empty() ? "furrow fit" : subject), colour, escaped(words),
      escaped(text(fit, "termination")), fit.value("evaluations", 0), fit.value("forward_solves", 0),
      number_or(fit, "wall_s", 0), number_or(fit, "peak_memory_mb", 0), escaped(text(fit, "rest_shape")));
}

std::string remarks(const Json& p) {
  std::vector<std::string> words;
  if (flag(p, "held"))
    words.push_back("held");
  else if (!flag(p, "determined"))
    words.push_back("<b style=\"color:var(--bad)\">not determined</b>");
  if (flag(p, "at_bound")) words.push_back("at its bound");
  if (flag(p, "dead")) words.push_back("no effect");
  if (flag(p, "weak") && !flag(p, "dead")) words.push_back("weak");
  if (number_or(p, "prior_share", 0) > 0.2)
    words.push_back(fmt::format("{:.0f} % prior", 100 * number_or(p, "prior_share", 0)));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string short_name(const std::string& name) {
  const std::string prefix = "tissue.young.";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

std::string parameters_of(const Json& fit) {
  std::vector<IntervalBar> bars;
  std::vector<std::vector<std::string>> rows;
  for (const Json& p : fit["parameters"]) {
    const std::string name = text(p, "name"), unit = text(p, "unit");
    const double value = number_or(p, "value", 0);
    Json interval = at(p, "interval95");
    if (interval.size() != 2) interval = Json::array({nullptr, nullptr});
    rows.push_back({escaped(name), number(p["value"]) + " " + escaped(unit),
                    number(interval[0]) + " &hellip; " + number(interval[1]), percent(at(p, "log_std")),
                    percent(at(p, "noise_log_std")), percent(at(p, "model_log_std")),
                    number(at(p, "effect_mm"), "{:.3f} mm"), remarks(p)});
    if (unit != "kPa" || flag(p, "held") || !interval[0].is_number() || !interval[1].is_number()) continue;
    const double noise = std::exp(1.96 * number_or(p, "noise_log_std", 0));
    bars.push_back({short_name(name), value, value / noise, value * noise, interval[0].get<double>(),
                    interval[1].get<double>(), flag(p, "determined") ? kFit : "#c53030"});
  }
  return interval_chart(bars, "kPa") +
         "<p class=\"soft\">95 % intervals: thick from the noise alone, thin with the model part (mesh, "
         "labels, law).</p>" +
         table({"parameter", "value", "95 % interval", "log std", "of noise", "of model", "effect", ""},
               rows);
}

std::string undetermined_of(const Json& fit) {
  std::string out;
  for (const Json& entry : at(fit, "undetermined")) {
    std::vector<std::string> parts;
    for (const auto& [name, weight] : entry["combination"].items())
      parts.push_back(fmt::format("{:+.2f} log {}", weight.get<double>(), escaped(name)));
    out += fmt::format("<p>{} &mdash; log std {}</p>\n", fmt::join(parts, " "),
                       number(entry["log_std"], "{:.2g}"));
  }
  return out;
}

double error_of(const Json& entry, const char* baseline) {
  const Json from = baseline ? at(entry, baseline) : entry;
  return from.is_object() && from.contains("motion") ? number_or(from["motion"], "mean_error", -1) : -1;
}

std::string error_maps(const fs::path& folder, const Json& validation) {
  std::string out;
  for (const Json& entry : validation["observations"]) {
    const std::string name = text(entry, "name");
    for (const auto& [suffix, what] : {std::pair{"", "calibrated"}, std::pair{"_naive", "naive"}}) {
      const fs::path file = folder / "validation" / (name + suffix + ".ply");
      if (!fs::exists(file)) continue;
      const SurfaceMesh mesh = read_surface(file, "mm", false);
      if (mesh.triangle_count() == 0 || mesh.colours.rows() == 0) continue;
      out += fmt::format(
          "<figure><img alt=\"\" src=\"data:image/png;base64,{}\"><figcaption>{}, {}</figcaption></figure>\n",
          to_base64(to_png(draw_front(mesh, 300))), escaped(name), what);
    }
  }
  if (out.empty()) return out;
  const double high = number_or(at(validation, "error_maps"), "high", 0);
  return "<div class=\"pictures\">" + out + "</div>" +
         fmt::format(
             "<div style=\"margin-top:12px\" class=\"scale\"></div><div class=\"ends\"><span>0 "
             "mm</span><span>error of the position"
             "</span><span>{:.3g} mm and more</span></div>",
             high);
}

std::string validation_of(const fs::path& folder) {
  if (!fs::exists(folder / "validation.json")) return "";
  const Json validation = JsonNode::read(folder / "validation.json").raw();
  std::vector<BarGroup> groups;
  std::vector<std::vector<std::string>> rows;
  auto add = [&](const std::string& name, const Json& entry) {
    groups.push_back(
        {name, {error_of(entry, nullptr), error_of(entry, "uniform"), error_of(entry, "naive")}});
    auto cell = [&](const char* key) { return number(at(entry, key), "{:.4f}"); };
    auto mean = [](double value) {
      return value < 0 ? std::string("&ndash;") : fmt::format("{:.4f}", value);
    };
    rows.push_back({escaped(name), cell("mean_error"), cell("rms"), cell("p95"), cell("max"),
                    mean(groups.back().values[0]), mean(groups.back().values[1]),
                    mean(groups.back().values[2])});
  };
  for (const Json& entry : validation["observations"]) add(text(entry, "name"), entry);
  add("all", validation["totals"]);
  return grouped_bars(groups, {{"calibrated", kFit}, {"uniform stiffness", kUniform}, {"naive", kNaive}},
                      "mm, mean error of the motion") +
         table({"held out [mm]", "mean", "rms", "p95", "max", "motion", "uniform", "naive"}, rows) +
         error_maps(folder, validation);
}

std::string observations_of(const Json& fit) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& o : at(fit, "observations"))
    rows.push_back({escaped(text(o, "name")), std::to_string(o.value("count", 0)),
                    number(at(o, "mean_error"), "{:.4f}"), number(o["rms"], "{:.4f}"),
                    number(o["sigma"], "{:.4f}")});
  return table({"observation", "vertices", "mean error [mm]", "rms a coordinate [mm]", "sigma [mm]"}, rows) +
         fmt::format(
             "<p class=\"soft\">&chi;&sup2; per degree of freedom {}; {} of the residuals count as "
             "independent; noise part inflated "
             "by {}.</p>",
             number(at(fit, "chi2_per_dof")), percent(at(fit, "independent_share")),
             number(at(fit, "inflation")));
}

std::string history_of(const fs::path& folder) {
  if (!fs::exists(folder / "history.csv")) return "";
  std::istringstream in(read_bytes(folder / "history.csv"));
  std::vector<CurvePoint> points;
  std::string line, last;
  int stage = -1;
  for (std::getline(in, line);
       std::getline(in, line);) {  // stage,iteration,cost,accepted; a stage's name may hold commas
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (cells.size() < 4) continue;
    const auto cost = to_number(cells[cells.size() - 2]);
    const auto iteration = to_number(cells[cells.size() - 3]);
    if (!cost || !iteration || !(*cost > 0)) continue;
    if (cells[0] != last || *iteration == 0) ++stage;
    last = cells[0];
    points.push_back({*cost, stage});
  }
  return history_chart(points, "cost by iteration");
}

std::string model_error_of(const Json& fit) {
  const Json changes = at(fit, "model_error");
  if (changes.empty()) return "";
  std::vector<std::string> head{"change of the model"};
  for (const auto& [name, shift] : changes[0]["log_shift"].items()) head.push_back(escaped(short_name(name)));
  std::vector<std::vector<std::string>> rows;
  for (const Json& change : changes) {
    std::vector<std::string> row{escaped(text(change, "change"))};
    for (const auto& [name, shift] : change["log_shift"].items())
      row.push_back(shift.is_number() ? fmt::format("{:+.2f} %", 100 * shift.get<double>()) : "&ndash;");
    rows.push_back(row);
  }
  return "<p class=\"soft\">How far each change would move the logarithm of a parameter.</p>" +
         table(head, rows);
}

std::string list_of(const Json& fit, const char* key) {
  std::string out;
  for (const Json& entry : at(fit, key)) out += "<p>" + escaped(entry.get<std::string>()) + "</p>\n";
  return out;
}

std::string inputs_of(const Json& fit) {
  std::vector<std::vector<std::string>> rows;
  const Json inputs = at(fit, "inputs");
  for (const auto& [name, hash] : inputs.items())
    rows.push_back({escaped(name), "<code>" + escaped(hash.get<std::string>()) + "</code>"});
  return rows.empty() ? "" : table({"file", "sha256"}, rows);
}

std::string page_of(const fs::path& folder) {
  const Json fit = JsonNode::read(folder / "fit.json").raw();
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width,initial-scale=1\"><title>" +
         escaped("furrow: " + text(fit, "subject")) + "</title><style>" + kStyle +
         "</style></head><body><main>\n" + title_of(fit) + section("Warnings", list_of(fit, "warnings")) +
         section("Parameters", parameters_of(fit)) +
         section("Combinations that the data leaves open", undetermined_of(fit)) +
         section("Held-out poses", validation_of(folder)) +
         section("Observations that were fitted", observations_of(fit)) +
         section("Course of the fit", history_of(folder)) +
         section("Model part of the error bars", model_error_of(fit)) +
         section("Notes", list_of(fit, "notes")) + section("Inputs", inputs_of(fit)) +
         "</main></body></html>\n";
}

}  // namespace

fs::path write_report(const fs::path& fit, const fs::path& target) {
  if (!fs::exists(fit / "fit.json"))
    throw InputError(fit.string(), "holds no fit (fit.json is missing); name the folder of `furrow fit`");
  const fs::path folder = target.empty() ? fit : target;
  fs::create_directories(folder);
  write_text_atomically(folder / "report.html", page_of(fit));
  return folder / "report.html";
}

}  // namespace furrow
