#include "forward/shell_theta.h"

#include "forward/base/error.h"

namespace furrow {

namespace {

/// Calls visit(name, first entry, count) for every block of theta, in the order of flat().
template <class Theta, class Visit>
void for_each_block(Theta& theta, const Visit& visit) {
  for (std::size_t l = 0; l < theta.layers.size(); ++l) {
    auto& layer = theta.layers[l];
    visit("young", l, &layer.young, 1);
    visit("poisson", l, &layer.poisson, 1);
    visit("stiffening", l, &layer.stiffening, 1);
    visit("steady_fraction", l, &layer.steady_fraction, 1);
    visit("relaxation_time", l, layer.times.data(), layer.times.size());
    visit("branch_weight", l, layer.weights.data(), layer.weights.size());
    visit("prestretch", l, layer.prestretch.data(), 2);
  }
  visit("stiffness", -1, &theta.ligament_stiffness, 1);
  visit("b", -1, theta.ligament_b.data(), theta.ligament_b.size());
  visit("skull", -1, &theta.skull_penalty, 1);
  for (std::size_t c = 0; c < theta.colliders.size(); ++c) {
    auto& collider = theta.colliders[c];
    visit("penalty", c, &collider.penalty, 1);
    visit("friction", c, &collider.friction, 1);
    visit("radius_change", c, &collider.radius_change, 1);
    visit("offset", c, collider.offset.data(), 3);
  }
  visit("density", -1, &theta.density, 1);
}

}  // namespace

int ShellTheta::size() const {
  Eigen::Index n = 0;
  for_each_block(*this, [&](const char*, std::size_t, const double*, Eigen::Index count) { n += count; });
  return static_cast<int>(n);
}

VectorXd ShellTheta::flat() const {
  VectorXd out(size());
  Eigen::Index at = 0;
  for_each_block(*this, [&](const char*, std::size_t, const double* from, Eigen::Index count) {
    std::copy_n(from, count, out.data() + at);
    at += count;
  });
  return out;
}

ShellTheta ShellTheta::like(const VectorXd& flat) const {
  require(flat.size() == size(), "ShellTheta::like: another size");
  ShellTheta out = *this;
  Eigen::Index at = 0;
  for_each_block(out, [&](const char*, std::size_t, double* to, Eigen::Index count) {
    std::copy_n(flat.data() + at, count, to);
    at += count;
  });
  return out;
}

std::vector<std::string> theta_names(const ShellTheta& theta, const std::vector<std::string>& layers,
                                     const std::vector<std::string>& colliders) {
  require(layers.size() == theta.layers.size() && colliders.size() == theta.colliders.size(),
          "theta_names: names do not fit theta");
  std::vector<std::string> names;
  bool in_colliders = false, in_layers = true;
  for_each_block(theta, [&](const std::string& key, std::size_t index, const double*, Eigen::Index count) {
    if (key == "stiffness") in_layers = false;
    if (key == "penalty") in_colliders = true;
    std::string stem = in_layers          ? "layers." + layers[index] + "." + key
                       : key == "density" ? key
                       : key == "skull"   ? "skull.penalty"
                       : in_colliders     ? "colliders." + colliders[index] + "." + key
                                          : "ligaments." + key;
    for (Eigen::Index k = 0; k < count; ++k)
      names.push_back(count == 1 && key != "b" ? stem : stem + "." + std::to_string(k));
  });
  return names;
}

}  // namespace furrow
