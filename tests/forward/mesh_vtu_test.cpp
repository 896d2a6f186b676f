#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "forward/mesh/tet_mesh_io.h"
#include "forward/mesh/tet_mesh_readers.h"
#include "tests/base/expect_error.h"
#include "tests/forward/mesh_shapes.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::expect_error;

TetMesh labelled_mesh(int order) {
  TetMesh mesh = testing::box_mesh({3, 2, 1}, 2);
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> jitter(-0.05, 0.05);
  for (double& x : mesh.nodes.reshaped()) x += jitter(generator);
  if (order == 2) mesh = elevate_order(mesh);
  mesh.region_names = {"skin", "the skull"};
  for (int e = 0; e < mesh.element_count(); ++e) mesh.label.push_back(e % 4 - 1);
  for (int i = 0; i < mesh.node_count(); ++i) {
    mesh.fixed.push_back(i % 3 == 0);
    mesh.region.push_back(i % 3 - 1);
  }
  return mesh;
}

TEST(VtuFile, ReadsBackToTheLastDigit) {
  const testing::TemporaryFolder folder;
  for (int order : {1, 2}) {
    const TetMesh mesh = labelled_mesh(order);
    const auto file = folder.path() / "mesh.vtu";
    VtuArrays arrays;
    arrays.point.emplace_back("displacement", MatrixXd(mesh.nodes));
    arrays.cell.emplace_back("error", MatrixXd::Random(mesh.element_count(), 1));
    write_tet_mesh(file, mesh, arrays);
    const TetMesh read = read_tet_mesh(file);
    EXPECT_EQ(read.order, order);
    EXPECT_EQ(read.nodes, mesh.nodes);
    EXPECT_EQ(read.elements, mesh.elements);
    EXPECT_EQ(read.label, mesh.label);
    EXPECT_EQ(read.fixed, mesh.fixed);
    EXPECT_EQ(read.region, mesh.region);
    EXPECT_EQ(read.region_names, mesh.region_names);
    EXPECT_EQ(read_tet_mesh(file, "m").nodes, (mesh.nodes * 1000).eval());
  }
}

TEST(VtuFile, StatesItsUnitAndVersion) {
  const std::string text = format_vtu(labelled_mesh(1), {});
  for (const char* part :
       {"Name=\"unit\"", "Name=\"furrow\"", "vtkZLibDataCompressor", "type=\"Float64\" Name=\"Points\""})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(text, format_vtu(labelled_mesh(1), {}));
}

/// One tetrahedron as another program might write it; `cells` are connectivity, offsets, types, `more`
/// further sections of the piece.
std::string ascii_vtu(const std::string& points, const std::string& connectivity, const std::string& offsets,
                      const std::string& types, const std::string& more = "", int point_count = 4,
                      int cell_count = 1) {
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
         "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n"
         "<Piece NumberOfPoints=\"" +
         std::to_string(point_count) + "\" NumberOfCells=\"" + std::to_string(cell_count) + "\">\n" + more +
         "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">" + points +
         "</DataArray></Points>\n"
         "<Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">" +
         connectivity +
         "</DataArray>\n"
         "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">" +
         offsets +
         "</DataArray>\n"
         "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">" +
         types +
         "</DataArray></Cells>\n"
         "</Piece></UnstructuredGrid></VTKFile>\n";
}
constexpr const char* kCorners = "0 0 0  1 0 0  0 1 0  0 0 1";

TEST(VtuFile, ReadsAsciiClustersAndMendsOrientation) {
  const TetMesh mesh = parse_vtu(
      ascii_vtu(
          kCorners, "1 0 2 3", "4", "10",
          "<CellData><DataArray type=\"Float32\" Name=\"cluster\" format=\"ascii\">7</DataArray></CellData>"),
      "t.vtu");
  EXPECT_EQ(mesh.label, std::vector<int>{7});
  EXPECT_EQ(mesh.elements, (Elements(1, 4) << 0, 1, 2, 3).finished());
  EXPECT_TRUE(mesh.fixed.empty());
  EXPECT_EQ(mesh.order, 1);
}

/// One tetrahedron of eight points in base64 without compression, sizes and data in one unit each, as VTK 9.1
/// writes it.
constexpr const char* kPlainBinary =
    R"(<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian" header_type="UInt32">
<UnstructuredGrid>
<Piece NumberOfPoints="8" NumberOfCells="1">
<CellData>
<DataArray type="Int32" Name="label" format="binary">
BAAAAAAAAAA=
</DataArray>
</CellData>
<Points>
<DataArray type="Float64" Name="Points" NumberOfComponents="3" format="binary">
wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPA/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA8D8AAAAAAAAAAAAAAAAAAPA/AAAAAAAA8D8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADwPwAAAAAAAPA/AAAAAAAAAAAAAAAAAADwPwAAAAAAAAAAAAAAAAAA8D8AAAAAAADwPwAAAAAAAPA/AAAAAAAA8D8AAAAAAADwPw==
</DataArray>
</Points>
<Cells>
<DataArray type="Int64" Name="connectivity" format="binary">
IAAAAAAAAAAAAAAAAQAAAAAAAAADAAAAAAAAAAcAAAAAAAAA
</DataArray>
<DataArray type="Int64" Name="offsets" format="binary">
CAAAAAQAAAAAAAAA
</DataArray>
<DataArray type="UInt8" Name="types" format="binary">
AQAAAAo=
</DataArray>
</Cells>
</Piece>
</UnstructuredGrid>
</VTKFile>
)";

TEST(VtuFile, ReadsUncompressedBinary) {
  const TetMesh mesh = parse_vtu(kPlainBinary, "t.vtu");
  EXPECT_EQ(mesh.node_count(), 8);
  EXPECT_EQ(mesh.nodes.row(7), Eigen::RowVector3d(1, 1, 1));
  EXPECT_EQ(mesh.elements.row(0), Eigen::RowVector4i(0, 1, 3, 7));
  EXPECT_EQ(mesh.label, std::vector<int>{0});
  // The size as a unit of its own.
  std::string split = kPlainBinary;
  split.replace(split.find("BAAAAAAAAAA="), 12, "BAAAAA==BwAAAA==");
  EXPECT_EQ(parse_vtu(split, "t.vtu").label, std::vector<int>{7});
  split.replace(split.find("BAAAAA==BwAAAA=="), 16, "BQAAAA==BwAAAA==");
  expect_error([&] { parse_vtu(split, "t.vtu"); }, {"t.vtu", "\"label\"", "truncated"});
}

TEST(VtuFile, NodesOfNoElementAreFixed) {
  const TetMesh mesh =
      parse_vtu(ascii_vtu(std::string(kCorners) + " 5 5 5", "0 1 2 3", "4", "10", "", 5), "t.vtu");
  EXPECT_EQ(mesh.fixed, (std::vector<bool>{false, false, false, false, true}));
}

TEST(VtuFile, RefusesWhatIsNotATetrahedralMesh) {
  auto refuse = [](const std::string& text, std::initializer_list<const char*> parts) {
    expect_error([&] { parse_vtu(text, "t.vtu"); }, parts);
  };
  refuse("solid cube", {"t.vtu"});
  refuse("<VTKFile type=\"PolyData\"></VTKFile>", {"t.vtu"});
  refuse(ascii_vtu(kCorners, "0 1 2", "3", "5"), {"t.vtu", "element 0", "type 5", "tetrahedra"});
  refuse(ascii_vtu(kCorners, "0 1 2 3 0 1 2", "4 7", "10 5", "", 4, 2), {"t.vtu", "element 1", "type 5"});
  refuse(ascii_vtu(kCorners, "0 1 2 4", "4", "10"), {"t.vtu", "element 0", "outside 0..3"});
  refuse(ascii_vtu(kCorners, "0 1 2 -1", "4", "10"), {"t.vtu", "element 0", "outside 0..3"});
  refuse(ascii_vtu(kCorners, "0 1 2 2", "4", "10"), {"t.vtu", "element 0", "twice"});
  refuse(ascii_vtu("0 0 0  1 0 0  0 1 0  1 1 0", "0 1 2 3", "4", "10"), {"t.vtu", "element 0", "no volume"});
  refuse(ascii_vtu("0 0 0  1 0 0  0 1 0  0 0 nan", "0 1 2 3", "4", "10"), {"t.vtu"});
  refuse(ascii_vtu(kCorners, "0 1 2 3 1 2 0 3", "4 8", "10 10", "", 4, 2),
         {"t.vtu", "elements 0 and 1", "same tetrahedron"});
  refuse(ascii_vtu(kCorners, "", "", "", "", 4, 0), {"t.vtu", "no tetrahedra"});
  refuse(
      ascii_vtu(
          kCorners, "0 1 2 3", "4", "10",
          "<CellData><DataArray type=\"Float32\" Name=\"label\" format=\"ascii\">0.5</DataArray></CellData>"),
      {"t.vtu", "\"label\"", "no whole number"});
  expect_error([] { read_tet_mesh("missing.vtu"); }, {"missing.vtu"});
  const testing::TemporaryFolder folder;
  expect_error([&] { read_tet_mesh(folder.write("mesh.vtk", "x")); }, {"mesh.vtk", ".vtu"});
  expect_error([&] { read_tet_mesh(folder.write("mesh.vtu", "")); }, {"mesh.vtu"});
  expect_error(
      [&] { read_tet_mesh(folder.write("mesh.vtu", ascii_vtu(kCorners, "0 1 2 3", "4", "10")), "kg"); },
      {"mesh.vtu", "kg"});
}

TEST(VtuFile, RefusesBrokenQuadraticElements) {
  TetMesh mesh = elevate_order(testing::box_mesh({1, 1, 1}, 1));
  const int node = mesh.elements(2, 7);
  const Eigen::RowVector3d edge = mesh.nodes.row(mesh.elements(2, 3)) - mesh.nodes.row(mesh.elements(2, 0));
  mesh.nodes.row(node) += 0.1 * edge;
  EXPECT_NO_THROW(parse_vtu(format_vtu(mesh, {}), "t.vtu"));
  mesh.nodes.row(node) += 0.2 * edge;
  expect_error([&] { parse_vtu(format_vtu(mesh, {}), "t.vtu"); }, {"t.vtu", "mid-edge node", "node order"});
  // At corner 1 of a unit cube's tetrahedron the edges to corners 0 and 2 are turned past each other by their
  // middle nodes.
  TetMesh folded = elevate_order(testing::box_mesh({1, 1, 1}, 1));
  const Eigen::RowVector3d corner = folded.nodes.row(folded.elements(0, 1));
  const Eigen::RowVector3d to_0 = folded.nodes.row(folded.elements(0, 0)) - corner,
                           to_2 = folded.nodes.row(folded.elements(0, 2)) - corner;
  folded.nodes.row(folded.elements(0, 4)) += 0.24 * (0.28 * to_2 - 0.96 * to_0);
  folded.nodes.row(folded.elements(0, 5)) += 0.24 * (0.28 * to_0 - 0.96 * to_2);
  expect_error([&] { parse_vtu(format_vtu(folded, {}), "t.vtu"); }, {"t.vtu", "folded"});
}

TEST(VtuFile, TruncatedOrChangedFilesAreRefusedOrRead) {
  const std::string text = format_vtu(labelled_mesh(1), {});
  for (std::size_t size = 0; size < text.size() - 30; size += 97)
    EXPECT_THROW(parse_vtu(text.substr(0, size), "t.vtu"), InputError) << size;
  std::mt19937 generator(11);
  for (int run = 0; run < 150; ++run) {
    std::string changed = text;
    for (int k = 0; k < 3; ++k) changed[generator() % changed.size()] = static_cast<char>(generator() % 256);
    try {
      parse_vtu(changed, "t.vtu");
    } catch (const InputError&) {
    }
  }
}

TEST(VtuFile, NothingHalfWrittenStays) {
  const testing::TemporaryFolder folder;
  expect_error([&] { write_tet_mesh(folder.path() / "no" / "mesh.vtu", labelled_mesh(1)); }, {"mesh.vtu"});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  VtuArrays wrong;
  wrong.point.emplace_back("displacement", MatrixXd::Zero(2, 3));
  EXPECT_THROW(write_tet_mesh(folder.path() / "mesh.vtu", labelled_mesh(1), wrong), std::logic_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace furrow
