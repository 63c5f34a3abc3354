/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The query string. Common to all operations: envelope, pretty; to lists: pageNum, itemsPerPage, includeCount; to
 * operations that change something: dryRun. The rest is in the endpoint's own table.
 */
#ifndef API_QUERY_H
#define API_QUERY_H

#include "api/request.h"

enum { QUERY_MAX_PARAMETERS = 32, PAGE_DEFAULT_ITEMS = 100, PAGE_MAX_ITEMS = 500 };

/* Which common parameters an endpoint takes. */
enum common_scope { FOR_ANY_REQUEST, FOR_LISTS, FOR_ENTITIES, FOR_CHANGES };
struct common_parameter {
    enum common_scope scope;
    struct field field;
};
enum { COMMON_PARAMETERS = 7 };
extern const struct common_parameter common_parameters[COMMON_PARAMETERS];
bool common_applies(const struct common_parameter *common, const struct endpoint *endpoint);

/*
 * Fills req->query, pretty, envelope, dry_run, all_links and page from the text after the `?`. pretty and envelope are set even
 * when something else is wrong, because they apply to the error as well. Without an endpoint (nothing was found) only
 * these two are read. An endpoint without behaviour has no table of its parameters yet, so unknown ones pass.
 */
MUST_USE error query_parse(struct request *req, str raw_query);

#endif
