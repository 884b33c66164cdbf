# The manual, and the tests of what surrounds the library: manual, header,
# exported symbols, installation.
#
# SPDX-License-Identifier: Apache-2.0

# Automake has to see a page of each section. Pages of programs are the programs'.
man_pages = man/winnow.7 man/winnow_in.3 man/winnow_tuning.5
dist_man_MANS += $(man_pages) $(sort $(filter-out $(man_pages), \
  $(patsubst $(srcdir)/%,%,$(wildcard $(srcdir)/man/*.[357]))))

dist_check_SCRIPTS += \
  tests/check-api \
  tests/check-arrow \
  tests/check-bindgen \
  tests/check-device \
  tests/check-header \
  tests/check-install \
  tests/check-man \
  tests/check-symbols
TESTS += \
  tests/check-api \
  tests/check-arrow \
  tests/check-bindgen \
  tests/check-device \
  tests/check-header \
  tests/check-install \
  tests/check-man \
  tests/check-symbols
EXTRA_DIST += tests/nvrtc.c tests/install/cmake tests/install/lines
