// Painted cluster layouts: one label a scan vertex, propagated inwards through the mesh.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "forward/base/surface_mesh.h"
#include "forward/mesh/tet_mesh.h"

namespace furrow {

struct Layout {
  std::vector<int> labels;          ///< distinct labels, ascending: cluster c has labels[c]
  std::vector<std::string> names;   ///< per cluster; the label's number where no name is given
  std::vector<int> vertex_cluster;  ///< cluster per scan vertex (or per element for a mesh's own labels)

  int cluster_count() const { return static_cast<int>(labels.size()); }
};

/// `file`: text with one label a vertex, or PLY/OBJ with vertex colours (each distinct colour is a cluster,
/// in order of first appearance). `names_file` (JSON {"1": "forehead"}) may be empty. Refuses counts that
/// differ, layouts naming no cluster, names of labels that do not occur.
Layout read_layout(const std::filesystem::path& file, const std::filesystem::path& names_file,
                   int vertex_count);
/// The labels that a ready-made mesh carries per element.
Layout layout_of_mesh(const TetMesh& mesh, const std::filesystem::path& names_file);

/// Cluster weights per element (rows sum to 1), elements x clusters. Each element takes the label of the scan
/// vertex nearest to the centroid of its corners; with `blend_width` > 0 its weights are the shares of labels
/// seen from the sphere of that diameter [mm] round the centroid (128 points). A sphere has the same area in
/// every slice of equal height, so across a plane border the weight is a linear ramp of the signed distance
/// to it, 0 to 1 over the width.
SparseRows propagate_layout(const Layout& layout, const Positions& scan, const TetMesh& mesh,
                            double blend_width);
/// One weight 1 per element from element labels (layout_of_mesh).
SparseRows element_weights(const Layout& layout);

}  // namespace furrow
