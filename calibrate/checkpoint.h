// The journal of a fit (DESIGN 7.8): an append-only file that records every evaluation, and the equilibrium
// from which the next one starts. `--resume` replays the optimiser through it from the beginning, so that the
// continued fit gives the same digits.
//
// checkpoint/journal.bin   magic, identity of the inputs, then records: length, checksum, payload; a torn
// last record is dropped checkpoint/state_N.bin   positions after the N-th evaluation with a Jacobian (the
// last two are kept)
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "forward/base/types.h"
#include "inverse/gravity_experiment.h"
#include "inverse/least_squares.h"

namespace furrow {

struct EvaluationRecord {
  int stage = 0;
  int kind = 0;  ///< 0 residual, 1 residual and Jacobian, 2 cost and gradient
  int forward_solves = 0;
  int state = -1;  ///< number of the state file written with it; -1 none
  bool ok = false;
  std::string failure;
  VectorXd p, residual;  ///< kind 2: residual holds (cost, gradient)
  MatrixXd jacobian;
};

class Journal {
 public:
  /// A new journal (an old one is removed), or, when `resume`, the old one read back. `identity`: hash of
  /// inputs and options; InputError when the old journal has another, or when there is nothing to resume.
  Journal(const std::filesystem::path& folder, const std::string& identity, bool resume);

  std::optional<EvaluationRecord> replay();  ///< the next recorded evaluation, nothing when all are used
  void append(const EvaluationRecord& record);
  int save_state(const ExperimentStart& state);  ///< returns its number
  ExperimentStart load_state(int number) const;
  int replayed() const { return static_cast<int>(next_); }

 private:
  std::filesystem::path folder_;
  std::vector<EvaluationRecord> records_;
  std::size_t next_ = 0;
  int states_ = 0;
};

class HeadProblem;

/// A problem whose evaluations go through the journal.
class JournaledProblem final : public LeastSquares {
 public:
  JournaledProblem(HeadProblem& inner, Journal& journal, int stage)
      : inner_(inner), journal_(journal), stage_(stage) {}

  int size() const override;
  int residual_count() const override;
  std::optional<ResidualValue> evaluate(const VectorXd& p, bool with_jacobian) override;
  std::optional<ValueGradient> evaluate_gradient(const VectorXd& p) override;

  int forward_solves() const { return forward_solves_; }
  int failed_solves() const { return failed_; }
  /// Puts the inner problem where the last recorded evaluation left it.
  void catch_up();

 private:
  EvaluationRecord run(const VectorXd& p, int kind);

  HeadProblem& inner_;
  Journal& journal_;
  int stage_;
  int pending_state_ = -1;
  VectorXd last_p_;
  int forward_solves_ = 0, failed_ = 0;
};

}  // namespace furrow
