// Writers. Numbers have the shortest text that reads back to the same double.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "forward/base/error.h"
#include "forward/base/mesh_io.h"
#include "forward/base/text_file.h"

namespace furrow {

namespace {

using Colours = decltype(SurfaceMesh::colours);

void append(std::string& text, double value) {
  std::array<char, 32> buffer;
  text.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
}

void append(std::string& text, int value) {
  std::array<char, 16> buffer;
  text.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
}

void check(const SurfaceMesh& mesh) {
  require(mesh.vertices.allFinite(), "write_surface: finite vertices");
  require(mesh.triangle_count() == 0 ||
              (mesh.triangles.minCoeff() >= 0 && mesh.triangles.maxCoeff() < mesh.vertex_count()),
          "write_surface: triangles name vertices of the mesh");
  require(mesh.colours.rows() == 0 || mesh.colours.rows() == mesh.vertex_count(),
          "write_surface: one colour a vertex, or none");
  require(mesh.group_names.empty() || static_cast<int>(mesh.triangle_group.size()) == mesh.triangle_count(),
          "write_surface: one group a triangle, or no groups");
}

std::string obj_text(const SurfaceMesh& mesh) {
  std::string text = "# unit mm, written by furrow; format 1\n";
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    text += 'v';
    for (int axis = 0; axis < 3; ++axis) append(text += ' ', mesh.vertices(v, axis));
    if (mesh.colours.rows() > 0) {
      for (int k = 0; k < 3; ++k) append(text += ' ', mesh.colours(v, k) / 255.0);
    }
    text += '\n';
  }
  for (const std::string& name : mesh.group_names) text += "g " + name + "\n";  // keeps their order
  int group = static_cast<int>(mesh.group_names.size()) - 1;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    if (!mesh.group_names.empty() && mesh.triangle_group[static_cast<std::size_t>(t)] != group) {
      group = mesh.triangle_group[static_cast<std::size_t>(t)];
      text += "g " + mesh.group_names.at(static_cast<std::size_t>(group)) + "\n";
    }
    text += 'f';
    for (int k = 0; k < 3; ++k) append(text += ' ', mesh.triangles(t, k) + 1);
    text += '\n';
  }
  return text;
}

/// With a scalar called `name` where `values` is given.
std::string ply_text(const SurfaceMesh& mesh, const Colours& colours, const std::string& name,
                     const VectorXd* values) {
  std::string text = "ply\nformat ascii 1.0\ncomment unit mm, written by furrow; format 1\n";
  text += "element vertex " + std::to_string(mesh.vertex_count()) + "\n";
  text += "property double x\nproperty double y\nproperty double z\n";
  if (values) text += "property double " + name + "\n";
  if (colours.rows() > 0) text += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  text += "element face " + std::to_string(mesh.triangle_count()) +
          "\nproperty list uchar int vertex_indices\nend_header\n";
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    for (int axis = 0; axis < 3; ++axis) {
      if (axis > 0) text += ' ';
      append(text, mesh.vertices(v, axis));
    }
    if (values) append(text += ' ', (*values)[v]);
    for (int k = 0; k < 3 && colours.rows() > 0; ++k) append(text += ' ', static_cast<int>(colours(v, k)));
    text += '\n';
  }
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    text += '3';
    for (int k = 0; k < 3; ++k) append(text += ' ', mesh.triangles(t, k));
    text += '\n';
  }
  return text;
}

/// From dark blue (0) over green to red (1); grey where the value is not a number.
std::array<std::uint8_t, 3> colour_of(double fraction) {
  constexpr std::array<std::array<double, 3>, 5> stops{
      {{36, 40, 110}, {30, 110, 165}, {70, 165, 120}, {228, 200, 80}, {190, 40, 40}}};
  if (std::isnan(fraction)) return {128, 128, 128};
  const double at = std::clamp(fraction, 0.0, 1.0) * (stops.size() - 1);
  const std::size_t left = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const double s = at - static_cast<double>(left);
  std::array<std::uint8_t, 3> colour{};
  for (std::size_t k = 0; k < 3; ++k) {
    colour[k] = static_cast<std::uint8_t>(std::lround((1 - s) * stops[left][k] + s * stops[left + 1][k]));
  }
  return colour;
}

}  // namespace

void write_surface(const std::filesystem::path& file, const SurfaceMesh& mesh) {
  check(mesh);
  if (file.extension() == ".obj") return write_text_atomically(file, obj_text(mesh));
  if (file.extension() == ".ply")
    return write_text_atomically(file, ply_text(mesh, mesh.colours, "", nullptr));
  throw InputError(file.string(), "surfaces are written as .obj or .ply; change the extension");
}

void write_surface_with_scalar(const std::filesystem::path& file, const SurfaceMesh& mesh,
                               const std::string& name, const VectorXd& values, double low, double high) {
  check(mesh);
  require(values.size() == mesh.vertex_count(), "write_surface_with_scalar: one value a vertex");
  require(!name.empty() && name.find_first_of(" \t\r\n") == name.npos,
          "write_surface_with_scalar: a name without blanks");
  if (file.extension() != ".ply")
    throw InputError(file.string(), "surfaces with a scalar are written as .ply");
  Colours colours(mesh.vertex_count(), 3);
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    const double fraction =
        high > low ? (values[v] - low) / (high - low) : (std::isnan(values[v]) ? values[v] : 0.0);
    const auto colour = colour_of(fraction);
    for (std::size_t k = 0; k < 3; ++k) colours(v, static_cast<int>(k)) = colour[k];
  }
  write_text_atomically(file, ply_text(mesh, colours, name, &values));
}

}  // namespace furrow
