#include "forward/mesh/prism_layers_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "forward/base/error.h"

namespace furrow {
namespace {

/// What the two arrays say, in one form: S layers a cell (-1: none) and S - 1 cuts of `columns` numbers each.
struct LayerTable {
  MatrixXd layer;
  MatrixXd cuts;
  int columns = 1;
};

/// Number of columns that `count` numbers a cell give each of `cuts` cuts.
int columns_of(const VtuPiece& piece, Eigen::Index count, Eigen::Index cuts, int face_nodes) {
  if (count == cuts) return 1;
  if (count == cuts * face_nodes) return face_nodes;
  piece.fail(
      fmt::format("array \"layer_cut_w\" has {} numbers a cell; {} cut{} of 1 or {} numbers belong there",
                  count, cuts, cuts == 1 ? "" : "s", face_nodes));
}

LayerTable layer_table(const VtuPiece& piece, std::size_t layers, const PrismMesh& mesh) {
  const auto layer = piece.cell_array("layer"), cuts = piece.cell_array("layer_cut_w");
  const auto cells = mesh.elements.rows();
  if (!layer && !cuts) {
    if (layers > 1)
      piece.fail(
          "does not say which layers its cells are of; give the cell array \"layer\" (0 the outermost) or "
          "\"layer_cut_w\"");
    return {MatrixXd::Zero(cells, 1), MatrixXd(cells, 0)};
  }
  if (!layer) {
    const MatrixXd below_above = Eigen::RowVector2d(1, 0).replicate(cells, 1);
    return {below_above, *cuts, columns_of(piece, cuts->cols(), 1, mesh.order.face_nodes())};
  }
  if (layer->cols() == 1 && cuts)
    piece.fail(
        "has both \"layer\" with one layer a cell and \"layer_cut_w\"; remove the one that does not hold");
  if (layer->cols() == 1) return {*layer, MatrixXd(cells, 0)};
  if (!cuts) piece.fail("has several layers a cell but no \"layer_cut_w\" between them");
  return {*layer, *cuts, columns_of(piece, cuts->cols(), layer->cols() - 1, mesh.order.face_nodes())};
}

void check_layer(const VtuPiece& piece, double value, int e, std::size_t layers) {
  const double most = layers > 0 ? static_cast<double>(layers) - 1 : 9999;
  if (value >= -1 && value <= most && value == std::floor(value)) return;
  piece.fail(
      layers > 0
          ? fmt::format(
                "element {} (0-based) is of layer {}, but the layers are numbered 0..{} from the outer "
                "surface inwards",
                e, value, layers - 1)
          : fmt::format("element {} (0-based) is of layer {}; number layers from 0", e, value));
}

VectorXd compact(const VectorXd& values) {
  return (values.array() == values[0]).all() ? VectorXd::Constant(1, values[0]).eval() : values;
}

std::vector<Sublayer> sublayers_of(const VtuPiece& piece, const LayerTable& table, int e, std::size_t layers,
                                   bool turned) {
  std::vector<Sublayer> sublayers;
  VectorXd low = VectorXd::Constant(1, -1);
  int count = 0;
  while (count < table.layer.cols() && table.layer(e, count) != -1)
    check_layer(piece, table.layer(e, count++), e, layers);
  for (int s = 0; s < count; ++s) {
    VectorXd high = VectorXd::Constant(1, 1);
    if (s + 1 < count) {
      high = table.cuts.row(e).segment(s * table.columns, table.columns).transpose();
      if (turned && high.size() > 1) std::swap(high[1], high[2]);
      if (!((high.array() > -1) && (high.array() < 1)).all())
        piece.fail(
            fmt::format("the layers of element {} (0-based) are cut at w = {}; cuts lie between -1 and 1 (a "
                        "layer may be thicker than the skin)",
                        e, high[0]));
      high = compact(high);
    }
    sublayers.push_back({low, high, static_cast<int>(table.layer(e, s))});
    low = high;
  }
  return sublayers;
}

/// The scene's names, or the file's, or numbers.
std::vector<std::string> layer_names(const VtuPiece& piece, const std::vector<std::string>& layers,
                                     const LayerTable& table) {
  if (!layers.empty()) return layers;
  std::vector<std::string> names = piece.field_texts("layer_names");
  const double highest = table.layer.maxCoeff();
  names.resize(std::min<std::size_t>(names.size(), 10000));
  for (auto l = names.size(); highest < 10000 && static_cast<double>(l) <= highest; ++l)
    names.push_back(fmt::format("layer {}", l));
  return names;
}

/// One number, or one a column: wide enough for the mesh's widest cut.
int cut_columns(const PrismMesh& mesh) {
  for (const auto& sublayers : mesh.sublayers)
    for (const Sublayer& sublayer : sublayers)
      if (sublayer.high.size() > 1) return mesh.order.face_nodes();
  return 1;
}

bool is_soft_below_epidermis(const std::vector<Sublayer>& sublayers) {
  return sublayers.size() == 2 && sublayers[0].layer == 1 && sublayers[1].layer == 0;
}

}  // namespace

void read_layers(const VtuPiece& piece, const std::vector<std::string>& layers, bool turned,
                 PrismMesh& mesh) {
  const LayerTable table = layer_table(piece, layers.size(), mesh);
  for (int e = 0; e < mesh.elements.rows(); ++e)
    mesh.sublayers.push_back(sublayers_of(piece, table, e, layers.size(), turned));
  mesh.layers = layer_names(piece, layers, table);
}

void write_layers(const PrismMesh& mesh, VtuGrid& grid) {
  const auto cells = static_cast<Eigen::Index>(mesh.sublayers.size());
  std::size_t most = 1;
  for (const auto& sublayers : mesh.sublayers) most = std::max(most, sublayers.size());
  const int columns = cut_columns(mesh);
  MatrixXd layer = MatrixXd::Constant(cells, static_cast<Eigen::Index>(most), -1);
  MatrixXd cuts = MatrixXd::Constant(cells, static_cast<Eigen::Index>(most - 1) * columns, 1);
  for (Eigen::Index e = 0; e < cells; ++e)
    for (std::size_t s = 0; s < mesh.sublayers[e].size(); ++s) {
      const Sublayer& sublayer = mesh.sublayers[e][s];
      layer(e, static_cast<Eigen::Index>(s)) = sublayer.layer;
      if (s + 1 == mesh.sublayers[e].size()) continue;
      const auto at = Eigen::seqN(static_cast<Eigen::Index>(s) * columns, columns);
      if (sublayer.high.size() == 1)
        cuts(e, at).setConstant(sublayer.high[0]);
      else
        cuts(e, at) = sublayer.high.transpose();
    }
  const bool plain = std::all_of(mesh.sublayers.begin(), mesh.sublayers.end(), is_soft_below_epidermis);
  if (most == 1)
    grid.cell_integers.push_back({"layer", std::vector<int>(layer.data(), layer.data() + cells)});
  else if (!plain)
    grid.cell_numbers.emplace_back("layer", layer);
  if (most > 1) grid.cell_numbers.emplace_back("layer_cut_w", cuts);
  grid.texts.emplace_back("layer_names", mesh.layers);
}

}  // namespace furrow
