// Array types that every folder shares. Lengths are mm unless a name says otherwise.
#pragma once

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <vector>

namespace furrow {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Positions = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;  ///< one row a point [mm]
using Triangles = Eigen::Matrix<int, Eigen::Dynamic, 3, Eigen::RowMajor>;     ///< one row a triangle, 0-based
using Elements = Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  ///< one row an element
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

}  // namespace furrow
