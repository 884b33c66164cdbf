# Debian's packages: tools/deb, or dpkg-buildpackage -b in a checkout.
#
# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += debian/changelog debian/control debian/copyright \
  debian/libwinnow-dev.install debian/libwinnow-mpi-dev.install \
  debian/libwinnow-mpi0.install debian/libwinnow-mpi0.symbols \
  debian/libwinnow0.install debian/libwinnow0.symbols debian/rules \
  debian/source/format debian/source/lintian-overrides \
  debian/tests/compile-examples debian/tests/control \
  debian/tests/filter-a-file \
  debian/winnow-doc.doc-base debian/winnow-doc.docs \
  debian/winnow-doc.install debian/winnow-tools.install
