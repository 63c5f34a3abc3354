/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on one server share. */
#ifndef FAMILY_MONITOR_PROCESS_H
#define FAMILY_MONITOR_PROCESS_H

#include "api/request.h"
#include "monitor/samples.h"
#include "store/monitor/monitor.h"

/* The member that the path names: 404 when the project has none, 503 when nothing is measured here. */
MUST_USE error process_find(struct request *req, id *ret_member);
/* Its databases, disks or tables. */
MUST_USE error process_names(struct request *req, id member, enum metric_scope scope, struct name_list *ret_names);
bool name_list_has(const struct name_list *names, str name);

#endif
