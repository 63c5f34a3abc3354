/* SPDX-License-Identifier: Apache-2.0 */
/* Organizations as their operator sees them: whether they are locked, and their unpaid invoices. */
#include "api/list.h"
#include "base/date.h"
#include "base/json.h"
#include "operator/parts.h"
#include "store/billing/billing.h"
#include "store/billing/payment.h"

enum { REASON_MAX = 250 };

/* ---- Tables ---- */
static const struct field organization_fields[] = {
    TEXT("name", "Name of the organization.", READ_ONLY | ALWAYS),
    ID("id", "Identifier of the organization.", READ_ONLY | ALWAYS),
    BOOL("locked", "Whether the organization is locked: it can be read, and things in it can be deleted, nothing else.",
         READ_ONLY | ALWAYS),
    TEXT("lockReason", "Why it is locked.", READ_ONLY),
    DATE("lockedAt", "Since when it is locked.", READ_ONLY),
    ID("lockInvoiceId", "The overdue invoice for which it is locked.", READ_ONLY),
    DATE("paymentAgreedUntil", "Until when it is not locked for unpaid invoices.", READ_ONLY),
    INTEGER("projects", "How many projects it has.", READ_ONLY | ALWAYS),
    INTEGER("clusters", "How many clusters it has.", READ_ONLY | ALWAYS),
    DATE("createdAt", "When it was created.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema organization_schema = { "OperatedOrganization", "An organization as its operator sees it.",
                                                   organization_fields };
static const struct field list_query[] = {
    TEXT("name", "Text that the name must contain.", 0, .max = 64),
    BOOL("locked", "Only locked organizations, or only those that are not locked.", 0),
    END_OF_FIELDS,
};

static const struct field lock_request_fields[] = {
    TEXT("reason", "Why, for the organization's events and for the people whose changes are refused.", REQUIRED,
         .min = 1, .max = REASON_MAX, .example = "\"Abuse of the service\""),
    END_OF_FIELDS,
};
static const struct schema lock_request_schema = { "OrganizationLockRequest", "Why an organization is locked.",
                                                   lock_request_fields };
static const struct field lock_fields[] = {
    ID("id", "Identifier of the organization.", READ_ONLY | ALWAYS),
    BOOL("locked", "Whether it is locked now.", READ_ONLY | ALWAYS),
    TEXT("lockReason", "Why.", READ_ONLY),
    BOOL("changed", "Whether this request changed it.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema lock_schema = { "OrganizationLock", "Whether an organization is locked.", lock_fields };

static const struct field agree_request_fields[] = {
    DATE("until", "When the agreement ends; null ends it now.", REQUIRED | NULLABLE,
         .example = "\"2027-01-31T00:00:00Z\""),
    END_OF_FIELDS,
};
static const struct schema agree_request_schema = { "PaymentAgreementRequest", "What was agreed about payment.",
                                                    agree_request_fields };
static const struct field agree_fields[] = {
    ID("id", "Identifier of the organization.", READ_ONLY | ALWAYS),
    DATE("until", "When the agreement ends; null without an agreement.", READ_ONLY | ALWAYS | NULLABLE),
    BOOL("changed", "Whether something else was agreed before.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema agree_schema = { "PaymentAgreement", "What is agreed about payment.", agree_fields };

static const struct field invoice_fields[] = {
    ID("invoiceId", "Identifier of the invoice.", READ_ONLY | ALWAYS),
    TEXT("name", "Name of the organization.", READ_ONLY | ALWAYS),
    TEXT("month", "The month that it is for.", READ_ONLY | ALWAYS, .example = "\"2026-09\""),
    INTEGER("amountCents", "What is to be paid.", READ_ONLY | ALWAYS),
    DATE("due", "When it is due; null when organizations are not locked for unpaid invoices.",
         READ_ONLY | ALWAYS | NULLABLE),
    BOOL("locked", "Whether the organization is locked.", READ_ONLY | ALWAYS),
    ID("orgId", "Identifier of the organization.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema invoice_schema = { "UnpaidInvoice", "An unpaid invoice.", invoice_fields };
static const struct field pay_request_fields[] = {
    TEXT("note", "A note about the payment, for the organization's events.", 0, .max = REASON_MAX, .fallback = "\"\"",
         .example = "\"Transfer of 3 June\""),
    END_OF_FIELDS,
};
static const struct schema pay_request_schema = { "InvoicePaymentRequest", "A payment to record.", pay_request_fields };
static const struct field pay_fields[] = {
    ID("invoiceId", "Identifier of the invoice.", READ_ONLY | ALWAYS),
    ID("orgId", "Identifier of the organization.", READ_ONLY | ALWAYS),
    BOOL("paid", "Always true.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema pay_schema = { "InvoicePayment", "A recorded payment.", pay_fields };

/* ---- Organizations ---- */
static error
bind_organizations(struct request *req, struct params *params)
{
    str locked = request_query(req, "locked");
    list_bind(req, params);
    params_null(params, P_ORGANIZATION);
    params_text(params, P_NAME, request_query(req, "name"));
    if (locked.len > 0)
        params_bool(params, P_LOCKED, str_is(locked, "true"));
    else
        params_null(params, P_LOCKED);
    return OK;
}
static const struct read organizations = { SQL_OPERATOR_ORGANIZATION_LIST, bind_organizations, list_answer };

static error
read_organization(struct request *req, id organization, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_OFFSET, 0);
    params_int(&params, P_LIMIT, 1);
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_NAME, STR_EMPTY);
    params_null(&params, P_LOCKED);
    TRY(store_read(req->api->store, req->arena, SQL_OPERATOR_ORGANIZATION_LIST, &params, &rows));
    if (rows_is_null(&rows, 0, C_DOCUMENT))
        return request_not_found(req);
    *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

static error
show_organization(struct request *req)
{
    id organization;
    str document;
    TRY(request_path_id(req, "orgId", &organization));
    TRY(read_organization(req, organization, &document));
    answer_entity(req, document, 0);
    return OK;
}

/* An empty reason unlocks. */
static error
set_lock(struct request *req, str reason)
{
    id organization;
    str document;
    bool changed;
    struct event_actor by = actor_of(req);
    TRY(request_path_id(req, "orgId", &organization));
    TRY(read_organization(req, organization, &document));
    TRY(tx_set_organization(req->tx, organization));
    TRY(store_organization_set_lock(req->tx, organization, &by, reason, &changed));
    str invoice = json_str(json_object_get(json_parse_own(req->arena, document), "lockInvoiceId"));
    if (!changed && reason.len == 0 && invoice.len > 0)
        return fail(req->arena, LOCKED_FOR_INVOICE, V(id_text(req->arena, organization)), V(invoice));
    json_t *answer = json_pack("{s:s, s:b, s:b}", "id", id_text(req->arena, organization).data, "locked",
                               reason.len > 0, "changed", changed);
    if (reason.len > 0)
        json_object_set_new(answer, "lockReason", json_stringn(reason.data, reason.len));
    answer_object(req, answer);
    return OK;
}

static error
lock_organization(struct request *req)
{
    str reason = str_trim(json_str(json_object_get(req->body, "reason")));
    if (reason.len == 0)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("reason"), V("it must not be empty"));
    return set_lock(req, str_dup(req->arena, reason));
}

static error
unlock_organization(struct request *req)
{
    return set_lock(req, STR_EMPTY);
}

static error
agree_organization(struct request *req)
{
    id organization;
    int64_t until_ms = 0;
    bool changed;
    str document;
    const json_t *until = json_object_get(req->body, "until");
    struct event_actor by = actor_of(req);
    TRY(request_path_id(req, "orgId", &organization));
    if (!json_is_null(until) && (!date_parse(json_str(until), &until_ms) || until_ms <= 0))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("until"), V("it must be a date after 1970"));
    TRY(read_organization(req, organization, &document));
    TRY(tx_set_organization(req->tx, organization));
    TRY(store_payment_agree(req->tx, organization, &by, until_ms, operator_api_of(req)->payment_due_days, &changed));
    answer_object(req, json_pack("{s:s, s:O, s:b}", "id", id_text(req->arena, organization).data, "until", until,
                                 "changed", changed));
    return OK;
}

/* ---- Invoices ---- */
static error
list_invoices(struct request *req)
{
    str list;
    TRY(store_payment_unpaid(req->api->store, req->arena, operator_api_of(req)->payment_due_days, &list));
    return answer_array(req, list, "invoiceId");
}

static error
pay_invoice(struct request *req)
{
    id invoice, organization;
    bool changed;
    struct event_actor by = actor_of(req);
    TRY(request_path_id(req, "invoiceId", &invoice));
    TRY(store_payment_owner(req->api->store, req->arena, invoice, &organization));
    TRY(tx_set_organization(req->tx, organization));
    TRY(store_payment_add(req->tx, organization, &by, invoice, json_str(json_object_get(req->body, "note")),
                          operator_api_of(req)->payment_due_days, &changed));
    if (!changed)
        return fail(req->arena, INVOICE_NOT_PAYABLE, V(id_text(req->arena, invoice)));
    answer_object(req, json_pack("{s:s, s:s, s:b}", "invoiceId", id_text(req->arena, invoice).data, "orgId",
                                 id_text(req->arena, organization).data, "paid", 1));
    return OK;
}

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "/organizations", 0, FOR_OPERATORS, "listOperatedOrganizations", "Return all organizations",
      "Lists every organization, oldest first: whether it is locked, and how many projects and clusters it has.",
      SHAPE_LIST, .read = &organizations, .response = &organization_schema, .query = list_query, .item = "/organizations/{orgId}" },
    { GET, "/organizations/{orgId}", 0, FOR_OPERATORS, "showOrganization", "Return one organization",
      "Shows whether the organization is locked, since when and why, and what was agreed about payment.",
      SHAPE_ENTITY, .run = show_organization, .response = &organization_schema },
    { POST, "/organizations/{orgId}:lock", 0, FOR_OPERATORS, "lockOrganization", "Lock one organization",
      "Refuses changes in the organization; reading and deleting still work. The error shows its members the reason. It takes "
      "effect on every node within a second.",
      SHAPE_ENTITY, 200, .run = lock_organization, .request = &lock_request_schema, .response = &lock_schema, .example = "{\"reason\": \"Abuse of the service\"}" },
    { POST, "/organizations/{orgId}:unlock", 0, FOR_OPERATORS, "unlockOrganization", "Unlock one organization",
      "Allows changes again. To unlock an organization with an overdue invoice, record its payment or make an agreement.",
      SHAPE_ENTITY, 200, .run = unlock_organization, .response = &lock_schema },
    { POST, "/organizations/{orgId}:agree", 0, FOR_OPERATORS, "agreeOrganization", "Agree about payment with one organization",
      "The organization is not locked for unpaid invoices until that date.",
      SHAPE_ENTITY, 200, .run = agree_organization, .request = &agree_request_schema, .response = &agree_schema, .example = "{\"until\": \"2027-01-31T00:00:00Z\"}" },
    { GET, "/invoices", 0, FOR_OPERATORS, "listInvoices", "Return all unpaid invoices",
      "Lists the unpaid invoices, oldest first, with the date when each is due.", SHAPE_LIST, .run = list_invoices, .response = &invoice_schema },
    { POST, "/invoices/{invoiceId}:pay", 0, FOR_OPERATORS, "payInvoice", "Record that one invoice was paid",
      "The organization is unlocked at once if it has no other overdue invoice.",
      SHAPE_ENTITY, 200, .run = pay_invoice, .request = &pay_request_schema, .response = &pay_schema, .example = "{\"note\": \"Transfer of 3 June\"}" },
};
// clang-format on
FAMILY(operator_account_family, "organizations", "Organizations and invoices",
       "Organizations as their operator sees them: whether they are locked, and their unpaid invoices.", endpoints);
