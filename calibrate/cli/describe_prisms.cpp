#include "calibrate/cli/describe_prisms.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cctype>
#include <limits>

#include "forward/base/text_file.h"
#include "forward/base/units.h"
#include "forward/mesh/prism_mesh_io.h"
#include "forward/mesh/vtu_file.h"

namespace furrow::cli {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kLinearWedge = 13, kLagrangeWedge = 73;  // VTK's cell types

/// Smallest over largest det(dX/dxi) at the nodes of element e.
double jacobian_ratio(const PrismMesh& mesh, int e, const PrismBasis& basis) {
  double low = kInfinity, high = -kInfinity;
  Positions X(mesh.elements.cols(), 3);
  for (Eigen::Index a = 0; a < X.rows(); ++a) X.row(a) = mesh.nodes.row(mesh.elements(e, a));
  for (Eigen::Index q = 0; q < basis.value.rows(); ++q) {
    Mat3 J;
    for (int c = 0; c < 3; ++c) J.col(c) = (basis.derivative[c].row(q) * X).transpose();
    low = std::min(low, J.determinant()), high = std::max(high, J.determinant());
  }
  return low / high;
}

std::string layer_line(const PrismMesh& mesh) {
  std::vector<int> count(mesh.layers.size(), 0);
  for (const auto& element : mesh.sublayers)
    for (const Sublayer& part : element) ++count[part.layer];
  std::vector<std::string> parts;
  for (std::size_t l = 0; l < count.size(); ++l)
    parts.push_back(fmt::format("{} (in {} prisms)", mesh.layers[l], count[l]));
  return fmt::format("layers from the outer surface inwards: {}", fmt::join(parts, ", "));
}

}  // namespace

PrismQuality measure_quality(const PrismMesh& mesh) {
  PrismQuality out;
  const PrismBasis basis = prism_basis(mesh.order, prism_nodes(mesh.order));
  const int top = mesh.order.face_nodes() * mesh.order.thickness;
  out.through = static_cast<double>(mesh.elements.rows()) / static_cast<double>(mesh.outer_faces.rows());
  out.shortest_edge = out.thinnest = kInfinity;
  for (int e = 0; e < mesh.elements.rows(); ++e) {
    const auto x = [&](int a) { return mesh.nodes.row(mesh.elements(e, a)); };
    for (int k = 0; k < 3; ++k) {
      for (const int level : {0, top}) {
        const double edge = (x(level + k) - x(level + (k + 1) % 3)).norm();
        out.shortest_edge = std::min(out.shortest_edge, edge);
        out.longest_edge = std::max(out.longest_edge, edge);
        out.mean_edge += edge / (6.0 * static_cast<double>(mesh.elements.rows()));
      }
      const double upright = (x(top + k) - x(k)).norm();
      out.thinnest = std::min(out.thinnest, upright);
      out.thickest = std::max(out.thickest, upright);
    }
    out.smallest_ratio = std::min(out.smallest_ratio, jacobian_ratio(mesh, e, basis));
  }
  out.volume = volume(mesh);
  return out;
}

Description describe_prisms(const PrismMesh& mesh) {
  const PrismQuality quality = measure_quality(mesh);
  Description description{"prisms", {}, {}};
  auto& lines = description.lines;
  lines.push_back(fmt::format(
      "{} prisms of order {} x {}, {:.3g} through the thickness, {} nodes, {} of them on the outer surface",
      mesh.elements.rows(), mesh.order.in_plane, mesh.order.thickness, quality.through, mesh.nodes.rows(),
      mesh.outer_nodes().size()));
  lines.push_back(layer_line(mesh));
  lines.push_back(fmt::format(
      "edges {:.3g} to {:.3g} mm, mean {:.3g} mm; prisms {:.3g} to {:.3g} mm thick; volume {:.4g} mm^3",
      quality.shortest_edge, quality.longest_edge, quality.mean_edge, quality.thinnest, quality.thickest,
      quality.volume));
  lines.push_back(
      fmt::format("smallest over largest det(dX/dxi) within a prism: {:.3f} in the worst (1: undistorted)",
                  quality.smallest_ratio));
  const auto fixed = std::count_if(mesh.fixed.begin(), mesh.fixed.end(), [](char f) { return f != 0; });
  lines.push_back(fmt::format("{} nodes fixed by the mesh itself{}", fixed,
                              mesh.ligament_b.size() > 0 ? ", ligament field b" : ""));
  if (quality.smallest_ratio < 0.05)
    description.warnings.push_back(
        fmt::format("a prism is nearly folded: det(dX/dxi) varies by a factor of {:.0f} within it",
                    1 / std::max(quality.smallest_ratio, 1e-6)));
  return description;
}

bool is_prism_file(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (extension != ".vtu" || !std::filesystem::exists(file)) return false;
  bool wedges = false;
  read_vtu(read_bytes(file), file.string(), [&](const VtuPiece& piece) {
    if (piece.cells() == 0) return;
    const int type = piece.cell_types()[0];
    wedges = type == kLinearWedge || type == kLagrangeWedge;
  });
  return wedges;
}

Description describe_prism_file(const std::filesystem::path& file, const std::string& unit) {
  return describe_prisms(read_prism_mesh(file, parse_quantity("1 " + unit, dimension::length), {}));
}

}  // namespace furrow::cli
