# find_package(rdma-tidy), then
#
#   rdma_tidy_check(TARGET server [client …] [NAME check] [TOPOLOGY FILE] [ARGS OPTION…])
#
# adds the target NAME (default: rdma-tidy-TARGET) that analyses the sources of these targets as one program,
# with the flags they are compiled with. It fails when there are findings.
get_filename_component(_rdma_tidy_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(RDMA_TIDY_EXECUTABLE rdma-tidy
  HINTS "${_rdma_tidy_prefix}/bin" "${_rdma_tidy_prefix}/../bin" DOC "the analyser of RDMA programs")
if(NOT RDMA_TIDY_EXECUTABLE)
  set(rdma-tidy_FOUND FALSE)
  set(rdma-tidy_NOT_FOUND_MESSAGE "rdma-tidy itself is not installed")
  return()
endif()

function(rdma_tidy_check)
  cmake_parse_arguments(PARSE_ARGV 0 CHECK "" "NAME;TOPOLOGY" "TARGET;ARGS")
  if(CHECK_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "rdma_tidy_check: unknown argument ${CHECK_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT CHECK_TARGET)
    message(FATAL_ERROR "rdma_tidy_check wants TARGET and the name of a target")
  endif()
  list(GET CHECK_TARGET 0 First)
  if(NOT CHECK_NAME)
    set(CHECK_NAME rdma-tidy-${First})
  endif()
  set(Sources "")
  foreach(Target ${CHECK_TARGET})
    set_target_properties(${Target} PROPERTIES EXPORT_COMPILE_COMMANDS ON)
    get_target_property(Folder ${Target} SOURCE_DIR)
    get_target_property(Listed ${Target} SOURCES)
    foreach(Source ${Listed})
      if(Source MATCHES "\\.(c|cc|cpp|cxx|C)$")
        get_filename_component(Source "${Source}" ABSOLUTE BASE_DIR "${Folder}")
        list(APPEND Sources "${Source}")
      endif()
    endforeach()
  endforeach()
  if(CHECK_TOPOLOGY)
    get_filename_component(CHECK_TOPOLOGY "${CHECK_TOPOLOGY}" ABSOLUTE)
    list(PREPEND CHECK_ARGS "--topology=${CHECK_TOPOLOGY}")
  endif()
  add_custom_target(${CHECK_NAME}
    COMMAND "${RDMA_TIDY_EXECUTABLE}" -p "${CMAKE_BINARY_DIR}" ${CHECK_ARGS} ${Sources}
    COMMENT "Analysing ${CHECK_TARGET}" VERBATIM)
endfunction()
