# Debian's packages: dpkg-buildpackage -b, in a checkout or the unpacked tarball.
#
# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += debian/changelog debian/control debian/copyright \
  debian/libwinnow-dev.install debian/libwinnow0.install \
  debian/libwinnow0.symbols debian/rules debian/source/format \
  debian/winnow-doc.docs debian/winnow-doc.install debian/winnow-tools.install
