/* SPDX-License-Identifier: Apache-2.0 */
/* Key services of projects: which are to be asked, what was found out, and who uses them. The settings are a resource of kind KEY_SERVICE_KIND. */
#ifndef STORE_ENCRYPTION_KEY_SERVICE_H
#define STORE_ENCRYPTION_KEY_SERVICE_H

#include "store/store.h"

#define KEY_SERVICE_KIND "encryptionAtRest"
enum { KEY_SERVICES_DUE_MAX = 16 };

struct key_service_row {
    id organization, project, resource;
    str document;
    int64_t revision;
    int64_t others; /* members whose keys are wrapped with another one */
};
/* `is_proven`: of those that answered quickly, or of the others. */
MUST_USE error store_key_services_due(struct store *store, struct arena *arena, bool is_proven,
                                      id ret_projects[KEY_SERVICES_DUE_MAX], size_t *ret_count);
/* For one worker, and for so many seconds: until it says that it was asked. */
MUST_USE error store_key_service_claim(struct store *store, struct arena *arena, id project, int64_t lease_s,
                                       bool *ret_claimed);
MUST_USE error store_key_service_task(struct store *store, struct arena *arena, id project, bool *ret_found,
                                      struct key_service_row *ret_row);
MUST_USE error store_key_service_asked(struct store *store, struct arena *arena, id project, bool is_proven);
/* `state` is a part of its document. Not written when its settings have changed since. */
MUST_USE error store_key_service_checked(struct tx *tx, const struct key_service_row *row, str state,
                                         bool *ret_written);

MUST_USE error store_keyed_clusters(struct tx *tx, id project, int64_t *ret_count);
MUST_USE error store_region_encrypts(struct tx *tx, str provider, str region, bool *ret_encrypts);

#endif
