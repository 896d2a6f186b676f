#include "forward/potential/surface_points.h"

#include <map>

#include "forward/base/error.h"

namespace furrow {

namespace {

/// Element whose nodes first .. first + |face| - 1 are the face.
std::vector<int> elements_of_faces(const PrismMesh& mesh, const Elements& faces, int first) {
  std::map<std::array<int, 3>, int> by_corners;
  for (int e = 0; e < mesh.elements.rows(); ++e)
    by_corners[{mesh.elements(e, first), mesh.elements(e, first + 1), mesh.elements(e, first + 2)}] = e;
  std::vector<int> out;
  for (int f = 0; f < faces.rows(); ++f) {
    const auto found = by_corners.find({faces(f, 0), faces(f, 1), faces(f, 2)});
    require(found != by_corners.end(), "SurfacePoints: a face that belongs to no element");
    out.push_back(found->second);
  }
  return out;
}

}  // namespace

SurfacePoints::SurfacePoints(const PrismMesh& mesh, ShellSide side, const TriangleRule& rule)
    : faces_(side == ShellSide::inner ? mesh.inner_faces : mesh.outer_faces),
      first_local_(side == ShellSide::inner ? 0 : mesh.order.nodes() - mesh.order.face_nodes()),
      nodes_(side == ShellSide::inner ? mesh.inner_nodes() : mesh.outer_nodes()) {
  element_ = elements_of_faces(mesh, faces_, first_local_);
  const TriangleBasis basis = triangle_basis(mesh.order.in_plane, rule.points);
  basis_ = basis.value;
  rank_.assign(mesh.nodes.rows(), -1);
  for (std::size_t k = 0; k < nodes_.size(); ++k) rank_[nodes_[k]] = static_cast<int>(k);
  const Eigen::Index points = rule.points.rows();
  weight_.resize(faces_.rows() * points);
  normal_.resize(faces_.rows() * points, 3);
  for (Eigen::Index f = 0; f < faces_.rows(); ++f)
    for (Eigen::Index q = 0; q < points; ++q) {
      Vec3 du = Vec3::Zero(), dv = Vec3::Zero();
      for (Eigen::Index a = 0; a < faces_.cols(); ++a) {
        du += basis.du(q, a) * mesh.nodes.row(faces_(f, a)).transpose();
        dv += basis.dv(q, a) * mesh.nodes.row(faces_(f, a)).transpose();
      }
      const Vec3 area = du.cross(dv);
      weight_[f * points + q] = rule.weights[q] * area.norm();
      normal_.row(f * points + q) = area.normalized().transpose();
    }
  rest_ = at(mesh.nodes);
}

Positions SurfacePoints::at(const Positions& nodal) const {
  const Eigen::Index points = basis_.rows();
  Positions out(faces_.rows() * points, 3);
  MatrixXd corner(faces_.cols(), 3);
  for (Eigen::Index f = 0; f < faces_.rows(); ++f) {
    for (Eigen::Index a = 0; a < faces_.cols(); ++a) corner.row(a) = nodal.row(faces_(f, a));
    out.middleRows(f * points, points).noalias() = basis_ * corner;
  }
  return out;
}

void SurfacePoints::add_transposed(const Positions& force, Positions& out) const {
  const Eigen::Index points = basis_.rows();
  for (Eigen::Index f = 0; f < faces_.rows(); ++f) {
    const auto block = force.middleRows(f * points, points);
    if ((block.array() == 0).all()) continue;
    const MatrixXd nodal = basis_.transpose() * block;
    for (Eigen::Index a = 0; a < faces_.cols(); ++a) out.row(faces_(f, a)) += nodal.row(a);
  }
}

void SurfacePoints::add_hessian(const std::vector<Mat3>& H, HessianSum& sum) const {
  const Eigen::Index points = basis_.rows(), nodes = faces_.cols();
  MatrixXd k(3 * nodes, 3 * nodes), right(points, nodes), block(nodes, nodes);
  for (Eigen::Index f = 0; f < faces_.rows(); ++f) {
    const Mat3* h = H.data() + f * points;
    bool any = false;
    for (Eigen::Index q = 0; q < points && !any; ++q) any = (h[q].array() != 0).any();
    if (!any) continue;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) {
        for (Eigen::Index q = 0; q < points; ++q) right.row(q) = h[q](i, j) * basis_.row(q);
        block.noalias() = basis_.transpose() * right;
        k.block(i * nodes, j * nodes, nodes, nodes) = block;  // symmetric in a and b
        if (i != j) k.block(j * nodes, i * nodes, nodes, nodes) = block;
      }
    sum.add(element_[f], first_local_, k);
  }
}

VectorXd SurfacePoints::interpolate(const VectorXd& on_nodes) const {
  const Eigen::Index points = basis_.rows();
  VectorXd out(count()), corner(faces_.cols());
  for (Eigen::Index f = 0; f < faces_.rows(); ++f) {
    for (Eigen::Index a = 0; a < faces_.cols(); ++a) corner[a] = on_nodes[rank_[faces_(f, a)]];
    out.segment(f * points, points).noalias() = basis_ * corner;
  }
  return out;
}

void SurfacePoints::add_interpolated_transposed(const VectorXd& at_points, VectorXd& out) const {
  const Eigen::Index points = basis_.rows();
  for (Eigen::Index f = 0; f < faces_.rows(); ++f) {
    const VectorXd nodal = basis_.transpose() * at_points.segment(f * points, points);
    for (Eigen::Index a = 0; a < faces_.cols(); ++a) out[rank_[faces_(f, a)]] += nodal[a];
  }
}

}  // namespace furrow
