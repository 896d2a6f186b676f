// Small closed surfaces and meshes with known volumes.
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "forward/base/surface_mesh.h"
#include "forward/mesh/tet_mesh.h"

namespace furrow::testing {

inline SurfaceMesh surface_from(const std::vector<Vec3>& vertices,
                                const std::vector<std::array<int, 3>>& triangles) {
  SurfaceMesh mesh;
  mesh.vertices.resize(static_cast<int>(vertices.size()), 3);
  for (std::size_t i = 0; i < vertices.size(); ++i)
    mesh.vertices.row(static_cast<int>(i)) = vertices[i].transpose();
  mesh.triangles.resize(static_cast<int>(triangles.size()), 3);
  for (std::size_t i = 0; i < triangles.size(); ++i)
    mesh.triangles.row(static_cast<int>(i)) << triangles[i][0], triangles[i][1], triangles[i][2];
  return mesh;
}

/// The surface of [0, size] with n x n squares a side, two triangles each; groups top (z = size[2]), side,
/// bottom.
inline SurfaceMesh box_surface(const Vec3& size, int n) {
  std::map<std::array<int, 3>, int> number;
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> group;
  auto vertex = [&](const std::array<int, 3>& i) {
    const auto [found, is_new] = number.try_emplace(i, static_cast<int>(vertices.size()));
    if (is_new) vertices.emplace_back(size[0] * i[0] / n, size[1] * i[1] / n, size[2] * i[2] / n);
    return found->second;
  };
  for (int axis : {2, 0, 1})
    for (int side : {1, 0})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          auto corner = [&](int di, int dj) {
            std::array<int, 3> index{};
            index[axis] = side * n;
            index[(axis + 1) % 3] = i + di;
            index[(axis + 2) % 3] = j + dj;
            return vertex(index);
          };
          const int a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
          if (side == 1) {
            triangles.insert(triangles.end(), {{a, b, c}, {a, c, d}});
          } else {
            triangles.insert(triangles.end(), {{a, c, b}, {a, d, c}});
          }
          group.insert(group.end(), 2, axis != 2 ? 1 : side == 1 ? 0 : 2);
        }
  SurfaceMesh mesh = surface_from(vertices, triangles);
  mesh.group_names = {"top", "side", "bottom"};
  mesh.triangle_group = group;
  return mesh;
}

/// An ellipsoid by latitude and longitude.
inline SurfaceMesh ellipsoid_surface(const Vec3& centre, const Vec3& radii, int around, int down) {
  constexpr double pi = 3.14159265358979323846;
  std::vector<Vec3> vertices{{0, 0, 1}};
  for (int j = 1; j < down; ++j)
    for (int i = 0; i < around; ++i) {
      const double theta = pi * j / down, phi = 2 * pi * i / around;
      vertices.emplace_back(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                            std::cos(theta));
    }
  vertices.emplace_back(0, 0, -1);
  for (Vec3& x : vertices) x = (centre + x.cwiseProduct(radii)).eval();
  const int last = static_cast<int>(vertices.size()) - 1;
  auto at = [&](int j, int i) { return 1 + (j - 1) * around + i % around; };
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i < around; ++i) {
    triangles.push_back({0, at(1, i), at(1, i + 1)});
    for (int j = 1; j < down - 1; ++j) {
      triangles.push_back({at(j, i), at(j + 1, i), at(j + 1, i + 1)});
      triangles.push_back({at(j, i), at(j + 1, i + 1), at(j, i + 1)});
    }
    triangles.push_back({last, at(down - 1, i + 1), at(down - 1, i)});
  }
  return surface_from(vertices, triangles);
}

/// The box [0, size] in n^3 cubes of six tetrahedra each round a diagonal; order 1, no labels.
inline TetMesh box_mesh(const Vec3& size, int n) {
  TetMesh mesh;
  mesh.order = 1;
  mesh.nodes.resize((n + 1) * (n + 1) * (n + 1), 3);
  auto node = [n](int i, int j, int k) { return i + (n + 1) * (j + (n + 1) * k); };
  for (int k = 0; k <= n; ++k)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i)
        mesh.nodes.row(node(i, j, k)) = size.cwiseProduct(Vec3(i, j, k) / n).transpose();
  constexpr std::array<std::array<int, 3>, 6> orders{
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  mesh.elements.resize(6 * n * n * n, 4);
  int e = 0;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        for (std::size_t o = 0; o < 6; ++o, ++e) {
          std::array<int, 3> at{i, j, k};
          for (int c = 0; c < 4; ++c) {
            mesh.elements(e, c) = node(at[0], at[1], at[2]);
            if (c < 3) ++at[orders[o][c]];
          }
          if (o >= 3) std::swap(mesh.elements(e, 1), mesh.elements(e, 2));
        }
  return mesh;
}

}  // namespace furrow::testing
