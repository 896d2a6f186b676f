#include "calibrate/report/picture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forward/base/error.h"

namespace furrow {

namespace {

/// From mm in the head frame to pixels: x right, y down, depth towards the viewer.
class View {
 public:
  View(const Positions& vertices, int width) {
    const Eigen::RowVector3d low = vertices.colwise().minCoeff(), high = vertices.colwise().maxCoeff();
    constexpr double kMargin = 0.03;
    const double span = std::max(high.x() - low.x(), 1e-9);
    scale_ = width * (1 - 2 * kMargin) / span;
    left_ = low.x() - kMargin * span;
    top_ = high.y() + kMargin * span;
    height =
        std::clamp(static_cast<int>(std::ceil((top_ - low.y() + kMargin * span) * scale_)), 1, 4 * width);
  }
  Vec3 operator()(const Eigen::RowVector3d& x) const {
    return {(x.x() - left_) * scale_, (top_ - x.y()) * scale_, x.z()};
  }

  int height;

 private:
  double scale_, left_, top_;
};

/// Twice the signed area of (a, b, p) in the picture's plane.
double side(const Vec3& a, const Vec3& b, double x, double y) {
  return (b.x() - a.x()) * (y - a.y()) - (b.y() - a.y()) * (x - a.x());
}

class Canvas {
 public:
  Canvas(int width, int height)
      : picture{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(3) * width * height, 255)},
        depth_(static_cast<std::size_t>(width) * height, -std::numeric_limits<double>::infinity()) {}

  /// Corners in pixels and depth; colours in [0, 255], lit already. Nearer pixels win.
  void triangle(const std::array<Vec3, 3>& at, const std::array<Vec3, 3>& colour) {
    const double area = side(at[0], at[1], at[2].x(), at[2].y());
    if (std::abs(area) < 1e-12) return;
    const auto [x0, x1] = std::minmax({at[0].x(), at[1].x(), at[2].x()});
    const auto [y0, y1] = std::minmax({at[0].y(), at[1].y(), at[2].y()});
    for (int y = std::max(0, static_cast<int>(y0)); y <= std::min(picture.height - 1, static_cast<int>(y1));
         ++y)
      for (int x = std::max(0, static_cast<int>(x0)); x <= std::min(picture.width - 1, static_cast<int>(x1));
           ++x) {
        const double px = x + 0.5, py = y + 0.5;
        const double u = side(at[1], at[2], px, py) / area, v = side(at[2], at[0], px, py) / area,
                     w = 1 - u - v;
        if (u < 0 || v < 0 || w < 0) continue;
        const double z = u * at[0].z() + v * at[1].z() + w * at[2].z();
        double& nearest = depth_[static_cast<std::size_t>(y) * picture.width + x];
        if (z <= nearest) continue;
        nearest = z;
        const Vec3 c = u * colour[0] + v * colour[1] + w * colour[2];
        for (int k = 0; k < 3; ++k)
          picture.rgb[3 * (static_cast<std::size_t>(y) * picture.width + x) + k] =
              static_cast<std::uint8_t>(std::lround(std::clamp(c[k], 0.0, 255.0)));
      }
  }

  Picture picture;

 private:
  std::vector<double> depth_;
};

}  // namespace

Picture draw_front(const SurfaceMesh& mesh, int width) {
  require(mesh.triangle_count() > 0 && mesh.colours.rows() == mesh.vertex_count(),
          "draw_front: triangles and colours");
  const View view(mesh.vertices, width);
  const Positions normals = vertex_normals(mesh);
  Canvas canvas(width, view.height);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    std::array<Vec3, 3> at, colour;
    for (int k = 0; k < 3; ++k) {
      const int v = mesh.triangles(t, k);
      at[k] = view(mesh.vertices.row(v));
      colour[k] = mesh.colours.row(v).cast<double>().transpose() * (0.45 + 0.55 * std::abs(normals(v, 2)));
    }
    canvas.triangle(at, colour);
  }
  return std::move(canvas.picture);
}

std::string to_base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63];
  }
  return text;
}

}  // namespace furrow
