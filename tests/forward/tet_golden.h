// Reads golden/tet_gravity.json (carried in tests/golden).
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>

#include "forward/compiled_scene.h"

namespace furrow::testing {

struct TetGolden {
  nlohmann::json json;
  Positions X;
  Elements elements;
  SparseRows weights;
  FixedFlags fixed;
  TissueTheta theta;
  std::vector<std::string> names;
  std::vector<Vec3> gravities;
  std::vector<double> energies, smallest_j;
  std::vector<Positions> x;
  std::vector<int> observed;

  CompiledScene scene() const { return CompiledScene(elements, X, weights, fixed, Law::neo_hookean); }
};

inline Positions positions_of(const nlohmann::json& rows) {
  Positions p(rows.size(), 3);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int c = 0; c < 3; ++c) p(i, c) = rows[i][c].get<double>();
  return p;
}

inline TetGolden read_tet_golden() {
  TetGolden g;
  std::ifstream in(std::string(FURROW_SOURCE_DIR) + "/tests/golden/tet_gravity.json");
  g.json = nlohmann::json::parse(in);
  g.X = positions_of(g.json["X"]);
  const auto& T = g.json["T"];
  g.elements.resize(T.size(), 4);
  for (std::size_t e = 0; e < T.size(); ++e)
    for (int a = 0; a < 4; ++a) g.elements(e, a) = T[e][a].get<int>();
  const auto& W = g.json["cluster_weights"];
  MatrixXd weights(W.size(), 2);
  for (std::size_t e = 0; e < W.size(); ++e)
    for (int c = 0; c < 2; ++c) weights(e, c) = W[e][c].get<double>();
  g.weights = weights.sparseView();
  g.fixed = FixedFlags::Constant(g.X.rows(), 3, false);
  for (const auto& node : g.json["fixed"]) g.fixed.row(node.get<int>()).setConstant(true);
  g.theta.young =
      Eigen::Vector2d(g.json["E_clusters"][0].get<double>(), g.json["E_clusters"][1].get<double>());
  g.theta.poisson = g.json["nu"].get<double>();
  g.theta.density = g.json["rho"].get<double>();
  for (const auto& [name, pose] : g.json["poses"].items()) {
    g.names.push_back(name);
    g.gravities.emplace_back(pose["g"][0].get<double>(), pose["g"][1].get<double>(),
                             pose["g"][2].get<double>());
    g.energies.push_back(pose["energy"].get<double>());
    g.smallest_j.push_back(pose["Jmin"].get<double>());
    g.x.push_back(positions_of(pose["x"]));
  }
  for (const auto& node : g.json["observed"]) g.observed.push_back(node.get<int>());
  return g;
}

}  // namespace furrow::testing
