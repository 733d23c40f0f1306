/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Included when ccache asks `waymark cc` for preprocessed text.  The digest of all settings becomes part of that
 * text, from which ccache computes its key.  Naming /dev/null as a source file disables ccache's direct mode, which
 * identifies a result by source files alone: ccache hashes neither our variables nor the files that they name, so it
 * would return an object that was compiled with other settings.
 */
#line 1 "/dev/null"
#line 1 __WAYMARK_DIGEST__
