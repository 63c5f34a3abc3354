/* SPDX-License-Identifier: Apache-2.0 */
#include "main/fleet_command.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "main/operator_place.h"

enum { COMMAND_ARENA_BYTES = 256 * 1024 * 1024, CONNECT_MS = 5000, LOOK_MS = 5, MAX_COLUMNS = 16 };

void
fleet_place_close(struct fleet_place *place)
{
    operator_api_free(place->operators);
    fleet_free(place->fleet);
    config_free(place->config);
    arena_free(place->arena);
}

bool
fleet_place_open(struct fleet_place *place, const char *config_path)
{
    *place =
        (struct fleet_place){ .arena = arena_new(COMMAND_ARENA_BYTES), .config = config_load(config_path, stderr) };
    if (place->arena == NULL || place->config == NULL || !config_read_key(place->config, stderr))
        return false;
    place->fleet = node_fleet_new(place->config, NULL);
    if (place->fleet == NULL)
        return false;
    /* Reads fail at once while the first connection is being made; a command has the time. */
    for (int waited_ms = 0; waited_ms < CONNECT_MS && !store_status(place->fleet->store).reachable;
         waited_ms += LOOK_MS)
        clock_sleep_ms(LOOK_MS);
    place->operators = node_operator_api_new(place->config, place->fleet->store, NULL, NULL, place->url);
    return place->operators != NULL;
}

error
fleet_call(struct fleet_place *place, const char *method, str path, json_t *body, json_t **ret_answer)
{
    return operator_api_call_json(place->operators, place->arena, method, path, body, ret_answer);
}

int
fleet_fail(const struct fleet_command *command, error problem)
{
    char name[64];
    snprintf(name, sizeof(name), "fleet %s", command->name);
    return report_failure(name, problem);
}

int
fleet_complain(const struct fleet_command *command, const char *sentence)
{
    fprintf(stderr, "reeved fleet %s: %s\n", command->name, sentence);
    return 2;
}

/* ---- Printing ---- */
/* As a person reads it. */
static str
cell_text(struct arena *arena, const json_t *value)
{
    if (value == NULL || json_is_null(value))
        return STR("-");
    if (json_is_string(value))
        return json_str(value);
    if (json_is_array(value))
        return str_format(arena, "%zu", json_array_size(value));
    return json_text(arena, value);
}

static void
print_table(struct arena *arena, const json_t *list, const struct fleet_column *columns, size_t count)
{
    size_t widths[MAX_COLUMNS] = { 0 };
    for (size_t c = 0; c < count; c++) {
        widths[c] = strlen(columns[c].title);
        for (size_t i = 0; i < json_array_size(list); i++) {
            size_t len = cell_text(arena, json_object_get(json_array_get(list, i), columns[c].field)).len;
            widths[c] = len > widths[c] ? len : widths[c];
        }
    }
    for (size_t c = 0; c < count; c++)
        printf("%-*s%s", c + 1 == count ? 0 : (int)widths[c], columns[c].title, c + 1 == count ? "\n" : "  ");
    for (size_t i = 0; i < json_array_size(list); i++) {
        for (size_t c = 0; c < count; c++) {
            str text = cell_text(arena, json_object_get(json_array_get(list, i), columns[c].field));
            printf("%-*.*s%s", c + 1 == count ? 0 : (int)widths[c], STR_ARG(text), c + 1 == count ? "\n" : "  ");
        }
    }
}

void
fleet_print_list(struct arena *arena, str json, bool as_json, const struct fleet_column *columns, size_t count)
{
    const json_t *list = json_parse_own(arena, json);
    if (as_json)
        printf("%.*s\n", STR_ARG(json));
    else
        print_table(arena, list, columns, count);
}

void
fleet_print_lines(struct arena *arena, bool as_json, const struct fleet_line *lines, size_t count)
{
    json_t *object = json_in(arena, json_object());
    for (size_t i = 0; i < count; i++) {
        if (!as_json)
            printf("%-12s %.*s\n", lines[i].name, STR_ARG(lines[i].value));
        else if (json_object_set_new(object, lines[i].name, json_stringn(lines[i].value.data, lines[i].value.len)) != 0)
            return;
    }
    if (as_json)
        printf("%.*s\n", STR_ARG(json_text(arena, object)));
}
