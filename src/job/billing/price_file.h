/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator's price file: one line for each item, comments after #.
 *
 *     member M10 0.08      One member of size M10
 *     disk       0.000137  One GB of disk of one member
 *
 * Prices are for one hour, in the operator's currency, with at most eight decimals: a micro-cent is the smallest part.
 */
#ifndef JOB_BILLING_PRICE_FILE_H
#define JOB_BILLING_PRICE_FILE_H

#include <stdio.h>

#include "base/str.h"

/*
 * The items as a JSON list of {"id", "description", "microcents"}, as store_price_list_set() takes them. False when anything is
 * wrong; then every mistake is a line in `problems`.
 */
MUST_USE bool price_file_read(struct arena *arena, const char *path, FILE *problems, str *ret_items);

#endif
