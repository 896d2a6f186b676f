#include "forward/field/layout.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <nanoflann.hpp>
#include <set>

#include "forward/base/error.h"
#include "forward/base/json_file.h"
#include "forward/base/mesh_io.h"

namespace furrow {
namespace {

/// Positions as nanoflann sees them.
struct Points {
  const Positions& x;
  std::size_t kdtree_get_point_count() const { return static_cast<std::size_t>(x.rows()); }
  double kdtree_get_pt(std::size_t i, std::size_t k) const {
    return x(static_cast<int>(i), static_cast<int>(k));
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};
using Tree =
    nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Points>, Points, 3, int>;

/// Nearest scan vertices; of several at the same distance the lowest wins where the tree offers both.
class NearestVertex {
 public:
  explicit NearestVertex(const Positions& x)
      : points_{x}, tree_(3, points_, nanoflann::KDTreeSingleIndexAdaptorParams(16)) {}
  struct Found {
    int vertex;
    double distance;
  };
  Found operator()(const Vec3& p) const {
    int index = 0;
    double squared = 0;
    tree_.knnSearch(p.data(), 1, &index, &squared);
    return {index, std::sqrt(squared)};
  }

 private:
  Points points_;
  Tree tree_;
};

Layout from_labels(const std::vector<int>& per_item) {
  Layout layout;
  const std::set<int> distinct(per_item.begin(), per_item.end());
  layout.labels.assign(distinct.begin(), distinct.end());
  for (int label : layout.labels) layout.names.push_back(std::to_string(label));
  for (int label : per_item)
    layout.vertex_cluster.push_back(static_cast<int>(
        std::lower_bound(layout.labels.begin(), layout.labels.end(), label) - layout.labels.begin()));
  return layout;
}

Layout from_colours(const SurfaceMesh& mesh) {
  Layout layout;
  std::map<std::array<int, 3>, int> cluster;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    const std::array<int, 3> colour{mesh.colours(v, 0), mesh.colours(v, 1), mesh.colours(v, 2)};
    const auto [found, is_new] = cluster.try_emplace(colour, static_cast<int>(layout.labels.size()));
    if (is_new) {
      layout.labels.push_back(found->second);
      layout.names.push_back(fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]));
    }
    layout.vertex_cluster.push_back(found->second);
  }
  return layout;
}

/// Replaces the labels' own names by those of the file.
void apply_names(Layout& layout, const std::filesystem::path& names_file, const std::string& labels_of) {
  if (names_file.empty()) return;
  const JsonNode root = JsonNode::read(names_file);
  if (!root.is_object()) root.fail("is not an object; write {\"1\": \"forehead\", ...}");
  const std::vector<std::string> keys = layout.names;
  for (const auto& [key, node] : root.members()) {
    const auto found = std::find(keys.begin(), keys.end(), key);
    if (found == keys.end())
      node.fail(fmt::format("names label {}, which does not occur in {}; its labels are: {}", key, labels_of,
                            fmt::join(keys, ", ")));
    const std::string name = node.text();
    if (name.empty() || name == "*") node.fail("is not a name; give the cluster a word of its own");
    layout.names[found - keys.begin()] = name;
  }
  for (int c = 0; c < layout.cluster_count(); ++c)
    for (int d = 0; d < c; ++d)
      if (layout.names[c] == layout.names[d])
        throw InputError(names_file.string(),
                         fmt::format("labels {} and {} are both called \"{}\"; give each its own name",
                                     keys[d], keys[c], layout.names[c]));
}

bool is_surface_file(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".ply" || extension == ".obj";
}

/// Points on the unit sphere whose heights along any axis are (nearly) uniform in [-1, 1] (a Fibonacci
/// lattice).
std::vector<Vec3> sphere_points(int count) {
  const double golden_angle = 3.14159265358979323846 * (3 - std::sqrt(5.0));
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2 * i + 1.0) / count, r = std::sqrt(1 - z * z), angle = golden_angle * i;
    points.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
  return points;
}

constexpr int kSpherePoints = 128;

/// Shares of the labels seen from points on a sphere of radius `radius` [mm].
VectorXd shares(const Layout& layout, const NearestVertex& nearest_vertex, const Vec3& centre,
                double radius) {
  static const std::vector<Vec3> sphere = sphere_points(kSpherePoints);
  VectorXd weight = VectorXd::Zero(layout.cluster_count());
  for (const Vec3& direction : sphere)
    weight[layout.vertex_cluster[nearest_vertex(centre + radius * direction).vertex]] += 1.0 / kSpherePoints;
  return weight;
}

Vec3 corner_centroid(const TetMesh& mesh, int e) {
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < 4; ++k) sum += mesh.nodes.row(mesh.elements(e, k)).transpose();
  return sum / 4;
}

SparseRows gather(const std::vector<VectorXd>& rows, int clusters) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t e = 0; e < rows.size(); ++e)
    for (int c = 0; c < clusters; ++c)
      if (rows[e][c] != 0) entries.emplace_back(static_cast<int>(e), c, rows[e][c]);
  SparseRows weights(static_cast<int>(rows.size()), clusters);
  weights.setFromTriplets(entries.begin(), entries.end());
  return weights;
}

}  // namespace

Layout read_layout(const std::filesystem::path& file, const std::filesystem::path& names_file,
                   int vertex_count) {
  Layout layout;
  if (is_surface_file(file)) {
    const SurfaceMesh mesh = read_surface(file, "mm", false);
    if (mesh.vertex_count() != vertex_count)
      throw InputError(file.string(),
                       fmt::format("has {} vertices but the scan has {}; paint the layout on the scan itself",
                                   mesh.vertex_count(), vertex_count));
    if (mesh.colours.rows() != mesh.vertex_count())
      throw InputError(
          file.string(),
          "has no vertex colours; paint one colour a cluster, or give a text file with one label a vertex");
    layout = from_colours(mesh);
  } else {
    layout = from_labels(read_int_column(file, vertex_count));
  }
  if (layout.labels.empty())
    throw InputError(file.string(), "names no cluster; give one label a scan vertex");
  apply_names(layout, names_file, file.string());
  return layout;
}

Layout layout_of_mesh(const TetMesh& mesh, const std::filesystem::path& names_file) {
  require(static_cast<int>(mesh.label.size()) == mesh.element_count(),
          "layout_of_mesh needs one label an element");
  Layout layout = from_labels(mesh.label);
  apply_names(layout, names_file, "the mesh");
  return layout;
}

SparseRows propagate_layout(const Layout& layout, const Positions& scan, const TetMesh& mesh,
                            double blend_width) {
  require(static_cast<int>(layout.vertex_cluster.size()) == scan.rows() && scan.rows() > 0,
          "a layout has one cluster a scan vertex");
  require(std::isfinite(blend_width) && blend_width >= 0, "a blend width is not negative");
  const NearestVertex nearest_vertex(scan);
  const int clusters = layout.cluster_count();

  std::vector<Positions> by_cluster;
  std::vector<std::unique_ptr<NearestVertex>> nearest_of_cluster;
  if (blend_width > 0) {
    std::vector<std::vector<int>> members(clusters);
    for (int v = 0; v < scan.rows(); ++v) members[layout.vertex_cluster[v]].push_back(v);
    for (const std::vector<int>& list : members) by_cluster.push_back(scan(list, Eigen::all));
    for (const Positions& points : by_cluster)
      nearest_of_cluster.push_back(std::make_unique<NearestVertex>(points));
  }

  std::vector<VectorXd> rows(mesh.element_count());
  tbb::parallel_for(0, mesh.element_count(), [&](int e) {
    const Vec3 centroid = corner_centroid(mesh, e);
    const auto [vertex, distance] = nearest_vertex(centroid);
    const int own = layout.vertex_cluster[vertex];
    // A point on the sphere sees another cluster only if that is nearer by then: d_other - r < d_own + r.
    bool near_border = false;
    for (int c = 0; c < clusters && blend_width > 0 && !near_border; ++c)
      near_border = c != own && (*nearest_of_cluster[c])(centroid).distance < distance + blend_width;
    rows[e] = near_border ? shares(layout, nearest_vertex, centroid, blend_width / 2)
                          : VectorXd::Unit(clusters, own);
  });
  return gather(rows, clusters);
}

SparseRows element_weights(const Layout& layout) {
  SparseRows weights(static_cast<int>(layout.vertex_cluster.size()), layout.cluster_count());
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t e = 0; e < layout.vertex_cluster.size(); ++e)
    entries.emplace_back(static_cast<int>(e), layout.vertex_cluster[e], 1.0);
  weights.setFromTriplets(entries.begin(), entries.end());
  return weights;
}

}  // namespace furrow
