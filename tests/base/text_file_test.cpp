#include "forward/base/text_file.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include "forward/base/json_file.h"
#include "forward/base/nearest.h"
#include "tests/base/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

TEST(TextFile, LinesOfEveryKind) {
  LineReader lines("\xEF\xBB\xBFone\r\n\ntwo\nlast");
  std::vector<std::string> found;
  while (lines.next()) found.push_back(std::to_string(lines.number()) + std::string(lines.line()));
  EXPECT_EQ(found, (std::vector<std::string>{"1one", "2", "3two", "4last"}));
}

TEST(TextFile, NumbersAreStrict) {
  EXPECT_EQ(to_number("+1.5e-3"), 1.5e-3);
  EXPECT_EQ(to_number("-0.25"), -0.25);
  for (const char* bad :
       {"", "+", "nan", "inf", "-inf", "1e999", "1.5x", "1,5", "0x10", "+-1", "++1", " 1"}) {
    EXPECT_FALSE(to_number(bad)) << bad;
  }
  EXPECT_EQ(to_integer("+7"), 7);
  EXPECT_FALSE(to_integer("7.0"));
  EXPECT_FALSE(to_integer("99999999999999999999"));
}

TEST(TextFile, MessagesStayReadable) {
  EXPECT_EQ(in_quotes("a\nb"), "\"a?b\"");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "\"" + std::string(60, 'x') + "...\"");
}

TEST(TextFile, WritingReplacesAtOnceAndCleansUp) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.txt";
  write_text_atomically(file, "first");
  write_text_atomically(file, std::string("se\0cond", 7));
  EXPECT_EQ(read_bytes(file), std::string("se\0cond", 7));
  std::filesystem::create_directory(folder.path() / "b.txt");
  expect_error([&] { write_text_atomically(folder.path() / "b.txt", "x"); }, {"b.txt", "cannot be written"});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
  expect_error([&] { read_bytes(folder.path() / "none"); }, {"no such file"});
  expect_error([&] { read_bytes("/dev/null"); }, {"not a regular file"});
}

TEST(TextFile, Sha256OfTheStandardsExamples) {
  const TemporaryFolder folder;
  EXPECT_EQ(sha256_of(folder.write("a", "abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(folder.write("b", "")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of(folder.write("c", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of(folder.write("d", std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Nearest, OnlyWordsThatCouldBeMeant) {
  const std::vector<std::string> keys{"young", "poisson", "density", "gravity"};
  EXPECT_EQ(nearest("yung", keys), "young");
  EXPECT_EQ(nearest("Young", keys), "young");
  EXPECT_EQ(nearest("yuong", keys), "young");
  EXPECT_EQ(nearest("poison", keys), "poisson");
  EXPECT_EQ(nearest("densities", keys), "density");
  EXPECT_EQ(nearest("mesh", keys), "");
  EXPECT_EQ(nearest("", keys), "");
  EXPECT_EQ(nearest("young", {}), "");
}

}  // namespace
}  // namespace furrow
