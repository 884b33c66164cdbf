/*
 * The text of a condition over columns of which some cannot be tested.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_FIELDS_H
#define WINNOW_LIB_CONDITION_FIELDS_H

#include <winnow.h>

/*
 * winnow_condition_parse(), but that with refusals any name is allowed, also ""
 * and that of another field. refusals[i] is NULL, or says why no text may name
 * field i: "is of lists". The call adds those of names that are there more than
 * once. A text that names such a field is WINNOW_ERR_UNSUPPORTED.
 */
winnow_status winnow__condition_parse(winnow_condition **condition_p,
                                      const winnow_field *fields,
                                      const char **refusals,
                                      unsigned field_count, const char *text);

#endif
