/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the seats of a stanza take for the same rules at the same moment is one snapshot with a copy at each seat. They do not talk to
 * each other, and the control plane may be gone; so each works out the same identifier.
 */
#ifndef BACKUP_SNAPSHOT_ID_H
#define BACKUP_SNAPSHOT_ID_H

#include "base/id.h"

/* `secret` is known to the stanza's seats only, so that nobody else can guess it. `items`: identifiers of the rules. */
id snapshot_id_scheduled(struct arena *arena, str secret, str stanza, int64_t due_ms, str items);

#endif
