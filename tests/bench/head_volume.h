// A head-like volume for benchmarks: skin and skull from formulas, tetrahedra by TetGen, 19 clusters by
// direction.
#pragma once

#include <cmath>
#include <map>
#include <memory>

#include "forward/mesh/surface_attachment.h"
#include "forward/mesh/tetgen_mesher.h"
#include "forward/tet_model.h"

namespace furrow::bench {

/// Icosahedron subdivided `levels` times, on the unit sphere.
inline SurfaceMesh icosphere(int levels) {
  const double t = (1 + std::sqrt(5.0)) / 2;
  std::vector<Vec3> v{{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                      {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
  for (Vec3& p : v) p.normalize();
  std::vector<std::array<int, 3>> f{{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<int, int>, int> middle;
    auto mid = [&](int a, int b) {
      const auto key = std::minmax(a, b);
      const auto [at, is_new] = middle.emplace(key, static_cast<int>(v.size()));
      if (is_new) v.push_back((v[a] + v[b]).normalized());
      return at->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : f) {
      const int ab = mid(a, b), bc = mid(b, c), ca = mid(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    f = std::move(finer);
  }
  SurfaceMesh mesh;
  mesh.vertices.resize(v.size(), 3);
  mesh.triangles.resize(f.size(), 3);
  for (std::size_t i = 0; i < v.size(); ++i) mesh.vertices.row(i) = v[i].transpose();
  for (std::size_t i = 0; i < f.size(); ++i) mesh.triangles.row(i) << f[i][0], f[i][1], f[i][2];
  return mesh;
}

/// Head-shaped radii: 150 x 220 x 190 mm with a nose; tissue 6-18 mm thick.
inline SurfaceMesh head_surface(int levels, bool skin) {
  SurfaceMesh mesh = icosphere(levels);
  for (int i = 0; i < mesh.vertex_count(); ++i) {
    const Vec3 d = mesh.vertices.row(i).transpose();
    Vec3 p(75 * d.x(), 110 * d.y(), 95 * d.z());
    const double nose = std::exp(-12 * ((d - Vec3(0, -0.1, 1).normalized()).squaredNorm()));
    const double thickness = 10 + 5 * std::max(0.0, d.z()) - 4 * std::max(0.0, d.y()) +
                             3 * std::sin(5 * d.x()) * std::max(0.0, d.z());
    if (skin)
      p += 14 * nose * Vec3(0, 0, 1);
    else
      p -= thickness * d;
    mesh.vertices.row(i) = p.transpose();
  }
  return mesh;
}

inline constexpr int kClusters = 19;

/// 19 clusters by the nearest of Fibonacci points.
inline Layout direction_layout(const Positions& points) {
  Layout layout;
  for (int c = 0; c < kClusters; ++c) {
    layout.labels.push_back(c + 1);
    layout.names.push_back(std::to_string(c + 1));
  }
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const Vec3 d = Vec3(points(i, 0) / 75, points(i, 1) / 110, points(i, 2) / 95).normalized();
    int best = 0;
    double nearest = 10;
    for (int c = 0; c < kClusters; ++c) {
      const double y = 1 - 2 * (c + 0.5) / kClusters, r = std::sqrt(1 - y * y), a = 2.399963 * c;
      const double distance = (d - Vec3(r * std::cos(a), y, r * std::sin(a))).squaredNorm();
      if (distance < nearest) nearest = distance, best = c;
    }
    layout.vertex_cluster.push_back(best);
  }
  return layout;
}

/// A model without files. `size`: TetGen's edge length [mm].
inline std::shared_ptr<TetModel> head_model(int levels, double size, int order) {
  auto model = std::make_shared<TetModel>();
  model->scan = head_surface(levels, true);
  model->scene.tet.order = order;
  model->scene.tissue.poisson = 0.45;
  model->scene.tissue.young["*"] = 3e-3;
  model->scene.gravity = Vec3(0, -9810, 0);
  model->mesh = mesh_between({"skin", model->scan}, {{"skull", head_surface(levels, false)}},
                             {.size = size, .order = order}, model->notes);
  model->layout = direction_layout(model->scan.vertices);
  model->fixed = FixedFlags::Constant(model->mesh.node_count(), 3, false);
  for (int i = 0; i < model->mesh.node_count(); ++i)
    if (model->mesh.fixed[i]) model->fixed.row(i).setConstant(true);
  const SparseRows weights = propagate_layout(model->layout, model->scan.vertices, model->mesh, 0);
  model->compiled = std::make_shared<CompiledScene>(model->mesh.elements, model->mesh.nodes, weights,
                                                    model->fixed, Law::neo_hookean);
  model->attachment = attach_surface(model->scan.vertices, model->mesh);
  return model;
}

/// 2-8 kPa, different for every cluster.
inline TissueTheta varied_theta() {
  TissueTheta theta{VectorXd(kClusters), 0.45, 1e-9};
  for (int c = 0; c < kClusters; ++c)
    theta.young[c] = 2e-3 * std::pow(4.0, ((c * 7) % kClusters) / (kClusters - 1.0));
  return theta;
}

inline std::vector<Vec3> five_gravities() {
  constexpr double g = 9810;
  return {{g, 0, 0}, {-g, 0, 0}, {0, 0, -g}, {0, 0, g}, {0, -g, 0}};
}

}  // namespace furrow::bench
