/* SPDX-License-Identifier: Apache-2.0 */
#include "main/operator_place.h"

#include <stdio.h>

#include "main/node.h"

enum { COMMAND_ARENA_BYTES = 64 * 1024 * 1024 };

void
operator_place_close(struct operator_place *place)
{
    if (place->store != NULL)
        store_free(place->store);
    config_free(place->config);
    arena_free(place->arena);
}

bool
operator_place_open(struct operator_place *place, const char *config_path)
{
    *place =
        (struct operator_place){ .arena = arena_new(COMMAND_ARENA_BYTES), .config = config_load(config_path, stderr) };
    if (place->arena == NULL || place->config == NULL)
        return false;
    struct store_config config = node_store_config(place->config);
    place->store = store_new(&config);
    return place->store != NULL;
}
