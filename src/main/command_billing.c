/* SPDX-License-Identifier: Apache-2.0 */
/* `reeved billing`: what the operator decides about organizations that do not pay. */
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/json.h"
#include "main/commands.h"
#include "main/fleet_command.h"
#include "main/operator_place.h"
#include "store/billing.h"
#include "store/payment.h"

#define USAGE                                                                                              \
    "billing lock ORG_ID --reason TEXT   refuses changes in the organization; reads and deletions go on\n" \
    "       reeved billing unlock ORG_ID               lets changes through again\n"                       \
    "       reeved billing locked [--json]             lists the organizations that are locked\n"          \
    "       reeved billing unpaid [--json]             lists invoices that nobody paid\n"                  \
    "       reeved billing paid INVOICE_ID [--note TEXT]   notes that an invoice was paid\n"               \
    "       reeved billing agree ORG_ID --until DATE   until then it is not locked for what it owes; `none` ends that"

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
        printf("nothing has changed: there is no such organization, or it was %sed before%s\n", word,
               locks ? "" : ", or an invoice of it is overdue (`reeved billing unpaid`)");
    else
        printf("organization %s is %sed\n", organization_text, word);
    return changed ? 0 : 1;
}

/* ---- Payments ---- */

static error
add_payment(struct operator_place *place, id invoice, str note, bool *ret_changed)
{
    id organization;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(store_payment_owner(place->store, place->arena, invoice, &organization));
    TRY(tx_begin(place->store, place->arena, organization, &tx));
    TRY(store_payment_add(tx, organization, invoice, note, place->config->payment_due_days, ret_changed));
    return tx_commit(tx);
}

static int
pay(struct operator_place *place, const char *invoice_text, const char *note)
{
    id invoice;
    bool changed = false;
    str said = str_from(note);
    if (invoice_text == NULL || !id_parse(str_from(invoice_text), &invoice)) {
        fprintf(stderr, "reeved billing: name an invoice by its 24 digits\n");
        return 2;
    }
    if (said.len > REASON_MAX || !str_is_text(said)) {
        fprintf(stderr, "reeved billing: --note has at most %d bytes\n", REASON_MAX);
        return 2;
    }
    error problem = add_payment(place, invoice, said, &changed);
    if (problem != OK)
        return report_failure("billing", problem);
    printf(changed ? "invoice %s is paid\n"
                   : "nothing has changed: invoice %s is not closed, has nothing to pay, or was paid before\n",
           invoice_text);
    return changed ? 0 : 1;
}

static error
set_agreement(struct operator_place *place, id organization, int64_t until_ms, bool *ret_changed)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin(place->store, place->arena, organization, &tx));
    TRY(store_payment_agree(tx, organization, until_ms, place->config->payment_due_days, ret_changed));
    return tx_commit(tx);
}

static int
agree(struct operator_place *place, const char *organization_text, const char *until)
{
    id organization;
    int64_t until_ms = 0;
    bool changed = false;
    if (organization_text == NULL || !id_parse(str_from(organization_text), &organization)) {
        fprintf(stderr, "reeved billing: name an organization by its 24 digits\n");
        return 2;
    }
    if (until == NULL || (strcmp(until, "none") != 0 && !date_parse(str_from(until), &until_ms))) {
        fprintf(stderr, "reeved billing: --until is a date, such as 2026-12-31 or 2026-12-31T12:00:00Z, or `none`\n");
        return 2;
    }
    error problem = set_agreement(place, organization, until_ms, &changed);
    if (problem != OK)
        return report_failure("billing", problem);
    if (!changed)
        printf("nothing has changed: that was agreed before\n");
    else if (until_ms > 0)
        printf("organization %s is not locked for what it owes until %s\n", organization_text, until);
    else
        printf("nothing is agreed with organization %s any more\n", organization_text);
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
        [REASON] = { "--reason", "Why, for the organization's events and for whoever is refused." },
        [NOTE] = { "--note", "What is worth knowing about the payment, for the organization's events." },
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
    if (!operator_place_open(&place, options[CONFIG].value))
        return 1;
    switch (which) {
    case LOCKED: return list_locked(&place, options[JSON].value != NULL);
    case UNPAID: return list_unpaid(&place, options[JSON].value != NULL);
    case PAID: return pay(&place, words[1], options[NOTE].value);
    case AGREE: return agree(&place, words[1], options[UNTIL].value);
    default: return lock_or_unlock(&place, word, words[1], options[REASON].value);
    }
}
