// CalculiX decks: their text, and a block under gravity against the exact 1-D solution of ccx's law.
#include "calibrate/export/calculix.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "forward/base/error.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using Fixed = Eigen::Matrix<bool, Eigen::Dynamic, 3, Eigen::RowMajor>;

constexpr double kHeight = 10, kWidth = 4;  // [mm]
constexpr double kYoung = 2.5e-3, kPoisson = 0.45, kDensity = 1e-9, kGravity = 9810;

// kWidth x kWidth x kHeight, cubes of 2 mm cut into six tetrahedra around their diagonal.
TetMesh make_block(int order) {
  constexpr int kNx = 3, kNz = 6;
  TetMesh mesh;
  mesh.order = 1;
  mesh.nodes.resize(kNx * kNx * kNz, 3);
  auto node = [](int i, int j, int k) { return (k * kNx + j) * kNx + i; };
  std::vector<std::array<int, 4>> tets;
  for (int k = 0; k < kNz; ++k)
    for (int j = 0; j < kNx; ++j)
      for (int i = 0; i < kNx; ++i) {
        mesh.nodes.row(node(i, j, k)) << 2 * i, 2 * j, 2 * k;
        if (i + 1 == kNx || j + 1 == kNx || k + 1 == kNz) continue;
        constexpr std::array<std::array<int, 3>, 6> kOrders{
            {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}}};
        for (std::size_t p = 0; p < 6; ++p) {
          std::array<int, 3> at{i, j, k};
          std::array<int, 4> tet{};
          tet[0] = node(at[0], at[1], at[2]);
          for (int step = 0; step < 3; ++step) {
            ++at[kOrders[p][step]];
            tet[step + 1] = node(at[0], at[1], at[2]);
          }
          if (p >= 3) std::swap(tet[2], tet[3]);  // odd permutations
          tets.push_back(tet);
        }
      }
  mesh.elements.resize(static_cast<int>(tets.size()), 4);
  for (std::size_t e = 0; e < tets.size(); ++e)
    for (int a = 0; a < 4; ++a) mesh.elements(static_cast<int>(e), a) = tets[e][a];
  return order == 1 ? mesh : elevate_order(mesh);
}

// Bottom held; side walls held across, so that the block is a piece of an infinite slab.
Fixed slab_walls(const TetMesh& mesh) {
  Fixed fixed = Fixed::Constant(mesh.node_count(), 3, false);
  for (int i = 0; i < mesh.node_count(); ++i) {
    const auto x = mesh.nodes.row(i);
    if (x[2] == 0) fixed.row(i).setConstant(true);
    if (x[0] == 0 || x[0] == kWidth) fixed(i, 0) = true;
    if (x[1] == 0 || x[1] == kWidth) fixed(i, 1) = true;
  }
  return fixed;
}

// Uniaxial strain F = diag(1, 1, s):  P(s) = mu/2 dI/ds + K (s - 1),  I = s^(-2/3) (2 + s^2),  P(s(Z)) = rho
// g (H - Z), u(H) = int_0^H (s - 1) dZ; g along +z (pulling). [mm]
double closed_form_top(double gravity) {
  const double mu = kYoung / (2 * (1 + kPoisson)), bulk = kYoung / (3 * (1 - 2 * kPoisson));
  auto stress = [&](double s) {
    const double dI = -4.0 / 3 * std::pow(s, -5.0 / 3) + 4.0 / 3 * std::pow(s, 1.0 / 3);
    return mu / 2 * dI + bulk * (s - 1);
  };
  constexpr int kSteps = 2000;
  double top = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double load = kDensity * gravity * kHeight * (1 - (i + 0.5) / kSteps);
    double low = 0.5, high = 2;
    for (int k = 0; k < 60; ++k) (stress((low + high) / 2) < load ? low : high) = (low + high) / 2;
    top += (low - 1) * kHeight / kSteps;
  }
  return top;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class CalculixRun : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v ccx >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "ccx is absent (Debian package calculix-ccx)";
  }

  // Mean z displacement of the top [mm].
  double top_of(const TetMesh& mesh, const VectorXd& young, double gravity) {
    write_calculix(folder_.path() / "block.inp", mesh, young, {kPoisson, kDensity, Vec3(0, 0, gravity)},
                   slab_walls(mesh));
    const std::string run =
        "cd " + folder_.path().string() + " && OMP_NUM_THREADS=1 ccx -i block > ccx.log 2>&1";
    EXPECT_EQ(std::system(run.c_str()), 0) << text_of(folder_.path() / "ccx.log");
    const Positions u = read_calculix_displacements(folder_.path() / "block.dat", mesh.node_count());
    double sum = 0;
    int count = 0;
    for (int i = 0; i < mesh.node_count(); ++i)
      if (mesh.nodes(i, 2) == kHeight) sum += u(i, 2), ++count;
    return sum / count;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(CalculixRun, QuadraticBlockAgreesWithTheClosedForm) {
  const TetMesh mesh = make_block(2);
  const VectorXd young = VectorXd::Constant(mesh.element_count(), kYoung);
  for (const double gravity : {kGravity, -kGravity}) {
    const double exact = closed_form_top(gravity);
    EXPECT_NEAR(top_of(mesh, young, gravity), exact, 1e-5 * std::abs(exact)) << "gravity " << gravity;
  }
}

TEST_F(CalculixRun, LinearBlockComesNear) {
  const TetMesh mesh = make_block(1);
  const double exact = closed_form_top(kGravity);
  EXPECT_NEAR(top_of(mesh, VectorXd::Constant(mesh.element_count(), kYoung), kGravity), exact, 0.05 * exact);
}

TEST_F(CalculixRun, MaterialsReachTheirElements) {
  // Lower half stiff by 4: the sag is that of the softer half, and a quarter of the rest.
  const TetMesh mesh = make_block(2);
  VectorXd young(mesh.element_count());
  for (int e = 0; e < young.size(); ++e) {
    double z = 0;
    for (int a = 0; a < 4; ++a) z += mesh.nodes(mesh.elements(e, a), 2) / 4;
    young[e] = z < 4 ? 4 * kYoung : kYoung;
  }
  // Small strain: u = rho g / M int (H - Z) dZ, so the stiff 0..4 mm hold 32/50 of it.
  const double uniform = closed_form_top(kGravity);
  EXPECT_NEAR(top_of(mesh, young, kGravity), uniform * (0.36 + 0.64 / 4), 0.005 * uniform);
}

TEST(Calculix, DeckHoldsUnitsSetsAndSteps) {
  const testing::TemporaryFolder folder;
  TetMesh mesh = make_block(1);
  write_calculix(folder.path() / "a.inp", mesh, VectorXd::Constant(mesh.element_count(), kYoung),
                 {kPoisson, kDensity, Vec3(0, 0, -kGravity)}, slab_walls(mesh));
  const std::string deck = text_of(folder.path() / "a.inp");
  EXPECT_NE(deck.find("*ELEMENT, TYPE=C3D4, ELSET=EALL"), std::string::npos);
  EXPECT_NE(deck.find("*HYPERELASTIC, NEO HOOKE\n431.034482759,0.00024\n*DENSITY\n0.001\n"),
            std::string::npos);
  EXPECT_NE(deck.find("*BOUNDARY\nNFIX,1,3\n10,1,1\n10,2,2\n11,2,2\n"), std::string::npos);
  EXPECT_NE(deck.find("EALL,GRAV,9810,0,0,-1\n"), std::string::npos);
  EXPECT_EQ(deck.find("E2,"), std::string::npos);
}

TEST(Calculix, GroupsEqualStiffnesses) {
  VectorXd young(5);
  young << 2, 1, 2, 3, 1.0001;
  const StiffnessGroups exact = group_stiffness(young);
  EXPECT_EQ(exact.young, (std::vector<double>{1, 1.0001, 2, 3}));
  EXPECT_EQ(exact.group, (std::vector<int>{2, 0, 2, 3, 1}));
  const StiffnessGroups binned = group_stiffness(young, 3);
  ASSERT_EQ(binned.young.size(), 3u);
  EXPECT_NEAR(binned.young[0], std::sqrt(1.0001), 1e-12);
  EXPECT_EQ(binned.group, (std::vector<int>{1, 0, 1, 2, 0}));
}

TEST(Calculix, BinsAreNoWiderThanAThousandth) {
  const VectorXd young = VectorXd::LinSpaced(5000, 1, 3);
  const StiffnessGroups groups = group_stiffness(young);
  EXPECT_LT(groups.young.size(), 1150u);
  for (int e = 0; e < young.size(); ++e) EXPECT_NEAR(groups.young[groups.group[e]] / young[e], 1, 1e-3);
}

TEST(Calculix, RefusesNonsenseAndLeavesNothing) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "a.inp";
  const TetMesh mesh = make_block(1);
  const VectorXd young = VectorXd::Constant(mesh.element_count(), kYoung);
  const Fixed fixed = slab_walls(mesh);
  const CalculixLoad load{kPoisson, kDensity, Vec3(0, 0, -kGravity)};
  EXPECT_THROW(write_calculix(file, mesh, young.head(3), load, fixed), std::logic_error);
  EXPECT_THROW(write_calculix(file, mesh, -young, load, fixed), std::logic_error);
  EXPECT_THROW(write_calculix(file, mesh, young, {0.5, kDensity, load.gravity}, fixed), std::logic_error);
  EXPECT_THROW(write_calculix(file, mesh, young, {kPoisson, kDensity, Vec3::Zero()}, fixed),
               std::logic_error);
  EXPECT_THROW(write_calculix(file, mesh, young, load, fixed.topRows(2)), std::logic_error);
  EXPECT_THROW(write_calculix(folder.path() / "missing" / "a.inp", mesh, young, load, fixed), InputError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Calculix, ReadsTheLastIncrement) {
  const testing::TemporaryFolder folder;
  const char* heading = "\n displacements (vx,vy,vz) for set NALL and time  0.1000000E+01\n\n";
  const std::string first = "         1  1.0E-01 -2.0E-02  0.0E+00\n         2  1.0E-01 -2.0E-02  3.0E+00\n";
  const std::string last = "         1  2.0E-01 -4.0E-02  0.0E+00\n         2  2.0E-01 -4.0E-02  6.0E+00\n";
  const Positions u = read_calculix_displacements(folder.write("a.dat", heading + first + heading + last), 2);
  EXPECT_EQ(u(0, 0), 0.2);
  EXPECT_EQ(u(1, 2), 6);
  EXPECT_THROW(read_calculix_displacements(folder.write("b.dat", heading + first), 3), InputError);
  EXPECT_THROW(read_calculix_displacements(folder.write("c.dat", heading + first), 1), InputError);
  EXPECT_THROW(read_calculix_displacements(folder.write("d.dat", ""), 2), InputError);
  EXPECT_THROW(read_calculix_displacements(folder.write("e.dat", std::string(heading) + " 1 0.1 x 0\n"), 2),
               InputError);
  EXPECT_THROW(read_calculix_displacements(folder.path() / "missing.dat", 2), InputError);
}

}  // namespace
}  // namespace furrow
