// `furrow export`: a calibrated scene as files of other programs. Needs the scene.json that `furrow fit`
// wrote (any scene of model "tet" will do) and nothing else of the fit; where `validate` has run, the glTF
// carries its colours.
//
//   scene     scene/scene.json with a copy of every file it names
//   vtu       vtu/<pose>.vtu: the rest shape, `displacement` from it, `young_kPa` per element      ParaView
//   gltf      head.glb: the skin in the neutral, one morph target a pose, an animation             Blender,
//   viewers obj       obj/<pose>.obj: the skin everything pc2       pc2/head.obj and head.pc2: the poses as
//   one point cache                              Blender, 3ds Max, Houdini calculix  calculix/<pose>.inp: a
//   deck from rest                                                CalculiX, Abaqus
// export.json lists what was written, with units and frame.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "calibrate/simulate.h"

namespace furrow {

/// All formats, in the order above.
const std::vector<std::string>& export_formats();

/// "scene,gltf" as a set. InputError for a name that is no format (the nearest is suggested), and for none at
/// all.
std::set<std::string> parse_formats(const std::string& list);

struct Export {
  std::vector<std::filesystem::path> files;  ///< written, without the copies of the scene's own
  std::vector<std::string> notes;            ///< what a reader of these files should know
  std::string failure;                       ///< a pose without equilibrium; its files are not written
};

/// `fit`: the folder with scene.json. Poses are the scene's, and the neutral before them.
Export export_fit(const std::filesystem::path& fit, const std::filesystem::path& folder,
                  const std::set<std::string>& formats, const SimulationProgress& progress);

}  // namespace furrow
