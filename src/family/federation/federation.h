/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the federation family share. */
#ifndef FAMILY_FEDERATION_FEDERATION_H
#define FAMILY_FEDERATION_FEDERATION_H

#include "api/request.h"

#define DOMAIN_PATTERN "^[A-Za-z0-9]([A-Za-z0-9-]{0,62}\\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$"

extern const struct schema connected_organization_schema;

/* ---- identity_providers.c ---- */
extern const struct schema identity_provider_schema;
extern const struct field identity_provider_query[], identity_provider_path[];
extern const struct read identity_provider_get, identity_provider_list;
handler identity_provider_create, identity_provider_update, identity_provider_delete, identity_provider_revoke_keys,
    identity_provider_metadata;

#endif
