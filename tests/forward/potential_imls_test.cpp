// The IMLS surface against golden/contact.json (a paraboloid of radius 20 mm, spacing 2 mm, h = 5 mm), its
// derivatives by error order, and what happens off its support.
#include "forward/potential/imls_surface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/forward/point_law_checks.h"

namespace furrow {
namespace {

using testing::golden;
using testing::mat3;
using testing::positions;
using testing::vec3;

const std::vector<std::pair<ImlsKernel, std::string>> kernels{{ImlsKernel::wendland, "wendland_c2"},
                                                              {ImlsKernel::seed, "seed"},
                                                              {ImlsKernel::r2_quartic, "r2_quartic"}};

/// The unit normals of z = -(x^2 + y^2)/40 over a grid.
struct Paraboloid {
  Positions points, normals;
  explicit Paraboloid(int n = 9, double spacing = 2) : points(n * n, 3), normals(n * n, 3) {
    for (int i = 0; i < n * n; ++i) {
      const double x = (i / n - (n - 1) / 2.0) * spacing, y = (i % n - (n - 1) / 2.0) * spacing;
      points.row(i) << x, y, -(x * x + y * y) / 40;
      normals.row(i) = Vec3(x / 20, y / 20, 1).normalized();
    }
  }
};

ImlsSurface golden_surface(const nlohmann::json& g, ImlsKernel kernel) {
  return {positions(g["points"]), positions(g["normals"]), g["h"].get<double>(), kernel};
}

TEST(Imls, EqualsTheGoldenRowsOfThreeKernels) {
  const auto g = golden("contact.json")["imls"];
  for (const auto& [kernel, name] : kernels) {
    const ImlsSurface surface = golden_surface(g, kernel);
    for (std::size_t k = 0; k < g["queries"].size(); ++k) {
      const ImlsValue value = surface.value(vec3(g["queries"][k]));
      const auto& row = g[name][k];
      EXPECT_NEAR(value.g, row["g"].get<double>(), 1e-12);
      EXPECT_LT((value.gradient - vec3(row["grad"])).cwiseAbs().maxCoeff(), 1e-12) << name << " " << k;
      EXPECT_LT((value.hessian - mat3(row["hess"])).cwiseAbs().maxCoeff(), 1e-12) << name << " " << k;
      EXPECT_EQ(value.hessian, value.hessian.transpose());
    }
  }
}

/// The reference steps from 1e-12 mm beside the sample, whose kink has no value of its own: slope (g(e) -
/// g(e^2))/e.
TEST(Imls, OneSidedSlopesAtACloudPoint) {
  const auto g = golden("contact.json")["imls"];
  for (const auto& [kernel, name] : kernels) {
    const ImlsSurface surface = golden_surface(g, kernel);
    const Vec3 p = positions(g["points"]).row(40);
    const auto slope = [&](const Vec3& v, double e) {
      return (surface.value(p + e * v).g - surface.value(p + e * e * v).g) / e;
    };
    const auto expected = g[name + "_one_sided_slopes_at_sample_40"].get<std::vector<double>>();
    EXPECT_NEAR(slope(Vec3::UnitX(), 1e-6), expected[0], 1e-9) << name;
    EXPECT_NEAR(-slope(-Vec3::UnitX(), 1e-6), expected[1], 1e-9) << name;
    EXPECT_NEAR(slope(Vec3::UnitZ(), 1e-6), expected[2], 1e-9) << name;
    EXPECT_NEAR(-slope(-Vec3::UnitZ(), 1e-6), expected[3], 1e-9) << name;
    const ImlsValue at = surface.value(p);  // exactly on the sample: finite, the mean of the two sides
    EXPECT_TRUE(std::isfinite(at.g) && at.gradient.allFinite() && at.hessian.allFinite());
    EXPECT_NEAR(at.gradient.x(), (expected[0] + expected[1]) / 2, 2e-6) << name;
    EXPECT_NEAR(at.gradient.z(), (expected[2] + expected[3]) / 2, 2e-6) << name;
  }
}

TEST(Imls, DerivativesHaveTheRightOrder) {
  const Paraboloid cloud;
  for (const auto& [kernel, name] : kernels) {
    SCOPED_TRACE(name);
    const ImlsSurface surface(cloud.points, cloud.normals, 5, kernel);
    const auto law = [&](const Vec3& x) {
      const ImlsValue value = surface.value(x);
      return PointValue{value.g, value.gradient, value.hessian};
    };
    for (const Vec3& x :
         {Vec3(0.7, 0.9, 0.4), Vec3(1.1, -2.7, -0.5), Vec3(-6.5, 5.1, -2.5), Vec3(3.1, 0.8, 3.0)}) {
      testing::check_point_law(law, x, 1e-3);
      testing::check_components([&](const Vec3& y) { return law(y).gradient; }, law(x).hessian, x, 1e-5,
                                1e-7);
    }
  }
}

TEST(Imls, CloudPointsAreSmoothButForTheSeed) {
  const Paraboloid cloud;
  const Vec3 p = cloud.points.row(30);
  for (const auto& [kernel, name] : kernels) {
    if (kernel == ImlsKernel::seed) continue;
    const ImlsSurface surface(cloud.points, cloud.normals, 5, kernel);
    testing::check_components([&](const Vec3& y) { return surface.value(y).gradient; },
                              surface.value(p).hessian, p, 1e-5, 1e-6);
    EXPECT_LT((surface.value(p + Vec3(1e-10, 0, 0)).hessian - surface.value(p).hessian).norm(), 1e-8);
  }
}

TEST(Imls, HessianIsLeftOutOnRequest) {
  const Paraboloid cloud;
  const ImlsSurface surface(cloud.points, cloud.normals, 5, ImlsKernel::wendland);
  const Vec3 x(0.7, 0.9, 0.4);
  EXPECT_NEAR(surface.value(x, false).g, surface.value(x).g,
              1e-15);  // compiled apart: sums may be fused differently
  EXPECT_LT((surface.value(x, false).gradient - surface.value(x).gradient).norm(), 1e-14);
  EXPECT_EQ(surface.value(x, false).hessian, Mat3(Mat3::Zero()));
}

/// On the true surface, curved with radius 20 mm, the distance is biased towards the inside (THEORY 0.4).
TEST(Imls, CurvedBoneIsBiasedAsTheTheorySays) {
  const Paraboloid cloud;
  for (const auto& [kernel, name] : kernels) {
    const ImlsSurface surface(cloud.points, cloud.normals, 5, kernel);
    double sum = 0;
    int count = 0;
    for (double x = -2; x <= 2; x += 0.37) {
      for (double y = -2; y <= 2; y += 0.37, ++count)
        sum += surface.value(Vec3(x, y, -(x * x + y * y) / 40)).g;
    }
    const double expected = golden("contact.json")["imls"][name + "_g_on_surface"]["mean"];
    EXPECT_NEAR(sum / count, expected, 0.004) << name;
  }
}

TEST(Imls, EmptySupportIsThePlaneOfTheNearestPoint) {
  const Paraboloid cloud;
  for (const auto& [kernel, name] : kernels) {
    const ImlsSurface surface(cloud.points, cloud.normals, 2.5, kernel);
    const Vec3 apex = cloud.points.row(40), n = cloud.normals.row(40);
    const ImlsValue deep = surface.value(apex - 7 * n + Vec3(0.1, 0, 0));
    EXPECT_NEAR(deep.g, -7, 1e-12);  // it does not fall through
    EXPECT_EQ(deep.gradient, n);
    EXPECT_EQ(deep.hessian, Mat3(Mat3::Zero()));
    EXPECT_GT(surface.value(apex + 7 * n).g, 0);
    // a sum of weights at rounding level is no support either, and nothing jumps on the way there
    for (const double d : {2.5 - 1e-4, 2.5 - 1e-6, 2.5 - 1e-9, 2.5, 2.5 + 1e-9}) {
      const ImlsValue value = surface.value(apex + d * n);
      EXPECT_NEAR(value.g, d, 1e-3) << name;
      EXPECT_TRUE(value.gradient.allFinite() && value.hessian.allFinite()) << name << " " << d;
    }
  }
}

TEST(Imls, MovesWithTheBody) {
  const Paraboloid cloud;
  const Mat3 Q = testing::some_rotation();
  const Vec3 t(30, -20, 10), x(1.1, -2.3, -0.5);
  const Positions turned = (cloud.points * Q.transpose()).rowwise() + t.transpose();
  const Positions turned_normals = cloud.normals * Q.transpose();
  const ImlsValue a = ImlsSurface(cloud.points, cloud.normals, 5, ImlsKernel::wendland).value(x);
  const ImlsValue b = ImlsSurface(turned, turned_normals, 5, ImlsKernel::wendland).value(Q * x + t);
  EXPECT_NEAR(a.g, b.g, 1e-13);
  EXPECT_LT((Q * a.gradient - b.gradient).norm(), 1e-13);
  EXPECT_LT((Q * a.hessian * Q.transpose() - b.hessian).norm(), 1e-13);
}

TEST(Imls, FlatBoneIsExact) {
  Positions points = Paraboloid().points, normals(points.rows(), 3);
  points.col(2).setZero();
  normals.rowwise() = Vec3::UnitZ().transpose();
  const ImlsValue value = ImlsSurface(points, normals, 5, ImlsKernel::wendland).value(Vec3(0.3, 0.4, -0.7));
  EXPECT_NEAR(value.g, -0.7, 1e-14);
  EXPECT_LT((value.gradient - Vec3::UnitZ()).norm(), 1e-14);
  EXPECT_LT(value.hessian.norm(), 1e-14);
}

TEST(Imls, ThreadsReadTogether) {
  const Paraboloid cloud(21);
  const ImlsSurface surface(cloud.points, cloud.normals, 5, ImlsKernel::wendland);
  const auto query = [](int k) { return Vec3(std::sin(k) * 8, std::cos(1.7 * k) * 8, -1); };
  std::vector<double> alone(2000), together(2000);
  for (int k = 0; k < 2000; ++k) alone[static_cast<std::size_t>(k)] = surface.value(query(k)).g;
  std::vector<std::thread> threads;
  for (int part = 0; part < 4; ++part) {
    threads.emplace_back([&, part] {
      for (int k = part; k < 2000; k += 4) together[static_cast<std::size_t>(k)] = surface.value(query(k)).g;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(alone, together);
}

/// g = sum theta n.(x - p) / sum theta, over all points of the cloud.
double plain_sum(const Positions& points, const Positions& normals, double h, const Vec3& x) {
  double S = 0, N = 0;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const Vec3 r = x - points.row(i).transpose();
    const double a = r.norm() / h, theta = a < 1 ? std::pow(1 - a, 4) * (4 * a + 1) : 0;
    S += theta;
    N += theta * r.dot(normals.row(i));
  }
  return S < 1e-12 ? std::nan("") : N / S;
}

TEST(Imls, NoNeighbourIsMissedOrCountedTwice) {
  const Positions points =
      Eigen::Map<const Positions>(testing::random_vector(900, 3, 6.0).eval().data(), 300, 3);
  const Positions normals = Eigen::Map<const Positions>(testing::random_vector(900, 4).eval().data(), 300, 3)
                                .rowwise()
                                .normalized();
  for (const double h : {0.01, 0.9, 2.5, 7.0, 100.0}) {  // from no neighbour at all to every point
    const ImlsSurface surface(points, normals, h, ImlsKernel::wendland);
    int within = 0;
    for (unsigned k = 0; k < 400; ++k) {
      const Vec3 x = k < 300 ? Vec3(points.row(k).transpose() + testing::random_vector(3, k, h / 3))
                             : Vec3(testing::random_vector(3, k, 12));
      const double expected = plain_sum(points, normals, h, x);
      if (std::isnan(expected)) continue;
      ++within;
      EXPECT_NEAR(surface.value(x).g, expected, 1e-12 * (1 + h)) << h << " " << k;
    }
    EXPECT_GT(within, 250);
  }
}

TEST(Imls, RadiusFollowsTheSpacing) {
  EXPECT_NEAR(imls_radius(Paraboloid(41, 0.25).points), 2.5 * 0.25,
              0.03);  // the rim and the slope add a little
  Positions line(3, 3);
  line << 0, 0, 0, 1, 0, 0, 2, 0, 0;
  EXPECT_NEAR(imls_radius(line), 2.5 * (1.5 + 1 + 1.5) / 3, 1e-14);
  EXPECT_THROW(imls_radius(Positions::Zero(1, 3)), std::invalid_argument);
  EXPECT_THROW(imls_radius(Positions::Zero(4, 3)), std::invalid_argument);
}

TEST(Imls, RefusesBadClouds) {
  const Paraboloid cloud;
  const auto make = [&](const Positions& points, const Positions& normals, double h) {
    return ImlsSurface(points, normals, h, ImlsKernel::wendland);
  };
  EXPECT_THROW(make(cloud.points, cloud.normals.topRows(3), 5), std::invalid_argument);
  EXPECT_THROW(make(cloud.points, cloud.normals, 0), std::invalid_argument);
  EXPECT_THROW(make(cloud.points, cloud.normals, std::nan("")), std::invalid_argument);
  EXPECT_THROW(make(Positions(0, 3), Positions(0, 3), 5), std::invalid_argument);
  Positions broken = cloud.points;
  broken(3, 1) = std::nan("");
  EXPECT_THROW(make(broken, cloud.normals, 5), std::invalid_argument);
  const ImlsSurface moved = make(cloud.points, cloud.normals, 5);  // and it can be moved from a function
  EXPECT_EQ(moved.h(), 5);
}

}  // namespace
}  // namespace furrow
