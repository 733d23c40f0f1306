#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The runtime calls nothing that a program can define.  Every name that it leaves undefined must be
# in this list; all of them are reserved for the compiler, the linker and the C library.
#     provided by linker and start files   __dso_handle __ehdr_start __start_wm_* __stop_wm_*
#     data of the C library                __environ __libc_single_threaded _r_debug
#     _dl_find_object      finds the object of an address without a lock; for unwinders
#     __errno_location     the calls of waymark.h set errno; errno is kept for the program's callback
#     __getauxval          reads what the kernel gave the process; no lock, no state
#     __register_atfork    pthread_atfork itself is a wrapper of it
#     pthread_attr_getsigmask_np, ___interceptor_pthread_create    called only by pthread_create
#     ___interceptor_*     those of a sanitizer, which a replaced function calls
. "$(dirname "$0")/lib.sh"
allowed='___interceptor_longjmp ___interceptor__longjmp ___interceptor_siglongjmp ___interceptor___longjmp_chk
___interceptor_sigaction ___interceptor_signal ___interceptor_sysv_signal ___interceptor___sysv_signal __dso_handle __ehdr_start __environ __errno_location __getauxval __libc_single_threaded __register_atfork
___interceptor_pthread_create pthread_attr_getsigmask_np __start_wm_cells __start_wm_funcs __start_wm_heads __start_wm_large_cells __start_wm_sites __stop_wm_sites _dl_find_object __stop_wm_cells __stop_wm_funcs _r_debug'
for archive in "$RUNTIME" "$BUILD/libwaymark_spawn.a"; do
	nm "$archive" | awk '$1 == "U" || $1 == "w" || $1 == "v" { wanted[$2] = 1 } NF == 3 { made[$3] = 1 }
		END { for (name in wanted) if (!(name in made)) print name }' | sort >wanted.txt
	[ -s wanted.txt ] || die "$archive: no symbols"
	# The archives refer to each other.
	grep -vxE '_GLOBAL_OFFSET_TABLE_|wm_second_thread|wm_is_guest|__wm_announce_(thread|filter)|__wm_new_thread|__wm_sees_threads|__wm_(leave_(process|thread|to|below)|fatal_action|is_fatal_handler|hides_handlers)|wm_lock_(take|release)' wanted.txt >left.txt || true
	for name in $(cat left.txt); do
		echo "$allowed" | tr ' ' '\n' | grep -qx "$name" || die "$archive refers to $name, which a program may define"
	done
done
