/* SPDX-License-Identifier: Apache-2.0 */
/* `reeve advisor`: what a cluster's advisor says, for people; and building what it suggests. */
#include <stdio.h>

#include "base/json.h"
#include "cli/builtins.h"
#include "cli/client.h"
#include "cli/fetch.h"
#include "cli/output/output.h"
#include "cli/profile.h"
#include "cli/short/names.h"

enum { LABEL_BYTES = 4 * 1024 };

static str
path_of(struct cli *cli, const char *cluster, const char *rest)
{
    return str_format(cli->arena, "%s/groups/%s/clusters/%s%s", API_PREFIX,
                      str_percent_encode(cli->arena, str_from(cli->profile->project)).data,
                      str_percent_encode(cli->arena, str_from(cluster)).data, rest);
}

/* "customer, day desc" */
static str
columns_of(struct cli *cli, const json_t *index)
{
    struct buf out = buf_in(cli->arena, LABEL_BYTES);
    const char *name;
    json_t *one, *direction;
    size_t i;
    json_array_foreach(json_object_get(index, "index"), i, one)
    {
        json_object_foreach(one, name, direction)
        {
            buf_format(&out, "%s%s%s", out.len > 0 ? ", " : "", name, json_number_value(direction) < 0 ? " desc" : "");
        }
    }
    return buf_str(&out);
}

static double
number_at(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

/* ---- Showing ---- */
static void
show_suggested(struct cli *cli, const json_t *document)
{
    size_t i, k;
    json_t *one, *proof;
    json_array_foreach(json_object_get(document, "suggestedIndexes"), i, one)
    {
        printf("%zu. create an index on %s (%s), about %.0f kB\n", i + 1, json_text_at(one, "namespace").data,
               columns_of(cli, one).data, number_at(one, "sizeBytes") / 1024);
        json_array_foreach(json_object_get(one, "proof"), k, proof)
            printf("     %s: cost %.0f becomes %.0f\n", json_text_at(proof, "queryShapeHash").data,
                   number_at(proof, "costBefore"), number_at(proof, "costAfter"));
    }
    json_array_foreach(json_object_get(document, "notes"), k, one) printf("-  %s\n", json_string_value(one));
    if (i > 0)
        printf("   reeve advisor apply %s NUMBER builds one of them.\n", cli->call.arguments[0]);
}

static void
show_droppable(struct cli *cli, const json_t *document, const char *list, const char *why)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(document, list), i, one)
        printf("-  drop index %s on %s (%s), %.0f kB: %s\n", json_text_at(one, "name").data,
               json_text_at(one, "namespace").data, columns_of(cli, one).data, number_at(one, "sizeBytes") / 1024, why);
}

static void
show_tables(const json_t *document)
{
    size_t i, k, n;
    json_t *one, *table, *trigger;
    json_array_foreach(json_object_get(document, "recommendations"), i, one)
    {
        json_array_foreach(json_object_get(one, "affectedNamespaces"), k, table)
        {
            json_array_foreach(json_object_get(table, "triggers"), n, trigger)
                printf("-  %s: %s %s\n", json_text_at(table, "namespace").data,
                       json_text_at(trigger, "description").data, json_text_at(one, "description").data);
        }
    }
}

int
builtin_advisor(struct cli *cli)
{
    static const char *const paths[] = { "/performanceAdvisor/suggestedIndexes",
                                         "/performanceAdvisor/dropIndexSuggestions",
                                         "/performanceAdvisor/schemaAdvice" };
    struct client *client CLEANUP(client_cleanup) = NULL;
    json_t *documents[LENGTH(paths)];
    int status = names_need_project(cli);
    if (status != EXIT_SUCCESS || (client = client_new(cli)) == NULL)
        return EXIT_USAGE;
    for (size_t i = 0; i < LENGTH(paths); i++) {
        status = fetch_document(cli, client, path_of(cli, cli->call.arguments[0], paths[i]), &documents[i]);
        if (status != EXIT_SUCCESS)
            return status;
    }
    show_suggested(cli, documents[0]);
    show_droppable(cli, documents[1], "unusedIndexes", "nothing uses it");
    show_droppable(cli, documents[1], "redundantIndexes", "another index begins with the same columns");
    show_tables(documents[2]);
    return EXIT_SUCCESS;
}

/* ---- Building ---- */
/* {"db", "collection", "keys"} of a suggestion; its namespace is "shop.orders". */
static str
order_of(struct cli *cli, const json_t *index)
{
    str table = json_text_at(index, "namespace"), database = str_cut(&table, '.');
    json_t *order =
        json_in(cli->arena, json_pack("{s:s, s:s, s:O}", "db", str_dup(cli->arena, database).data, "collection",
                                      str_dup(cli->arena, table).data, "keys", json_object_get(index, "index")));
    return order == NULL ? STR_EMPTY : json_text(cli->arena, order);
}

static const json_t *
choose(struct cli *cli, const json_t *suggested)
{
    int64_t number = 1;
    size_t count = json_array_size(suggested);
    if (count == 0) {
        cli_say(cli, "nothing is suggested for this cluster");
        return NULL;
    }
    if (cli->call.argument_count > 1 && !str_to_int(str_from(cli->call.arguments[1]), 1, (int64_t)count, &number)) {
        cli_say(cli, "there are %zu suggestions: give a number from 1 to %zu", count, count);
        return NULL;
    }
    return json_array_get(suggested, (size_t)number - 1);
}

int
builtin_advisor_apply(struct cli *cli)
{
    struct client *client CLEANUP(client_cleanup) = NULL;
    json_t *document;
    struct answer answer;
    int status = names_need_project(cli);
    if (status != EXIT_SUCCESS || (client = client_new(cli)) == NULL)
        return EXIT_USAGE;
    str path = path_of(cli, cli->call.arguments[0], "/performanceAdvisor/suggestedIndexes");
    status = fetch_document(cli, client, path, &document);
    if (status != EXIT_SUCCESS)
        return status;
    const json_t *index = choose(cli, json_object_get(document, "suggestedIndexes"));
    if (index == NULL)
        return EXIT_NOT_DONE;
    struct request_out request = {
        .method = "POST",
        .target = path_of(cli, cli->call.arguments[0], "/index"),
        .body = order_of(cli, index),
        .has_body = true,
        .accept = "application/json",
        .idempotency_key = client_new_key(cli->arena).data,
    };
    status = client_send(client, &request, &answer);
    if (status != EXIT_SUCCESS)
        return status;
    if (answer.status >= 300)
        return output_answer(cli, NULL, &answer);
    printf("The index on %s (%s) is being built; an event says when it is done.\n",
           json_text_at(index, "namespace").data, columns_of(cli, index).data);
    return EXIT_SUCCESS;
}
