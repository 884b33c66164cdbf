# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/prelude.cu %D%/select.cu %D%/reduce.cu
library_sources += \
  %D%/disk.c \
  %D%/notes.c \
  %D%/place.c
cuda_sources += \
  %D%/choose.c \
  %D%/kernels.c \
  %D%/layout.c \
  %D%/leaves.c \
  %D%/nvrtc.c \
  %D%/reduction.c \
  %D%/source.c \
  %D%/values.c

# The beginning of every source, as the numbers of an array. It is no file of the
# tarball: each build makes its own.
prelude_parts = $(top_srcdir)/%D%/types.cu \
  $(top_srcdir)/kernels/expression/scalar.h $(top_srcdir)/%D%/args.h \
  $(top_srcdir)/%D%/prelude.cu
EXTRA_DIST += %D%/types.cu
BUILT_SOURCES += %D%/prelude.inc %D%/select.inc %D%/reduce.inc
%D%/libwinnow_internal_la-source.lo \
  %D%/tests_simt_libwinnow_la-source.lo: %D%/prelude.inc %D%/select.inc \
  %D%/reduce.inc
CLEANFILES += %D%/prelude.inc %D%/select.inc %D%/reduce.inc
as_numbers = sed '/^\# *include/d' | od -An -v -t u1 | \
  sed 's/  */,/g; s/^,//; s/$$/,/'
%D%/prelude.inc: $(prelude_parts)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)cat $(prelude_parts) | $(as_numbers) >$@.tmp && mv $@.tmp $@
%D%/select.inc: $(top_srcdir)/%D%/select.cu
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)cat $(top_srcdir)/%D%/select.cu | $(as_numbers) >$@.tmp && \
	  mv $@.tmp $@
%D%/reduce.inc: $(top_srcdir)/%D%/reduce.cu
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)cat $(top_srcdir)/%D%/reduce.cu | $(as_numbers) >$@.tmp && \
	  mv $@.tmp $@
