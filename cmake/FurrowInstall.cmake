# Exported furrow:: targets.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY FURROW_LIBRARIES)
list(REMOVE_ITEM libraries furrow_cli)  # the command line's own
install(TARGETS ${libraries} EXPORT furrowTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS furrow RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(folder forward inverse capture calibrate)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION include/furrow FILES_MATCHING PATTERN "*.h"
    PATTERN cli EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/schema DESTINATION share/furrow)
install(EXPORT furrowTargets NAMESPACE furrow:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/furrow)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/furrowConfig.cmake.in
  ${PROJECT_BINARY_DIR}/furrowConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/furrow)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/furrowConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/furrowConfig.cmake ${PROJECT_BINARY_DIR}/furrowConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/furrow)
