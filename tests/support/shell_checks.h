// Everything a potential promises, checked against difference quotients: along random directions by error
// order, and entry by entry.
#pragma once

#include "tests/support/shell_body.h"

namespace furrow::testing {

/// Fourth-order central difference of f at z along v.
inline VectorXd difference(const std::function<VectorXd(const VectorXd&)>& f, const VectorXd& z,
                           const VectorXd& v, double h) {
  const auto central = [&](double s) -> VectorXd { return (f(z + s * v) - f(z - s * v)) / (2 * s); };
  return (4 * central(h / 2) - central(h)) / 3;
}

inline VectorXd unit(Eigen::Index n, Eigen::Index k, double scale = 1) {
  VectorXd v = VectorXd::Zero(n);
  v[k] = scale;
  return v;
}

/// d2U/dx2 of one potential as a full matrix; no dof is fixed.
inline MatrixXd dense_hessian(const ShellBody& b, const Potential& U, const Positions& x, bool projected) {
  HessianSum sum = b.shell->empty_hessian();
  U.add_hessian(x, b.input(), projected, sum);
  const int n = b.shell->dofs().free_count;
  return multiply_symmetric(b.shell->pattern(), sum.values(), MatrixXd::Identity(n, n));
}

struct PotentialCheck {
  double step = 2e-5;        ///< of entry-by-entry differences [mm]; of theta relative
  double order_step = 1e-2;  ///< length of the displacement vector where the error order is observed [mm]
  double tolerance = 2e-7;   ///< of differences, relative to the largest entry
  bool every_state_entry = false;
};

class CheckedPotential {
 public:
  CheckedPotential(const ShellBody& body, const std::string& name, const PotentialCheck& check = {})
      : b_(body), U_(body.potential(name)), check_(check) {}

  void all() const {
    gradient();
    hessian();
    by_theta();
    by_state();
    transposed();
  }

  void gradient() const {
    const auto energy = [&](const VectorXd& z) {
      return VectorXd::Constant(1, U_.value(rows_of(z), b_.input(), nullptr).energy);
    };
    const VectorXd x = flat_of(b_.x), g = gradient_at(x, b_.from, b_.theta);
    ASSERT_GT(g.norm(), 0) << U_.name() << " does nothing here";
    check_derivative(
        energy, [&](const VectorXd&, const VectorXd& v) { return VectorXd::Constant(1, g.dot(v)); }, x,
        check_.order_step);
    for (Eigen::Index k = 0; k < x.size(); ++k)
      EXPECT_NEAR(difference(energy, x, unit(x.size(), k), 10 * check_.step)[0], g[k],
                  check_.tolerance * g.lpNorm<Eigen::Infinity>())
          << U_.name() << ": force " << k;
  }

  void hessian() const {
    const VectorXd x = flat_of(b_.x);
    const auto force = [&](const VectorXd& z) { return gradient_at(z, b_.from, b_.theta); };
    const MatrixXd H = dense_hessian(b_, U_, b_.x, false);
    const double largest = H.cwiseAbs().maxCoeff();
    check_derivative(
        force, [&](const VectorXd&, const VectorXd& v) { return VectorXd(H * v); }, x, check_.order_step);
    for (Eigen::Index k = 0; k < x.size(); ++k)
      EXPECT_LT((difference(force, x, unit(x.size(), k), check_.step) - H.col(k)).lpNorm<Eigen::Infinity>(),
                check_.tolerance * (largest + force(x).norm()))
          << U_.name() << ": column " << k;
    const VectorXd v = random_vector(static_cast<int>(x.size()), 5);
    Positions product = Positions::Zero(b_.x.rows(), 3);
    U_.add_hessian_product(b_.x, b_.input(), rows_of(v), product);
    EXPECT_LT((flat_of(product) - H * v).norm(), 1e-12 * H.norm() * v.norm() + 1e-300) << U_.name();
    const MatrixXd projected = dense_hessian(b_, U_, b_.x, true);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(projected, Eigen::EigenvaluesOnly);
    EXPECT_GT(eigen.eigenvalues()[0], -1e-11 * (eigen.eigenvalues().tail(1)[0] + 1e-300)) << U_.name();
  }

  /// Every entry of theta; those that do not act must say zero.
  void by_theta() const {
    const VectorXd scale = theta_scale(b_.theta), x = flat_of(b_.x), theta = b_.theta.flat();
    const auto force = [&](const VectorXd& t) { return gradient_at(x, b_.from, b_.theta.like(t)); };
    const auto names = theta_names(b_.theta, {"epidermis", "soft"},
                                   std::vector<std::string>(b_.theta.colliders.size(), "finger"));
    for (Eigen::Index k = 0; k < theta.size(); ++k) {
      const VectorXd v = unit(theta.size(), k, scale[k]), exact = jvp(b_.from.zero(), b_.theta.like(v));
      EXPECT_LT(
          (difference(force, theta, v, 50 * check_.step) - exact).lpNorm<Eigen::Infinity>(),
          check_.tolerance * exact.lpNorm<Eigen::Infinity>() + 1e-10 * force(theta).lpNorm<Eigen::Infinity>())
          << U_.name() << " by " << names[k];
    }
  }

  void by_state() const {
    const VectorXd x = flat_of(b_.x), state = flat_of(b_.from);
    const auto force = [&](const VectorXd& s) { return gradient_at(x, like(b_.from, s), b_.theta); };
    const auto exact = [&](const VectorXd&, const VectorXd& v) {
      return jvp(like(b_.from, v), b_.theta.zero());
    };
    check_derivative(force, exact, state, 0.1 * check_.order_step, 17);
    if (!check_.every_state_entry) return;
    const double size = force(state).norm();
    for (Eigen::Index k = 0; k < state.size(); ++k) {
      const VectorXd v = unit(state.size(), k);
      EXPECT_LT((difference(force, state, v, check_.step) - exact(state, v)).lpNorm<Eigen::Infinity>(),
                check_.tolerance * size)
          << U_.name() << ": state " << k;
    }
  }

  /// lambda . J d = (J' lambda) . d, for the state and theta together and for each alone.
  void transposed() const {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const VectorXd lambda = random_vector(static_cast<int>(b_.x.size()), seed);
      StepPullback pulled{b_.from.zero(), b_.theta.zero()};
      U_.add_gradient_vjp(b_.x, b_.input(), rows_of(lambda), pulled);
      const VectorXd ds = random_vector(static_cast<int>(flat_of(b_.from).size()), 10 + seed);
      const VectorXd dt = theta_scale(b_.theta).cwiseProduct(random_vector(b_.theta.size(), 20 + seed));
      const VectorXd by_state = jvp(like(b_.from, ds), b_.theta.zero()),
                     by_theta = jvp(b_.from.zero(), b_.theta.like(dt));
      EXPECT_NEAR(flat_of(pulled.state).dot(ds), lambda.dot(by_state),
                  1e-12 * lambda.norm() * by_state.norm())
          << U_.name();
      EXPECT_NEAR(pulled.theta.flat().dot(dt), lambda.dot(by_theta), 1e-12 * lambda.norm() * by_theta.norm())
          << U_.name();
    }
  }

 private:
  VectorXd gradient_at(const VectorXd& x, const ShellState& from, const ShellTheta& theta) const {
    Positions g = Positions::Zero(b_.x.rows(), 3);
    U_.value(rows_of(x), {from, b_.frame, theta}, &g);
    return flat_of(g);
  }
  VectorXd jvp(const ShellState& ds, const ShellTheta& dt) const {
    Positions out = Positions::Zero(b_.x.rows(), 3);
    U_.add_gradient_jvp(b_.x, b_.input(), ds, dt, out);
    return flat_of(out);
  }
  const ShellBody& b_;
  const Potential& U_;
  PotentialCheck check_;
};

}  // namespace furrow::testing
