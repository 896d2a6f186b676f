// scene.json in and out. The schema that editors complete from is data/schema/scene.schema.json; a test keeps
// both in step.
//
// Every mesh states its unit, or takes that of `surface`. Paths resolve against the file's own folder
// (PathRules). A key that the other keys leave without effect is refused like an unknown one, so that nobody
// waits for what it should have done.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "forward/base/json_file.h"
#include "forward/scene.h"

namespace furrow {

/// Throws InputError with file and key path.
Scene read_scene(const std::filesystem::path& file, const PathRules& rules = {});

/// Relative paths, units as strings; reads back to the same scene (apart from `file`). A file that does not
/// lie in the folder of `file` or below is named through "..", which is read with `--allow-outside` only: see
/// gather_files.
void write_scene(const std::filesystem::path& file, const Scene& scene);

/// Copies every file that the scene names into `folder` (made when missing); the scene returned names the
/// copies. Two files of the same name and different contents are told apart by a number.
Scene gather_files(const Scene& scene, const std::filesystem::path& folder);

/// Every file that the scene names, without the scene itself and without repetition: what fit.json lists as
/// inputs.
std::vector<std::filesystem::path> scene_files(const Scene& scene);

/// What is allowed but probably not meant, in words: linear tetrahedra at a high Poisson's ratio, gravity
/// unlike the Earth's.
std::vector<std::string> scene_warnings(const Scene& scene);

/// A mesh whose largest extent is not 100-400 mm is probably no head, or not in the unit stated: one sentence
/// that says so and what to try; empty when all is well. `name` is the file's name.
std::string size_warning(const Positions& vertices, const std::string& name, const std::string& unit);

/// Young's modulus of each cluster [MPa] as `tissue` says: by its name, or by "*". InputError for a cluster
/// without a value and for a value whose name is no cluster's.
VectorXd young_of_clusters(const Scene& scene, const std::vector<std::string>& clusters);

/// Reads the three components of a gravity ["0 m/s^2", "-9.81 m/s^2", "0 m/s^2"] in mm/s^2; refuses zero.
Vec3 read_gravity(const JsonNode& node);

/// The keys that the reader accepts, by the object that holds them: "" is the file itself, "bones[]" an entry
/// of a list.
std::map<std::string, std::vector<std::string>> scene_keys();

}  // namespace furrow
