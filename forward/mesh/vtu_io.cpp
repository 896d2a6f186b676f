// VTU: written by VTK, read with its XML parser and its zlib (the only file of forward/mesh that includes
// VTK, with vtu_data.h).
#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkIdTypeArray.h>
#include <vtkIntArray.h>
#include <vtkLogger.h>
#include <vtkNew.h>
#include <vtkOutputWindow.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkSmartPointer.h>
#include <vtkStringArray.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLDataParser.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <sstream>

#include "forward/base/error.h"
#include "forward/mesh/tet_mesh_readers.h"
#include "forward/mesh/vtu_data.h"

namespace furrow {
namespace {

constexpr int kFormatVersion = 1;

/// Keeps what VTK would print.
class SilentWindow : public vtkOutputWindow {
 public:
  static SilentWindow* New() {
    auto* window = new SilentWindow;
    window->InitializeObjectBase();
    return window;
  }
  void DisplayText(const char*) override {}
  void DisplayErrorText(const char* text) override {
    if (error_.empty()) error_ = text;
  }
  void DisplayWarningText(const char*) override {}
  void DisplayGenericWarningText(const char*) override {}
  const std::string& error() const { return error_; }

 private:
  std::string error_;
};

/// VTK's messages go to one window and one log a process: replaced while this lives, one user at a time.
class QuietVtk {
 public:
  QuietVtk()
      : lock_(mutex()),
        before_(vtkOutputWindow::GetInstance()),
        verbosity_(vtkLogger::GetCurrentVerbosityCutoff()) {
    vtkOutputWindow::SetInstance(window_);
    vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF);
  }
  ~QuietVtk() {
    vtkLogger::SetStderrVerbosity(verbosity_);
    vtkOutputWindow::SetInstance(before_);
  }
  QuietVtk(const QuietVtk&) = delete;
  QuietVtk& operator=(const QuietVtk&) = delete;

  bool failed() const { return !window_->error().empty(); }
  /// The message's last line, without the source file and address that VTK puts before it.
  std::string message() const {
    std::string text = window_->error();
    if (const auto start = text.find("): "); start != std::string::npos) text = text.substr(start + 3);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text.substr(0, text.find('\n'));
  }

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  std::lock_guard<std::mutex> lock_;
  vtkSmartPointer<vtkOutputWindow> before_;
  vtkLogger::Verbosity verbosity_;
  vtkNew<SilentWindow> window_;
};

/// Runs `use` on the root of the XML. Refused: big nests, which the tree would answer with deep recursion.
template <class Use>
TetMesh with_root(const std::string& head, const std::string& where, const QuietVtk& quiet, Use use) {
  if (std::count(head.begin(), head.end(), '<') > 4000)
    throw InputError(where, "has too many XML elements for a mesh; write it again");
  vtkNew<vtkXMLDataParser> parser;
  std::istringstream stream(head);
  parser->SetStream(&stream);
  const bool parsed = parser->Parse() != 0;
  vtkXMLDataElement* root = parser->GetRootElement();
  if (!parsed || quiet.failed() || root == nullptr || root->GetName() == nullptr ||
      std::string(root->GetName()) != "VTKFile")
    throw InputError(where, fmt::format("is no complete VTU file{}; write it again",
                                        quiet.failed() ? " (" + quiet.message() + ")" : ""));
  return use(*root);
}

struct Piece {
  const VtuData& data;
  vtkXMLDataElement& element;
  std::size_t points, cells;

  vtkXMLDataElement* section(const char* name) const { return element.FindNestedElementWithName(name); }
  /// An array of a section by its name, nothing when there is none.
  vtkXMLDataElement* find(const char* section_name, const char* name) const {
    vtkXMLDataElement* parent = section(section_name);
    return parent == nullptr ? nullptr
                             : parent->FindNestedElementWithNameAndAttribute("DataArray", "Name", name);
  }
  std::vector<double> cell_numbers(const char* name, std::size_t count) const {
    vtkXMLDataElement* array = find("Cells", name);
    if (array == nullptr) data.fail(fmt::format("its cells have no \"{}\"; write the mesh again", name));
    return data.numbers(*array, count);
  }
  /// An array of whole numbers, one a row; empty when there is none of that name.
  std::vector<int> integers(const char* section_name, const char* name, std::size_t rows) const {
    vtkXMLDataElement* array = find(section_name, name);
    if (array == nullptr) return {};
    if (data.count(*array, "NumberOfComponents", 1) != 1)
      data.fail(fmt::format("array \"{}\" must have one number a row", name));
    const std::vector<double> values = data.numbers(*array, rows);
    for (std::size_t i = 0; i < rows; ++i)
      if (!(std::abs(values[i]) < 2e9) || values[i] != std::floor(values[i]))
        data.fail(fmt::format(
            "array \"{}\" holds {} at {} (0-based), which is no whole number; write it as integers", name,
            values[i], i));
    return {values.begin(), values.end()};
  }
};

int order_of_cells(const Piece& piece) {
  const std::vector<double> numbers = piece.cell_numbers("types", piece.cells);
  const std::vector<int> types(numbers.begin(), numbers.end());
  if (types[0] != VTK_TETRA && types[0] != VTK_QUADRATIC_TETRA)
    piece.data.fail(fmt::format(
        "element 0 is a VTK cell of type {}; only linear (10) and quadratic (24) tetrahedra are read",
        types[0]));
  for (std::size_t e = 1; e < types.size(); ++e)
    if (types[e] != types[0])
      piece.data.fail(
          fmt::format("element {} (0-based) is a VTK cell of type {} among cells of type {}; write one kind "
                      "of tetrahedra only",
                      e, types[e], types[0]));
  return types[0] == VTK_TETRA ? 1 : 2;
}

Elements elements_of(const Piece& piece, int order) {
  const std::size_t size = order == 1 ? 4 : 10;
  const std::vector<double> offsets = piece.cell_numbers("offsets", piece.cells);
  for (std::size_t e = 0; e < offsets.size(); ++e)
    if (offsets[e] != static_cast<double>((e + 1) * size))
      piece.data.fail(
          fmt::format("element {} (0-based) does not have {} nodes; write the mesh again", e, size));
  const std::vector<double> connectivity = piece.cell_numbers("connectivity", piece.cells * size);
  Elements elements(static_cast<int>(piece.cells), static_cast<int>(size));
  for (std::size_t i = 0; i < connectivity.size(); ++i) {
    if (!(connectivity[i] >= 0 && connectivity[i] < static_cast<double>(piece.points)))
      piece.data.fail(fmt::format("element {} (0-based) names a node outside 0..{}; write the mesh again",
                                  i / size, piece.points - 1));
    elements.data()[i] = static_cast<int>(connectivity[i]);
  }
  return elements;
}

Positions nodes_of(const Piece& piece) {
  vtkXMLDataElement* points = piece.section("Points");
  vtkXMLDataElement* array = points == nullptr ? nullptr : points->FindNestedElementWithName("DataArray");
  if (array == nullptr || piece.data.count(*array, "NumberOfComponents", 3) != 3)
    piece.data.fail("its points have no coordinates; write it again");
  const std::vector<double> values = piece.data.numbers(*array, 3 * piece.points);
  return Eigen::Map<const Positions>(values.data(), static_cast<int>(piece.points), 3);
}

void take_regions(TetMesh& mesh, const Piece& piece, vtkXMLDataElement* field_data) {
  mesh.region = piece.integers("PointData", "region", piece.points);
  if (mesh.region.empty()) return;
  vtkXMLDataElement* names = field_data == nullptr ? nullptr
                                                   : field_data->FindNestedElementWithNameAndAttribute(
                                                         "Array", "Name", "region_names");
  if (names != nullptr) mesh.region_names = piece.data.texts(*names);
  const int highest = *std::max_element(mesh.region.begin(), mesh.region.end());
  if (highest >= 10000)
    piece.data.fail(fmt::format("array \"region\" holds {}; number regions from 0", highest));
  for (int r = static_cast<int>(mesh.region_names.size()); r <= highest; ++r)
    mesh.region_names.push_back(fmt::format("region {}", r));
  for (int& region : mesh.region) region = std::max(region, -1);
}

TetMesh mesh_from(vtkXMLDataElement& root, const VtuData& data) {
  vtkXMLDataElement* grid = root.FindNestedElementWithName("UnstructuredGrid");
  vtkXMLDataElement* element = grid == nullptr ? nullptr : grid->FindNestedElementWithName("Piece");
  if (element == nullptr) data.fail("has no piece of a grid; write it again");
  int pieces = 0;
  for (int i = 0; i < grid->GetNumberOfNestedElements(); ++i)
    pieces += std::string(grid->GetNestedElement(i)->GetName()) == "Piece" ? 1 : 0;
  if (pieces > 1) data.fail(fmt::format("has {} pieces; write the mesh in one", pieces));
  const Piece piece{data, *element, data.count(*element, "NumberOfPoints", 0),
                    data.count(*element, "NumberOfCells", 0)};
  if (piece.points == 0 || piece.cells == 0)
    data.fail("has no tetrahedra; write a volume mesh of linear or quadratic tetrahedra");
  TetMesh mesh;
  mesh.order = order_of_cells(piece);
  mesh.elements = elements_of(piece, mesh.order);
  mesh.nodes = nodes_of(piece);
  mesh.label = piece.integers("CellData", "label", piece.cells);
  if (mesh.label.empty()) mesh.label = piece.integers("CellData", "cluster", piece.cells);
  for (int value : piece.integers("PointData", "fixed", piece.points)) mesh.fixed.push_back(value != 0);
  take_regions(mesh, piece, grid->FindNestedElementWithName("FieldData"));
  return mesh;
}

template <class Array>
void set_integers(vtkDataSetAttributes& data, const char* name, const auto& values) {
  if (values.empty()) return;
  vtkNew<Array> array;
  array->SetName(name);
  array->SetNumberOfTuples(static_cast<vtkIdType>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    array->SetValue(static_cast<vtkIdType>(i), static_cast<typename Array::ValueType>(values[i]));
  data.AddArray(array);
}

void set_numbers(vtkDataSetAttributes& data, const std::vector<std::pair<std::string, MatrixXd>>& arrays) {
  for (const auto& [name, values] : arrays) {
    vtkNew<vtkDoubleArray> array;
    array->SetName(name.c_str());
    array->SetNumberOfComponents(static_cast<int>(values.cols()));
    array->SetNumberOfTuples(values.rows());
    for (int i = 0; i < values.rows(); ++i)
      for (int k = 0; k < values.cols(); ++k) array->SetComponent(i, k, values(i, k));
    data.AddArray(array);
  }
}

void set_text(vtkFieldData& data, const char* name, const std::vector<std::string>& values) {
  vtkNew<vtkStringArray> array;
  array->SetName(name);
  for (const std::string& value : values) array->InsertNextValue(value);
  data.AddArray(array);
}

vtkSmartPointer<vtkUnstructuredGrid> grid_of(const TetMesh& mesh, const VtuArrays& arrays) {
  auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  points->SetNumberOfPoints(mesh.node_count());
  for (int i = 0; i < mesh.node_count(); ++i) points->SetPoint(i, mesh.nodes.row(i).data());
  grid->SetPoints(points);
  grid->Allocate(mesh.element_count());
  for (int e = 0; e < mesh.element_count(); ++e) {
    std::array<vtkIdType, 10> cell;
    for (int k = 0; k < mesh.elements.cols(); ++k) cell[k] = mesh.elements(e, k);
    grid->InsertNextCell(mesh.order == 1 ? VTK_TETRA : VTK_QUADRATIC_TETRA, mesh.elements.cols(),
                         cell.data());
  }
  set_integers<vtkIntArray>(*grid->GetCellData(), "label", mesh.label);
  set_integers<vtkUnsignedCharArray>(*grid->GetPointData(), "fixed", mesh.fixed);
  set_integers<vtkIntArray>(*grid->GetPointData(), "region", mesh.region);
  set_numbers(*grid->GetPointData(), arrays.point);
  set_numbers(*grid->GetCellData(), arrays.cell);

  set_text(*grid->GetFieldData(), "unit", {"mm"});
  if (!mesh.region_names.empty()) set_text(*grid->GetFieldData(), "region_names", mesh.region_names);
  vtkNew<vtkIntArray> version;
  version->SetName("furrow");
  version->InsertNextValue(kFormatVersion);
  grid->GetFieldData()->AddArray(version);
  return grid;
}

}  // namespace

TetMesh parse_vtu(const std::string& text, const std::string& where) {
  QuietVtk quiet;
  // Appended data need not be XML: they are cut out before the rest is parsed.
  const std::size_t start = std::min(text.find("<AppendedData"), text.size());
  const std::size_t underscore = std::min(text.find('_', start), text.size()),
                    end = std::max(std::min(text.rfind("</AppendedData"), text.size()), underscore);
  const bool has_appended = start < text.size();
  if (has_appended && end == text.size())
    throw InputError(where, "ends within its appended data; it is truncated, write it again");
  const std::string tag = text.substr(start, underscore - start);
  const std::string_view appended =
      has_appended ? std::string_view(text).substr(underscore + 1, end - underscore - 1) : std::string_view();
  const std::string head = has_appended ? text.substr(0, start) + "</VTKFile>" : text;
  return with_root(head, where, quiet, [&](vtkXMLDataElement& root) {
    TetMesh mesh = mesh_from(
        root, VtuData(head, root, appended, tag.find("base64") != std::string::npos, text.size(), where));
    check_tet_mesh(mesh, where);
    return mesh;
  });
}

std::string format_vtu(const TetMesh& mesh, const VtuArrays& arrays) {
  QuietVtk quiet;
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetInputData(grid_of(mesh, arrays));
  writer->SetDataModeToAppended();
  writer->EncodeAppendedDataOn();
  writer->SetCompressorTypeToZLib();
  writer->SetHeaderTypeToUInt64();
  writer->WriteToOutputStringOn();
  if (writer->Write() == 0 || quiet.failed())
    throw std::runtime_error("VTK could not write a mesh: " + quiet.message());
  return writer->GetOutputString();
}

}  // namespace furrow
