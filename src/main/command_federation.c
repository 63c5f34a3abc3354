/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeved federation`: what only the operator decides: which federation a domain belongs to, and which organizations
 * share one.
 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "main/commands.h"
#include "main/fleet_command.h"
#include "main/operator_place.h"
#include "store/event/event.h"
#include "store/federation/federation.h"

#define USAGE                                                                                                   \
    "federation list [--json]                          lists federations that are in use\n"                     \
    "       reeved federation add-domain ORG_ID DOMAIN       gives a domain to the organization's federation\n" \
    "       reeved federation remove-domain ORG_ID DOMAIN    takes it away\n"                                   \
    "       reeved federation connect ORG_ID OTHER_ORG_ID    moves the first one into the federation of the other"

enum { DOMAIN_MAX = 253 };

/* In lower case; false when it is none. */
static bool
read_domain(const char *text, char ret_domain[DOMAIN_MAX + 1])
{
    size_t length = text == NULL ? 0 : strlen(text);
    bool has_dot = false;
    if (length < 3 || length > DOMAIN_MAX || text[0] == '.' || text[length - 1] == '.')
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
        bool fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || (c == '.' && text[i - 1] != '.');
        if (!fine)
            return false;
        has_dot |= c == '.';
        ret_domain[i] = c;
    }
    ret_domain[length] = '\0';
    return has_dot;
}

static error
find_federation(struct operator_place *place, id organization, id *ret_federation)
{
    TRY(store_federation_of(place->store, place->arena, organization, ret_federation));
    if (!id_is_there(*ret_federation))
        return fail(place->arena, RESOURCE_NOT_FOUND, V(id_text(place->arena, organization)));
    return OK;
}

static error
change_domain(struct operator_place *place, id organization, str domain, bool adds, bool *ret_changed)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    id federation;
    TRY(find_federation(place, organization, &federation));
    TRY(tx_begin_service(place->store, place->arena, &tx));
    if (adds)
        TRY(store_federation_domain_add(tx, federation, domain));
    else
        TRY(store_federation_domain_remove(tx, federation, domain, ret_changed));
    *ret_changed |= adds;
    return tx_commit(tx);
}

static error
connect(struct operator_place *place, id organization, id other, bool *ret_changed)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    id from, to;
    TRY(find_federation(place, other, &to));
    TRY(tx_begin(place->store, place->arena, organization, &tx));
    TRY(store_federation_lock(tx, organization, &from));
    if (id_eq(from, to))
        return OK;
    TRY(store_federation_join(tx, organization, from, to));
    TRY(store_federation_changed(tx, to));
    struct event_draft draft = {
        .type = EVENT_CONNECTED_ORG_CHANGED,
        .organization = organization,
        .actor_name = STR("operator"),
        .actor_kind = STR("OPERATOR"),
        .before = json_in(place->arena, json_pack("{s:s}", "federationSettingsId", id_text(place->arena, from).data)),
        .after = json_in(place->arena, json_pack("{s:s}", "federationSettingsId", id_text(place->arena, to).data)),
    };
    id ignored;
    TRY(store_event_add(tx, &draft, &ignored));
    *ret_changed = true;
    return tx_commit(tx);
}

static int
list(struct operator_place *place, bool as_json)
{
    static const struct fleet_column columns[] = { { "federationId", "FEDERATION" },
                                                   { "identityProviders", "PROVIDERS" },
                                                   { "domains", "DOMAINS" },
                                                   { "organizations", "ORGANIZATIONS" } };
    str text;
    error problem = store_federation_list(place->store, place->arena, &text);
    if (problem != OK)
        return report_failure("federation", problem);
    fleet_print_list(place->arena, text, as_json, columns, LENGTH(columns));
    return 0;
}

static int
change(struct operator_place *place, const char *word, id organization, const char *argument)
{
    char domain[DOMAIN_MAX + 1];
    id other;
    bool changed = false, connects = strcmp(word, "connect") == 0;
    if (connects && !id_parse(str_from(argument), &other)) {
        fprintf(stderr, "reeved federation: name the other organization by its 24 digits\n");
        return 2;
    }
    if (!connects && !read_domain(argument, domain)) {
        fprintf(stderr, "reeved federation: name a domain, such as example.org\n");
        return 2;
    }
    error problem =
        connects ? connect(place, organization, other, &changed)
                 : change_domain(place, organization, str_from(domain), strcmp(word, "add-domain") == 0, &changed);
    if (problem != OK)
        return report_failure("federation", problem);
    printf(changed ? "done\n" : "nothing has changed\n");
    return changed ? 0 : 1;
}

int
command_federation(int argc, char **argv)
{
    enum { CONFIG, JSON };
    struct option_value options[] = {
        [CONFIG] = { "--config", "The configuration file.", .value = DEFAULT_CONFIG },
        [JSON] = { "--json", "Print the list as JSON.", .is_flag = true },
    };
    const char *words[3] = { NULL, NULL, NULL };
    int status;
    id organization = ID_NONE;
    if (!read_words(argc, argv, USAGE, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    const char *word = words[0] == NULL ? "" : words[0];
    bool lists = strcmp(word, "list") == 0;
    if (!lists && strcmp(word, "add-domain") != 0 && strcmp(word, "remove-domain") != 0 &&
        strcmp(word, "connect") != 0) {
        fprintf(stderr, "reeved federation: say `list`, `add-domain`, `remove-domain` or `connect`; try --help\n");
        return 2;
    }
    if (!lists && (words[1] == NULL || !id_parse(str_from(words[1]), &organization))) {
        fprintf(stderr, "reeved federation: name an organization by its 24 digits\n");
        return 2;
    }
    struct operator_place place CLEANUP(operator_place_close);
    if (!operator_place_open(&place, options[CONFIG].value, false))
        return 1;
    return lists ? list(&place, options[JSON].value != NULL) : change(&place, word, organization, words[2]);
}
