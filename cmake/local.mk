# find_package(winnow) of CMake. What is installed says where the headers are
# from the place of the file itself: the prefix may be moved.
#
# SPDX-License-Identifier: Apache-2.0

cmakeconfigdir = $(libdir)/cmake/winnow
nodist_cmakeconfig_DATA = cmake/winnow-config.cmake \
  cmake/winnow-config-version.cmake
CLEANFILES += $(nodist_cmakeconfig_DATA)
EXTRA_DIST += cmake/winnow-config.cmake.in cmake/winnow-config-version.cmake.in

# From the folder of libraries to that of the headers.
cmake/winnow-config.cmake: cmake/winnow-config.cmake.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && from='$(libdir)' to='$(includedir)' up= && \
	  while case $$to/ in "$$from"/*) false;; esac; do \
	    from=$${from%/*} up=../$$up; done && \
	  libs=`echo $(CUDART_LIBS) $(WINNOW_CXX_PRIVATE) -lpthread $(LIBS) | \
	    sed 's/  */;/g'` && \
	  sed -e "s|@include[@]|$$up$${to#"$$from"/}|" \
	    -e "s|@private_libs[@]|$$libs|" \
	    '$(srcdir)/cmake/winnow-config.cmake.in' >$@-new && mv -f $@-new $@
cmake/winnow-config-version.cmake: cmake/winnow-config-version.cmake.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	  sed 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|' \
	    '$(srcdir)/cmake/winnow-config-version.cmake.in' >$@-new && \
	  mv -f $@-new $@
