# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package=expat program=expat/xmlwf/xmlwf traced='source'
build_it() { cd expat && ./buildconf.sh && ./configure --disable-shared --without-docbook --without-examples && make -j"$jobs"; }
test_it() { make -C expat -j"$jobs" check; }
use_it() { expat/xmlwf/xmlwf -d . expat/doc/xmlwf.xml && cksum <xmlwf.xml; }
train_it() { expat/xmlwf/xmlwf -n expat/doc/xmlwf.xml; }
