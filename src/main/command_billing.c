/* SPDX-License-Identifier: Apache-2.0 */
/* `reeved billing`: what the operator decides about organizations that do not pay. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "main/commands.h"
#include "main/fleet_command.h"
#include "main/operator_place.h"
#include "store/billing.h"

#define USAGE                                                                                              \
    "billing lock ORG_ID --reason TEXT   refuses changes in the organization; reads and deletions go on\n" \
    "       reeved billing unlock ORG_ID               lets changes through again\n"                       \
    "       reeved billing locked [--json]             lists the organizations that are locked"

enum { REASON_MAX = 250 };

static error
set_lock(struct operator_place *place, id organization, str reason, bool *ret_changed)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin(place->store, place->arena, organization, &tx));
    TRY(store_organization_set_lock(tx, organization, reason, ret_changed));
    return tx_commit(tx);
}

static int
lock_or_unlock(struct operator_place *place, const char *word, const char *organization_text, const char *reason)
{
    id organization;
    bool changed = false;
    bool locks = strcmp(word, "lock") == 0;
    str said = str_from(locks ? reason : NULL);
    if (organization_text == NULL || !id_parse(str_from(organization_text), &organization)) {
        fprintf(stderr, "reeved billing: name an organization by its 24 digits\n");
        return 2;
    }
    if (locks && (said.len == 0 || said.len > REASON_MAX || !str_is_text(said))) {
        fprintf(stderr, "reeved billing: --reason says why, in at most %d bytes\n", REASON_MAX);
        return 2;
    }
    error problem = set_lock(place, organization, said, &changed);
    if (problem != OK)
        return report_failure("billing", problem);
    if (!changed)
        printf("nothing has changed: there is no such organization, or it was %sed before\n", word);
    else
        printf("organization %s is %sed\n", organization_text, word);
    return changed ? 0 : 1;
}

static int
list_locked(struct operator_place *place, bool as_json)
{
    static const struct fleet_column columns[] = {
        { "orgId", "ORGANIZATION" }, { "name", "NAME" }, { "lockedAt", "LOCKED" }, { "reason", "REASON" }
    };
    str list;
    error problem = store_organization_locked(place->store, place->arena, &list);
    if (problem != OK)
        return report_failure("billing", problem);
    fleet_print_list(place->arena, list, as_json, columns, LENGTH(columns));
    return 0;
}

int
command_billing(int argc, char **argv)
{
    enum { CONFIG, REASON, JSON };
    struct option_value options[] = {
        [CONFIG] = { "--config", "The configuration file.", .value = DEFAULT_CONFIG },
        [REASON] = { "--reason", "Why, for the organization's events." },
        [JSON] = { "--json", "Print the list as JSON.", .is_flag = true },
    };
    const char *words[2] = { NULL, NULL };
    int status;
    if (!read_words(argc, argv, USAGE, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    const char *word = words[0] == NULL ? "" : words[0];
    bool lists = strcmp(word, "locked") == 0;
    if (!lists && strcmp(word, "lock") != 0 && strcmp(word, "unlock") != 0) {
        fprintf(stderr, "reeved billing: say `lock`, `unlock` or `locked`; try --help\n");
        return 2;
    }
    struct operator_place place CLEANUP(operator_place_close);
    if (!operator_place_open(&place, options[CONFIG].value))
        return 1;
    return lists ? list_locked(&place, options[JSON].value != NULL)
                 : lock_or_unlock(&place, word, words[1], options[REASON].value);
}
