#include "forward/solve/krylov.h"

#include <cmath>

namespace furrow {

namespace {

std::vector<int> unfinished(const VectorXd& residual, const VectorXd& scale, double tolerance) {
  std::vector<int> columns;
  for (Eigen::Index c = 0; c < residual.size(); ++c)
    if (residual[c] > tolerance * scale[c]) columns.push_back(static_cast<int>(c));
  return columns;
}

VectorXd column_norms(const MatrixXd& m) {
  return m.colwise().norm().transpose();
}

double worst(const VectorXd& residual, const VectorXd& scale) {
  double w = 0;
  for (Eigen::Index c = 0; c < residual.size(); ++c)
    if (scale[c] > 0) w = std::max(w, residual[c] / scale[c]);
  return w;
}

}  // namespace

KrylovResult conjugate_gradients(const BlockOperator& A, const BlockOperator& M_inverse, const MatrixXd& b,
                                 const KrylovOptions& options) {
  KrylovResult result;
  result.x = MatrixXd::Zero(b.rows(), b.cols());
  MatrixXd r = b, p = MatrixXd::Zero(b.rows(), b.cols());
  VectorXd rho = VectorXd::Ones(b.cols());
  const VectorXd scale = column_norms(b);
  VectorXd residual = scale;
  std::vector<int> active = unfinished(residual, scale, options.tolerance);
  while (!active.empty() && result.iterations < options.max_iterations) {
    const MatrixXd z = M_inverse(r(Eigen::all, active), active);
    for (std::size_t k = 0; k < active.size(); ++k) {
      const int c = active[k];
      const double rho_new = r.col(c).dot(z.col(k));
      p.col(c) = z.col(k) + (result.iterations == 0 ? 0.0 : rho_new / rho[c]) * p.col(c);
      rho[c] = rho_new;
    }
    const MatrixXd q = A(p(Eigen::all, active), active);
    for (std::size_t k = 0; k < active.size(); ++k) {
      const int c = active[k];
      const double curvature = p.col(c).dot(q.col(k));
      if (!(curvature > 0)) {
        result.indefinite = true;
        result.residual = worst(residual, scale);
        return result;
      }
      const double alpha = rho[c] / curvature;
      result.x.col(c) += alpha * p.col(c);
      r.col(c) -= alpha * q.col(k);
      residual[c] = r.col(c).norm();
    }
    ++result.iterations;
    active = unfinished(residual, scale, options.tolerance);
  }
  result.residual = worst(residual, scale);
  result.converged = active.empty();
  return result;
}

namespace {

/// One column's Arnoldi process: basis V, Hessenberg matrix reduced by Givens rotations, least-squares
/// right-hand side.
struct Arnoldi {
  std::vector<VectorXd> basis, preconditioned;
  std::vector<VectorXd> triangle;  ///< columns of R
  std::vector<double> cosine, sine, rhs;

  explicit Arnoldi(const VectorXd& b) : rhs{b.norm()} { basis.push_back(b / rhs[0]); }

  /// Takes w = A M^-1 v_last; returns the new residual norm.
  double extend(VectorXd w) {
    const int n = static_cast<int>(basis.size());
    VectorXd h(n + 1);
    for (int i = 0; i < n; ++i) {
      h[i] = basis[i].dot(w);
      w -= h[i] * basis[i];
    }
    for (int i = 0; i < n; ++i) {  // once more: orthogonal to rounding
      const double correction = basis[i].dot(w);
      h[i] += correction;
      w -= correction * basis[i];
    }
    h[n] = w.norm();
    basis.push_back(h[n] > 0 ? VectorXd(w / h[n]) : w);
    for (int i = 0; i < n - 1; ++i) {
      const double t = cosine[i] * h[i] + sine[i] * h[i + 1];
      h[i + 1] = -sine[i] * h[i] + cosine[i] * h[i + 1];
      h[i] = t;
    }
    const double length = std::hypot(h[n - 1], h[n]);
    cosine.push_back(h[n - 1] / length);
    sine.push_back(h[n] / length);
    h[n - 1] = length;
    triangle.push_back(h.head(n));
    rhs.push_back(-sine.back() * rhs[n - 1]);
    rhs[n - 1] *= cosine.back();
    return std::abs(rhs[n]);
  }

  VectorXd solution() const {
    const int n = static_cast<int>(triangle.size());
    VectorXd y(n), x = VectorXd::Zero(basis[0].size());
    for (int i = n - 1; i >= 0; --i) {
      double sum = rhs[i];
      for (int j = i + 1; j < n; ++j) sum -= triangle[j][i] * y[j];
      y[i] = sum / triangle[i][i];
    }
    for (int i = 0; i < n; ++i) x += y[i] * preconditioned[i];
    return x;
  }
};

}  // namespace

KrylovResult gmres(const BlockOperator& A, const BlockOperator& M_inverse, const MatrixXd& b,
                   const KrylovOptions& options) {
  KrylovResult result;
  result.x = MatrixXd::Zero(b.rows(), b.cols());
  const VectorXd scale = column_norms(b);
  VectorXd residual = scale;
  std::vector<Arnoldi> columns;
  for (Eigen::Index c = 0; c < b.cols(); ++c)
    columns.emplace_back(scale[c] > 0 ? VectorXd(b.col(c)) : VectorXd::Ones(b.rows()));
  std::vector<int> active = unfinished(residual, scale, options.tolerance);
  while (!active.empty() && result.iterations < options.max_iterations) {
    MatrixXd v(b.rows(), active.size());
    for (std::size_t k = 0; k < active.size(); ++k) v.col(k) = columns[active[k]].basis.back();
    const MatrixXd z = M_inverse(v, active), w = A(z, active);
    for (std::size_t k = 0; k < active.size(); ++k) {
      columns[active[k]].preconditioned.push_back(z.col(k));
      residual[active[k]] = columns[active[k]].extend(w.col(k));
    }
    ++result.iterations;
    active = unfinished(residual, scale, options.tolerance);
  }
  for (Eigen::Index c = 0; c < b.cols(); ++c)
    if (scale[c] > 0 && !columns[c].triangle.empty()) result.x.col(c) = columns[c].solution();
  result.residual = worst(residual, scale);
  result.converged = active.empty();
  return result;
}

}  // namespace furrow
