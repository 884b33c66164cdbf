# The manual, the notes and the figures as HTML: `make html` and `make install-html`,
# with mandoc, cmark-gfm and Python.
#
# SPDX-License-Identifier: Apache-2.0
CMARK = cmark-gfm
EXTRA_DIST += pages/README.md pages/make-pages pages/style.css
dist_check_SCRIPTS += tests/check-pages
TESTS += tests/check-pages

# In a build in the source tree, too, pages/ has none of what is made.
html-local:
	$(AM_V_GEN)MANDOC='$(MANDOC)' CMARK='$(CMARK)' \
	  '$(top_srcdir)/pages/make-pages' '$(top_srcdir)' html
install-html-local: html-local
	$(MKDIR_P) '$(DESTDIR)$(htmldir)/html'
	$(INSTALL_DATA) html/* '$(DESTDIR)$(htmldir)/html'
uninstall-local: uninstall-pages
uninstall-pages:
	-rm -rf '$(DESTDIR)$(htmldir)/html'
mostlyclean-local: clean-pages
clean-pages:
	-rm -rf html
.PHONY: clean-pages uninstall-pages
