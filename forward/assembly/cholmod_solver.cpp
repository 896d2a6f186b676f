#include "forward/assembly/cholmod_solver.h"

#include <cholmod.h>
#include <dlfcn.h>
#include <tbb/parallel_for.h>

#include <stdexcept>

#include "forward/base/error.h"

namespace furrow {

namespace {

void* blas_symbol(const char* name) {
  return dlsym(RTLD_DEFAULT, name);
}

void keep_blas_on_one_thread() {
  static const bool done = [] {
    if (void* set = blas_symbol("openblas_set_num_threads")) reinterpret_cast<void (*)(int)>(set)(1);
    return true;
  }();
  (void)done;
}

constexpr int kSolveGroup =
    4;  ///< right-hand sides a solve takes at once; fixed, so that digits do not depend on threads

}  // namespace

bool blas_is_openblas() {
  return blas_symbol("openblas_get_config") != nullptr;
}

std::string blas_description() {
  if (void* get = blas_symbol("openblas_get_config")) return reinterpret_cast<char* (*)()>(get)();
  return "unknown (not OpenBLAS): install libopenblas-dev and select it with update-alternatives";
}

struct CholmodSolver::Impl {
  cholmod_common common{};
  cholmod_factor* factor = nullptr;
  std::vector<int> column_start, row;
  int size = 0;
  bool usable = false;

  cholmod_sparse matrix(double* values) {
    cholmod_sparse a{};
    a.nrow = a.ncol = size;
    a.nzmax = row.size();
    a.p = column_start.data();
    a.i = row.data();
    a.x = values;
    a.stype = -1;
    a.itype = CHOLMOD_INT;
    a.xtype = CHOLMOD_REAL;
    a.dtype = CHOLMOD_DOUBLE;
    a.sorted = 1;
    a.packed = 1;
    return a;
  }
};

namespace {

/// Fill-reducing order of the nodes' graph, expanded to their free dofs.
std::vector<int> order_by_nodes(const SymmetricPattern& pattern, const DofMap& dofs, cholmod_common& common) {
  const int nodes = static_cast<int>(pattern.node_start.size()) - 1;
  cholmod_sparse graph{};  // lower triangle by columns: node_start/node_neighbour list j >= i
  std::vector<double> unused;
  graph.nrow = graph.ncol = nodes;
  graph.nzmax = pattern.node_neighbour.size();
  graph.p = const_cast<int*>(pattern.node_start.data());
  graph.i = const_cast<int*>(pattern.node_neighbour.data());
  graph.stype = -1;
  graph.itype = CHOLMOD_INT;
  graph.xtype = CHOLMOD_PATTERN;
  graph.dtype = CHOLMOD_DOUBLE;
  graph.sorted = 1;
  graph.packed = 1;
  std::vector<int> node_order(nodes);
  const int ok = nodes > 2000 ? cholmod_metis(&graph, nullptr, 0, 1, node_order.data(), &common)
                              : cholmod_amd(&graph, nullptr, 0, node_order.data(), &common);
  if (!ok) throw std::runtime_error("the fill-reducing order failed (out of memory?)");
  std::vector<int> order;
  order.reserve(dofs.free_count);
  for (const int node : node_order)
    for (int c = 0; c < 3; ++c)
      if (const int dof = dofs.dof[3 * node + c]; dof >= 0) order.push_back(dof);
  return order;
}

}  // namespace

CholmodSolver::CholmodSolver(const SymmetricPattern& pattern, const DofMap& dofs)
    : impl_(std::make_unique<Impl>()) {
  keep_blas_on_one_thread();
  cholmod_common& common = impl_->common;
  cholmod_start(&common);
  common.print = 0;
  common.supernodal = CHOLMOD_SUPERNODAL;
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_GIVEN;
  common.postorder = 1;
  impl_->column_start = pattern.column_start;
  impl_->row = pattern.row;
  impl_->size = pattern.size;
  if (impl_->size == 0) return;  // everything is prescribed: nothing to solve for
  std::vector<int> order = order_by_nodes(pattern, dofs, common);
  std::vector<double> values(pattern.row.size(), 0.0);
  cholmod_sparse a = impl_->matrix(values.data());
  impl_->factor = cholmod_analyze_p(&a, order.data(), nullptr, 0, &common);
  if (!impl_->factor) {
    cholmod_finish(&common);
    throw std::runtime_error("the symbolic factorisation failed (out of memory?)");
  }
}

CholmodSolver::~CholmodSolver() {
  cholmod_free_factor(&impl_->factor, &impl_->common);
  cholmod_finish(&impl_->common);
}

bool CholmodSolver::factorize(const std::vector<double>& values) {
  require(values.size() == impl_->row.size(), "factorize: values do not fit the pattern");
  if (impl_->size == 0) return impl_->usable = true;
  cholmod_sparse a = impl_->matrix(const_cast<double*>(values.data()));
  const int ok = cholmod_factorize(&a, impl_->factor, &impl_->common);
  if (!ok && impl_->common.status == CHOLMOD_OUT_OF_MEMORY)
    throw std::runtime_error("the factorisation ran out of memory");
  impl_->usable =
      ok && impl_->common.status != CHOLMOD_NOT_POSDEF && impl_->factor->minor == impl_->factor->n;
  return impl_->usable;
}

bool CholmodSolver::factorized() const {
  return impl_->usable;
}

MatrixXd CholmodSolver::solve(const MatrixXd& b) const {
  require(impl_->usable, "solve: there is no factor");
  require(b.rows() == impl_->size, "solve: the right-hand side has another size");
  MatrixXd x(b.rows(), b.cols());
  if (impl_->size == 0) return x;
  const int groups = static_cast<int>((b.cols() + kSolveGroup - 1) / kSolveGroup);
  tbb::parallel_for(0, groups, [&](int group) {
    const int first = group * kSolveGroup;
    const int count = std::min<int>(kSolveGroup, static_cast<int>(b.cols()) - first);
    cholmod_common common{};
    cholmod_start(&common);
    common.print = 0;
    cholmod_dense rhs{};
    rhs.nrow = rhs.d = b.rows();
    rhs.ncol = count;
    rhs.nzmax = rhs.nrow * rhs.ncol;
    rhs.x = const_cast<double*>(b.col(first).data());
    rhs.xtype = CHOLMOD_REAL;
    rhs.dtype = CHOLMOD_DOUBLE;
    cholmod_dense* solution = cholmod_solve(CHOLMOD_A, impl_->factor, &rhs, &common);
    if (solution) {
      std::copy_n(static_cast<const double*>(solution->x), rhs.nzmax, x.col(first).data());
      cholmod_free_dense(&solution, &common);
    }
    cholmod_finish(&common);
  });
  return x;
}

double CholmodSolver::factor_megabytes() const {
  return impl_->factor ? impl_->factor->xsize * sizeof(double) / 1e6 : 0;
}
double CholmodSolver::factor_gigaflops() const {
  return impl_->common.fl / 1e9;
}

}  // namespace furrow
