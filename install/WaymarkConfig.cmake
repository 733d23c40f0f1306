# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(Waymark) defines
#
#   WAYMARK_EXECUTABLE                          the command
#   waymark_profile(TARGET... [OPTIONS OPTION...])
#                                               compiles and links these targets with `waymark cc` and `waymark c++`;
#                                               options are those of waymark-cc(1), such as -fwaymark-scheme=context
#
# An executable or shared library that contains a profiled static library or object library must be a profiled target, too.
# Generators: Makefiles and Ninja.
get_filename_component(_waymark_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(WAYMARK_EXECUTABLE "${_waymark_prefix}/bin/waymark")
set(_waymark_launch "${_waymark_prefix}/lib/waymark/launch")
if(NOT EXISTS "${WAYMARK_EXECUTABLE}" OR NOT EXISTS "${_waymark_launch}")
	set(Waymark_FOUND FALSE)
	set(Waymark_NOT_FOUND_MESSAGE "${WAYMARK_EXECUTABLE} is missing: install Waymark again")
	return()
endif()
set(WAYMARK_LAUNCH "${_waymark_launch}" CACHE INTERNAL "runs waymark cc instead of a compiler")

function(waymark_profile)
	cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "OPTIONS")
	if(NOT arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "waymark_profile: name a target")
	endif()
	if(CMAKE_VERSION VERSION_LESS 3.21)
		message(FATAL_ERROR "waymark_profile needs CMake 3.21; or configure with CC=\"waymark cc\" CXX=\"waymark c++\"")
	endif()
	foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
		if(NOT TARGET "${target}")
			message(FATAL_ERROR "waymark_profile: there is no target '${target}'")
		endif()
		set_target_properties("${target}" PROPERTIES
			C_COMPILER_LAUNCHER "${WAYMARK_LAUNCH};cc" C_LINKER_LAUNCHER "${WAYMARK_LAUNCH};cc"
			CXX_COMPILER_LAUNCHER "${WAYMARK_LAUNCH};c++" CXX_LINKER_LAUNCHER "${WAYMARK_LAUNCH};c++")
		target_compile_options("${target}" PRIVATE ${arg_OPTIONS})
		target_link_options("${target}" PRIVATE ${arg_OPTIONS})
	endforeach()
endfunction()
