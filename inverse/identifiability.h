// What the data determine: from the singular values of the whitened Jacobian at the solution, in log
// parameters.
//
//   C = (J'J)^-1 with the priors' rows in J;  C = C I_data C + C I_prior C  splits every variance into the
//   data's and the priors' part.
#pragma once

#include <string>
#include <vector>

#include "forward/base/types.h"

namespace furrow {

struct WeakCombination {
  std::vector<std::pair<std::string, double>>
      parts;  ///< name, component of the right singular vector; largest first
  double log_std = 0;
};

struct Identifiability {
  VectorXd log_std;                      ///< per parameter; infinite when dead
  VectorXd prior_share;                  ///< in [0, 1]
  MatrixXd covariance;                   ///< of log parameters (nuisances marginalised)
  std::vector<bool> dead;                ///< no residual feels it
  std::vector<WeakCombination> weakest;  ///< combinations with log_std above `report_above`, worst first
};

/// `J_data`, `J_prior`: rows x columns over (parameters, nuisances); the first `names.size()` columns are
/// d/d(log parameter). `inflation`: factor on the data's standard deviation (correlated or underestimated
/// noise), >= 1.
Identifiability analyse_identifiability(const MatrixXd& J_data, const MatrixXd& J_prior,
                                        const std::vector<std::string>& names, double inflation,
                                        double report_above = 0.5);

}  // namespace furrow
