// A whitened nonlinear least-squares problem 1/2 |r(p)|^2 as the optimiser sees it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "forward/base/types.h"

namespace furrow {

struct ResidualValue {
  VectorXd residual;  ///< whitened
  MatrixXd jacobian;  ///< dr/dp; empty unless asked for
};

struct ValueGradient {
  double value;       ///< 1/2 |r|^2
  VectorXd gradient;  ///< J' r
};

class LeastSquares {
 public:
  virtual ~LeastSquares() = default;
  virtual int size() const = 0;            ///< |p|
  virtual int residual_count() const = 0;  ///< |r|
  /// Nothing when there is no equilibrium at p (the optimiser then shortens its step).
  virtual std::optional<ResidualValue> evaluate(const VectorXd& p, bool with_jacobian) = 0;
  /// Cost and gradient by one adjoint pass; through the Jacobian unless a problem knows better.
  virtual std::optional<ValueGradient> evaluate_gradient(const VectorXd& p);
};

enum class Termination { converged, iterations, interrupted, failed };

struct MinimizeOptions {
  int max_iterations = 50;
  double function_tolerance = 1e-6;  ///< relative decrease of the cost that ends the iteration
  double parameter_tolerance = 1e-8;
  double gradient_tolerance = 1e-10;
  bool lbfgs = false;  ///< L-BFGS with Wolfe line search on J'r instead of Levenberg-Marquardt
};

struct IterationReport {
  int iteration = 0;
  double cost = 0;  ///< 1/2 |r|^2
  double cost_change = 0;
  double step_norm = 0;
  bool accepted = true;
};

struct MinimizeReport {
  VectorXd p;
  double initial_cost = 0, cost = 0;
  int iterations = 0, evaluations = 0, jacobians = 0, failed = 0;
  Termination termination = Termination::failed;
  std::string message;
};

/// Levenberg-Marquardt (dense normal directions by QR) or L-BFGS through Ceres; ceres_bridge.cpp is the only
/// file that includes it. `progress` returns false to stop cleanly.
MinimizeReport minimize(LeastSquares& problem, const VectorXd& start, const MinimizeOptions& options,
                        const std::function<bool(const IterationReport&)>& progress);

/// A smooth function with gradient, for the schemes that are no least squares.
struct ScalarProblem {
  std::function<std::optional<double>(const VectorXd& p, VectorXd* gradient)> evaluate;
  int size = 0;
};
enum class Descent { steepest, bfgs, lbfgs };
/// Line-search descent with strong Wolfe conditions.
MinimizeReport minimize(const ScalarProblem& problem, const VectorXd& start, const MinimizeOptions& options,
                        Descent method, const std::function<bool(const IterationReport&)>& progress);

}  // namespace furrow
