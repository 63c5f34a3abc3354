/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeved enrol`: a token with which somebody adds their first passkey. Never for somebody who has one: whoever could make a second one for them could
 * sign in as them.
 */
#include <stdio.h>

#include "auth/auth.h"
#include "auth/credential.h"
#include "main/commands.h"
#include "main/fleet_command.h"
#include "main/operator_place.h"
#include "store/session/session.h"

#define USAGE "enrol USERNAME [--hours N]   prints a token with which this person adds their first passkey, once"
enum { HOURS_MAX = 24 * 7 };

static int
enrol(struct operator_place *place, const char *username, int64_t hours)
{
    uint8_t mac[SHA256_BYTES];
    struct key pepper = crypto_derive(&place->config->key, SESSION_PEPPER_PURPOSE);
    str token = secret_new(place->arena, ENROLMENT_TOKEN_KIND), expires = STR_EMPTY;
    credential_secret_mac(&pepper, token, mac);
    crypto_wipe(&pepper, sizeof(pepper));
    enum enrolment_outcome outcome = ENROLMENT_NOBODY;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    error problem = tx_begin_service(place->store, place->arena, &tx);
    if (problem == OK)
        problem = store_enrolment_add(tx, str_from(username), (str){ (const char *)mac, sizeof(mac) }, PEPPER_VERSION,
                                      hours, &outcome, &expires);
    if (problem == OK && outcome == ENROLMENT_MADE)
        problem = tx_commit(tx);
    if (problem != OK)
        return report_failure("enrol", problem);
    if (outcome != ENROLMENT_MADE) {
        fprintf(stderr,
                outcome == ENROLMENT_NOBODY
                    ? "reeved enrol: nobody is called %s; they are invited to an organization first\n"
                    : "reeved enrol: %s has a passkey already, and signs in with that\n",
                username);
        return 1;
    }
    fprintf(stderr, "Give this to %s only. It works once, until %s:\n", username, expires.data);
    printf("%s\n", token.data);
    return 0;
}

int
command_enrol(int argc, char **argv)
{
    enum { CONFIG, HOURS };
    struct option_value options[] = {
        [CONFIG] = { "--config", "The configuration file.", .value = DEFAULT_CONFIG },
        [HOURS] = { "--hours", "How long the token works, from 1 to 168 (24).", .value = "24" },
    };
    const char *words[1] = { NULL };
    int status;
    int64_t hours;
    if (!read_words(argc, argv, USAGE, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    if (words[0] == NULL || !str_to_int(str_from(options[HOURS].value), 1, HOURS_MAX, &hours)) {
        fprintf(stderr, "reeved enrol: name a person by their user name, and take --hours from 1 to %d\n", HOURS_MAX);
        return 2;
    }
    struct operator_place place CLEANUP(operator_place_close);
    if (!operator_place_open(&place, options[CONFIG].value, true))
        return 1;
    return enrol(&place, words[0], hours);
}
