/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeved enrol`: a token with which somebody adds their first passkey or password. Never for somebody who has one: whoever could make a second one for them
 * could sign in as them. Except with --recover, for somebody who lost theirs: then all that they had goes with the use of the token, and they are told.
 */
#include <stdio.h>

#include "auth/auth.h"
#include "auth/credential.h"
#include "main/commands.h"
#include "main/fleet_command.h"
#include "main/operator_place.h"
#include "store/session/session.h"

#define USAGE                                                                                                                        \
    "enrol USERNAME [--hours N] [--recover]      prints a token with which this person adds their first passkey or password, once\n" \
    "       reeved enrol --operator NAME [--hours N]    the same for an operator of `reeved operator list`"
enum { HOURS_MAX = 24 * 7 };

/* Behind the #, so that it is in no server's log. */
static void
print_token(const struct config *config, const char *url, str token)
{
    printf("%s\n", token.data);
    if (config_has_console(config) && str_starts_with(str_from(url), STR("https://")))
        fprintf(stderr, "Or as a link: %s/console/enrol#%s\n", url, token.data);
}

static int
enrol(struct operator_place *place, const char *username, int64_t hours, bool recovers)
{
    uint8_t mac[SHA256_BYTES];
    struct key pepper = crypto_derive(&place->config->key, SESSION_PEPPER_PURPOSE);
    str token = secret_new(place->arena, ENROLMENT_TOKEN_KIND), expires = STR_EMPTY;
    credential_secret_mac(&pepper, token, mac);
    crypto_wipe(&pepper, sizeof(pepper));
    struct enrolment_draft draft = { .username = str_from(username),
                                     .mac = { (const char *)mac, sizeof(mac) },
                                     .pepper_version = PEPPER_VERSION,
                                     .hours = hours,
                                     .recovers = recovers };
    enum enrolment_outcome outcome = ENROLMENT_NOBODY;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    error problem = tx_begin_service(place->store, place->arena, &tx);
    if (problem == OK)
        problem = store_enrolment_add(tx, &draft, &outcome, &expires);
    if (problem == OK && outcome == ENROLMENT_MADE)
        problem = tx_commit(tx);
    if (problem != OK)
        return report_failure("enrol", problem);
    if (outcome != ENROLMENT_MADE) {
        fprintf(
            stderr,
            outcome == ENROLMENT_NOBODY
                ? "reeved enrol: nobody is called %s; they are invited to an organization first\n"
                : "reeved enrol: %s has a passkey or a password already, and signs in with that; --recover takes the place of what "
                  "they lost\n",
            username);
        return 1;
    }
    if (recovers)
        fprintf(stderr, "Who uses this loses all passkeys, the password and all sessions that %s has now.\n", username);
    fprintf(stderr, "Give this to %s only. It works once, until %s:\n", username, expires.data);
    print_token(place->config, place->config->base_url, token);
    return 0;
}

static int
enrol_operator(struct operator_place *place, const char *name, int64_t hours)
{
    enum enrolment_outcome outcome = ENROLMENT_NOBODY;
    str token = STR_EMPTY, expires = STR_EMPTY;
    error problem = operator_enrol(place->operators, place->arena, str_from(name), hours, &outcome, &token, &expires);
    if (problem != OK)
        return report_failure("enrol", problem);
    if (outcome != ENROLMENT_MADE) {
        fprintf(stderr,
                outcome == ENROLMENT_NOBODY
                    ? "reeved enrol: no operator is called %s, or its days are over; see `reeved operator list`\n"
                    : "reeved enrol: %s has a passkey already, and signs in with that\n",
                name);
        return 1;
    }
    fprintf(stderr, "Give this to %s only. It works once at %s, until %s:\n", name, place->url, expires.data);
    print_token(place->config, place->config->operator_base_url, token);
    return 0;
}

int
command_enrol(int argc, char **argv)
{
    enum { CONFIG, HOURS, RECOVER, OPERATOR };
    struct option_value options[] = {
        [CONFIG] = { "--config", "The configuration file.", .value = DEFAULT_CONFIG },
        [HOURS] = { "--hours", "How long the token works, from 1 to 168 (24).", .value = "24" },
        [RECOVER] = { "--recover", "For somebody who lost their passkey or password.", .is_flag = true },
        [OPERATOR] = { "--operator", "The operator whose first passkey it is for." },
    };
    const char *words[1] = { NULL };
    int status;
    int64_t hours;
    if (!read_words(argc, argv, USAGE, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    const char *operator_name = options[OPERATOR].value;
    if ((words[0] == NULL) == (operator_name == NULL) ||
        !str_to_int(str_from(options[HOURS].value), 1, HOURS_MAX, &hours)) {
        fprintf(
            stderr,
            "reeved enrol: name a person by their user name or an operator with --operator, and take --hours from 1 to %d\n",
            HOURS_MAX);
        return 2;
    }
    struct operator_place place CLEANUP(operator_place_close);
    if (!operator_place_open(&place, options[CONFIG].value, true))
        return 1;
    return operator_name != NULL ? enrol_operator(&place, operator_name, hours)
                                 : enrol(&place, words[0], hours, options[RECOVER].value != NULL);
}
