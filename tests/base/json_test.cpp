#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "forward/base/json_file.h"
#include "tests/base/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

class Json : public ::testing::Test {
 protected:
  JsonNode parse(const std::string& text, const PathRules& rules = {}) {
    return JsonNode::read(folder_.write("scene.json", text), rules);
  }
  TemporaryFolder folder_;
};

TEST_F(Json, ValuesAreReadWithTheirUnits) {
  const JsonNode root = parse(R"({ // a comment
    "young": "20 kPa", "poisson": 0.49, "order": 2, "on": true, /* another */ "law": "neo-hookean",
    "gravity": ["0 m/s^2", "-9.81 m/s^2", "0 m/s^2"], "axis": [1, 0, 0]})");
  EXPECT_EQ(root.at("young").quantity(dimension::stress), 0.02);
  EXPECT_EQ(root.at("poisson").number(), 0.49);
  EXPECT_EQ(root.at("poisson").quantity(dimension::none, 0, 0.5), 0.49);
  EXPECT_EQ(root.at("order").integer(), 2);
  EXPECT_TRUE(root.at("on").boolean());
  EXPECT_EQ(root.at("law").one_of({"neo-hookean", "skin"}), "neo-hookean");
  EXPECT_EQ(root.at("gravity").vector(dimension::acceleration), Vec3(0, -9810, 0));
  EXPECT_EQ(root.at("axis").vector(dimension::none), Vec3(1, 0, 0));
  EXPECT_FALSE(root.find("absent").has_value());
}

TEST_F(Json, MembersComeInTheFilesOrder) {
  const JsonNode root = parse(R"({"z": 1, "a": {"q": 1, "b": 2}, "m": [{"y": 1, "x": 2}]})");
  const auto keys = [](const JsonNode& node) {
    std::string all;
    for (const auto& [key, value] : node.members()) all += key + " ";
    return all;
  };
  EXPECT_EQ(keys(root), "z a m ");
  EXPECT_EQ(keys(root.at("a")), "q b ");
  EXPECT_EQ(keys(root.at("m").items()[0]), "y x ");
}

TEST_F(Json, KeysThatLookLikePathsAreNoTrouble) {
  const JsonNode root =
      parse(R"({"a.b": {"y": 1}, "a": {"b": {"x": 2}}, "": {"z": 3}, "c[0]": {"w": 1}, "c": [{"v": 1}]})");
  EXPECT_EQ(root.at("a.b").members()[0].first, "y");
  EXPECT_EQ(root.at("a").at("b").members()[0].first, "x");
  EXPECT_EQ(root.at("").members()[0].first, "z");
  EXPECT_EQ(root.at("c[0]").members()[0].first, "w");
  EXPECT_EQ(root.at("c").items()[0].members()[0].first, "v");
  EXPECT_EQ(root.members().size(), 5u);
}

TEST_F(Json, WhereNamesFileAndKeyPath) {
  const JsonNode root = parse(R"({"tissue": {"clusters": [{"young": "4 MPa"}]}})");
  const std::string where = root.at("tissue").at("clusters").items()[0].at("young").where();
  EXPECT_EQ(where, (folder_.path() / "scene.json").string() + ": tissue.clusters[0].young");
}

TEST_F(Json, SyntaxErrorsNameTheLine) {
  expect_error([&] { parse("{\n  \"a\": 1,\n  \"b\": ]\n}\n"); }, {"scene.json:3", "syntax error"});
  expect_error([&] { parse("{\n  \"a\": 1\n  \"b\": 2\n}\n"); }, {"scene.json:3", "syntax error"});
  expect_error([&] { parse("{\n  \"a\": 1,\n"); }, {"scene.json:2", "unexpected end of input"});
  expect_error([&] { parse("{\"a\": 1} trailing"); }, {"scene.json:1"});
  expect_error([&] { parse("{\"a\": 1e999}"); }, {"scene.json:1", "1e999"});
  expect_error([&] { parse("{\"a\": NaN}"); }, {"scene.json:1"});
  expect_error([&] { parse("{\"a\": \"\xff\xfe\"}"); }, {"scene.json:1"});
  expect_error([&] { parse(""); }, {"scene.json", "is empty"});
  expect_error([&] { parse(std::string(100, '[') + std::string(100, ']')); }, {"nested too deeply"});
  expect_error([&] { parse(std::string(1000000, '[')); }, {"nested too deeply"});
}

TEST_F(Json, MissingFileAndFolder) {
  expect_error([&] { JsonNode::read(folder_.path() / "none.json"); }, {"none.json", "no such file"});
  expect_error([&] { JsonNode::read(folder_.path()); }, {"is a folder"});
}

TEST_F(Json, DuplicateKeysAreRefusedWithPathAndLine) {
  expect_error([&] { parse("{\"a\": {\n\"b\": 1,\n\"b\": 2}}"); },
               {"scene.json:3", "\"a.b\" is given twice"});
  EXPECT_NO_THROW(parse(R"({"a": {"b": 1}, "c": {"b": 2}, "l": [{"b": 1}, {"b": 2}]})"));
}

TEST_F(Json, UnknownKeysAreRefusedWithTheNearestKnownOne) {
  const JsonNode root = parse(R"({"tissue": {"yuong": "4 MPa", "poisson": 0.4}, "frobnicate": 1})");
  expect_error(
      [&] {
        root.at("tissue").only({"young", "poisson"});
      },
      {"scene.json: tissue.yuong", "unknown key", "did you mean \"young\"?"});
  expect_error([&] { root.only({"tissue", "time"}); }, {"frobnicate", "known here: tissue, time"});
  EXPECT_NO_THROW(root.only({"tissue", "frobnicate"}));
}

TEST_F(Json, WrongTypesAreRefused) {
  const JsonNode root =
      parse(R"({"n": 1, "t": "x", "l": [1, 2], "o": {}, "big": 1e10, "half": 0.5, "null": null})");
  expect_error([&] { root.at("young"); }, {"scene.json", "\"young\" is missing"});
  expect_error([&] { root.at("n").text(); }, {"scene.json: n", "expected a text", "the number 1"});
  expect_error([&] { root.at("t").number(); }, {"scene.json: t", "expected a plain number", "\"x\""});
  expect_error([&] { root.at("t").boolean(); }, {"expected true or false"});
  expect_error([&] { root.at("t").items(); }, {"expected a list"});
  expect_error([&] { root.at("l").members(); }, {"expected an object"});
  expect_error([&] { root.at("l").find("a"); }, {"expected an object"});
  expect_error([&] { root.at("l").only({"a"}); }, {"expected an object"});
  expect_error([&] { root.at("l").vector(dimension::none); }, {"list of three, found 2"});
  expect_error([&] { root.at("big").integer(); }, {"whole number"});
  expect_error([&] { root.at("half").integer(); }, {"whole number"});
  expect_error([&] { root.at("null").number(); }, {"found null"});
  expect_error([&] { root.at("t").one_of({"xyz", "auto"}); }, {"\"x\" is not one of xyz, auto"});
}

TEST_F(Json, QuantitiesNeedTheirUnitAndTheirRange) {
  const JsonNode root = parse(R"({"bare": 4, "length": "4 mm", "e": "900 kPa", "nu": 0.6})");
  expect_error([&] { root.at("bare").quantity(dimension::stress); },
               {"scene.json: bare", "bare number where a unit belongs", "\"4 MPa\""});
  expect_error([&] { root.at("length").quantity(dimension::stress); },
               {"scene.json: length", "wrong dimension"});
  expect_error([&] { root.at("e").quantity(dimension::stress, 0.001, 0.5); },
               {"\"900 kPa\" is outside 1 kPa to 500 kPa"});
  expect_error([&] { root.at("e").quantity(dimension::stress, 1, INFINITY); }, {"at least 1000 kPa"});
  expect_error([&] { root.at("e").quantity(dimension::stress, -INFINITY, 0.5); }, {"at most 500 kPa"});
  expect_error([&] { root.at("nu").quantity(dimension::none, 0, 0.5); }, {"0.6 is outside 0 to 0.5"});
}

TEST_F(Json, PathsStayInTheirFolder) {
  const TemporaryFolder elsewhere;
  elsewhere.write("other.obj", "x");
  folder_.write("skin.obj", "x");
  std::filesystem::create_directory(folder_.path() / "sub");
  std::filesystem::create_symlink(elsewhere.path() / "other.obj", folder_.path() / "link.obj");
  const std::string outside = (elsewhere.path() / "other.obj").string();
  const std::string text =
      R"({"in": "skin.obj", "dots": "sub/../skin.obj", "out": ")" + outside +
      R"(", "up": "../skin.obj", "link": "link.obj", "none": "none.obj", "folder": "sub", "empty": ""})";
  const JsonNode root = parse(text);
  const auto skin = std::filesystem::canonical(folder_.path() / "skin.obj");
  EXPECT_EQ(root.at("in").existing_file(), skin);
  EXPECT_EQ(root.at("dots").existing_file(), skin);
  expect_error([&] { root.at("out").existing_file(); },
               {"scene.json: out", "leaves the folder", "--allow-outside"});
  expect_error([&] { root.at("up").existing_file(); }, {"leaves the folder"});
  expect_error([&] { root.at("link").existing_file(); }, {"leaves the folder"});
  expect_error([&] { root.at("none").existing_file(); }, {"scene.json: none", "there is no file"});
  expect_error([&] { root.at("folder").existing_file(); }, {"is not a file"});
  expect_error([&] { root.at("empty").existing_file(); }, {"empty text"});
  EXPECT_NO_THROW(root.at("none").resolved_path());

  const JsonNode free = parse(text, {.data_folder = {}, .allow_outside = true});
  EXPECT_EQ(free.at("out").existing_file(), std::filesystem::canonical(outside));
  const JsonNode moved =
      parse(R"({"mesh": "other.obj"})", {.data_folder = elsewhere.path(), .allow_outside = false});
  EXPECT_EQ(moved.at("mesh").existing_file(), std::filesystem::canonical(outside));
}

TEST_F(Json, NodesOutliveTheRoot) {
  const auto young = [&] { return parse(R"({"tissue": {"young": "4 MPa"}})").at("tissue").at("young"); }();
  EXPECT_EQ(young.quantity(dimension::stress), 4);
}

TEST_F(Json, WritingKeepsOrderAndDigitsAndLeavesNothingElse) {
  nlohmann::ordered_json value{{"z", 0.1}, {"a", 1e-300}, {"m", {1, 2, 3}}};
  const auto file = folder_.path() / "fit.json";
  write_json(file, value);
  value["z"] = 1.0 / 3;
  write_json(file, value);
  const JsonNode root = JsonNode::read(file);
  EXPECT_EQ(root.members()[0].first, "z");
  EXPECT_EQ(root.at("z").number(), 1.0 / 3);
  EXPECT_EQ(root.at("a").number(), 1e-300);
  const auto entries = std::distance(std::filesystem::directory_iterator(folder_.path()), {});
  EXPECT_EQ(entries, 1);
  expect_error([&] { write_json(folder_.path() / "absent" / "fit.json", value); },
               {"fit.json", "cannot be written"});
}

}  // namespace
}  // namespace furrow
