# find_package(rdma-tidy), then
#
#   rdma_tidy_check(TARGET server [client …] [NAME check] [TOPOLOGY FILE] [ARGS OPTION…])
#
# adds the target NAME (default: rdma-tidy-TARGET) that analyses the sources of these targets, and of the project's
# libraries and objects that they link, as one program, with the flags they are compiled with. It fails when there are
# findings, and where there is no source in C or C++. Generator expressions are evaluated in the lists of sources; of
# libraries that stand in one, all are taken.
get_filename_component(_rdma_tidy_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(RDMA_TIDY_EXECUTABLE rdma-tidy
  HINTS "${_rdma_tidy_prefix}/bin" "${_rdma_tidy_prefix}/../bin" DOC "the analyser of RDMA programs")
if(NOT RDMA_TIDY_EXECUTABLE)
  set(rdma-tidy_FOUND FALSE)
  set(rdma-tidy_NOT_FOUND_MESSAGE "rdma-tidy itself is not installed")
  return()
endif()

# The names that may be targets in a list: its items, and what stands between the signs of generator expressions.
function(_rdma_tidy_names LIST OUT)
  set(Names ${LIST})
  if(LIST MATCHES "\\$<")
    string(REPLACE "::" "\t" Inner "${LIST}")
    string(REGEX MATCHALL "[^$<>:,;]+" Inner "${Inner}")
    string(REPLACE "\t" "::" Inner "${Inner}")
    list(APPEND Names ${Inner})
  endif()
  set(${OUT} "${Names}" PARENT_SCOPE)
endfunction()

# The target that a name stands for.
function(_rdma_tidy_target NAME OUT)
  get_target_property(Aliased ${NAME} ALIASED_TARGET)
  if(Aliased)
    set(NAME ${Aliased})
  endif()
  set(${OUT} ${NAME} PARENT_SCOPE)
endfunction()

# The targets of this project that TARGET links or has objects of, and those that these do, appended to OUT.
function(_rdma_tidy_parts TARGET OUT)
  foreach(Property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES SOURCES INTERFACE_SOURCES)
    get_target_property(Listed ${TARGET} ${Property})
    if(NOT Listed)
      continue()
    endif()
    _rdma_tidy_names("${Listed}" Names)
    foreach(Part ${Names})
      if(NOT TARGET "${Part}")
        continue()
      endif()
      _rdma_tidy_target(${Part} Part)
      get_target_property(Imported ${Part} IMPORTED)
      if(NOT Imported AND NOT Part IN_LIST ${OUT})
        list(APPEND ${OUT} ${Part})
        _rdma_tidy_parts(${Part} ${OUT})
      endif()
    endforeach()
  endforeach()
  set(${OUT} "${${OUT}}" PARENT_SCOPE)
endfunction()

# A generator expression: the sources in C and C++ of TARGET, with their whole paths.
function(_rdma_tidy_sources TARGET OUT)
  get_target_property(Folder ${TARGET} SOURCE_DIR)
  get_target_property(Type ${TARGET} TYPE)
  set(Property SOURCES)
  if(Type STREQUAL INTERFACE_LIBRARY)
    set(Property INTERFACE_SOURCES)
  endif()
  set(Listed "$<FILTER:$<TARGET_PROPERTY:${TARGET},${Property}>,INCLUDE,[.](c|C|cc|cpp|cxx|CC|CPP|CXX|c[+][+])$>")
  set(Whole "$<FILTER:${Listed},INCLUDE,^/>")
  set(Relative "$<FILTER:${Listed},EXCLUDE,^/>")
  set(${OUT} "${Whole};$<$<BOOL:${Relative}>:${Folder}/$<JOIN:${Relative},;${Folder}/>>" PARENT_SCOPE)
endfunction()

# Called when the whole project has been read: says to the target NAME which sources the TARGETS behind it have.
function(_rdma_tidy_collect NAME)
  set(Targets ${ARGN})
  foreach(Target ${ARGN})
    _rdma_tidy_parts(${Target} Targets)
  endforeach()
  set(Sources "")
  foreach(Target ${Targets})
    set_target_properties(${Target} PROPERTIES EXPORT_COMPILE_COMMANDS ON)
    _rdma_tidy_sources(${Target} OfTarget)
    list(APPEND Sources "${OfTarget}")
  endforeach()
  set_target_properties(${NAME} PROPERTIES RDMA_TIDY_SOURCES "${Sources}")
endfunction()

function(rdma_tidy_check)
  cmake_parse_arguments(PARSE_ARGV 0 CHECK "" "NAME;TOPOLOGY" "TARGET;ARGS")
  if(CHECK_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "rdma_tidy_check: unknown argument ${CHECK_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT CHECK_TARGET)
    message(FATAL_ERROR "rdma_tidy_check wants TARGET and the name of a target")
  endif()
  set(Targets "")
  foreach(Target ${CHECK_TARGET})
    if(NOT TARGET "${Target}")
      message(FATAL_ERROR "rdma_tidy_check: there is no target ${Target}")
    endif()
    _rdma_tidy_target(${Target} Target)
    list(APPEND Targets ${Target})
  endforeach()
  list(GET Targets 0 First)
  if(NOT CHECK_NAME)
    set(CHECK_NAME rdma-tidy-${First})
  endif()
  if(CHECK_TOPOLOGY)
    get_filename_component(CHECK_TOPOLOGY "${CHECK_TOPOLOGY}" ABSOLUTE)
    list(PREPEND CHECK_ARGS "--topology=${CHECK_TOPOLOGY}")
  endif()
  set(Sources "$<REMOVE_DUPLICATES:$<FILTER:$<TARGET_GENEX_EVAL:${First},$<TARGET_PROPERTY:${CHECK_NAME},RDMA_TIDY_SOURCES>>,INCLUDE,.>>")
  # Without a source the tool would analyse the whole database.
  set(None "$<STREQUAL:${Sources},>")
  add_custom_target(${CHECK_NAME}
    COMMAND "$<${None}:${CMAKE_COMMAND};-E;echo;rdma_tidy_check: ${CHECK_TARGET}: no source in C or C++>"
    COMMAND "$<${None}:${CMAKE_COMMAND};-E;false>"
    COMMAND "${RDMA_TIDY_EXECUTABLE}" -p "${CMAKE_BINARY_DIR}" ${CHECK_ARGS} "${Sources}"
    COMMENT "Analysing ${CHECK_TARGET}" COMMAND_EXPAND_LISTS VERBATIM)
  string(REPLACE ";" "]==] [==[" Quoted "[==[${CHECK_NAME};${Targets}]==]")
  cmake_language(EVAL CODE
    "cmake_language(DEFER DIRECTORY [==[${CMAKE_SOURCE_DIR}]==] CALL _rdma_tidy_collect ${Quoted})")
endfunction()
