/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The regular expressions of the field tables. Each is compiled once for the life of the process and shared by all
 * threads. A pattern is a literal of a table: the cache knows it by its address.
 */
#ifndef API_PATTERN_H
#define API_PATTERN_H

#include <stdbool.h>
#include <stdio.h>

#include "api/contract.h"

/* Whether the whole text matches. `text` must be UTF-8. A pattern that does not compile matches nothing. */
bool pattern_matches(const char *pattern, str text);

/* What such a text looks like: "begin with a letter …", behind "must". NULL when nobody wrote it down. */
const char *pattern_words(const char *pattern);

/* At the start: false when a pattern of the endpoint's tables does not compile or has no words; `problems` gets a line for each. */
MUST_USE bool pattern_check_all(const struct endpoint *endpoint, FILE *problems);

#endif
