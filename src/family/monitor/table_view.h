/* SPDX-License-Identifier: Apache-2.0 */
/* What operations about tables share: on which servers, and which of their tables. */
#ifndef FAMILY_MONITOR_TABLE_VIEW_H
#define FAMILY_MONITOR_TABLE_VIEW_H

#include <jansson.h>

#include "api/request.h"
#include "store/monitor/monitor.h"
#include "wire/monitor/table_name.h"

struct viewed {
    id cluster;
    bool is_apart; /* servers are shown one by one, and not added up */
    size_t count;
    const struct table_member *members;
    const json_t *pinned; /* names */
};

/*
 * The servers that the path names: one process, or those of a cluster that its view has. 404 when there is no such cluster or process, 503 when nothing
 * is measured here.
 */
MUST_USE error table_view_find(struct request *req, struct viewed *ret_viewed);

bool table_view_has_pinned(const struct viewed *viewed, str name);

#endif
