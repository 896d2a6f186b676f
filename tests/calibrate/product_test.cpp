// What people take away from a fit: exports, the ranking of layouts, the page.
#include <gtest/gtest.h>

#include "calibrate/export/export.h"
#include "calibrate/layouts.h"
#include "calibrate/report/picture.h"
#include "calibrate/report/report.h"
#include "calibrate/validate.h"
#include "forward/base/error.h"
#include "forward/base/text_file.h"
#include "tests/calibrate/block_project.h"

namespace furrow {
namespace {

namespace fs = std::filesystem;

class Product : public ::testing::Test {
 protected:
  Product() : project_(testing::write_block_project(folder_)), out_(folder_.path() / "out") {
    run_fit(read_project(project_), {out_, false, {}});
    write_run_record(out_, {project_, {}, {}});
  }

  testing::TemporaryFolder folder_;
  fs::path project_, out_;
};

TEST_F(Product, ExportsEveryFormatAndTheCopyRunsAlike) {
  const auto go_on = [](double, const std::string&) { return true; };
  const std::set<std::string> all(export_formats().begin(), export_formats().end());
  const fs::path to = folder_.path() / "elsewhere";
  const Export done = export_fit(out_, to, all, go_on);
  EXPECT_TRUE(done.failure.empty()) << done.failure;
  for (const char* file : {"scene/scene.json", "vtu/turned.vtu", "head.glb", "obj/neutral.obj",
                           "pc2/head.pc2", "calculix/left.inp", "export.json"})
    EXPECT_TRUE(fs::exists(to / file)) << file;
  // the neutral is the scan again, and the copied scene gives the same poses without the fit's folder
  const SurfaceMesh scan = read_surface(folder_.path() / "block.obj");
  EXPECT_LT((read_surface(to / "obj/neutral.obj").vertices - scan.vertices).cwiseAbs().maxCoeff(), 1e-6);
  fs::remove_all(out_);
  const TetModel copy = build_tet_model(read_scene(to / "scene" / "scene.json"));
  const Simulation again = simulate(copy, go_on);
  ASSERT_EQ(again.poses.size(), 3u);
  const Positions turned = copy.scan_positions(again.poses[2].equilibrium.x);
  EXPECT_LT((read_surface(to / "obj/turned.obj").vertices - turned).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(ExportFormats, AreParsedStrictly) {
  EXPECT_EQ(parse_formats("gltf,scene").size(), 2u);
  EXPECT_THROW(parse_formats("gtlf"), InputError);
  EXPECT_THROW(parse_formats(""), InputError);
}

TEST_F(Product, TheTrueLayoutRanksFirst) {
  std::string one, other;
  for (int v = 0; v < 50; ++v) one += "1\n", other += (v / 2) % 5 < 2 ? "1\n" : "2\n";
  const fs::path single = folder_.write("single.txt", one), across = folder_.write("across.txt", other);
  const auto ranking = rank_layouts(read_project(project_), {single, folder_.path() / "layout.txt", across},
                                    {folder_.path() / "layouts", false, {}, {}});
  ASSERT_EQ(ranking.size(), 3u);
  EXPECT_EQ(ranking[0].layout.filename(), "layout.txt");
  EXPECT_LT(4 * ranking[0].mean_error, ranking[1].mean_error);
  EXPECT_TRUE(fs::exists(folder_.path() / "layouts" / "layouts.json"));
  // each folder can be read back, with its own layout
  EXPECT_EQ(read_fitted_head(folder_.path() / "layouts" / "single").theta.young.size(), 1);
}

TEST_F(Product, LayoutsThatCannotBeComparedAreRefusedBeforeAnyFit) {
  const fs::path to = folder_.path() / "layouts";
  const Project project = read_project(project_);
  const fs::path bad = folder_.write("short.txt", "1\n2\n");
  EXPECT_THROW(rank_layouts(project, {bad}, {to, false, {}, {}}), InputError);
  EXPECT_THROW(rank_layouts(project, {folder_.path() / "gone.txt"}, {to, false, {}, {}}), InputError);
  const fs::path layout = folder_.path() / "layout.txt";
  EXPECT_THROW(rank_layouts(project, {layout, layout}, {to, false, {}, {}}), InputError);
  EXPECT_FALSE(fs::exists(to));
}

TEST_F(Product, TheReportStandsAlone) {
  const FittedHead head = read_fitted_head(out_);
  write_validation(out_, head, validate(head, [](const std::string&) {}));
  const std::string page = read_bytes(write_report(out_));
  for (const char* part :
       {"tissue.young.left", "converged", "turned", "<svg", "data:image/png;base64,", "mesh size"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_THROW(write_report(folder_.path()), InputError);
}

TEST(Picture, DrawsTheNearerSurfaceAndPacksIt) {
  SurfaceMesh mesh;
  mesh.vertices.resize(6, 3);
  mesh.vertices << 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, 0, 5, 10, 0, 5, 0, 10, 5;
  mesh.triangles.resize(2, 3);
  mesh.triangles << 0, 1, 2, 3, 4, 5;
  mesh.colours.resize(6, 3);
  mesh.colours << 200, 0, 0, 200, 0, 0, 200, 0, 0, 0, 200, 0, 0, 200, 0, 0, 200, 0;
  const Picture picture = draw_front(mesh, 40);
  const std::size_t inside = 3 * (static_cast<std::size_t>(picture.height * 3 / 4) * 40 + 8);
  EXPECT_EQ(picture.rgb[inside], 0);
  EXPECT_EQ(picture.rgb[inside + 1], 200);
  EXPECT_EQ(picture.rgb[0], 255);
  EXPECT_EQ(to_png(picture).substr(1, 3), "PNG");
  EXPECT_EQ(to_base64("Man"), "TWFu");
  EXPECT_EQ(to_base64("Ma"), "TWE=");
  EXPECT_EQ(to_base64("M"), "TQ==");
}

}  // namespace
}  // namespace furrow
