/* SPDX-License-Identifier: Apache-2.0 */
/* `reeved billing`: what the operator decides about organizations that do not pay. */
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/json.h"
#include "main/commands.h"
#include "main/fleet_command.h"
#include "main/operator_place.h"
#include "store/billing/billing.h"
#include "store/billing/payment.h"

#define USAGE                                                                                                   \
    "billing lock ORG_ID --reason TEXT   refuses changes in the organization; reads and deletions still work\n" \
    "       reeved billing unlock ORG_ID               allows changes again\n"                                  \
    "       reeved billing locked [--json]             lists the organizations that are locked\n"               \
    "       reeved billing unpaid [--json]             lists unpaid invoices\n"                                 \
    "       reeved billing paid INVOICE_ID [--note TEXT]   records that an invoice was paid\n"                  \
    "       reeved billing agree ORG_ID --until DATE   not locked for unpaid invoices until then; `none` ends it"

enum { REASON_MAX = 250 };

/* The path of what is done to the thing with this id; empty, with a message, when that is none. */
static str
path_of(struct operator_place *place, const char *collection, const char *text, const char *verb)
{
    id named;
    if (text != NULL && id_parse(str_from(text), &named))
        return str_format(place->arena, "/%s/%s:%s", collection, text, verb);
    fprintf(stderr, "reeved billing: name an %.*s by its 24 digits\n", (int)strlen(collection) - 1, collection);
    return STR_EMPTY;
}

static int
lock_or_unlock(struct operator_place *place, const char *word, const char *organization, const char *reason)
{
    bool locks = strcmp(word, "lock") == 0;
    json_t *answer;
    str path = path_of(place, "organizations", organization, word);
    if (path.len == 0)
        return 2;
    if (locks && (reason == NULL || strlen(reason) > REASON_MAX || !str_is_text(str_from(reason)))) {
        fprintf(stderr, "reeved billing: give --reason with at most %d bytes\n", REASON_MAX);
        return 2;
    }
    error problem = operator_api_call_json(place->operators, place->arena, "POST", path,
                                           locks ? json_pack("{s:s}", "reason", reason) : NULL, &answer);
    if (problem != OK)
        return report_failure("billing", problem);
    bool changed = json_is_true(json_object_get(answer, "changed"));
    if (changed)
        printf("organization %s is %sed\n", organization, word);
    else
        printf("nothing has changed: it was %sed before\n", word);
    return changed ? 0 : 1;
}

/* ---- Payments ---- */

static int
pay(struct operator_place *place, const char *invoice, const char *note)
{
    json_t *answer;
    str path = path_of(place, "invoices", invoice, "pay");
    if (path.len == 0)
        return 2;
    if (note != NULL && (strlen(note) > REASON_MAX || !str_is_text(str_from(note)))) {
        fprintf(stderr, "reeved billing: --note has at most %d bytes\n", REASON_MAX);
        return 2;
    }
    error problem = operator_api_call_json(place->operators, place->arena, "POST", path,
                                           json_pack("{s:s}", "note", note == NULL ? "" : note), &answer);
    if (problem != OK)
        return report_failure("billing", problem);
    printf("invoice %s is paid\n", invoice);
    return 0;
}

static int
agree(struct operator_place *place, const char *organization, const char *until)
{
    int64_t until_ms = 0;
    json_t *answer;
    str path = path_of(place, "organizations", organization, "agree");
    if (path.len == 0)
        return 2;
    if (until == NULL || (strcmp(until, "none") != 0 && !date_parse(str_from(until), &until_ms))) {
        fprintf(stderr, "reeved billing: --until is a date, such as 2026-12-31 or 2026-12-31T12:00:00Z, or `none`\n");
        return 2;
    }
    json_t *body = json_pack("{s:s?}", "until", until_ms > 0 ? date_text(place->arena, until_ms).data : NULL);
    error problem = operator_api_call_json(place->operators, place->arena, "POST", path, body, &answer);
    if (problem != OK)
        return report_failure("billing", problem);
    bool changed = json_is_true(json_object_get(answer, "changed"));
    if (!changed)
        printf("nothing has changed: that was agreed before\n");
    else if (until_ms > 0)
        printf("organization %s is not locked for unpaid invoices until %s\n", organization, until);
    else
        printf("there is no agreement with organization %s any more\n", organization);
    return changed ? 0 : 1;
}

static int
list_unpaid(struct operator_place *place, bool as_json)
{
    static const struct fleet_column columns[] = { { "invoiceId", "INVOICE" }, { "orgId", "ORGANIZATION" },
                                                   { "name", "NAME" },         { "month", "MONTH" },
                                                   { "amountCents", "CENTS" }, { "due", "DUE" } };
    str list;
    error problem = store_payment_unpaid(place->store, place->arena, place->config->payment_due_days, &list);
    if (problem != OK)
        return report_failure("billing", problem);
    fleet_print_list(place->arena, list, as_json, columns, LENGTH(columns));
    return 0;
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
    enum { CONFIG, REASON, NOTE, UNTIL, JSON };
    struct option_value options[] = {
        [CONFIG] = { "--config", "The configuration file.", .value = DEFAULT_CONFIG },
        [REASON] = { "--reason", "Why, for the organization's events and for the people whose changes are refused." },
        [NOTE] = { "--note", "A note about the payment, for the organization's events." },
        [UNTIL] = { "--until", "A date, or `none`." },
        [JSON] = { "--json", "Print the list as JSON.", .is_flag = true },
    };
    static const char *const known[] = { "lock", "unlock", "locked", "unpaid", "paid", "agree" };
    enum { LOCK, UNLOCK, LOCKED, UNPAID, PAID, AGREE };
    const char *words[2] = { NULL, NULL };
    int status;
    if (!read_words(argc, argv, USAGE, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    const char *word = words[0] == NULL ? "" : words[0];
    size_t which = 0;
    while (which < LENGTH(known) && strcmp(word, known[which]) != 0)
        which++;
    if (which == LENGTH(known)) {
        fprintf(stderr, "reeved billing: say `lock`, `unlock`, `locked`, `unpaid`, `paid` or `agree`; try --help\n");
        return 2;
    }
    struct operator_place place CLEANUP(operator_place_close);
    if (!operator_place_open(&place, options[CONFIG].value, false))
        return 1;
    switch (which) {
    case LOCKED: return list_locked(&place, options[JSON].value != NULL);
    case UNPAID: return list_unpaid(&place, options[JSON].value != NULL);
    case PAID: return pay(&place, words[1], options[NOTE].value);
    case AGREE: return agree(&place, words[1], options[UNTIL].value);
    default: return lock_or_unlock(&place, word, words[1], options[REASON].value);
    }
}
