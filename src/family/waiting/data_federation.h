/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of federated databases; the operations are in data_federation.c. */
#ifndef FAMILY_WAITING_DATA_FEDERATION_H
#define FAMILY_WAITING_DATA_FEDERATION_H

#include "api/contract.h"

extern const struct schema data_federation_schema, data_federation_limit_schema, data_federation_endpoint_schema;
extern const struct field data_federation_list_query[], data_federation_change_query[], data_federation_log_query[];

#endif
