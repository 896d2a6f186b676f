# One library a folder: furrow_library(NAME sources...) makes furrow_NAME and its alias furrow::NAME.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)

add_library(furrow_warnings INTERFACE)
# off: designated initialisers leave the rest at its default on purpose; GCC 12's flow warnings are false in Eigen and std::string
target_compile_options(furrow_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wno-unused-parameter
  -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-psabi;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-restrict>
  $<$<BOOL:${FURROW_WERROR}>:-Werror>)

function(furrow_library name)
  add_library(furrow_${name} STATIC ${ARGN})
  add_library(furrow::${name} ALIAS furrow_${name})
  set_target_properties(furrow_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(furrow_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/furrow>)
  target_compile_features(furrow_${name} PUBLIC cxx_std_20)
  target_compile_options(furrow_${name} PUBLIC -march=${FURROW_MARCH})
  target_link_libraries(furrow_${name} PRIVATE $<BUILD_INTERFACE:furrow_warnings> PUBLIC Eigen3::Eigen)
  target_precompile_headers(furrow_${name} PRIVATE
    <Eigen/Dense> <Eigen/Sparse> <filesystem> <functional> <map> <optional> <string> <variant> <vector>)
  set_property(GLOBAL APPEND PROPERTY FURROW_LIBRARIES furrow_${name})
endfunction()
