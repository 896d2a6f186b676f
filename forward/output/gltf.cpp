// The only file that includes tinygltf.
#include "forward/output/gltf.h"

#include <tiny_gltf.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>

#include "forward/base/error.h"
#include "forward/base/text_file.h"

namespace furrow {
namespace {

constexpr double kMetresPerMillimetre = 0.001;

using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// Appends arrays to the model's one buffer; returns accessor indices.
class Arrays {
 public:
  explicit Arrays(tinygltf::Model& model) : model_(model) { model_.buffers.emplace_back(); }

  int positions(const FloatRows& rows) {
    const int index = vectors(rows);
    tinygltf::Accessor& accessor = model_.accessors[index];
    for (int k = 0; k < 3; ++k) {
      accessor.minValues.push_back(rows.col(k).minCoeff());
      accessor.maxValues.push_back(rows.col(k).maxCoeff());
    }
    return index;
  }
  int vectors(const FloatRows& rows) {
    return append(rows.data(), rows.rows(), 3 * sizeof(float), TINYGLTF_COMPONENT_TYPE_FLOAT,
                  TINYGLTF_TYPE_VEC3, TINYGLTF_TARGET_ARRAY_BUFFER);
  }
  int colours(const std::vector<std::uint16_t>& rgba) {
    const int index =
        append(rgba.data(), rgba.size() / 4, 4 * sizeof(std::uint16_t),
               TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT, TINYGLTF_TYPE_VEC4, TINYGLTF_TARGET_ARRAY_BUFFER);
    model_.accessors[index].normalized = true;
    return index;
  }
  int indices(const Triangles& triangles) {
    const std::vector<std::uint32_t> flat(triangles.data(), triangles.data() + triangles.size());
    return append(flat.data(), flat.size(), sizeof(std::uint32_t), TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT,
                  TINYGLTF_TYPE_SCALAR, TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER);
  }
  int scalars(const std::vector<float>& values, bool with_bounds) {
    const int index = append(values.data(), values.size(), sizeof(float), TINYGLTF_COMPONENT_TYPE_FLOAT,
                             TINYGLTF_TYPE_SCALAR, 0);
    if (with_bounds) {
      model_.accessors[index].minValues = {values.front()};
      model_.accessors[index].maxValues = {values.back()};
    }
    return index;
  }

 private:
  int append(const void* data, std::size_t count, std::size_t stride, int component, int type, int target) {
    std::vector<unsigned char>& bytes = model_.buffers[0].data;  // every array is a multiple of four bytes
    tinygltf::BufferView view;
    view.buffer = 0;
    view.byteOffset = bytes.size();
    view.byteLength = count * stride;
    view.target = target;
    bytes.resize(bytes.size() + view.byteLength);
    std::memcpy(bytes.data() + view.byteOffset, data, view.byteLength);
    model_.bufferViews.push_back(view);
    tinygltf::Accessor accessor;
    accessor.bufferView = static_cast<int>(model_.bufferViews.size()) - 1;
    accessor.componentType = component;
    accessor.type = type;
    accessor.count = count;
    model_.accessors.push_back(accessor);
    return static_cast<int>(model_.accessors.size()) - 1;
  }

  tinygltf::Model& model_;
};

void check(const GltfScene& scene) {
  const SurfaceMesh& mesh = scene.mesh;
  require(mesh.triangle_count() > 0, "write_gltf: the surface has no triangles");
  require(mesh.vertices.allFinite(), "write_gltf: a position is not finite");
  require(mesh.triangles.minCoeff() >= 0 && mesh.triangles.maxCoeff() < mesh.vertex_count(),
          "write_gltf: a triangle names no vertex");
  require(mesh.colours.rows() == 0 || mesh.colours.rows() == mesh.vertex_count(),
          "write_gltf: one colour a vertex");
  require(scene.seconds_per_pose > 0, "write_gltf: seconds_per_pose must be positive");
  require(scene.times.empty() || scene.times.size() == scene.poses.size(), "write_gltf: one time a pose");
  for (std::size_t k = 0; k < scene.times.size(); ++k)
    require(std::isfinite(scene.times[k]) && scene.times[k] > (k == 0 ? 0 : scene.times[k - 1]),
            "write_gltf: times must ascend from above 0");
  for (const GltfPose& pose : scene.poses) {
    require(pose.vertices.rows() == mesh.vertex_count(), "write_gltf: a pose has another number of vertices");
    require(pose.vertices.allFinite(), "write_gltf: a position of a pose is not finite");
  }
}

/// Unit normals; vertices that no triangle touches get +z, since glTF allows no zero normal.
FloatRows unit_normals(SurfaceMesh mesh, const Positions& vertices) {
  mesh.vertices = vertices;
  Positions normals = vertex_normals(mesh);
  for (int i = 0; i < normals.rows(); ++i) {
    const double length = normals.row(i).norm();
    if (length > 0.5)
      normals.row(i) /= length;
    else
      normals.row(i) << 0, 0, 1;
  }
  return normals.cast<float>();
}

FloatRows in_metres(const Positions& millimetres) {
  return (kMetresPerMillimetre * millimetres).cast<float>();
}

/// glTF multiplies vertex colours in linear light; ours are sRGB. 16 bits keep the dark ones apart.
std::vector<std::uint16_t> linear_colours(const SurfaceMesh& mesh) {
  std::vector<std::uint16_t> rgba;
  for (int i = 0; i < mesh.vertex_count(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const double v = mesh.colours(i, k) / 255.0;
      const double linear = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
      rgba.push_back(static_cast<std::uint16_t>(std::lround(65535 * linear)));
    }
    rgba.push_back(65535);
  }
  return rgba;
}

tinygltf::Value text_value(const std::string& text) {
  return tinygltf::Value(text);
}

tinygltf::Mesh make_mesh(const GltfScene& scene, Arrays& arrays) {
  const FloatRows normals = unit_normals(scene.mesh, scene.mesh.vertices);
  tinygltf::Primitive primitive;
  primitive.mode = TINYGLTF_MODE_TRIANGLES;
  primitive.material = 0;
  primitive.indices = arrays.indices(scene.mesh.triangles);
  primitive.attributes["POSITION"] = arrays.positions(in_metres(scene.mesh.vertices));
  primitive.attributes["NORMAL"] = arrays.vectors(normals);
  if (scene.mesh.colours.rows() > 0)
    primitive.attributes["COLOR_0"] = arrays.colours(linear_colours(scene.mesh));
  tinygltf::Mesh mesh;
  mesh.name = scene.name;
  tinygltf::Value::Array names;
  for (const GltfPose& pose : scene.poses) {
    primitive.targets.push_back(
        {{"POSITION", arrays.positions(in_metres(pose.vertices - scene.mesh.vertices))},
         {"NORMAL", arrays.vectors(unit_normals(scene.mesh, pose.vertices) - normals)}});
    names.push_back(text_value(pose.name));
    mesh.weights.push_back(0);
  }
  mesh.primitives.push_back(primitive);
  if (!names.empty())
    mesh.extras = tinygltf::Value(tinygltf::Value::Object{{"targetNames", tinygltf::Value(names)}});
  return mesh;
}

/// Key 0 is the neutral, key k the k-th pose alone.
tinygltf::Animation make_animation(const GltfScene& scene, Arrays& arrays) {
  const std::size_t poses = scene.poses.size();
  std::vector<float> times, weights((poses + 1) * poses, 0.0F);
  for (std::size_t key = 0; key <= poses; ++key) {
    const bool own = key > 0 && !scene.times.empty();
    times.push_back(
        static_cast<float>(own ? scene.times[key - 1] : static_cast<double>(key) * scene.seconds_per_pose));
    if (key > 0) weights[key * poses + key - 1] = 1;
  }
  tinygltf::AnimationSampler sampler;
  sampler.input = arrays.scalars(times, true);
  sampler.output = arrays.scalars(weights, false);
  tinygltf::AnimationChannel channel;
  channel.sampler = 0;
  channel.target_node = 0;
  channel.target_path = "weights";
  tinygltf::Animation animation;
  animation.name = "poses";
  animation.samplers.push_back(sampler);
  animation.channels.push_back(channel);
  return animation;
}

tinygltf::Material skin_material() {
  tinygltf::Material material;
  material.name = "skin";
  material.pbrMetallicRoughness.metallicFactor = 0;
  material.pbrMetallicRoughness.roughnessFactor = 0.8;
  material.doubleSided = true;  // scans are open
  return material;
}

tinygltf::Model make_model(const GltfScene& scene) {
  tinygltf::Model model;
  model.asset.version = "2.0";
  model.asset.generator = "furrow";
  model.asset.extras = tinygltf::Value(tinygltf::Value::Object{
      {"furrow", tinygltf::Value(1)}, {"unit", text_value("m")}, {"frame", text_value(scene.frame)}});
  Arrays arrays(model);
  model.materials.push_back(skin_material());
  model.meshes.push_back(make_mesh(scene, arrays));
  tinygltf::Node node;
  node.name = scene.name;
  node.mesh = 0;
  model.nodes.push_back(node);
  tinygltf::Scene root;
  root.name = scene.name;
  root.nodes = {0};
  model.scenes.push_back(root);
  model.defaultScene = 0;
  if (!scene.poses.empty()) model.animations.push_back(make_animation(scene, arrays));
  require(model.buffers[0].data.size() < std::numeric_limits<std::uint32_t>::max() - (1u << 24),
          "write_gltf: a GLB file holds at most 4 GiB; write fewer poses");
  return model;
}

}  // namespace

void write_gltf(const std::filesystem::path& file, const GltfScene& scene) {
  if (file.extension() != ".glb")
    throw InputError(file.string(), "glTF is written as one binary file; change the extension to .glb");
  check(scene);
  const tinygltf::Model model = make_model(scene);
  std::ostringstream bytes(std::ios::binary);
  tinygltf::TinyGLTF writer;
  require(writer.WriteGltfSceneToStream(&model, bytes, false, true),
          "write_gltf: tinygltf refused the model");
  write_text_atomically(file, bytes.str());
}

}  // namespace furrow
