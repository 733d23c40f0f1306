/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Included when ccache asks `waymark cc` for preprocessed text.  The digest of all settings becomes
 * part of that text, of which ccache makes its key.  /dev/null as a source file keeps ccache from
 * remembering the result by source files alone (its direct mode): it would then take the object
 * of other settings without asking, because it hashes neither our variables nor the files that
 * they name.
 */
#line 1 "/dev/null"
#line 1 __WAYMARK_DIGEST__
