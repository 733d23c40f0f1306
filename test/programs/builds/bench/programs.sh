programs=${PROGRAMS-tiny}
tiny_package=tiny tiny_language=cc tiny_flags=
tiny_prepare() { :; }
tiny_sources() { echo tiny.c; }
tiny_use() { "$program"; }
tiny_train() { "$program" short; }
tiny_suite() { "$program" short; }
zstd_package=tiny zstd_language=cc zstd_flags=
zstd_prepare() { :; }
zstd_sources() { echo tiny.c; }
# Its first process fails like a program that does not know an option: quickly, and in all variants alike.
wrong_package=tiny wrong_language=cc wrong_flags=
wrong_prepare() { :; }
wrong_sources() { echo tiny.c; }
wrong_use() { ls --no-such-option | cksum; }
silent_package=tiny silent_language=cc silent_flags=
silent_prepare() { :; }
silent_sources() { echo tiny.c; }
silent_use() { ls --no-such-option 2>/dev/null | cksum; }
short_package=tiny short_language=cc short_flags=
short_prepare() { :; }
short_sources() { echo tiny.c; }
short_use() { echo; }
