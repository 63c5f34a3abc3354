/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the operator that work on the control database. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "main/commands.h"
#include "main/node.h"
#include "main/operator_place.h"
#include "store/auth/principal.h"
#include "store/event/event.h"
#include "store/migrate.h"
#include "store/tenant/organization.h"

enum { COMMAND_ARENA_BYTES = 64 * 1024 * 1024, FIRST_SECRET_DAYS = 365, PROGRESS_MS = 1000 };

/* A configuration and, for those that need one, a node; freed when the command ends. */
struct workplace {
    struct arena *arena;
    struct config *config;
    struct node *node;
};

static void
workplace_close(struct workplace *place)
{
    node_free(place->node);
    config_free(place->config);
    arena_free(place->arena);
}

static bool
workplace_open(struct workplace *place, const char *config_path, bool with_node)
{
    *place = (struct workplace){ .arena = arena_new(COMMAND_ARENA_BYTES), .config = config_load(config_path, stderr) };
    if (place->arena == NULL || place->config == NULL)
        return false;
    if (!with_node)
        return true;
    if (!config_read_key(place->config, stderr))
        return false;
    place->node = node_new(place->config, NULL);
    return place->node != NULL;
}

/* What the operator does at the command line is an event of the organization, too. */
static error
add_event(struct tx *tx, enum event_type type, id organization, json_t *after)
{
    struct event_draft draft = {
        .type = type,
        .organization = organization,
        .actor_name = STR("reeved"),
        .actor_kind = STR("OPERATOR"),
        .after = json_in(tx_arena(tx), after),
    };
    id event;
    return store_event_add(tx, &draft, &event);
}

/* ---- migrate ---- */

int
command_migrate(int argc, char **argv)
{
    struct option_value options[] = { { "--config", "The configuration file.", .value = DEFAULT_CONFIG } };
    int status, applied;
    if (!read_options(argc, argv, "migrate [--config FILE]", options, LENGTH(options), NULL, &status))
        return status;
    struct workplace place CLEANUP(workplace_close);
    if (!workplace_open(&place, options[0].value, false))
        return 1;
    error problem = store_migrate(place.config->database, place.arena, &applied);
    if (problem != OK)
        return report_failure("migrate", problem);
    printf("%d migrations applied; the schema is current\n", applied);
    return 0;
}

/* ---- audit ---- */

struct audit_run {
    int64_t problems, said_at_ms;
    bool is_watched; /* by a person at a terminal */
};

static void
print_problem(void *context, str sentence)
{
    struct audit_run *run = context;
    run->problems++;
    printf("%.*s\n", STR_ARG(sentence));
}

static void
print_progress(void *context, int64_t events)
{
    struct audit_run *run = context;
    if (!run->is_watched || clock_steady_ms() - run->said_at_ms < PROGRESS_MS)
        return;
    run->said_at_ms = clock_steady_ms();
    fprintf(stderr, "\r%" PRId64 " events read so far ", events);
}

int
command_audit(int argc, char **argv)
{
    struct option_value options[] = { { "--config", "The configuration file.", .value = DEFAULT_CONFIG } };
    const char *word = NULL;
    int status;
    if (!read_options(argc, argv, "audit verify [--config FILE]", options, LENGTH(options), &word, &status))
        return status;
    if (word == NULL || strcmp(word, "verify") != 0) {
        fprintf(stderr, "reeved audit: the only subcommand is `reeved audit verify`\n");
        return 2;
    }
    struct workplace place CLEANUP(workplace_close);
    if (!workplace_open(&place, options[0].value, false))
        return 1;
    int64_t events = 0, organizations = 0;
    struct audit_run run = { .said_at_ms = clock_steady_ms(), .is_watched = isatty(STDERR_FILENO) };
    struct audit_listener listener = { print_problem, print_progress, &run };
    error problem = store_audit_verify(place.config->database, place.arena, &listener, &events, &organizations);
    if (run.is_watched)
        fprintf(stderr, "\r\033[K");
    if (problem != OK)
        return report_failure("audit", problem);
    printf("%" PRId64 " events of %" PRId64 " organizations read, %" PRId64 " problems\n", events, organizations,
           run.problems);
    return run.problems == 0 ? 0 : 1;
}

/* ---- key ---- */

int
command_key(int argc, char **argv)
{
    struct option_value options[] = { { "--config", "The configuration file.", .value = DEFAULT_CONFIG } };
    const char *word = NULL;
    int status;
    if (!read_options(argc, argv, "key rotate [--config FILE]", options, LENGTH(options), &word, &status))
        return status;
    if (word == NULL || strcmp(word, "rotate") != 0) {
        fprintf(stderr, "reeved key: the only subcommand is `reeved key rotate`\n");
        return 2;
    }
    struct workplace place CLEANUP(workplace_close);
    if (!workplace_open(&place, options[0].value, true))
        return 1;
    error problem = auth_rotate_signing_key(place.node->api.auth, place.arena);
    if (problem != OK)
        return report_failure("key", problem);
    printf("new tokens are signed with a new key; issued tokens stay valid until they expire\n");
    return 0;
}

/* ---- limit ---- */

int
command_limit(int argc, char **argv)
{
    enum { CONFIG, ORG, PROJECT, USER, SET, CAPACITY, REFILL };
    struct option_value options[] = {
        [CONFIG] = { "--config", "The configuration file.", .value = DEFAULT_CONFIG },
        [ORG] = { "--org", "Organization that gets the limits." },
        [PROJECT] = { "--project", "Project that gets the limits." },
        [USER] = { "--user", "Service account, API key or person that gets the limits." },
        [SET] = { "--set", "Endpoint set, such as S17, or 'all'.", .required = true },
        [CAPACITY] = { "--capacity", "Largest number of tokens in the bucket.", .required = true },
        [REFILL] = { "--refill", "Tokens added every 60 seconds.", .required = true },
    };
    static const struct {
        int option;
        const char *what;
    } owners[] = { { ORG, "org" }, { PROJECT, "project" }, { USER, "user" } };
    const char *word = NULL, *what = NULL;
    int status;
    id owner;
    int64_t capacity, refill;
    json_t *answer;
    if (!read_options(argc, argv, "limit set (--org ID | --project ID | --user ID) --set S17 --capacity N --refill N",
                      options, LENGTH(options), &word, &status))
        return status;
    for (size_t i = 0; i < LENGTH(owners); i++) {
        const char *value = options[owners[i].option].value;
        if (value != NULL && id_parse(str_from(value), &owner))
            what = owners[i].what;
    }
    if (word == NULL || strcmp(word, "set") != 0 || what == NULL) {
        fprintf(stderr, "reeved limit: say `limit set`, and name an organization, project or user by its 24 digits\n");
        return 2;
    }
    if (!str_to_int(str_from(options[CAPACITY].value), 1, INT64_MAX / 4, &capacity) ||
        !str_to_int(str_from(options[REFILL].value), 1, INT64_MAX / 4, &refill)) {
        fprintf(stderr, "reeved limit: --capacity and --refill must be numbers of at least 1\n");
        return 2;
    }
    struct workplace place CLEANUP(workplace_close);
    if (!workplace_open(&place, options[CONFIG].value, true))
        return 1;
    str path = str_format(place.arena, "/limits/%s/%s/%s", what, id_text(place.arena, owner).data,
                          str_percent_encode(place.arena, str_from(options[SET].value)).data);
    error problem = operator_api_call_json(
        place.node->operators, place.arena, "PUT", path,
        json_pack("{s:I, s:I}", "capacity", (json_int_t)capacity, "refillRate", (json_int_t)refill), &answer);
    if (problem != OK)
        return report_failure("limit", problem);
    printf("limits of %s set\n", strcmp(options[SET].value, "all") == 0 ? "all endpoint sets" : options[SET].value);
    return 0;
}

/* ---- bootstrap ---- */

struct bootstrap {
    id organization, owner;
    struct new_service_account account;
    struct new_api_key key;
};

static error
make_owner_of(struct tx *tx, id principal, id organization, const char *const *blocks)
{
    TRY(add_role_grant(tx, principal, organization, ID_NONE, STR("ORG_OWNER")));
    for (; blocks != NULL && *blocks != NULL; blocks++)
        TRY(add_access_list_entry(tx, principal, organization, str_from(*blocks), STR("reeved bootstrap")));
    return OK;
}

/* Everything in one transaction: a bootstrap that fails leaves nothing behind. */
static error
bootstrap(struct workplace *place, const char *name, const char *username, const char *const *blocks,
          struct bootstrap *ret)
{
    struct api *api = &place->node->api;
    struct arena *arena = place->arena;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    uint16_t cell = store_cell(api->store);
    ret->organization = id_new(cell);
    /* A person belongs to no organization, so the service itself makes it. */
    TRY(tx_begin_service(api->store, arena, &tx));
    TRY(create_person(tx, str_from(username), STR(""), STR(""), &ret->owner));
    TRY(tx_set_organization(tx, ret->organization));
    TRY(store_organization_add(tx, ret->organization, id_new(cell), str_from(name), true, STR("{}")));
    TRY(add_role_grant(tx, ret->owner, ret->organization, ID_NONE, STR("ORG_OWNER")));
    int64_t expires = clock_now_ms() + (int64_t)FIRST_SECRET_DAYS * 24 * 3600 * 1000;
    TRY(auth_create_service_account(api->auth, tx, ret->organization, STR("bootstrap"), STR("Made by reeved bootstrap"),
                                    expires, &ret->account));
    TRY(make_owner_of(tx, ret->account.id, ret->organization, blocks));
    TRY(auth_create_api_key(api->auth, tx, ret->organization, STR("Made by reeved bootstrap"), &ret->key));
    TRY(make_owner_of(tx, ret->key.id, ret->organization, blocks));
    TRY(add_event(tx, EVENT_ORGANIZATION_CREATED, ret->organization, json_pack("{s:s}", "name", name)));
    TRY(add_event(tx, EVENT_SERVICE_ACCOUNT_CREATED, ret->organization,
                  json_pack("{s:s}", "clientId", ret->account.client_id.data)));
    TRY(add_event(tx, EVENT_API_KEY_CREATED, ret->organization,
                  json_pack("{s:s}", "publicKey", ret->key.public_key.data)));
    return tx_commit(tx);
}

static void
print_bootstrap(const struct bootstrap *made, bool as_json)
{
    char organization[ID_DIGITS + 1], owner[ID_DIGITS + 1];
    id_write(made->organization, organization);
    id_write(made->owner, owner);
    const struct {
        const char *name, *value;
    } lines[] = {
        { "orgId", organization },
        { "ownerId", owner },
        { "clientId", made->account.client_id.data },
        { "clientSecret", made->account.secret.data },
        { "publicKey", made->key.public_key.data },
        { "privateKey", made->key.private_key.data },
    };
    for (size_t i = 0; i < LENGTH(lines); i++) {
        if (as_json)
            printf("%s\"%s\": \"%s\"", i == 0 ? "{" : ", ", lines[i].name, lines[i].value);
        else
            printf("%-13s %s\n", lines[i].name, lines[i].value);
    }
    printf(as_json ? "}\n" : "\nThe secrets are not stored and will not be shown again.\n");
}

int
command_bootstrap(int argc, char **argv)
{
    enum { CONFIG, ORGANIZATION, OWNER, ALLOW, JSON };
    struct option_value options[] = {
        [CONFIG] = { "--config", "The configuration file.", .value = DEFAULT_CONFIG },
        [ORGANIZATION] = { "--organization", "Name of the organization.", .required = true },
        [OWNER] = { "--owner", "E-mail address of its owner.", .required = true },
        [ALLOW] = { "--allow", "Address or block from which the credentials can be used.", .value = "127.0.0.1/32" },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    int status;
    if (!read_options(argc, argv, "bootstrap --organization NAME --owner ADDRESS [--allow CIDR] [--json]", options,
                      LENGTH(options), NULL, &status))
        return status;
    struct net_block block;
    if (!net_parse_block(str_from(options[ALLOW].value), &block)) {
        fprintf(stderr, "reeved bootstrap: --allow takes an address or a block such as 10.0.0.0/8\n");
        return 2;
    }
    struct workplace place CLEANUP(workplace_close);
    if (!workplace_open(&place, options[CONFIG].value, true))
        return 1;
    const char *blocks[] = { net_block_text(place.arena, &block).data, NULL };
    struct bootstrap made = { 0 };
    error problem = bootstrap(&place, options[ORGANIZATION].value, options[OWNER].value, blocks, &made);
    if (problem != OK)
        return report_failure("bootstrap", problem);
    print_bootstrap(&made, options[JSON].value != NULL);
    return 0;
}
