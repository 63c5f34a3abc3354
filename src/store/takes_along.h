/* SPDX-License-Identifier: Apache-2.0 */
/* What a deletion would take along. {"takesAlong": [{"kind": "databaseUser", "count": 3}, …]}; only what there is. Asked before anything is deleted. */
#ifndef STORE_TAKES_ALONG_H
#define STORE_TAKES_ALONG_H

#include "store/store.h"

MUST_USE error store_organization_takes_along(struct tx *tx, id organization, str *ret_document);
MUST_USE error store_project_takes_along(struct tx *tx, id organization, id project, str *ret_document);
MUST_USE error store_cluster_takes_along(struct tx *tx, id organization, id cluster, bool keeps_backups,
                                         str *ret_document);

#endif
