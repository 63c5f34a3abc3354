/* SPDX-License-Identifier: Apache-2.0 */
/* Other words that people type for a command. */
#ifndef CLI_SHORT_ALIAS_H
#define CLI_SHORT_ALIAS_H

#include "base/str.h"

struct alias {
    const char *typed, *meant;
    const char *flag; /* that the alias brings along; NULL: none */
};
/* typed == NULL at the end. */
extern const struct alias aliases[];

/*
 * Puts what is meant in the place of the first words, when they are no command themselves. `*ret_typed` of the words became
 * `*ret_meant`; `*ret_flag` is that of the alias.
 */
void alias_expand(struct arena *arena, const char **words, size_t *count, size_t most, size_t *ret_typed,
                  size_t *ret_meant, const char **ret_flag);

#endif
