/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last part of a drill of the control plane's own database: `reeved rehearse` is run with the restored server, in the drill's unit: without a network, and with a master key that was
 * made for it. So nothing sealed can be opened here, and nothing could be sent to anybody.
 */
#ifndef ENGINE_POSTGRES_OWN_OWN_REHEARSE_H
#define ENGINE_POSTGRES_OWN_OWN_REHEARSE_H

#include "base/json.h"
#include "engine/problem.h"

/* `wish`: {"program", "database"}. `ret_said` is what it answered. */
MUST_USE error own_rehearse(struct arena *arena, str folder, const json_t *wish, const char *superuser, str *ret_said);

#endif
