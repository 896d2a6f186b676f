// The elastic shell against what one writes with Eigen at the same quadrature rule (one point at a time,
// JacobiSVD, B'CB): element tangent, gradient, one L-BFGS iteration at about 2,000 quartic prisms; and how
// time and memory grow. Every row compares within this run and refuses to when results differ.
#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>

#include <chrono>
#include <functional>
#include <random>
#include <stdexcept>

#include "forward/compiled_shell.h"
#include "forward/mesh/mesh_rules.h"
#include "forward/mesh/prism_shell.h"
#include "forward/potential/elastic_shell_data.h"
#include "forward/solve/lbfgs_memory.h"
#include "tests/bench/plain_skin.h"

namespace furrow::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double best(int runs, const std::function<void()>& work) {
  double least = 1e300;
  for (int k = 0; k < runs; ++k) {
    const double t = now();
    work();
    least = std::min(least, now() - t);
  }
  return least;
}
void agree(double found, double expected, double tolerance, const char* what) {
  if (!(std::abs(found - expected) <= tolerance * std::abs(expected)))
    throw std::runtime_error(fmt::format("{} differ: {} and {}", what, found, expected));
}

/// A flat patch of skin with one Maxwell branch, deformed by a smooth random field.
struct Patch {
  PrismMesh mesh;
  ShellPhysics physics;
  FixedFlags fixed;
  ShellTheta theta;
  Positions x;

  Patch(int nx, int ny, StackKind stack, RuleKind rule) {
    PatchOptions options{nx, ny, 2.5 * nx, 2.5 * ny, 2.0, {}};
    mesh = make_patch({4, 2}, options, skin_plan(2.0, 0.1, stack));
    physics.elastic.rule = rule;
    physics.elastic.branches = 1;
    fixed = FixedFlags::Constant(mesh.nodes.rows(), 3, false);
    for (const int node : mesh.rim) fixed.row(node).setConstant(true);
    for (const std::string& name : mesh.layers) {
      LayerTheta layer;
      layer.young = name == mesh.layers[0] ? 4.0 : 0.02;
      layer.poisson = 0.49;
      layer.stiffening = 1;
      layer.steady_fraction = 0.2;
      layer.times = VectorXd::Constant(1, 1.0 / 12);
      layer.weights = VectorXd::Ones(1);
      layer.prestretch.setOnes();
      theta.layers.push_back(layer);
    }
    theta.ligament_b = VectorXd::Zero(static_cast<Eigen::Index>(mesh.inner_nodes().size()));
    x = mesh.nodes;
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      const Vec3 X = mesh.nodes.row(i).transpose();
      x.row(i) +=
          0.05 * Vec3(std::sin(X[0] + X[2]), std::cos(X[1] - X[2]), std::sin(X[0] * 0.7 + X[1])).transpose();
    }
  }
};

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The plain reference: gradients of shape functions at every point, everything else recomputed.
struct PlainShell {
  const Patch& patch;
  MeshRules rules;
  std::vector<std::vector<MatrixXd>> gradient;  ///< [element][point], nodes x 3, by X
  std::vector<std::vector<double>> weight;

  explicit PlainShell(const Patch& p) : PlainShell(p, rule_for(p.mesh.order, p.physics.elastic.rule)) {}
  PlainShell(const Patch& p, const PrismRule& prism) : patch(p) {
    for (const std::vector<Sublayer>& sublayers : p.mesh.sublayers) {
      rules.rule_of_element.push_back(static_cast<int>(rules.rules.size()));
      rules.rules.push_back(layered_rule(prism, p.mesh.order.in_plane, sublayers));
    }
    for (int e = 0; e < p.mesh.elements.rows(); ++e) {
      const LayeredRule& rule = rules.rules[rules.rule_of_element[e]];
      const PrismBasis basis = prism_basis(p.mesh.order, rule.points);
      gradient.emplace_back();
      weight.emplace_back();
      for (int q = 0; q < rule.points.rows(); ++q) {
        MatrixXd local(p.mesh.order.nodes(), 3);
        for (int k = 0; k < 3; ++k) local.col(k) = basis.derivative[k].row(q).transpose();
        const Mat3 rest = nodes_of(p.mesh.nodes, e).transpose() * local;
        gradient.back().push_back(local * rest.inverse());
        weight.back().push_back(rule.weights[q] * rest.determinant());
      }
    }
  }
  MatrixXd nodes_of(const Positions& x, int e) const {
    MatrixXd nodes(patch.mesh.elements.cols(), 3);
    for (Eigen::Index a = 0; a < nodes.rows(); ++a) nodes.row(a) = x.row(patch.mesh.elements(e, a));
    return nodes;
  }
  PlainModuli moduli(int e, int q) const {
    const LayeredRule& rule = rules.rules[rules.rule_of_element[e]];
    const LayerModuli m = layer_moduli(patch.theta.layers[rule.layer[q]], 1.0 / 24, 0.5);
    return {m.mu_inf, m.stiffening, m.bulk, m.branch[0]};
  }

  double gradient_of(Positions& out) const {
    double energy = 0;
    out.setZero(patch.mesh.nodes.rows(), 3);
    for (int e = 0; e < patch.mesh.elements.rows(); ++e) {
      const MatrixXd nodes = nodes_of(patch.x, e);
      for (std::size_t q = 0; q < weight[e].size(); ++q) {
        const Mat3 F = nodes.transpose() * gradient[e][q];
        const PlainTangent t = plain_stress(moduli(e, static_cast<int>(q)), F, Mat3::Identity());
        energy += weight[e][q] * t.energy;
        const MatrixXd force = weight[e][q] * gradient[e][q] * t.P.transpose();
        for (Eigen::Index a = 0; a < nodes.rows(); ++a) out.row(patch.mesh.elements(e, a)) += force.row(a);
      }
    }
    return energy;
  }

  MatrixXd tangent_of(int e) const {
    const MatrixXd nodes = nodes_of(patch.x, e);
    MatrixXd K = MatrixXd::Zero(3 * nodes.rows(), 3 * nodes.rows());
    MatrixXd B = MatrixXd::Zero(9, 3 * nodes.rows());
    for (std::size_t q = 0; q < weight[e].size(); ++q) {
      const Mat3 F = nodes.transpose() * gradient[e][q];
      const PlainTangent t = plain_tangent(moduli(e, static_cast<int>(q)), F, Mat3::Identity(), false);
      for (Eigen::Index a = 0; a < nodes.rows(); ++a)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) B(3 * i + j, 3 * a + i) = gradient[e][q](a, j);
      K.noalias() += weight[e][q] * B.transpose() * (t.A * B);
    }
    return K;
  }
};

/// One element's tangent by the library's parts.
MatrixXd packed_tangent(const ElasticShell::Impl& d, const Patch& patch,
                        const std::vector<RuleModuli>& moduli, const ViscousHistory& history, int e) {
  const RuleTable& rule = d.rule(e);
  const ElementNodes nodes = d.gather(patch.x, e);
  ElementTangent tangent(rule, d.order, d.options.sum_factorisation);
  for (int pack = 0; pack < rule.packs; ++pack) {
    const int global = d.first_pack[e] + pack;
    const SkinPoint point =
        d.point(reference_jacobian(rule, pack, nodes) * d.geometry[global].inverse, global, history);
    tangent.take(pack, skin_tangent(point, moduli[d.rule_of_element[e]][pack], false).A, d.geometry[global]);
  }
  return tangent.finish();
}

Frame frame() {
  Frame f;
  f.dt = 1.0 / 24;
  return f;
}

void element_rows(RuleKind rule, const char* name, StackKind stack) {
  const Patch patch(2, 2, stack, rule);
  const PlainShell plain(patch);
  const CompiledShell shell(patch.mesh, patch.physics, patch.fixed);
  const ShellState rest = shell.rest_state();
  const Frame f = frame();
  const StepInput in{rest, f, patch.theta};
  const auto m = static_cast<int>(patch.mesh.elements.rows());

  const ElasticShell::Impl& d = shell.elastic().impl();
  const auto moduli = d.moduli(patch.theta, f.dt, f.viscous_exponent);
  double plain_sum = 0, packed_sum = 0;
  const double plain_time = best(3, [&] {
    plain_sum = 0;
    for (int e = 0; e < m; ++e) plain_sum += plain.tangent_of(e).squaredNorm();
  });
  const double packed_time = best(9, [&] {
    packed_sum = 0;
    for (int e = 0; e < m; ++e)
      packed_sum += packed_tangent(d, patch, moduli, *rest.history, e).squaredNorm();
  });
  agree(packed_sum, plain_sum, 1e-10, "element tangents");
  fmt::print("element tangent, {:<28} {:8.1f} us : {:8.1f} us  {:5.1f}x\n", name, 1e6 * packed_time / m,
             1e6 * plain_time / m, plain_time / packed_time);

  Positions plain_gradient, gradient;
  double plain_energy = 0, energy = 0;
  const double plain_gradient_time = best(3, [&] { plain_energy = plain.gradient_of(plain_gradient); });
  const double gradient_time = best(9, [&] {
    gradient = Positions::Zero(patch.x.rows(), 3);
    energy = shell.elastic().value(patch.x, in, &gradient).energy;
  });
  agree(energy, plain_energy, 1e-11, "energies");
  agree((gradient - plain_gradient).norm() + gradient.norm(), gradient.norm(), 1e-10, "gradients");
  fmt::print("gradient,        {:<28} {:8.1f} us : {:8.1f} us  {:5.1f}x\n", name, 1e6 * gradient_time / m,
             1e6 * plain_gradient_time / m, plain_gradient_time / gradient_time);
}

/// One L-BFGS iteration: energy and gradient, the two loops, one solve with the factor. The reference does
/// the same with the plain gradient and the same factor.
void lbfgs_row(int nx, int ny) {
  const Patch patch(nx, ny, StackKind::stack, RuleKind::tensor);
  const PlainShell plain(patch);
  const CompiledShell shell(patch.mesh, patch.physics, patch.fixed);
  const ShellState rest = shell.rest_state();
  const Frame f = frame();
  const StepInput in{rest, f, patch.theta};
  HessianSum sum = shell.empty_hessian();
  shell.hessian(patch.x, in, true, sum);
  if (!shell.solver().factorize(sum.values()))
    throw std::runtime_error("the projected Hessian has no factor");
  LbfgsMemory memory(8);
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 8; ++k) {
    VectorXd s(shell.dofs().free_count);
    for (double& v : s) v = normal(generator);
    memory.add(s, 2 * s);
  }
  const auto iteration = [&](const VectorXd& gradient) {
    return memory.after(shell.solver().solve(memory.before(gradient)));
  };
  VectorXd direction, plain_direction;
  const double time = best(5, [&] {
    Positions gradient = Positions::Zero(patch.x.rows(), 3);
    shell.elastic().value(patch.x, in, &gradient);
    direction = iteration(shell.dofs().gather(gradient));
  });
  const double plain_time = best(2, [&] {
    Positions gradient;
    plain.gradient_of(gradient);
    plain_direction = iteration(shell.dofs().gather(gradient));
  });
  agree((direction - plain_direction).norm() + direction.norm(), direction.norm(), 1e-8, "L-BFGS directions");
  fmt::print("L-BFGS iteration, {} quartic prisms, {} dofs {:9.1f} ms : {:7.1f} ms  {:5.1f}x\n",
             patch.mesh.elements.rows(), shell.dofs().free_count, 1e3 * time, 1e3 * plain_time,
             plain_time / time);
}

/// Nodal forces of a strongly deformed patch by either rule against a rule of twice the degree.
void rule_rows() {
  Patch patch(2, 2, StackKind::stack, RuleKind::exact);
  patch.x = patch.mesh.nodes;
  for (Eigen::Index i = 0; i < patch.x.rows(); ++i) {  // stretched, sheared and bent: strains of 20 to 40 %
    const Vec3 X = patch.mesh.nodes.row(i).transpose();
    patch.x.row(i) =
        Vec3(1.3 * X[0] + 0.2 * X[1], 0.85 * X[1], X[2] + 0.25 * std::sin(1.2 * X[0]) * std::cos(X[1]));
  }
  Positions reference, forces;
  PlainShell(patch, tensor_rule(subdivide_rule(triangle_rule(12), 2), 6)).gradient_of(reference);
  for (const auto& [kind, name] :
       {std::pair{RuleKind::tensor, "75-point tensor rule"}, {RuleKind::exact, "85-point rule"}}) {
    PlainShell(patch, rule_for(patch.mesh.order, kind)).gradient_of(forces);
    fmt::print("quadrature error of nodal forces at 30 % strain, {:<22} {:.2e}\n", name,
               (forces - reference).norm() / reference.norm());
  }
}

double slope(const std::vector<double>& size, const std::vector<double>& value) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(size.size());
  for (std::size_t k = 0; k < size.size(); ++k) {
    const double x = std::log(size[k]), y = std::log(value[k]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void growth() {
  fmt::print("\n{:>7} {:>8} {:>11} {:>11} {:>10} {:>9} {:>11}\n", "prisms", "dofs", "gradient ms",
             "Hessian ms", "factor ms", "solve ms", "factor MB");
  std::vector<double> sizes;
  std::array<std::vector<double>, 5> columns;
  for (const auto& [nx, ny] : {std::pair{7, 6}, {10, 8}, {14, 12}, {20, 17}, {28, 24}}) {
    const Patch patch(nx, ny, StackKind::stack, RuleKind::tensor);
    const CompiledShell shell(patch.mesh, patch.physics, patch.fixed);
    const ShellState rest = shell.rest_state();
    const Frame f = frame();
    const StepInput in{rest, f, patch.theta};
    HessianSum sum = shell.empty_hessian();
    VectorXd g;
    const double gradient =
        best(3, [&] { g = shell.dofs().gather(shell.evaluate(patch.x, in, true).gradient); });
    const double hessian = best(2, [&] { shell.hessian(patch.x, in, true, sum); });
    const double factor = best(1, [&] { shell.solver().factorize(sum.values()); });
    const double solve = best(3, [&] { g = shell.solver().solve(g); });
    sizes.push_back(static_cast<double>(patch.mesh.elements.rows()));
    const std::array<double, 5> row{1e3 * gradient, 1e3 * hessian, 1e3 * factor, 1e3 * solve,
                                    shell.solver().factor_megabytes()};
    for (std::size_t k = 0; k < row.size(); ++k) columns[k].push_back(row[k]);
    fmt::print("{:7} {:8} {:11.1f} {:11.1f} {:10.1f} {:9.1f} {:11.1f}\n", patch.mesh.elements.rows(),
               shell.dofs().free_count, row[0], row[1], row[2], row[3], row[4]);
  }
  fmt::print("log-log slope    {:11.2f} {:11.2f} {:10.2f} {:9.2f} {:11.2f}\n", slope(sizes, columns[0]),
             slope(sizes, columns[1]), slope(sizes, columns[2]), slope(sizes, columns[3]),
             slope(sizes, columns[4]));
}

}  // namespace
}  // namespace furrow::bench

int main() {
  using namespace furrow;
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    fmt::print("one thread, time an element, furrow : plain Eigen at the same rule\n");
    bench::element_rows(RuleKind::tensor, "75-point tensor rule", StackKind::stack);
    bench::element_rows(RuleKind::exact, "85-point rule", StackKind::stack);
    bench::element_rows(RuleKind::exact, "85-point rule in two layers", StackKind::seed);
    bench::lbfgs_row(26, 13);
    bench::rule_rows();
  }
  bench::growth();
  return 0;
}
