// The half of project.h that needs to know the clusters: which parameters a project's names stand for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/project.h"
#include "forward/base/error.h"

namespace furrow {
namespace {

/// Names in the order of the parameters' vector, and their values in the scene.
struct Candidate {
  std::string name;
  double value;
};

std::vector<Candidate> candidates_of(const std::vector<std::string>& clusters, const VectorXd& young,
                                     double poisson) {
  std::vector<Candidate> candidates;
  for (std::size_t c = 0; c < clusters.size(); ++c)
    candidates.push_back({"tissue.young." + clusters[c], young[static_cast<int>(c)]});
  candidates.push_back({"tissue.young", std::exp(young.array().log().mean())});
  candidates.push_back({"tissue.poisson", poisson});
  return candidates;
}

[[noreturn]] void names_nothing(const ParameterSpec& spec, const std::vector<Candidate>& candidates) {
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates) names.push_back(candidate.name);
  const std::string meant = suggestion(spec.name, names);
  throw InputError(
      spec.where + ".name",
      fmt::format("\"{}\" stands for no parameter of the scene{}", spec.name,
                  meant.empty() ? fmt::format("; there are {}", fmt::join(names, ", ")) : meant));
}

ResolvedParameter resolved(const ParameterSpec& spec, const Candidate& candidate) {
  ResolvedParameter parameter{candidate.name, spec.start.value_or(candidate.value), spec.range, spec.prior,
                              spec.fixed};
  if (!parameter.fixed && !(parameter.start > parameter.range[0] && parameter.start < parameter.range[1]))
    throw InputError(
        spec.where,
        fmt::format("{} starts at the scene's value, which lies outside the range (or on its end); give "
                    "\"start\" or a wider \"range\"",
                    candidate.name));
  return parameter;
}

bool is_wildcard(const ParameterSpec& spec) {
  return spec.name.find('*') != std::string::npos;
}

/// True when a line without wildcard names the candidate.
bool named_exactly(const Project& project, const std::string& name) {
  return std::any_of(project.parameters.begin(), project.parameters.end(),
                     [&](const ParameterSpec& spec) { return !is_wildcard(spec) && spec.name == name; });
}

void check_stages(const Project& project, const std::vector<ResolvedParameter>& parameters) {
  for (const Stage& stage : project.stages) {
    for (const std::string& pattern : stage.free)
      if (std::none_of(parameters.begin(), parameters.end(),
                       [&](const auto& p) { return matches(pattern, p.name); })) {
        std::vector<std::string> names;
        for (const ResolvedParameter& p : parameters) names.push_back(p.name);
        throw InputError(stage.where + ".free",
                         fmt::format("\"{}\" names no parameter of this project; there are {}", pattern,
                                     fmt::join(names, ", ")));
      }
    if (free_parameters(stage, parameters).empty())
      throw InputError(stage.where + ".free", "frees nothing: every parameter that it names is fixed");
  }
}

}  // namespace

bool matches(const std::string& pattern, const std::string& name) {
  // The last `*` passed may still swallow more of the name: go back to it on a mismatch.
  std::size_t p = 0, n = 0, star = std::string::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string::npos;
}

std::vector<ResolvedParameter> resolve_parameters(const Project& project,
                                                  const std::vector<std::string>& clusters,
                                                  const VectorXd& young, double poisson) {
  require(static_cast<std::size_t>(young.size()) == clusters.size(), "one Young's modulus a cluster");
  const std::vector<Candidate> candidates = candidates_of(clusters, young, poisson);
  std::vector<ResolvedParameter> parameters;
  for (const ParameterSpec& spec : project.parameters) {
    bool any = false;
    for (const Candidate& candidate : candidates) {
      if (!matches(spec.name, candidate.name)) continue;
      any = true;
      if (is_wildcard(spec) && named_exactly(project, candidate.name)) continue;
      for (const ResolvedParameter& before : parameters)
        if (before.name == candidate.name)
          throw InputError(
              spec.where + ".name",
              fmt::format("\"{}\" and an earlier wildcard both stand for {}", spec.name, before.name));
      parameters.push_back(resolved(spec, candidate));
    }
    if (!any) names_nothing(spec, candidates);
  }
  check_stages(project, parameters);
  return parameters;
}

std::vector<int> free_parameters(const Stage& stage, const std::vector<ResolvedParameter>& parameters) {
  std::vector<int> free;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!parameters[i].fixed &&
        std::any_of(stage.free.begin(), stage.free.end(),
                    [&](const std::string& pattern) { return matches(pattern, parameters[i].name); }))
      free.push_back(static_cast<int>(i));
  return free;
}

std::vector<int> stage_observations(const Stage& stage, const Project& project) {
  std::vector<int> used;
  for (std::size_t i = 0; i < project.observations.size(); ++i) {
    const ObservationSource& o = project.observations[i];
    if (o.use == Use::fit &&
        std::any_of(stage.observations.begin(), stage.observations.end(),
                    [&](const std::string& pattern) { return matches(pattern, o.name); }))
      used.push_back(static_cast<int>(i));
  }
  return used;
}

}  // namespace furrow
