// All that a step of a shell's history remembers. States, their differentials (tangent) and their cotangents
// (adjoint) are the same type.
#pragma once

#include <memory>
#include <vector>

#include "forward/base/types.h"

namespace furrow {

/// A value shared between copies until one of them changes it: histories are large and most steps leave them
/// alone.
template <class T>
class Shared {
 public:
  Shared() : value_(std::make_shared<T>()) {}
  explicit Shared(T value) : value_(std::make_shared<T>(std::move(value))) {}
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  T& edit() {
    if (value_.use_count() > 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }

 private:
  std::shared_ptr<T> value_;
};

/// F^v of every branch at every quadrature point: per pack of four points 36 doubles, entry (i, j) of lane l
/// at 36 pack + 4 (3 i + j) + l.
struct ViscousHistory {
  std::vector<VectorXd> branch;
};

/// What friction remembers of a collider's contact at every point of the outer surface.
struct ContactLag {
  VectorXd pressure;  ///< f_n [MPa]
  Positions normal;   ///< n, one row a point
};

struct ShellState {
  Positions x;            ///< n x 3 [mm]
  Positions frame_start;  ///< x at the beginning of the frame, from which slip is measured
  Shared<ViscousHistory> history;
  std::vector<ContactLag> lag;  ///< one a collider

  ShellState zero() const;  ///< of the same shape
  void add(double factor, const ShellState& other);
  double dot(const ShellState& other) const;
};

}  // namespace furrow
