#include "forward/mesh/vtu_file.h"

#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
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
void with_root(const std::string& head, const std::string& where, const QuietVtk& quiet, Use use) {
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
  use(*root);
}

template <class Array>
void set_integers(vtkDataSetAttributes& data, const VtuIntegers& integers) {
  vtkNew<Array> array;
  array->SetName(integers.name.c_str());
  array->SetNumberOfTuples(static_cast<vtkIdType>(integers.values.size()));
  for (std::size_t i = 0; i < integers.values.size(); ++i)
    array->SetValue(static_cast<vtkIdType>(i), static_cast<typename Array::ValueType>(integers.values[i]));
  data.AddArray(array);
}

vtkSmartPointer<vtkDoubleArray> numbers_of(const std::string& name, const MatrixXd& values) {
  auto array = vtkSmartPointer<vtkDoubleArray>::New();
  array->SetName(name.c_str());
  array->SetNumberOfComponents(static_cast<int>(values.cols()));
  array->SetNumberOfTuples(values.rows());
  for (int i = 0; i < values.rows(); ++i)
    for (int k = 0; k < values.cols(); ++k) array->SetComponent(i, k, values(i, k));
  return array;
}

void set_arrays(vtkDataSetAttributes& data, const std::vector<VtuIntegers>& integers,
                const VtuNumbers& numbers) {
  for (const VtuIntegers& array : integers)
    if (array.bytes)
      set_integers<vtkUnsignedCharArray>(data, array);
    else
      set_integers<vtkIntArray>(data, array);
  for (const auto& [name, values] : numbers) data.AddArray(numbers_of(name, values));
}

void set_field_data(vtkFieldData& data, const VtuGrid& grid) {
  const auto set_text = [&](const std::string& name, const std::vector<std::string>& values) {
    vtkNew<vtkStringArray> array;
    array->SetName(name.c_str());
    for (const std::string& value : values) array->InsertNextValue(value);
    data.AddArray(array);
  };
  set_text("unit", {"mm"});
  for (const auto& [name, values] : grid.texts) set_text(name, values);
  vtkNew<vtkIntArray> version;
  version->SetName("furrow");
  version->InsertNextValue(kFormatVersion);
  data.AddArray(version);
}

vtkSmartPointer<vtkUnstructuredGrid> vtk_grid(const VtuGrid& grid) {
  auto result = vtkSmartPointer<vtkUnstructuredGrid>::New();
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  points->SetNumberOfPoints(grid.points.rows());
  for (int i = 0; i < grid.points.rows(); ++i) points->SetPoint(i, grid.points.row(i).data());
  result->SetPoints(points);
  result->Allocate(grid.cells.rows());
  std::vector<vtkIdType> cell(grid.cells.cols());
  for (int e = 0; e < grid.cells.rows(); ++e) {
    for (int k = 0; k < grid.cells.cols(); ++k) cell[k] = grid.cells(e, k);
    result->InsertNextCell(grid.cell_type, grid.cells.cols(), cell.data());
  }
  if (grid.degrees.rows() > 0)
    result->GetCellData()->SetHigherOrderDegrees(numbers_of("HigherOrderDegrees", grid.degrees));
  set_arrays(*result->GetPointData(), grid.point_integers, grid.point_numbers);
  set_arrays(*result->GetCellData(), grid.cell_integers, grid.cell_numbers);
  set_field_data(*result->GetFieldData(), grid);
  return result;
}

}  // namespace

VtuPiece::VtuPiece(const VtuData& data, vtkXMLDataElement& grid) : data_(data), grid_(grid) {
  piece_ = grid.FindNestedElementWithName("Piece");
  if (piece_ == nullptr) fail("has no piece of a grid; write it again");
  int pieces = 0;
  for (int i = 0; i < grid.GetNumberOfNestedElements(); ++i)
    pieces += std::string(grid.GetNestedElement(i)->GetName()) == "Piece" ? 1 : 0;
  if (pieces > 1) fail(fmt::format("has {} pieces; write the mesh in one", pieces));
  points_ = static_cast<int>(data.count(*piece_, "NumberOfPoints", 0));
  cells_ = static_cast<int>(data.count(*piece_, "NumberOfCells", 0));
}

void VtuPiece::fail(const std::string& what) const {
  data_.fail(what);
}

vtkXMLDataElement* VtuPiece::section(const char* name) const {
  return piece_->FindNestedElementWithName(name);
}

vtkXMLDataElement* VtuPiece::find(const char* section_name, const char* name) const {
  vtkXMLDataElement* parent = section(section_name);
  return parent == nullptr ? nullptr
                           : parent->FindNestedElementWithNameAndAttribute("DataArray", "Name", name);
}

std::vector<double> VtuPiece::cell_numbers(const char* name, std::size_t count) const {
  vtkXMLDataElement* array = find("Cells", name);
  if (array == nullptr) fail(fmt::format("its cells have no \"{}\"; write the mesh again", name));
  return data_.numbers(*array, count);
}

std::vector<int> VtuPiece::cell_types() const {
  const std::vector<double> numbers = cell_numbers("types", cells_);
  std::vector<int> types;
  for (const double number : numbers)
    types.push_back(number >= 0 && number < 256 ? static_cast<int>(number) : -1);
  return types;
}

int VtuPiece::first_cell_size() const {
  if (cells_ == 0) return 0;
  const double size = cell_numbers("offsets", cells_)[0];
  return size >= 0 && size < 1e6 ? static_cast<int>(size) : -1;
}

Elements VtuPiece::connectivity(int size) const {
  const std::vector<double> offsets = cell_numbers("offsets", cells_);
  for (std::size_t e = 0; e < offsets.size(); ++e)
    if (offsets[e] != static_cast<double>(e + 1) * size)
      fail(fmt::format("element {} (0-based) does not have {} nodes; write the mesh again", e, size));
  const std::vector<double> numbers = cell_numbers("connectivity", static_cast<std::size_t>(cells_) * size);
  Elements elements(cells_, size);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!(numbers[i] >= 0 && numbers[i] < points_))
      fail(fmt::format("element {} (0-based) names a node outside 0..{}; write the mesh again", i / size,
                       points_ - 1));
    elements.data()[i] = static_cast<int>(numbers[i]);
  }
  return elements;
}

Positions VtuPiece::positions() const {
  vtkXMLDataElement* parent = section("Points");
  vtkXMLDataElement* array = parent == nullptr ? nullptr : parent->FindNestedElementWithName("DataArray");
  if (array == nullptr || data_.count(*array, "NumberOfComponents", 3) != 3)
    fail("its points have no coordinates; write it again");
  const std::vector<double> values = data_.numbers(*array, 3 * static_cast<std::size_t>(points_));
  return Eigen::Map<const Positions>(values.data(), points_, 3);
}

std::optional<MatrixXd> VtuPiece::array(const char* section_name, const char* name, int rows) const {
  vtkXMLDataElement* found = find(section_name, name);
  if (found == nullptr) return std::nullopt;
  const std::size_t columns = data_.count(*found, "NumberOfComponents", 1);
  if (columns < 1 || columns > 1000) fail(fmt::format("array \"{}\" has {} numbers a row", name, columns));
  const std::vector<double> values = data_.numbers(*found, columns * static_cast<std::size_t>(rows));
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      values.data(), rows, static_cast<Eigen::Index>(columns));
}

std::optional<std::vector<int>> VtuPiece::integers(const char* section_name, const char* name,
                                                   int rows) const {
  const auto values = array(section_name, name, rows);
  if (!values) return std::nullopt;
  if (values->cols() != 1) fail(fmt::format("array \"{}\" must have one number a row", name));
  for (int i = 0; i < rows; ++i)
    if (!(std::abs((*values)(i, 0)) < 2e9) || (*values)(i, 0) != std::floor((*values)(i, 0)))
      fail(
          fmt::format("array \"{}\" holds {} at {} (0-based), which is no whole number; write it as integers",
                      name, (*values)(i, 0), i));
  return std::vector<int>(values->data(), values->data() + rows);
}

std::optional<MatrixXd> VtuPiece::point_array(const char* name) const {
  return array("PointData", name, points_);
}
std::optional<MatrixXd> VtuPiece::cell_array(const char* name) const {
  return array("CellData", name, cells_);
}
std::optional<std::vector<int>> VtuPiece::point_integers(const char* name) const {
  return integers("PointData", name, points_);
}
std::optional<std::vector<int>> VtuPiece::cell_integers(const char* name) const {
  return integers("CellData", name, cells_);
}

std::vector<std::string> VtuPiece::field_texts(const char* name) const {
  vtkXMLDataElement* fields = grid_.FindNestedElementWithName("FieldData");
  vtkXMLDataElement* texts =
      fields == nullptr ? nullptr : fields->FindNestedElementWithNameAndAttribute("Array", "Name", name);
  return texts == nullptr ? std::vector<std::string>() : data_.texts(*texts);
}

void read_vtu(const std::string& text, const std::string& where,
              const std::function<void(const VtuPiece&)>& use) {
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
  with_root(head, where, quiet, [&](vtkXMLDataElement& root) {
    const VtuData data(head, root, appended, tag.find("base64") != std::string::npos, text.size(), where);
    vtkXMLDataElement* grid = root.FindNestedElementWithName("UnstructuredGrid");
    if (grid == nullptr) data.fail("has no piece of a grid; write it again");
    use(VtuPiece(data, *grid));
  });
}

std::string format_vtu(const VtuGrid& grid) {
  QuietVtk quiet;
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetInputData(vtk_grid(grid));
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
