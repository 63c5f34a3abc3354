/* SPDX-License-Identifier: Apache-2.0 */
#include "main/operator_place.h"

#include <stdio.h>

#include "base/json.h"

enum { COMMAND_ARENA_BYTES = 64 * 1024 * 1024 };

void
operator_place_close(struct operator_place *place)
{
    operator_api_free(place->operators);
    if (place->store != NULL)
        store_free(place->store);
    config_free(place->config);
    arena_free(place->arena);
}

bool
operator_place_open(struct operator_place *place, const char *config_path, bool with_key)
{
    *place =
        (struct operator_place){ .arena = arena_new(COMMAND_ARENA_BYTES), .config = config_load(config_path, stderr) };
    if (place->arena == NULL || place->config == NULL || (with_key && !config_read_key(place->config, stderr)))
        return false;
    struct store_config config = node_store_config(place->config);
    place->store = store_new(&config);
    if (place->store != NULL)
        place->operators = node_operator_api_new(place->config, place->store, NULL, NULL, place->url);
    return place->operators != NULL;
}

error
operator_api_call_json(struct operator_api *operators, struct arena *arena, const char *method, str path, json_t *body,
                       json_t **ret_answer)
{
    str answer = STR_EMPTY;
    json_in(arena, body);
    TRY(operator_api_call(operators, arena, "reeved", method, path, body, &answer));
    *ret_answer = answer.len == 0 ? NULL : json_parse_own(arena, answer);
    return OK;
}
