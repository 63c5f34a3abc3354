/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of store/ share of a struct store. Only for store/. */
#ifndef STORE_STORE_PARTS_H
#define STORE_STORE_PARTS_H

#include "store/pool.h"

struct pool *store_pool(struct store *store);
const struct store_config *store_settings(const struct store *store);

#endif
