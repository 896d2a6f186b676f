#include "forward/mesh/tetgen_mesher.h"

#define TETLIBRARY
#include <fmt/format.h>
#include <tetgen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "forward/base/error.h"
#include "forward/base/json_file.h"
#include "forward/mesh/surface_repair.h"

namespace furrow {
namespace {

/// Closed surfaces joined into one boundary of the volume to be meshed.
struct Boundary {
  std::string name;    ///< for messages
  Positions vertices;  ///< all surfaces' vertices one after another [mm]
  Triangles triangles;
  std::vector<int> region;           ///< per triangle
  std::vector<std::string> regions;  ///< names
  std::vector<bool> region_fixed;
  std::vector<std::vector<int>> cavity_walls;  ///< triangles round each cavity
  std::vector<double> cavity_side;             ///< per cavity: it lies where side * normal points
  double volume = 0;                           ///< [mm^3]
};

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void check_options(const TetgenOptions& options) {
  require(std::isfinite(options.size) && options.size > 0, "tetrahedra need a positive size");
  require(options.order == 1 || options.order == 2, "tetrahedra are of order 1 or 2");
  require(std::isfinite(options.radius_edge) && options.radius_edge >= 1, "radius_edge is at least 1");
}

double volume_bound(const TetgenOptions& options) {
  return std::pow(options.size, 3) / (6 * std::sqrt(2.0));
}

/// Distance along a ray to a triangle, infinite when missed (Moeller and Trumbore).
double ray_distance(const Vec3& origin, const Vec3& direction, const Vec3& a, const Vec3& b, const Vec3& c) {
  constexpr double missed = std::numeric_limits<double>::infinity();
  const Vec3 ab = b - a, ac = c - a, p = direction.cross(ac);
  const double determinant = ab.dot(p);
  if (std::abs(determinant) < 1e-300) return missed;
  const Vec3 s = origin - a, q = s.cross(ab);
  const double u = s.dot(p) / determinant, v = direction.dot(q) / determinant;
  if (u < -1e-9 || v < -1e-9 || u + v > 1 + 1e-9) return missed;
  const double distance = ac.dot(q) / determinant;
  return distance > 0 ? distance : missed;
}

/// A point on the side of a shell where `side` * normal points: halfway from a triangle to whatever comes
/// next, where that is farthest.
Vec3 point_beside(const Boundary& boundary, const std::vector<int>& shell, double side) {
  auto corner = [&](int t, int k) -> Vec3 {
    return boundary.vertices.row(boundary.triangles(t, k)).transpose();
  };
  std::vector<std::pair<double, int>> by_area;
  for (int t : shell)
    by_area.emplace_back(-(corner(t, 1) - corner(t, 0)).cross(corner(t, 2) - corner(t, 0)).norm(), t);
  std::sort(by_area.begin(), by_area.end());
  Vec3 best = Vec3::Zero();
  double farthest = 0;
  for (std::size_t n = 0; n < std::min<std::size_t>(8, by_area.size()); ++n) {
    const int i = by_area[n].second;
    const Vec3 a = corner(i, 0), b = corner(i, 1), c = corner(i, 2);
    const Vec3 direction = side * (b - a).cross(c - a).normalized();
    const Vec3 origin = (a + b + c) / 3 + 1e-9 * std::sqrt(-by_area[n].first) * direction;
    double next = std::numeric_limits<double>::infinity();
    for (int t = 0; t < boundary.triangles.rows(); ++t)
      next = std::min(next, ray_distance(origin, direction, corner(t, 0), corner(t, 1), corner(t, 2)));
    if (std::isfinite(next) && next > farthest) {
      farthest = next;
      best = origin + 0.5 * next * direction;
    }
  }
  require(farthest > 0, "a cavity has no inside");
  return best;
}

/// Appends all vertices of a surface and the triangles of one of its shells; returns these triangles'
/// numbers.
std::vector<int> append_shell(Boundary& boundary, const MendedSurface& s, int shell, int first_vertex,
                              bool one_region, int region) {
  const int first = static_cast<int>(boundary.triangles.rows());
  const std::vector<int>& members = s.shells[shell];
  boundary.triangles.conservativeResize(first + static_cast<int>(members.size()), 3);
  std::vector<int> numbers;
  for (std::size_t i = 0; i < members.size(); ++i) {
    numbers.push_back(first + static_cast<int>(i));
    boundary.triangles.row(numbers.back()) = s.triangles.row(members[i]).array() + first_vertex;
    boundary.region.push_back(region + (one_region ? 0 : std::max(s.group[members[i]], 0)));
  }
  return numbers;
}

int append_vertices(Boundary& boundary, const MendedSurface& s) {
  const int first = static_cast<int>(boundary.vertices.rows());
  boundary.vertices.conservativeResize(first + s.vertices.rows(), 3);
  boundary.vertices.bottomRows(s.vertices.rows()) = s.vertices;
  return first;
}

/// The solid that a surface bounds; shells whose normals point inwards are walls of cavities.
void append_solid(Boundary& boundary, const MendedSurface& s) {
  const int first_vertex = append_vertices(boundary, s);
  for (int shell = 0; shell < static_cast<int>(s.shells.size()); ++shell) {
    const std::vector<int> triangles = append_shell(boundary, s, shell, first_vertex, false, 0);
    const double volume = shell_volume(s, shell);
    boundary.volume += volume;
    if (volume >= 0) continue;
    boundary.cavity_walls.push_back(triangles);
    boundary.cavity_side.push_back(1);
  }
}

/// Cuts a bone out: its outermost shells are walls of cavities, shells inside one (of this or another bone)
/// play no part.
void append_bone(Boundary& boundary, const std::vector<MendedSurface>& bones, std::size_t which, int region) {
  const MendedSurface& bone = bones[which];
  const int first_vertex = append_vertices(boundary, bone);
  for (int shell = 0; shell < static_cast<int>(bone.shells.size()); ++shell) {
    const Vec3 sample = bone.vertices.row(bone.triangles(bone.shells[shell].front(), 0)).transpose();
    bool inner = false;
    for (std::size_t b = 0; b < bones.size() && !inner; ++b)
      for (int other = 0; other < static_cast<int>(bones[b].shells.size()) && !inner; ++other)
        inner = (b != which || other != shell) && shell_contains(bones[b], other, sample);
    if (inner) continue;
    boundary.cavity_walls.push_back(append_shell(boundary, bone, shell, first_vertex, true, region));
    boundary.cavity_side.push_back(-1);
    boundary.volume -= shell_volume(bone, shell);
  }
}

struct TetgenResult {
  Positions nodes;      ///< used surface vertices first
  Elements tetrahedra;  ///< positive
  Triangles faces;      ///< of the boundary
  std::vector<int> face_region;
};

std::string tetgen_problem(int code) {
  switch (code) {
    case 1:
      return "it ran out of memory; take a larger size";
    case 3:
      return "it found facets that intersect; mend the surface in a mesh editor";
    case 4:
      return "it found a feature too small for double precision; remesh the surface or check its unit";
    case 5:
      return "it found two facets that nearly coincide; separate them";
    default:
      return fmt::format("it stopped with code {}; remesh the surface more evenly or change the size", code);
  }
}

void fill_input(tetgenio& in, const Boundary& boundary, const std::vector<int>& used,
                const std::vector<int>& number) {
  in.firstnumber = 0;
  in.numberofpoints = static_cast<int>(used.size());
  in.pointlist = new double[3 * used.size()];
  for (std::size_t i = 0; i < used.size(); ++i)
    for (int k = 0; k < 3; ++k) in.pointlist[3 * i + k] = boundary.vertices(used[i], k);
  in.numberoffacets = static_cast<int>(boundary.triangles.rows());
  in.facetlist = new tetgenio::facet[boundary.triangles.rows()];
  in.facetmarkerlist = new int[boundary.triangles.rows()];
  for (int t = 0; t < boundary.triangles.rows(); ++t) {
    tetgenio::facet& facet = in.facetlist[t];
    tetgenio::init(&facet);
    facet.numberofpolygons = 1;
    facet.polygonlist = new tetgenio::polygon[1];
    tetgenio::init(facet.polygonlist);
    facet.polygonlist[0].numberofvertices = 3;
    facet.polygonlist[0].vertexlist = new int[3];
    for (int k = 0; k < 3; ++k) facet.polygonlist[0].vertexlist[k] = number[boundary.triangles(t, k)];
    in.facetmarkerlist[t] = boundary.region[t] + 1;
  }
  in.numberofholes = static_cast<int>(boundary.cavity_walls.size());
  if (boundary.cavity_walls.empty()) return;
  in.holelist = new double[3 * boundary.cavity_walls.size()];
  for (std::size_t h = 0; h < boundary.cavity_walls.size(); ++h) {
    const Vec3 point = point_beside(boundary, boundary.cavity_walls[h], boundary.cavity_side[h]);
    for (int k = 0; k < 3; ++k) in.holelist[3 * h + k] = point[k];
  }
}

TetgenResult take_output(const tetgenio& out) {
  TetgenResult result;
  result.nodes = Eigen::Map<const Positions>(out.pointlist, out.numberofpoints, 3);
  result.tetrahedra.resize(out.numberoftetrahedra, 4);
  for (int e = 0; e < out.numberoftetrahedra; ++e) {
    for (int k = 0; k < 4; ++k) result.tetrahedra(e, k) = out.tetrahedronlist[out.numberofcorners * e + k];
    Mat3 edges;
    for (int k = 0; k < 3; ++k)
      edges.col(k) =
          (result.nodes.row(result.tetrahedra(e, k + 1)) - result.nodes.row(result.tetrahedra(e, 0)))
              .transpose();
    if (edges.determinant() < 0) std::swap(result.tetrahedra(e, 0), result.tetrahedra(e, 1));
  }
  std::vector<int> kept;
  for (int f = 0; f < out.numberoftrifaces; ++f)
    if (out.trifacemarkerlist != nullptr && out.trifacemarkerlist[f] > 0) kept.push_back(f);
  result.faces.resize(static_cast<int>(kept.size()), 3);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (int k = 0; k < 3; ++k) result.faces(static_cast<int>(i), k) = out.trifacelist[3 * kept[i] + k];
    result.face_region.push_back(out.trifacemarkerlist[kept[i]] - 1);
  }
  return result;
}

TetgenResult call_tetgen(const Boundary& boundary, const std::vector<int>& used,
                         const std::vector<int>& number, const TetgenOptions& options) {
  std::string switches = fmt::format("pq{:.9f}o/150a{:.30f}Q{}", options.radius_edge, volume_bound(options),
                                     options.keep_boundary ? "YY" : "");
  tetgenio in, out;
  fill_input(in, boundary, used, number);
  try {
    tetrahedralize(switches.data(), &in, &out);
  } catch (int code) {
    throw InputError(boundary.name, "TetGen could not mesh it: " + tetgen_problem(code));
  }
  if (out.numberoftetrahedra == 0)
    throw InputError(boundary.name, "TetGen found no volume inside; is the surface closed?");
  return take_output(out);
}

/// Morton code of a point in the unit cube: 21 bits a coordinate, interleaved.
std::uint64_t morton_code(const Eigen::RowVector3d& unit) {
  std::uint64_t code = 0;
  std::array<std::uint64_t, 3> cell;
  for (int k = 0; k < 3; ++k) cell[k] = static_cast<std::uint64_t>(std::clamp(unit[k], 0.0, 1.0) * 2097151.0);
  for (int bit = 20; bit >= 0; --bit)
    for (int k = 0; k < 3; ++k) code = (code << 1) | ((cell[k] >> bit) & 1);
  return code;
}

/// The points' numbers along a space-filling curve.
std::vector<int> spatial_order(const Positions& points) {
  const Eigen::RowVector3d low = points.colwise().minCoeff();
  const double extent = (points.colwise().maxCoeff() - low).maxCoeff();
  std::vector<std::pair<std::uint64_t, int>> codes(points.rows());
  for (int i = 0; i < points.rows(); ++i)
    codes[i] = {morton_code((points.row(i) - low) / (extent > 0 ? extent : 1.0)), i};
  std::sort(codes.begin(), codes.end());
  std::vector<int> order;
  for (const auto& entry : codes) order.push_back(entry.second);
  return order;
}

/// Node numbers: surface vertices keep theirs, TetGen's own nodes follow along the curve.
std::vector<int> number_nodes(const TetgenResult& result, const std::vector<int>& used,
                              int surface_vertices) {
  const int own = static_cast<int>(result.nodes.rows() - used.size());
  std::vector<int> number(result.nodes.rows());
  std::copy(used.begin(), used.end(), number.begin());
  if (own == 0) return number;
  const std::vector<int> order = spatial_order(result.nodes.bottomRows(own));
  for (int i = 0; i < own; ++i) number[used.size() + order[i]] = surface_vertices + i;
  return number;
}

Elements sorted_elements(const Positions& nodes, const Elements& elements) {
  Positions centroids = Positions::Zero(elements.rows(), 3);
  for (int e = 0; e < elements.rows(); ++e)
    for (int k = 0; k < 4; ++k) centroids.row(e) += nodes.row(elements(e, k)) / 4;
  const std::vector<int> order = spatial_order(centroids);
  Elements sorted(elements.rows(), 4);
  for (int e = 0; e < elements.rows(); ++e) sorted.row(e) = elements.row(order[e]);
  return sorted;
}

/// Among the regions that meet at a node a fixed one wins, then the lowest.
void claim(int& region, int candidate, const std::vector<bool>& fixed) {
  if (region < 0 || (fixed[candidate] && !fixed[region]) ||
      (fixed[candidate] == fixed[region] && candidate < region))
    region = candidate;
}

/// Region and fixed of corner and mid-edge nodes from the boundary's faces.
void mark_nodes(TetMesh& mesh, const TetgenResult& result, const std::vector<int>& number,
                const Boundary& boundary) {
  std::vector<int> region(mesh.node_count(), -1);
  std::map<std::pair<int, int>, int> edge_region;
  for (int f = 0; f < result.faces.rows(); ++f)
    for (int k = 0; k < 3; ++k) {
      const int a = number[result.faces(f, k)], b = number[result.faces(f, (k + 1) % 3)];
      claim(region[a], result.face_region[f], boundary.region_fixed);
      if (mesh.order == 1) continue;
      claim(edge_region.try_emplace(std::minmax(a, b), -1).first->second, result.face_region[f],
            boundary.region_fixed);
    }
  if (mesh.order == 2)
    for (int e = 0; e < mesh.element_count(); ++e)
      for (int k = 0; k < 6; ++k) {
        const int a = mesh.elements(e, kTetEdges[k][0]), b = mesh.elements(e, kTetEdges[k][1]);
        const auto found = edge_region.find(std::minmax(a, b));
        if (found != edge_region.end()) region[mesh.elements(e, 4 + k)] = found->second;
      }
  std::vector<bool> in_use(mesh.node_count(), false);
  for (int e = 0; e < mesh.element_count(); ++e)
    for (int k = 0; k < mesh.elements.cols(); ++k) in_use[mesh.elements(e, k)] = true;
  mesh.fixed.assign(mesh.node_count(), false);
  for (int i = 0; i < mesh.node_count(); ++i)
    mesh.fixed[i] = !in_use[i] || (region[i] >= 0 && boundary.region_fixed[region[i]]);
  mesh.region = std::move(region);
  mesh.region_names = boundary.regions;
}

void refuse_too_many(const Boundary& boundary, const TetgenOptions& options) {
  const double estimate = 1.5 * boundary.volume / volume_bound(options);
  if (estimate > 2e7)
    throw InputError(
        boundary.name,
        fmt::format(
            "{:.3g} mm^3 at size {:.3g} mm would take about {:.0f} million tetrahedra; enlarge the size or "
            "check the mesh's unit",
            boundary.volume, options.size, estimate / 1e6));
}

/// Tetrahedra as flat as the gap between two surfaces that nearly touch would spoil every solve.
void refuse_flat_elements(const TetMesh& linear, const Boundary& boundary) {
  for (int e = 0; e < linear.element_count(); ++e) {
    Mat3 edges;
    for (int k = 0; k < 3; ++k)
      edges.col(k) =
          (linear.nodes.row(linear.elements(e, k + 1)) - linear.nodes.row(linear.elements(e, 0))).transpose();
    if (edges.determinant() > 1e-6 * std::pow(edges.colwise().norm().maxCoeff(), 3)) continue;
    const Eigen::RowVector3d x = linear.nodes.row(linear.elements(e, 0));
    throw InputError(
        boundary.name,
        fmt::format(
            "surfaces nearly touch or a triangle is nearly flat at ({:.4g}, {:.4g}, {:.4g}) mm; separate or "
            "remesh them there",
            x[0], x[1], x[2]));
  }
}

void check_result(const TetMesh& linear, const Boundary& boundary, const TetgenOptions& options) {
  refuse_flat_elements(linear, boundary);
  const TetQuality quality = measure_quality(linear);
  const bool same_volume = std::abs(quality.total_volume - boundary.volume) <= 1e-6 * boundary.volume;
  const bool same_faces =
      !options.keep_boundary || boundary_faces(linear).corners.rows() == boundary.triangles.rows();
  if (!same_volume || !same_faces)
    throw InputError(
        boundary.name,
        fmt::format(
            "TetGen's mesh does not fill the surface ({:.6g} of {:.6g} mm^3); remesh the surface more evenly "
            "or change the size",
            quality.total_volume, boundary.volume));
}

TetMesh mesh_boundary(const Boundary& boundary, const TetgenOptions& options) {
  refuse_too_many(boundary, options);
  const int surface_vertices = static_cast<int>(boundary.vertices.rows());
  std::vector<int> used, number_in_tetgen(surface_vertices, -1);
  for (int t = 0; t < boundary.triangles.rows(); ++t)
    for (int k = 0; k < 3; ++k) number_in_tetgen[boundary.triangles(t, k)] = 0;
  for (int v = 0; v < surface_vertices; ++v)
    if (number_in_tetgen[v] == 0) {
      number_in_tetgen[v] = static_cast<int>(used.size());
      used.push_back(v);
    }

  const TetgenResult result = call_tetgen(boundary, used, number_in_tetgen, options);
  const std::vector<int> number = number_nodes(result, used, surface_vertices);
  TetMesh mesh;
  mesh.order = 1;
  mesh.nodes.resize(surface_vertices + result.nodes.rows() - static_cast<int>(used.size()), 3);
  mesh.nodes.topRows(surface_vertices) = boundary.vertices;
  for (int i = static_cast<int>(used.size()); i < result.nodes.rows(); ++i)
    mesh.nodes.row(number[i]) = result.nodes.row(i);
  mesh.elements =
      sorted_elements(result.nodes, result.tetrahedra).unaryExpr([&](int i) { return number[i]; });
  check_result(mesh, boundary, options);
  if (options.order == 2) mesh = elevate_order(mesh);
  mark_nodes(mesh, result, number, boundary);
  return mesh;
}

std::vector<bool> fixed_regions(const std::vector<std::string>& regions,
                                const std::vector<std::string>& fixed_groups, const std::string& name) {
  std::vector<bool> fixed(regions.size(), false);
  for (const std::string& group : fixed_groups) {
    const auto found = std::find(regions.begin(), regions.end(), group);
    if (found == regions.end()) {
      const std::string near = nearest(group, regions);
      throw InputError(
          name, fmt::format("has no group \"{}\" to fix{}; its groups are: {}", group,
                            near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near), join(regions)));
    }
    fixed[found - regions.begin()] = true;
  }
  return fixed;
}

void refuse_outside(const MendedSurface& skin, const MendedSurface& bone) {
  for (const std::vector<int>& shell : bone.shells) {
    const int v = bone.triangles(shell.front(), 0);
    const Vec3 x = bone.vertices.row(v).transpose();
    if (!contains(skin, x))
      throw InputError(bone.name, fmt::format("lies outside {}: vertex {} at ({:.4g}, {:.4g}, {:.4g}) mm; "
                                              "check both meshes' units and frames",
                                              skin.name, v, x[0], x[1], x[2]));
  }
}

double longest_filled_hole(const TetgenOptions& options) {
  return 12 * options.size;
}

}  // namespace

TetMesh mesh_closed_surface(const SurfaceMesh& surface, const std::string& name,
                            const std::vector<std::string>& fixed_groups, const TetgenOptions& options,
                            Repairs& repairs) {
  check_options(options);
  Boundary boundary;
  boundary.name = name;
  boundary.regions = surface.group_names.empty() ? std::vector<std::string>{"surface"} : surface.group_names;
  boundary.region_fixed = fixed_regions(boundary.regions, fixed_groups, name);
  const MendedSurface mended = mend_surface(surface, name, longest_filled_hole(options), repairs);
  refuse_intersections({&mended});
  append_solid(boundary, mended);
  return mesh_boundary(boundary, options);
}

TetMesh mesh_between(const NamedSurface& skin, const std::vector<NamedSurface>& bones,
                     const TetgenOptions& options, Repairs& repairs) {
  check_options(options);
  const double longest = longest_filled_hole(options);
  const MendedSurface outer = mend_surface(skin.mesh, skin.name, longest, repairs);
  std::vector<MendedSurface> inner;
  for (const NamedSurface& bone : bones)
    inner.push_back(mend_surface(bone.mesh, bone.name, longest, repairs));
  std::vector<const MendedSurface*> all{&outer};
  for (const MendedSurface& bone : inner) all.push_back(&bone);
  refuse_intersections(all);
  for (const MendedSurface& bone : inner) refuse_outside(outer, bone);

  Boundary boundary;
  boundary.name = skin.name;
  boundary.regions =
      skin.mesh.group_names.empty() ? std::vector<std::string>{skin.name} : skin.mesh.group_names;
  boundary.region_fixed.assign(boundary.regions.size(), false);
  append_solid(boundary, outer);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    append_bone(boundary, inner, i, static_cast<int>(boundary.regions.size()));
    boundary.regions.push_back(inner[i].name);
    boundary.region_fixed.push_back(true);
  }
  return mesh_boundary(boundary, options);
}

}  // namespace furrow
