#include "calibrate/cli/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "forward/base/error.h"
#include "forward/base/mesh_io.h"
#include "forward/mesh/surface_repair.h"
#include "forward/mesh/tet_mesh_io.h"
#include "forward/scene_io.h"

namespace furrow::cli {
namespace fs = std::filesystem;
namespace {

std::string box_line(const Positions& points) {
  const Vec3 low = points.colwise().minCoeff(), high = points.colwise().maxCoeff();
  return fmt::format(
      "bounding box {:.4g} x {:.4g} x {:.4g} mm, from ({:.4g}, {:.4g}, {:.4g}) to ({:.4g}, {:.4g}, {:.4g})",
      high[0] - low[0], high[1] - low[1], high[2] - low[2], low[0], low[1], low[2], high[0], high[1],
      high[2]);
}

/// Connected runs of boundary edges, by joining edges that share a vertex.
int count_holes(const std::vector<std::pair<int, int>>& edges) {
  std::map<int, int> parent;
  auto root = [&](int v) {
    parent.try_emplace(v, v);
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const auto& [a, b] : edges) parent[root(a)] = root(b);
  std::set<int> roots;
  for (const auto& [a, b] : edges) roots.insert(root(a));
  return static_cast<int>(roots.size());
}

int count_coincident(const Positions& points) {
  std::set<std::array<double, 3>> seen;
  for (int i = 0; i < points.rows(); ++i) seen.insert({points(i, 0), points(i, 1), points(i, 2)});
  return static_cast<int>(points.rows()) - static_cast<int>(seen.size());
}

std::string group_line(const SurfaceMesh& mesh) {
  std::vector<int> count(mesh.group_names.size(), 0);
  for (const int g : mesh.triangle_group)
    if (g >= 0) ++count[g];
  std::vector<std::string> parts;
  for (std::size_t g = 0; g < count.size(); ++g)
    parts.push_back(fmt::format("{} ({} triangles)", mesh.group_names[g], count[g]));
  return fmt::format("groups: {}", fmt::join(parts, ", "));
}

/// Whether TetGen could mesh the inside, and what would be mended or is in the way.
void describe_inside(const SurfaceMesh& mesh, const std::string& name, Description& description) {
  try {
    Repairs repairs;
    const MendedSurface mended = mend_surface(mesh, name, 0, repairs);
    refuse_intersections({&mended});
    for (const std::string& repair : repairs) description.lines.push_back("meshing would mend: " + repair);
    description.lines.push_back(fmt::format("closed, no self-intersections, volume {:.4g} cm^3",
                                            std::abs(signed_volume(mesh)) / 1000));
  } catch (const InputError& e) {
    description.warnings.push_back(std::string("cannot be the boundary of a volume: ") + e.what());
  }
}

Description describe_names(const JsonNode& root) {
  Description description{"names", {}, {}};
  std::vector<std::string> parts;
  for (const auto& [label, name] : root.members()) parts.push_back(label + " " + name.text());
  description.lines.push_back(fmt::format("{} names: {}", parts.size(), fmt::join(parts, ", ")));
  return description;
}

Description describe_json(const fs::path& file, const PathRules& rules) {
  const JsonNode root = JsonNode::read(file, rules);
  if (root.is_object()) {
    if (root.find("model") || root.find("surface")) return describe_scene(file, rules);
    if (root.find("observations") || root.find("scenes") || root.find("scene"))
      return describe_project(file, rules);
    const auto members = root.members();
    if (!members.empty() && std::all_of(members.begin(), members.end(),
                                        [](const auto& member) { return member.second.is_text(); }))
      return describe_names(root);
  }
  root.fail(
      "is neither a scene (with \"model\"), nor a project (with \"observations\"), nor names of labels");
}

Description describe_table(const fs::path& file) {
  CsvTable table;
  bool named = false;
  try {
    table = read_csv(file, false);
  } catch (const InputError&) {
    table = read_csv(file, true);
    named = true;
  }
  Description description{"table", {}, {}};
  description.lines.push_back(fmt::format("{} rows{}, columns {}", table.values.rows(),
                                          named ? " with names" : "", fmt::join(table.columns, ", ")));
  const int empty = static_cast<int>(table.values.array().isNaN().count());
  if (empty > 0) description.lines.push_back(fmt::format("{} empty cells", empty));
  return description;
}

/// Masks, layouts and index lists: one whole number a line.
Description describe_column(const fs::path& file) {
  std::map<int, int> count;
  const std::vector<int> values = read_int_column(file, -1);
  if (values.empty()) throw InputError(file.string(), "is empty; masks and layouts have one number a vertex");
  for (const int value : values) ++count[value];
  Description description{
      "column", {fmt::format("{} values, {} different", values.size(), count.size())}, {}};
  std::vector<std::string> parts;
  for (const auto& [value, times] : count) parts.push_back(fmt::format("{} ({} times)", value, times));
  if (count.size() <= 40) description.lines.push_back(fmt::format("{}", fmt::join(parts, ", ")));
  const bool mask = count.size() <= 2 && count.begin()->first >= 0 && count.rbegin()->first <= 1;
  description.lines.push_back(mask ? "reads as a mask" : "reads as a layout or a list of indices");
  return description;
}

}  // namespace

Description describe_surface(const SurfaceMesh& mesh, const std::string& name, const std::string& unit) {
  Description description{"surface", {}, {}};
  description.lines.push_back(fmt::format("{} vertices, {} triangles{}", mesh.vertex_count(),
                                          mesh.triangle_count(),
                                          mesh.colours.rows() > 0 ? ", vertex colours" : ""));
  description.lines.push_back(box_line(mesh.vertices));
  if (!mesh.group_names.empty()) description.lines.push_back(group_line(mesh));
  if (const int twins = count_coincident(mesh.vertices); twins > 0)
    description.lines.push_back(fmt::format("{} vertices coincide with others (texture seams?)", twins));
  if (const auto edges = non_manifold_edges(mesh); !edges.empty())
    description.warnings.push_back(
        fmt::format("{} edges have more than two triangles, the first between vertices {} and {}",
                    edges.size(), edges[0].first + 1, edges[0].second + 1));
  const auto boundary = boundary_edges(mesh);
  if (mesh.triangle_count() > 0 && boundary.empty())
    describe_inside(mesh, name, description);
  else if (mesh.triangle_count() > 0)
    description.lines.push_back(
        fmt::format("open: {} holes, {} boundary edges", count_holes(boundary), boundary.size()));
  if (std::string warning = size_warning(mesh.vertices, name, unit); !warning.empty())
    description.warnings.push_back(std::move(warning));
  return description;
}

Description describe_tets(const TetMesh& mesh) {
  Description description{"tetrahedra", {}, {}};
  auto& lines = description.lines;
  lines.push_back(fmt::format("{} nodes, {} {} tetrahedra", mesh.node_count(), mesh.element_count(),
                              mesh.order == 1 ? "linear" : "quadratic"));
  lines.push_back(box_line(mesh.nodes));
  const TetQuality quality = measure_quality(mesh);
  lines.push_back(fmt::format("volume {:.4g} cm^3, mean edge {:.3g} mm, smallest tetrahedron {:.3g} mm^3",
                              quality.total_volume / 1000, quality.mean_edge, quality.smallest_volume));
  lines.push_back(fmt::format("dihedral angles {:.1f} to {:.1f} deg, smallest scaled Jacobian {:.3f}",
                              quality.smallest_dihedral_deg, quality.largest_dihedral_deg,
                              quality.smallest_jacobian));
  const auto fixed = std::count(mesh.fixed.begin(), mesh.fixed.end(), true);
  lines.push_back(fmt::format("{} fixed nodes", fixed));
  if (!mesh.region_names.empty())
    lines.push_back(fmt::format("boundary groups: {}", fmt::join(mesh.region_names, ", ")));
  if (const std::set<int> labels(mesh.label.begin(), mesh.label.end()); !labels.empty())
    lines.push_back(fmt::format("{} labels: {}", labels.size(), fmt::join(labels, ", ")));
  if (quality.smallest_jacobian <= 0)
    description.warnings.push_back("a quadratic tetrahedron is folded (Jacobian not positive)");
  return description;
}

Description describe_file(const fs::path& file, const PathRules& rules, const std::string& unit) {
  if (!fs::exists(file)) throw InputError(file.string(), "there is no such file");
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (extension == ".obj" || extension == ".ply" || extension == ".stl")
    return describe_surface(read_surface(file, unit, false), file.string(), unit);
  if (extension == ".vtu" || extension == ".msh" || extension == ".node" || extension == ".ele")
    return describe_tets(read_tet_mesh(file, unit));
  if (extension == ".json") return describe_json(file, rules);
  if (extension == ".csv") return describe_table(file);
  if (extension == ".txt") return describe_column(file);
  throw InputError(
      file.string(),
      "is of no kind that we read; there are surfaces (.obj, .ply, .stl), meshes (.vtu, .msh, .node, "
      ".ele), scenes and projects (.json), tables (.csv), masks and layouts (.txt)");
}

}  // namespace furrow::cli
