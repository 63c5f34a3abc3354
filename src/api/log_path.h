/* SPDX-License-Identifier: Apache-2.0 */
/* Where a node's nginx fetches a log from the host that has it. The bytes do not come through here. */
#ifndef API_LOG_PATH_H
#define API_LOG_PATH_H

#include "api/api.h"

/* Of the node's nginx, and reachable from nowhere else: /reeve-log/ADDRESS:PORT/PROJECT/HOST/VERSION/MEMBER/LOG/QUERY. */
#define LOGS_INNER_PATH "/reeve-log/"

/* `target` is MEMBER/LOG; both it and the query are made of what nginx's expression for the path lets through. */
str log_inner_path(struct request *req, str address, str host, str target, str query);

#endif
