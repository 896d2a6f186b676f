// VTU through VTK (this is the only file of forward/mesh that includes it).
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
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "forward/base/error.h"
#include "forward/mesh/tet_mesh_readers.h"

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

int order_of_cells(vtkUnstructuredGrid& grid, const std::string& where) {
  const int first = grid.GetCellType(0);
  if (first != VTK_TETRA && first != VTK_QUADRATIC_TETRA)
    throw InputError(
        where,
        fmt::format(
            "element 0 is a VTK cell of type {}; only linear (10) and quadratic (24) tetrahedra are read",
            first));
  for (vtkIdType e = 1; e < grid.GetNumberOfCells(); ++e)
    if (grid.GetCellType(e) != first)
      throw InputError(where, fmt::format("element {} (0-based) is a VTK cell of type {} among cells of type "
                                          "{}; write one kind of tetrahedra "
                                          "(10 or 24) only",
                                          e, grid.GetCellType(e), first));
  return first == VTK_TETRA ? 1 : 2;
}

Elements elements_of(vtkUnstructuredGrid& grid, int order, const std::string& where) {
  vtkDataArray *offsets = grid.GetCells()->GetOffsetsArray(),
               *connectivity = grid.GetCells()->GetConnectivityArray();
  const int size = order == 1 ? 4 : 10;
  Elements elements(static_cast<int>(grid.GetNumberOfCells()), size);
  if (offsets->GetNumberOfTuples() != elements.rows() + 1 ||
      connectivity->GetNumberOfTuples() != elements.rows() * size)
    throw InputError(where, fmt::format("its cells do not have {} nodes each; write the mesh again", size));
  for (int e = 0; e < elements.rows(); ++e) {
    if (offsets->GetComponent(e, 0) != static_cast<double>(e) * size)
      throw InputError(
          where, fmt::format("element {} (0-based) does not have {} nodes; write the mesh again", e, size));
    for (int k = 0; k < size; ++k) {
      const double node = connectivity->GetComponent(static_cast<vtkIdType>(e) * size + k, 0);
      if (!(node >= 0 && node < static_cast<double>(grid.GetNumberOfPoints())))
        throw InputError(
            where, fmt::format("element {} (0-based) names a node outside 0..{}; write the mesh again", e,
                               grid.GetNumberOfPoints() - 1));
      elements(e, k) = static_cast<int>(node);
    }
  }
  return elements;
}

/// An array of whole numbers, one a row; empty when there is none of that name.
std::vector<int> integers(vtkDataSetAttributes& data, const char* name, int rows, const std::string& where) {
  vtkDataArray* array = data.GetArray(name);
  if (array == nullptr) return {};
  if (array->GetNumberOfComponents() != 1 || array->GetNumberOfTuples() != rows)
    throw InputError(
        where,
        fmt::format("array \"{}\" does not have one number for each of {} rows; write it again", name, rows));
  std::vector<int> values;
  for (int i = 0; i < rows; ++i) {
    const double value = array->GetComponent(i, 0);
    if (!(std::abs(value) < 2e9) || value != std::floor(value))
      throw InputError(
          where,
          fmt::format("array \"{}\" holds {} at {} (0-based), which is no whole number; write it as integers",
                      name, value, i));
    values.push_back(static_cast<int>(value));
  }
  return values;
}

void take_regions(TetMesh& mesh, vtkUnstructuredGrid& grid, const std::string& where) {
  mesh.region = integers(*grid.GetPointData(), "region", mesh.node_count(), where);
  if (mesh.region.empty()) return;
  auto* names = vtkStringArray::SafeDownCast(grid.GetFieldData()->GetAbstractArray("region_names"));
  for (vtkIdType i = 0; names != nullptr && i < names->GetNumberOfValues(); ++i)
    mesh.region_names.push_back(names->GetValue(i));
  const int highest = *std::max_element(mesh.region.begin(), mesh.region.end());
  if (highest >= 1000000)
    throw InputError(where, fmt::format("array \"region\" holds {}; number regions from 0", highest));
  for (int r = static_cast<int>(mesh.region_names.size()); r <= highest; ++r)
    mesh.region_names.push_back(fmt::format("region {}", r));
  for (int& region : mesh.region) region = std::max(region, -1);
}

TetMesh mesh_from(vtkUnstructuredGrid& grid, const std::string& where) {
  if (grid.GetNumberOfCells() == 0 || grid.GetPoints() == nullptr || grid.GetNumberOfPoints() == 0)
    throw InputError(where, "has no tetrahedra; write a volume mesh of linear or quadratic tetrahedra");
  if (grid.GetNumberOfCells() > 200000000 || grid.GetNumberOfPoints() > 2000000000)
    throw InputError(where, "is too large; write a coarser mesh");
  TetMesh mesh;
  mesh.order = order_of_cells(grid, where);
  mesh.elements = elements_of(grid, mesh.order, where);
  mesh.nodes.resize(static_cast<int>(grid.GetNumberOfPoints()), 3);
  for (int i = 0; i < mesh.nodes.rows(); ++i) grid.GetPoint(i, mesh.nodes.row(i).data());
  mesh.label = integers(*grid.GetCellData(), "label", mesh.element_count(), where);
  if (mesh.label.empty()) mesh.label = integers(*grid.GetCellData(), "cluster", mesh.element_count(), where);
  for (int value : integers(*grid.GetPointData(), "fixed", mesh.node_count(), where))
    mesh.fixed.push_back(value != 0);
  take_regions(mesh, grid, where);
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
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->ReadFromInputStringOn();
  reader->SetInputString(text);
  reader->Update();
  if (quiet.failed() || reader->GetErrorCode() != 0)
    throw InputError(where, fmt::format("is not a complete VTU file ({}); write it again",
                                        quiet.failed() ? quiet.message() : "VTK could not read it"));
  TetMesh mesh = mesh_from(*reader->GetOutput(), where);
  check_tet_mesh(mesh, where);
  return mesh;
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
