/* SPDX-License-Identifier: Apache-2.0 */
/* Extensions: which this host has, and making and dropping them in databases of tenants (docs/internals/extensions.md). */
#ifndef ENGINE_POSTGRES_EXTENSION_EXTENSION_H
#define ENGINE_POSTGRES_EXTENSION_EXTENSION_H

#include <jansson.h>

#include "engine/engine.h"

/* "17 vector 0.8.0": major version, name and version of each that is offered and whose files are here. */
struct wire_texts extensions_of_host(struct arena *arena, const struct wire_texts *postgres_versions);

/* {"database","name"}. Both may be asked for any number of times. The sentence says why it failed. */
enum engine_outcome extension_create(struct engine_member *self, json_t *parameters, str *ret_detail);
enum engine_outcome extension_drop(struct engine_member *self, json_t *parameters, str *ret_detail);

#endif
