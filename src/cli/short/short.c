/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/short/short.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/client.h"
#include "cli/fetch.h"
#include "cli/short/place.h"

bool
short_is_deep(const struct command_field *field)
{
    return strstr(TEXT_AT(field->path), "[*]") != NULL;
}

bool
short_put(const struct command_field *field, json_t *body, json_t *value)
{
    str places = str_from(TEXT_AT(field->path));
    bool good = true, is_first = true;
    for (; good && places.len > 0; is_first = false)
        good = place_put_everywhere(body, str_cut(&places, '|'), value, is_first);
    json_decref(value);
    return good;
}

/* ---- Objects ---- */
/* Whole numbers stay texts: no form has a number in it. */
json_t *
short_object(struct arena *arena, const char *form, const char *text)
{
    json_t *object = json_object();
    str rest = str_from(text);
    while (*form != '\0') {
        size_t length = 0;
        while (isalnum((unsigned char)form[length]))
            length++;
        char separator = form[length];
        str value = separator != '\0' ? str_cut(&rest, separator) : rest;
        json_object_set_new(object, str_dup(arena, (str){ form, length }).data, json_stringn(value.data, value.len));
        if (separator == '\0' || rest.len == 0)
            break;
        form += length + 1;
    }
    return object;
}

/* ---- Lists that are changed ---- */
int
short_read_lists(struct cli *cli, str path, json_t *body)
{
    struct client *client CLEANUP(client_cleanup) = NULL;
    const struct command *command = cli->call.command;
    json_t *now = NULL;
    if (command->method != METHOD_PATCH || command_reading(command) == NULL)
        return EXIT_SUCCESS;
    for (size_t i = 0; i < cli->call.assignment_count; i++) {
        const struct command_field *field = cli->call.assignments[i].field;
        if (field == NULL || !short_is_deep(field))
            continue;
        str rest = str_from(TEXT_AT(field->path)), list = str_cut(&rest, '[');
        if (now == NULL) {
            str target = str_format(cli->arena, "%s%.*s", command_prefix(command), STR_ARG(path));
            int status = (client = client_new(cli)) == NULL ? EXIT_USAGE : fetch_document(cli, client, target, &now);
            if (status != EXIT_SUCCESS)
                return status;
        }
        json_t *there = json_object_getn(now, list.data, list.len);
        if (there != NULL && json_object_getn(body, list.data, list.len) == NULL)
            json_object_setn(body, list.data, list.len, there);
    }
    return EXIT_SUCCESS;
}

/* ---- Providers ---- */
static bool
offers(const json_t *provider, const char *region)
{
    size_t i, k;
    const json_t *size, *offered;
    json_array_foreach(json_object_get(provider, "instanceSizes"), i, size)
    {
        json_array_foreach(json_object_get(size, "availableRegions"), k, offered)
        {
            const char *name = json_string_value(json_object_get(offered, "name"));
            if (name != NULL && strcmp(name, region) == 0)
                return true;
        }
    }
    return false;
}

/* Of the first provider that has it; the others are counted. */
static const char *
provider_of(const json_t *providers, const char *region, size_t *ret_count)
{
    size_t i;
    const json_t *provider;
    const char *name = NULL;
    *ret_count = 0;
    json_array_foreach(providers, i, provider)
    {
        if (!offers(provider, region))
            continue;
        if ((*ret_count)++ == 0)
            name = json_string_value(json_object_get(provider, "provider"));
    }
    return name;
}

/* ---- Regions that are not there ---- */
enum { MOST_REGIONS = 64, MOST_SHOWN = 8 };

/* Every name once, as sizes and providers have them again and again. */
static size_t
regions_of(const json_t *providers, const char **names)
{
    size_t i, k, n, count = 0;
    const json_t *provider, *size, *offered;
    json_array_foreach(providers, i, provider)
    {
        json_array_foreach(json_object_get(provider, "instanceSizes"), k, size)
        {
            json_array_foreach(json_object_get(size, "availableRegions"), n, offered)
            {
                const char *name = json_string_value(json_object_get(offered, "name"));
                size_t at = 0;
                while (name != NULL && at < count && strcmp(names[at], name) != 0)
                    at++;
                if (name != NULL && at == count && count < MOST_REGIONS)
                    names[count++] = name;
            }
        }
    }
    return count;
}

/* "--region: there is no region `EU_NROTH`; did you mean EU_NORTH?", or which there are. */
static int
say_no_region(struct cli *cli, const json_t *providers, const char *region)
{
    const char *names[MOST_REGIONS], *nearest = NULL;
    size_t count = regions_of(providers, names), least = strlen(region) / 3 + 2;
    struct buf all = buf_in(cli->arena, 8192);
    for (size_t i = 0; i < count; i++) {
        size_t far = command_distance(region, names[i]);
        if (far < least) {
            least = far;
            nearest = names[i];
        }
        if (i < MOST_SHOWN)
            buf_format(&all, "%s%.*s", i == 0 ? "" : ", ", STR_ARG(text_harmless(cli->arena, str_from(names[i]))));
    }
    if (count > MOST_SHOWN)
        buf_format(&all, " and %zu more", count - MOST_SHOWN);
    str said = text_harmless(cli->arena, str_from(region));
    if (nearest != NULL)
        cli_say(cli, "--region: there is no region `%.*s`; did you mean %s?", STR_ARG(said),
                text_harmless(cli->arena, str_from(nearest)).data);
    else if (count > 0)
        cli_say(cli, "--region: there is no region `%.*s`; there are %.*s", STR_ARG(said), STR_ARG(buf_str(&all)));
    else
        cli_say(cli, "--region: there is no region `%.*s`, nor any other: the operator adds them with their hosts",
                STR_ARG(said));
    return EXIT_USAGE;
}

int
short_fill_provider(struct cli *cli, str path, json_t *body)
{
    struct client *client CLEANUP(client_cleanup) = NULL;
    json_t *spec, *region, *offered = NULL;
    size_t i, k;
    if (strcmp(TEXT_AT(cli->call.command->operation), "createGroupCluster") != 0)
        return EXIT_SUCCESS;
    json_array_foreach(json_object_get(body, "replicationSpecs"), i, spec)
    {
        json_array_foreach(json_object_get(spec, "regionConfigs"), k, region)
        {
            const char *name = json_string_value(json_object_get(region, "regionName"));
            if (name == NULL || json_object_get(region, "providerName") != NULL)
                continue;
            if (offered == NULL) {
                str target = str_format(cli->arena, API_PREFIX "%.*s/provider/regions", STR_ARG(path));
                int status =
                    (client = client_new(cli)) == NULL ? EXIT_USAGE : fetch_document(cli, client, target, &offered);
                if (status != EXIT_SUCCESS)
                    return status;
            }
            const json_t *providers = json_object_get(offered, "results");
            size_t count;
            const char *provider = provider_of(providers, name, &count);
            if (count == 0)
                return say_no_region(cli, providers, name);
            if (count == 1 && provider != NULL) /* of several the server says that one must be named */
                json_object_set_new(region, "providerName", json_string(provider));
        }
    }
    return EXIT_SUCCESS;
}
