/* SPDX-License-Identifier: Apache-2.0 */
/* `reeved invitation`: lists open invitations, and prints a token when there is no mail server. */
#include <stdio.h>
#include <string.h>

#include "base/crypto/invitation_token.h"
#include "main/commands.h"
#include "main/fleet_command.h"
#include "main/operator_place.h"
#include "store/identity/invitation_mail.h"

#define USAGE                                                                             \
    "invitation list [--json]           lists invitations that nobody has accepted yet\n" \
    "       reeved invitation token INVITATION_ID   prints the token of one; give it to the invited person only"

static int
list(struct operator_place *place, bool as_json)
{
    static const struct fleet_column columns[] = { { "invitationId", "INVITATION" }, { "orgId", "ORGANIZATION" },
                                                   { "username", "ADDRESS" },        { "createdAt", "CREATED" },
                                                   { "mailedAt", "MAILED" },         { "mailError", "PROBLEM" } };
    str text;
    error problem = store_invitation_list_all(place->store, place->arena, &text);
    if (problem != OK)
        return report_failure("invitation", problem);
    fleet_print_list(place->arena, text, as_json, columns, LENGTH(columns));
    return 0;
}

static int
print_token(struct operator_place *place, id invitation)
{
    struct key key = crypto_derive(&place->config->key, INVITATION_KEY_PURPOSE);
    bool found = false;
    str sealed, username, token = STR_EMPTY;
    error problem = store_invitation_sealed_token(place->store, place->arena, invitation, &found, &sealed, &username);
    if (problem != OK)
        return report_failure("invitation", problem);
    bool opened = found && invitation_token_open(place->arena, &key, invitation, sealed, &token);
    crypto_wipe(&key, sizeof(key));
    if (!opened) {
        fprintf(
            stderr,
            found
                ? "reeved invitation: its token cannot be opened with the key of this node; try it where the API runs\n"
                : "reeved invitation: there is no such open invitation\n");
        return 1;
    }
    fprintf(stderr, "Give this to %.*s only:\n", STR_ARG(username));
    printf("%.*s\n", STR_ARG(token));
    return 0;
}

int
command_invitation(int argc, char **argv)
{
    enum { CONFIG, JSON };
    struct option_value options[] = {
        [CONFIG] = { "--config", "The configuration file.", .value = DEFAULT_CONFIG },
        [JSON] = { "--json", "Print the list as JSON.", .is_flag = true },
    };
    const char *words[2] = { NULL, NULL };
    int status;
    id invitation = ID_NONE;
    if (!read_words(argc, argv, USAGE, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    const char *word = words[0] == NULL ? "" : words[0];
    bool lists = strcmp(word, "list") == 0;
    if (!lists && strcmp(word, "token") != 0) {
        fprintf(stderr, "reeved invitation: say `list` or `token`; try --help\n");
        return 2;
    }
    if (!lists && (words[1] == NULL || !id_parse(str_from(words[1]), &invitation))) {
        fprintf(stderr, "reeved invitation: name an invitation by its 24 digits\n");
        return 2;
    }
    struct operator_place place CLEANUP(operator_place_close);
    if (!operator_place_open(&place, options[CONFIG].value, !lists))
        return 1;
    return lists ? list(&place, options[JSON].value != NULL) : print_token(&place, invitation);
}
