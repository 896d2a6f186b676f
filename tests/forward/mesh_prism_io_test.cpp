#include "forward/mesh/prism_mesh_io.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <vtkLagrangeWedge.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "forward/base/text_file.h"
#include "forward/mesh/prism_shell.h"
#include "tests/base/expect_error.h"
#include "tests/support/check_derivative.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::expect_error;

PatchOptions bent_patch(int nx = 3, int ny = 2) {
  return {nx, ny, 7.3, 5.1, 1.7, [](double x, double y) { return 0.3 * std::sin(0.7 * x) - 0.021 * y * y; }};
}

/// A patch of crooked numbers: stack or seed, nodes moved a little, b and fixed on every node.
PrismMesh crooked_patch(PrismOrder order, StackKind kind, int nx = 3, int ny = 2) {
  PrismMesh mesh = make_patch(order, bent_patch(nx, ny), skin_plan(1.7, 0.13, kind));
  const VectorXd noise = testing::random_vector(3 * static_cast<int>(mesh.nodes.rows()), 3, 1e-3);
  mesh.nodes += Eigen::Map<const Positions>(noise.data(), mesh.nodes.rows(), 3);
  mesh.ligament_b = testing::random_vector(static_cast<int>(mesh.nodes.rows()), 4).cwiseAbs();
  for (int i = 0; i < mesh.nodes.rows(); ++i) mesh.fixed.push_back(i % 3 == 0);
  return mesh;
}

void expect_same_bounds(const VectorXd& a, const VectorXd& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a, b);
}

void expect_same(const PrismMesh& a, const PrismMesh& b) {
  EXPECT_EQ(a.order, b.order);
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.elements, b.elements);
  EXPECT_EQ(a.layers, b.layers);
  EXPECT_EQ(a.inner_faces, b.inner_faces);
  EXPECT_EQ(a.outer_faces, b.outer_faces);
  EXPECT_EQ(a.rim, b.rim);
  EXPECT_EQ(a.fixed, b.fixed);
  EXPECT_EQ(a.ligament_b, b.ligament_b);
  ASSERT_EQ(a.sublayers.size(), b.sublayers.size());
  for (std::size_t e = 0; e < a.sublayers.size(); ++e) {
    ASSERT_EQ(a.sublayers[e].size(), b.sublayers[e].size()) << e;
    for (std::size_t s = 0; s < a.sublayers[e].size(); ++s) {
      EXPECT_EQ(a.sublayers[e][s].layer, b.sublayers[e][s].layer);
      expect_same_bounds(a.sublayers[e][s].low, b.sublayers[e][s].low);
      expect_same_bounds(a.sublayers[e][s].high, b.sublayers[e][s].high);
    }
  }
}

TEST(PrismFile, ReadsBackToTheLastDigit) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "mesh.vtu";
  for (int p = 1; p <= 4; ++p)
    for (int q = 1; q <= 2; ++q)
      for (const StackKind kind : {StackKind::stack, StackKind::seed}) {
        const PrismMesh mesh = crooked_patch({p, q}, kind);
        write_prism_mesh(file, mesh);
        expect_same(read_prism_mesh(file, 1, {"epidermis", "soft"}), mesh);
        expect_same(read_prism_mesh(file, 1, {}), mesh);  // with the names in the file
        EXPECT_EQ(read_prism_mesh(file, 1000, {}).nodes, (1000 * mesh.nodes).eval());
      }
}

TEST(PrismFile, KeepsAnyLayers) {
  const ThicknessPlan plan{{0, 0.4, 1}, {0, 0.1, 0.3, 0.9, 1}, {"fat", "muscle", "dermis", "epidermis"}};
  PrismMesh mesh = make_patch({2, 2}, bent_patch(), plan);
  ASSERT_EQ(mesh.sublayers[0].size(), 3u);
  ASSERT_EQ(mesh.sublayers[1].size(), 2u);
  expect_same(parse_prism_mesh(format_prism_mesh(mesh), "m.vtu", 1, {}), mesh);

  VectorXd varying = VectorXd::LinSpaced(6, -0.31, 0.27);
  mesh.sublayers[2][0].high = mesh.sublayers[2][1].low = varying;
  expect_same(parse_prism_mesh(format_prism_mesh(mesh), "m.vtu", 1, {}), mesh);

  PrismMesh two = make_patch({2, 1}, bent_patch(), skin_plan(1.7, 0.13, StackKind::seed));
  two.sublayers[3][0].high = two.sublayers[3][1].low = varying;
  const std::string text = format_prism_mesh(two);
  EXPECT_EQ(text.find("Name=\"layer\""), std::string::npos);
  expect_same(parse_prism_mesh(text, "m.vtu", 1, {}), two);
}

TEST(PrismFile, WritesDeformedShapesAndArrays) {
  const testing::TemporaryFolder folder;
  const PrismMesh mesh = crooked_patch({2, 2}, StackKind::stack);
  const Positions deformed = 1.01 * mesh.nodes;
  const MatrixXd error = MatrixXd::Random(mesh.nodes.rows(), 2);
  write_prism_mesh(folder.path() / "frame.vtu", mesh, &deformed, {{"error", error}});
  EXPECT_EQ(read_prism_mesh(folder.path() / "frame.vtu", 1, {}).nodes, deformed);
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName((folder.path() / "frame.vtu").c_str());
  reader->Update();
  vtkPointData* data = reader->GetOutput()->GetPointData();
  ASSERT_NE(data->GetArray("displacement"), nullptr);
  ASSERT_NE(data->GetArray("error"), nullptr);
  for (int i = 0; i < mesh.nodes.rows(); ++i) {
    EXPECT_EQ(data->GetArray("displacement")->GetComponent(i, 2), deformed(i, 2) - mesh.nodes(i, 2));
    EXPECT_EQ(data->GetArray("error")->GetComponent(i, 1), error(i, 1));
  }
  expect_error([&] { write_prism_mesh(folder.path() / "none" / "frame.vtu", mesh); },
               {"frame.vtu", "folder"});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

/// Text, inline and appended bytes, raw or in base64, packed or not: as VTK's own writer makes them.
TEST(PrismFile, ReadsEveryModeOfVtk) {
  const testing::TemporaryFolder folder;
  const PrismMesh mesh = crooked_patch({3, 2}, StackKind::seed);
  write_prism_mesh(folder.path() / "mesh.vtu", mesh);
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName((folder.path() / "mesh.vtu").c_str());
  reader->Update();
  for (const int mode : {vtkXMLWriter::Ascii, vtkXMLWriter::Binary, vtkXMLWriter::Appended})
    for (const bool packed : {false, true})
      for (const bool base64 : {false, true}) {
        vtkNew<vtkXMLUnstructuredGridWriter> writer;
        writer->SetInputData(reader->GetOutput());
        writer->SetFileName((folder.path() / "vtk.vtu").c_str());
        writer->SetDataMode(mode);
        writer->SetCompressorType(packed ? vtkXMLWriter::ZLIB : vtkXMLWriter::NONE);
        writer->SetEncodeAppendedData(base64);
        ASSERT_EQ(writer->Write(), 1);
        const PrismMesh read = read_prism_mesh(folder.path() / "vtk.vtu", 1, {});
        if (mode != vtkXMLWriter::Ascii) {
          expect_same(read, mesh);
          continue;
        }
        EXPECT_EQ(read.elements, mesh.elements);
        EXPECT_LT((read.nodes - mesh.nodes).cwiseAbs().maxCoeff(), 1e-9);
      }
}

/// VTK interpolates a cell of ours, read from our file by its own reader, as our shape functions do.
TEST(PrismFile, VtkEvaluatesOurCellsLikeUs) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "mesh.vtu";
  for (int p = 1; p <= 4; ++p)
    for (int q = 1; q <= 2; ++q) {
      const PrismMesh mesh = crooked_patch({p, q}, StackKind::seed);
      write_prism_mesh(file, mesh);
      vtkNew<vtkXMLUnstructuredGridReader> reader;
      reader->SetFileName(file.c_str());
      reader->Update();
      auto* cell = vtkLagrangeWedge::SafeDownCast(reader->GetOutput()->GetCell(5));
      ASSERT_NE(cell, nullptr);
      const Points3 points = (Points3(3, 3) << 0.2, 0.3, -0.4, 0.61, 0.05, 0.77, 0.1, 0.85, -0.99).finished();
      const MatrixXd ours =
          prism_basis(mesh.order, points).value * mesh.nodes(mesh.elements.row(5), Eigen::all);
      for (int g = 0; g < 3; ++g) {
        const double at[3] = {points(g, 0), points(g, 1), (points(g, 2) + 1) / 2};
        int part = 0;
        Vec3 theirs;
        std::vector<double> weights(mesh.order.nodes());
        cell->EvaluateLocation(part, at, theirs.data(), weights.data());
        EXPECT_LT((theirs.transpose() - ours.row(g)).norm(), 1e-13) << p << q;
      }
    }
}

/// A file as another program might write it: text, cells in VTK's order.
struct TextFile {
  std::string points, connectivity, offsets, types, more;
  int point_count = 0, cell_count = 0;

  std::string text() const {
    return fmt::format(
        "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
        "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n"
        "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n{}"
        "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" "
        "format=\"ascii\">{}</DataArray></Points>\n"
        "<Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">{}</DataArray>\n"
        "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">{}</DataArray>\n"
        "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">{}</DataArray></Cells>\n"
        "</Piece></UnstructuredGrid></VTKFile>\n",
        point_count, cell_count, more, points, connectivity, offsets, types);
  }
  PrismMesh read(const std::vector<std::string>& layers = {"skin"}) const {
    return parse_prism_mesh(text(), "t.vtu", 1, layers);
  }
};
std::string cell_array(const std::string& name, const std::string& values, int columns = 1) {
  return fmt::format(
      "<CellData><DataArray type=\"Float64\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"ascii\">{}"
      "</DataArray></CellData>\n",
      name, columns, values);
}
std::string point_array(const std::string& name, const std::string& values) {
  return fmt::format(
      "<PointData><DataArray type=\"Float64\" Name=\"{}\" format=\"ascii\">{}</DataArray></PointData>\n",
      name, values);
}
TextFile wedge() {
  return {"0 0 0  1 0 0  0 1 0  0 0 1  1 0 1  0 1 1", "0 1 2 3 4 5", "6", "13", "", 6, 1};
}
/// One wedge of any order with nodes on its reference positions.
TextFile lagrange_wedge(PrismOrder order) {
  TextFile file{"", "", std::to_string(order.nodes()), "73", "", order.nodes(), 1};
  const Points3 nodes = prism_nodes(order);
  const std::vector<int> permutation = native_to_vtk(order);
  std::vector<int> native(order.nodes());
  for (int n = 0; n < order.nodes(); ++n) native[permutation[n]] = n;
  for (int n = 0; n < order.nodes(); ++n) {
    file.points += fmt::format("{} {} {} ", nodes(native[n], 0), nodes(native[n], 1), nodes(native[n], 2));
    file.connectivity += fmt::format("{} ", n);
  }
  return file;
}

TEST(PrismFile, ReadsLinearWedgesEitherWayRound) {
  TextFile file = wedge();
  const PrismMesh mesh = file.read();
  EXPECT_EQ(mesh.order, (PrismOrder{1, 1}));
  EXPECT_EQ(mesh.elements, (Elements(1, 6) << 0, 1, 2, 3, 4, 5).finished());
  EXPECT_EQ(mesh.outer_nodes(), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(mesh.rim, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(mesh.fixed.empty());
  EXPECT_EQ(mesh.ligament_b.size(), 0);
  ASSERT_EQ(mesh.sublayers[0].size(), 1u);
  EXPECT_EQ(mesh.sublayers[0][0].layer, 0);

  // As VTK documents them; the columns of a cut go with their nodes.
  file.connectivity = "0 2 1 3 5 4";
  file.more = cell_array("layer_cut_w", "0.1 0.2 0.3", 3);
  const PrismMesh turned = file.read({"epidermis", "soft"});
  EXPECT_EQ(turned.elements, mesh.elements);
  EXPECT_EQ(turned.sublayers[0][0].high, Vec3(0.1, 0.3, 0.2));
}

TEST(PrismFile, TellsTheOrderFromTheNumberOfNodes) {
  for (int p = 1; p <= 4; ++p)
    for (int q = 1; q <= 2; ++q) {
      TextFile file = lagrange_wedge({p, q});
      if (file.point_count == 30) {
        expect_error([&] { file.read(); }, {"t.vtu", "30 nodes", "HigherOrderDegrees"});
        file.more = cell_array("HigherOrderDegrees", fmt::format("{} {} {}", p, p, q), 3);
      }
      const PrismMesh mesh = file.read();
      EXPECT_EQ(mesh.order, (PrismOrder{p, q}));
      EXPECT_LT((mesh.nodes(mesh.elements.row(0), Eigen::all) - prism_nodes({p, q})).norm(), 1e-14);
    }
}

TEST(PrismFile, ReadsLayersOfCellsAndCuts) {
  TextFile file = wedge();
  file.more = cell_array("layer", "1");
  PrismMesh mesh = file.read({"epidermis", "soft"});
  ASSERT_EQ(mesh.sublayers[0].size(), 1u);
  EXPECT_EQ(mesh.sublayers[0][0].layer, 1);
  file.more = cell_array("layer_cut_w", "0.9");
  mesh = file.read({"epidermis", "soft"});
  ASSERT_EQ(mesh.sublayers[0].size(), 2u);
  EXPECT_EQ(mesh.sublayers[0][0].layer, 1);
  EXPECT_EQ(mesh.sublayers[0][0].high, VectorXd::Constant(1, 0.9));
  EXPECT_EQ(mesh.sublayers[0][1].layer, 0);
  EXPECT_EQ(mesh.sublayers[0][1].high, VectorXd::Constant(1, 1));
  mesh = file.read({});
  EXPECT_EQ(mesh.layers, (std::vector<std::string>{"layer 0", "layer 1"}));
}

TEST(PrismFile, RefusesWhatIsNoShellOfPrisms) {
  const auto refuse = [](auto change, std::initializer_list<const char*> parts,
                         const std::vector<std::string>& layers = {"epidermis", "soft"}) {
    TextFile file = wedge();
    file.more = cell_array("layer_cut_w", "0.9");
    change(file);
    expect_error([&] { file.read(layers); }, parts);
  };
  refuse([](TextFile& f) { f.types = "12"; }, {"t.vtu", "element 0", "type 12", "wedges"});
  refuse([](TextFile& f) { f.offsets = "5"; }, {"t.vtu", "element 0", "6 nodes"});
  refuse([](TextFile& f) { f.connectivity = "0 1 2 3 4 6"; }, {"element 0", "outside 0..5"});
  refuse([](TextFile& f) { f.connectivity = "0 1 2 3 4 4"; }, {"node 5", "no element"});
  refuse([](TextFile& f) { f.connectivity = "0 1 2 3 4"; }, {"\"connectivity\"", "length"});
  refuse([](TextFile& f) { f.points.back() = 'x'; }, {"x", "no finite number"});
  refuse([](TextFile& f) { f.points.replace(0, 1, "nan"); }, {"nan", "no finite number"});
  refuse([](TextFile& f) { f.connectivity = "1 0 2 3 4 5"; }, {"element 0", "inside out"});
  refuse([](TextFile& f) { f.points = "0 0 0  1 0 0  0 1 0  0 0 1  1 0 1  0 1 -1"; },
         {"element 0", "folded"});
  refuse([](TextFile& f) { f.more = ""; }, {"t.vtu", "\"layer\"", "\"layer_cut_w\""});
  refuse([](TextFile& f) { f.more = cell_array("layer_cut_w", "1.2"); }, {"element 0", "1.2", "thicker"});
  refuse([](TextFile& f) { f.more = cell_array("layer_cut_w", "0.1 0.2", 2); },
         {"\"layer_cut_w\"", "2 numbers"});
  refuse([](TextFile& f) { f.more = cell_array("layer", "2"); }, {"element 0", "layer 2", "0..1"});
  refuse([](TextFile& f) { f.more = cell_array("layer", "0.5"); }, {"element 0", "layer 0.5"});
  refuse([](TextFile& f) { f.more = cell_array("layer", "1 0", 2); }, {"layer_cut_w"});
  refuse([](TextFile& f) { f.more = cell_array("layer", "-1"); }, {"element 0", "fill"});
  refuse([](TextFile&) {}, {"element 0", "layer 1", "0..0"}, {"skin"});
  refuse([](TextFile& f) { f.more += point_array("b", "1 2 3 4 5 -6"); }, {"\"b\"", "node 5", "-6"});
  refuse([](TextFile& f) { f.more += point_array("b", "1 2 3"); }, {"\"b\"", "length"});
  refuse([](TextFile& f) { f.more += point_array("fixed", "0 0 0 0 0 0.5"); }, {"\"fixed\"", "0.5"});
  refuse([](TextFile& f) { f.more += point_array("outer_vertex", "-1 -1 -1 0 2 1"); },
         {"\"outer_vertex\"", "at 4", "ascending"});
  refuse([](TextFile& f) { f.point_count = 1000000; }, {"t.vtu", "NumberOfPoints"});
  refuse([](TextFile& f) { f.cell_count = 0; }, {"no prisms"});
  expect_error([] { parse_prism_mesh("solid", "t.vtu", 1, {}); }, {"t.vtu", "VTU"});
  expect_error([] { read_prism_mesh("missing.vtu", 1, {}); }, {"missing.vtu"});
}

TEST(PrismFile, RefusesDegreesThatAreNotRead) {
  const auto refuse = [](const std::string& degrees, int columns, std::initializer_list<const char*> parts) {
    TextFile file = lagrange_wedge({2, 2});
    file.more = cell_array("HigherOrderDegrees", degrees, columns);
    expect_error([&] { file.read(); }, parts);
  };
  refuse("2 3 2", 3, {"t.vtu", "element 0", "(2, 3, 2)"});
  refuse("5 5 2", 3, {"element 0", "(5, 5, 2)"});
  refuse("2 2 2.5", 3, {"(2, 2, 2.5)"});
  refuse("2 2", 2, {"HigherOrderDegrees", "three"});
  refuse("3 3 1", 3, {"element 0", "20 nodes"});
  TextFile file = lagrange_wedge({2, 2});
  file.offsets = "15";
  expect_error([&] { file.read(); }, {"element 0", "15 nodes"});
}

TEST(PrismFile, RefusesBrokenBytes) {
  PrismMesh mesh = crooked_patch({2, 2}, StackKind::stack);
  mesh.nodes(4, 1) = std::numeric_limits<double>::quiet_NaN();
  expect_error([&] { parse_prism_mesh(format_prism_mesh(mesh), "t.vtu", 1, {}); }, {"node 4", "not finite"});
  const std::string text = format_prism_mesh(crooked_patch({2, 2}, StackKind::stack));
  for (std::size_t size = 0; size < text.size(); size += 97)
    expect_error([&] { parse_prism_mesh(text.substr(0, size), "t.vtu", 1, {}); }, {"t.vtu"});
}

/// Positions rounded to 1e-9 mm, to compare sets of nodes.
std::map<std::array<long long, 3>, int> numbered(const Positions& nodes) {
  std::map<std::array<long long, 3>, int> result;
  for (int i = 0; i < nodes.rows(); ++i)
    result[{std::llround(1e9 * nodes(i, 0)), std::llround(1e9 * nodes(i, 1)),
            std::llround(1e9 * nodes(i, 2))}] = i;
  return result;
}

TEST(PrismFile, FingerCaseIsOurPatch) {
  const auto file = testing::shared_folder() / "data" / "finger" / "A" / "mesh.vtu";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  const PrismMesh read = read_prism_mesh(file, 1, {"epidermis", "soft"});
  EXPECT_EQ(read.order, (PrismOrder{4, 2}));
  EXPECT_EQ(read.ligament_b, VectorXd::Constant(459, 1));
  EXPECT_EQ(read.inner_nodes().size(), 153u);
  EXPECT_EQ(read.rim.size(), 144u);
  ASSERT_EQ(read.sublayers[7].size(), 2u);
  EXPECT_EQ(read.sublayers[7][0].layer, 1);
  EXPECT_EQ(read.sublayers[7][0].high[0], 0.9);
  for (int i = 0; i < 459; ++i) EXPECT_EQ(read.fixed[i] != 0, std::abs(read.nodes(i, 1)) == 9);
  EXPECT_NEAR(volume(read), 1008, 1e-9);

  PatchOptions options;
  options.height = [](double x, double y) { return -(x * x + y * y) / 160; };
  const PrismMesh patch = make_patch({4, 2}, options, skin_plan(2, 0.1, StackKind::seed));
  const auto ours = numbered(patch.nodes), theirs = numbered(read.nodes);
  ASSERT_EQ(ours.size(), 459u);
  std::vector<int> to_patch(459, -1);
  for (const auto& [position, number] : theirs) {
    ASSERT_TRUE(ours.count(position)) << "node " << number;
    to_patch[number] = ours.at(position);
  }
  std::set<std::vector<int>> elements;
  for (int e = 0; e < 16; ++e) elements.insert({patch.elements.row(e).begin(), patch.elements.row(e).end()});
  for (int e = 0; e < 16; ++e) {
    std::vector<int> nodes;
    for (const int node : read.elements.row(e)) nodes.push_back(to_patch[node]);
    EXPECT_TRUE(elements.count(nodes)) << "element " << e;  // the same prism, node for node
  }
}

}  // namespace
}  // namespace furrow
