#include "calibrate/checkpoint.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <fstream>

#include "calibrate/head_fit.h"
#include "forward/base/error.h"
#include "forward/base/text_file.h"

namespace furrow {

namespace {

constexpr char kMagic[] = "furrow-journal-1\n";

std::uint64_t checksum(const std::string& bytes) {  // FNV-1a
  std::uint64_t h = 1469598103934665603ull;
  for (const unsigned char c : bytes) h = (h ^ c) * 1099511628211ull;
  return h;
}

class Writer {
 public:
  template <class T>
  void number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(const std::string& s) {
    number<std::uint64_t>(s.size());
    bytes_ += s;
  }
  void doubles(const double* data, Eigen::Index rows, Eigen::Index columns) {
    number<std::int64_t>(rows);
    number<std::int64_t>(columns);
    bytes_.append(reinterpret_cast<const char*>(data), sizeof(double) * rows * columns);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes, std::size_t at = 0) : bytes_(&bytes), at_(at) {}
  template <class T>
  T number() {
    T value;
    need(sizeof value);
    std::memcpy(&value, bytes_->data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string text() {
    const auto n = number<std::uint64_t>();
    need(n);
    at_ += n;
    return bytes_->substr(at_ - n, n);
  }
  template <class Matrix>
  Matrix doubles() {
    const auto rows = number<std::int64_t>(), columns = number<std::int64_t>();
    if (rows < 0 || columns < 0 ||
        (columns > 0 && rows > static_cast<std::int64_t>(bytes_->size()) / columns))
      damaged();
    need(sizeof(double) * rows * columns);
    Matrix m(rows, columns);
    std::memcpy(m.data(), bytes_->data() + at_, sizeof(double) * rows * columns);
    at_ += sizeof(double) * rows * columns;
    return m;
  }
  std::size_t at() const { return at_; }
  bool has(std::size_t n) const { return bytes_->size() - at_ >= n; }

 private:
  [[noreturn]] static void damaged() { throw std::out_of_range("damaged record"); }
  void need(std::size_t n) const {
    if (!has(n)) damaged();
  }
  const std::string* bytes_;
  std::size_t at_;
};

std::string encode(const EvaluationRecord& r) {
  Writer w;
  for (const int v : {r.stage, r.kind, r.forward_solves, r.state, static_cast<int>(r.ok)})
    w.number<std::int32_t>(v);
  w.text(r.failure);
  w.doubles(r.p.data(), r.p.size(), 1);
  w.doubles(r.residual.data(), r.residual.size(), 1);
  w.doubles(r.jacobian.data(), r.jacobian.rows(), r.jacobian.cols());
  return w.bytes();
}

EvaluationRecord decode(const std::string& bytes) {
  Reader in(bytes);
  EvaluationRecord r;
  r.stage = in.number<std::int32_t>();
  r.kind = in.number<std::int32_t>();
  r.forward_solves = in.number<std::int32_t>();
  r.state = in.number<std::int32_t>();
  r.ok = in.number<std::int32_t>() != 0;
  r.failure = in.text();
  r.p = in.doubles<MatrixXd>().reshaped();
  r.residual = in.doubles<MatrixXd>().reshaped();
  r.jacobian = in.doubles<MatrixXd>();
  return r;
}

std::filesystem::path state_file(const std::filesystem::path& folder, int number) {
  return folder / fmt::format("state_{}.bin", number);
}

}  // namespace

Journal::Journal(const std::filesystem::path& folder, const std::string& identity, bool resume)
    : folder_(folder) {
  const std::filesystem::path file = folder / "journal.bin";
  if (!resume) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    Writer header;
    header.text(identity);
    write_text_atomically(file, kMagic + header.bytes());
    return;
  }
  if (!std::filesystem::exists(file))
    throw InputError(file.string(), "there is no checkpoint to resume; run without --resume");
  const std::string bytes = read_bytes(file);
  const std::size_t magic = sizeof kMagic - 1;
  if (bytes.compare(0, magic, kMagic) != 0)
    throw InputError(file.string(), "is no checkpoint of this version; run without --resume");
  Reader in(bytes, magic);
  std::size_t good = magic;
  try {
    if (in.text() != identity)
      throw InputError(file.string(),
                       "belongs to other inputs or options (a file has changed since); run without --resume");
    good = in.at();
    while (in.has(16)) {
      const auto length = in.number<std::uint64_t>(), sum = in.number<std::uint64_t>();
      if (!in.has(length)) break;
      const std::string payload = bytes.substr(in.at(), length);
      if (checksum(payload) != sum) break;
      records_.push_back(decode(payload));
      in = Reader(bytes, in.at() + length);
      good = in.at();
      states_ = std::max(states_, records_.back().state + 1);
    }
  } catch (const std::out_of_range&) {
  }
  std::filesystem::resize_file(file, good);  // a torn record at the end is evaluated again
}

std::optional<EvaluationRecord> Journal::replay() {
  if (next_ == records_.size()) return std::nullopt;
  return records_[next_++];
}

void Journal::append(const EvaluationRecord& record) {
  const std::string payload = encode(record);
  Writer frame;
  frame.number<std::uint64_t>(payload.size());
  frame.number<std::uint64_t>(checksum(payload));
  std::ofstream out(folder_ / "journal.bin", std::ios::binary | std::ios::app);
  out << frame.bytes() << payload;
  if (!out.flush())
    throw InputError((folder_ / "journal.bin").string(), "cannot be written: is the disk full?");
}

int Journal::save_state(const ExperimentStart& state) {
  Writer w;
  const VectorXd theta = state.factor_theta.flat();
  w.doubles(theta.data(), theta.size(), 1);
  w.doubles(state.X.data(), state.X.rows(), 3);
  w.number<std::uint64_t>(state.x.size());
  for (const Positions& x : state.x) w.doubles(x.data(), x.rows(), 3);
  Writer sealed;
  sealed.number<std::uint64_t>(checksum(w.bytes()));
  write_text_atomically(state_file(folder_, states_), sealed.bytes() + w.bytes());
  if (states_ >= 2) std::filesystem::remove(state_file(folder_, states_ - 2));
  return states_++;
}

ExperimentStart Journal::load_state(int number) const {
  const std::filesystem::path file = state_file(folder_, number);
  const std::string bytes = read_bytes(file);
  try {
    Reader in(bytes);
    if (in.number<std::uint64_t>() != checksum(bytes.substr(in.at()))) throw std::out_of_range("checksum");
    ExperimentStart state;
    state.factor_theta = TissueTheta::from_flat(in.doubles<MatrixXd>().reshaped());
    state.X = in.doubles<Positions>();
    const auto poses = in.number<std::uint64_t>();
    for (std::uint64_t p = 0; p < poses; ++p) state.x.push_back(in.doubles<Positions>());
    return state;
  } catch (const std::out_of_range&) {
    throw InputError(file.string(), "the checkpoint's state is missing or damaged; run without --resume");
  }
}

int JournaledProblem::size() const {
  return inner_.size();
}
int JournaledProblem::residual_count() const {
  return inner_.residual_count();
}

void JournaledProblem::catch_up() {
  if (pending_state_ >= 0) inner_.restore(journal_.load_state(pending_state_));
  pending_state_ = -1;
}

EvaluationRecord JournaledProblem::run(const VectorXd& p, int kind) {
  std::optional<EvaluationRecord> old = journal_.replay();
  if (old) {
    if (old->stage != stage_ || old->kind != kind || old->p != p)
      throw InputError("checkpoint",
                       "does not replay: it was written by another version or machine; run without --resume");
    if (old->state >= 0) pending_state_ = old->state;
  } else {
    catch_up();
    old.emplace();
    old->stage = stage_;
    old->kind = kind;
    old->p = p;
    if (kind == 2) {
      if (const auto value = inner_.evaluate_gradient(p)) {
        old->ok = true;
        old->residual.resize(1 + value->gradient.size());
        old->residual << value->value, value->gradient;
      }
    } else if (auto value = inner_.evaluate(p, kind == 1)) {
      old->ok = true;
      old->residual = std::move(value->residual);
      old->jacobian = std::move(value->jacobian);
    }
    if (!old->ok) old->failure = inner_.last_failure();
    if (old->ok && kind > 0) old->state = journal_.save_state(inner_.start());
    old->forward_solves =
        p == last_p_ ? 0 : static_cast<int>(inner_.poses().size());  // a repeated p is already solved
    journal_.append(*old);
  }
  last_p_ = p;
  forward_solves_ += old->forward_solves;
  failed_ += !old->ok;
  return std::move(*old);
}

std::optional<ResidualValue> JournaledProblem::evaluate(const VectorXd& p, bool with_jacobian) {
  EvaluationRecord record = run(p, with_jacobian ? 1 : 0);
  if (!record.ok) return std::nullopt;
  return ResidualValue{std::move(record.residual), std::move(record.jacobian)};
}

std::optional<ValueGradient> JournaledProblem::evaluate_gradient(const VectorXd& p) {
  const EvaluationRecord record = run(p, 2);
  if (!record.ok) return std::nullopt;
  return ValueGradient{record.residual[0], record.residual.tail(record.residual.size() - 1)};
}

}  // namespace furrow
