/* SPDX-License-Identifier: Apache-2.0 */
/* Usage by project and cluster, and invoices. The operator sets the prices. */
#include "store/billing/billing.h"
#include "api/api.h"
#include "api/list.h"
#include "base/date.h"
#include "base/json.h"
#include "family/families.h"

static const char *const statuses[] = { "PENDING", "CLOSED", "FREE", NULL };
static const char *const services[] = { "Compute", "Storage", NULL };
static const char *const invoice_orders[] = { "START_DATE", "END_DATE", NULL };
static const char *const directions[] = { "desc", "asc", NULL };
static const char *const line_orders[] = { "USAGE_DATES", "BILL_DATES", "TOTAL_PRICE_CENTS", NULL };
static const char *const line_directions[] = { "ASCENDING", "DESCENDING", NULL };
static const char *const divisions[] = { "organizations", "projects", "clusters", "services", NULL };

/* ---- Items ---- */
static const struct field sku_fields[] = {
    TEXT("id", "Name of the item, as in lines of invoices.", READ_ONLY | ALWAYS),
    TEXT("description", "What the item is, in the operator's words.", READ_ONLY | ALWAYS),
    TEXT("unit", "What is counted.", READ_ONLY | ALWAYS),
    NUMBER("unitPriceDollars", "Price of one unit in the operator's currency.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema sku_schema = { "Sku", "An item of invoices.", sku_fields };

/* ---- Invoices ---- */
static const struct field line_fields[] = {
    TEXT("clusterName", "Name of the cluster that used it.", READ_ONLY | ALWAYS),
    ID("groupId", "Project of the cluster.", READ_ONLY | ALWAYS),
    TEXT("groupName", "Name of the project.", READ_ONLY | ALWAYS),
    TEXT("sku", "Item that was used.", READ_ONLY | ALWAYS),
    DATE("startDate", "Start of the day of use.", READ_ONLY | ALWAYS),
    DATE("endDate", "End of that day.", READ_ONLY | ALWAYS),
    DATE("created", "When the line was added to the invoice.", READ_ONLY | ALWAYS),
    TEXT("unit", "What is counted.", READ_ONLY | ALWAYS),
    NUMBER("quantity", "Number of units.", READ_ONLY | ALWAYS),
    NUMBER("unitPriceDollars", "Price of one unit in the operator's currency.", READ_ONLY | ALWAYS),
    INTEGER("totalPriceCents",
            "What it costs. Lines are rounded so that their sum is the exact sum of the invoice, rounded once.",
            READ_ONLY | ALWAYS),
    OBJECT("tags",
           "Tags that the cluster and its project had then: values by key. At most 2,000 bytes of them, keys in order.",
           READ_ONLY | ALWAYS, .example = "{\"environment\": [\"production\"]}"),
    END_OF_FIELDS,
};
static const struct schema line_schema = { "InvoiceLineItem", "What one cluster used of one item on one day.",
                                           line_fields };

#define INVOICE_FIELDS                                                                                         \
    ID("id", "Identifier of the invoice.", READ_ONLY | ALWAYS),                                                \
        ID("orgId", "Organization that is billed.", READ_ONLY | ALWAYS),                                       \
        TEXT("statusName", "PENDING while the month runs, then CLOSED, or FREE when there is nothing to pay.", \
             READ_ONLY | ALWAYS, .one_of = statuses),                                                          \
        DATE("startDate", "Start of the month.", READ_ONLY | ALWAYS),                                          \
        DATE("endDate", "End of the month.", READ_ONLY | ALWAYS),                                              \
        DATE("created", "When the invoice was opened.", READ_ONLY | ALWAYS),                                   \
        DATE("updated", "When something was last added to it.", READ_ONLY | ALWAYS),                           \
        INTEGER("subtotalCents", "Sum of the lines.", READ_ONLY | ALWAYS),                                     \
        INTEGER("amountBilledCents", "What is to be paid.", READ_ONLY | ALWAYS),                               \
        INTEGER("amountPaidCents", "Always 0: payments are made elsewhere.", READ_ONLY | ALWAYS),              \
        INTEGER("creditsCents", "Always 0.", READ_ONLY | ALWAYS),                                              \
        INTEGER("salesTaxCents", "Always 0: prices are as the operator sets them.", READ_ONLY | ALWAYS),       \
        INTEGER("startingBalanceCents", "Always 0: an invoice covers one month.", READ_ONLY | ALWAYS),         \
        LIST("linkedInvoices", "Always empty: organizations are billed one by one.", READ_ONLY | ALWAYS,       \
             .item = TYPE_TEXT)

static const struct field invoice_short_fields[] = { INVOICE_FIELDS, END_OF_FIELDS };
static const struct schema invoice_short_schema = { "InvoiceMetadata", "One month of an organization in short form.",
                                                    invoice_short_fields };
static const struct field invoice_fields[] = {
    INVOICE_FIELDS,
    LIST("lineItems", "What was used, by day.", READ_ONLY | ALWAYS, .of = &line_schema),
    LIST("payments", "Always empty: payments are made elsewhere.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    LIST("refunds", "Always empty: payments are made elsewhere.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema invoice_schema = { "Invoice", "What an organization used in one month, and what it costs.",
                                              invoice_fields };

static const struct field found_line_fields[] = {
    DATE("usageDate", "Day of use.", READ_ONLY | ALWAYS),
    DATE("billDate", "When the line was added to the invoice.", READ_ONLY | ALWAYS),
    ID("groupId", "Project of the cluster.", READ_ONLY | ALWAYS),
    TEXT("clusterName", "Name of the cluster that used it.", READ_ONLY | ALWAYS),
    TEXT("sku", "Item that was used.", READ_ONLY | ALWAYS),
    TEXT("service", "What kind of item it is.", READ_ONLY | ALWAYS, .one_of = services),
    TEXT("description", "What the item is, in the operator's words.", READ_ONLY | ALWAYS),
    NUMBER("quantity", "Number of units.", READ_ONLY | ALWAYS),
    NUMBER("unitPriceDollars", "Price of one unit in the operator's currency.", READ_ONLY | ALWAYS),
    INTEGER("totalPriceCents", "What it costs.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema found_line_schema = { "UsageDetails", "A line of an invoice.", found_line_fields };

static const struct field invoice_path[] = { ID("invoiceId", "Identifier of the invoice.", 0), END_OF_FIELDS };
static const struct field invoice_list_query[] = {
    BOOL("viewLinkedInvoices",
         "Whether to include invoices of linked organizations. Organizations cannot be linked, so there are none.", 0,
         .fallback = "true"),
    LIST("statusNames", "Only invoices in this state. Can be repeated.", 0, .item = TYPE_TEXT, .min = 1, .max = 3,
         .one_of = statuses),
    DATE("fromDate", "Only invoices of months that begin then or later.", 0),
    DATE("toDate", "Only invoices of months that begin then or earlier.", 0),
    TEXT("sortBy", "What to sort by. Both give the same order, since months do not overlap.", 0,
         .one_of = invoice_orders, .fallback = "\"END_DATE\""),
    TEXT("orderBy", "Newest or oldest first.", 0, .one_of = directions, .fallback = "\"desc\""),
    END_OF_FIELDS,
};
static const struct field line_query[] = {
    LIST("groupIds", "Only lines of this project. Can be repeated.", 0, .item = TYPE_ID, .min = 1, .max = 16),
    LIST("clusterIds", "Only lines of this cluster. Can be repeated.", 0, .item = TYPE_ID, .min = 1, .max = 16),
    LIST("skuServices", "Only items of this kind. Can be repeated.", 0, .item = TYPE_TEXT, .min = 1, .max = 2,
         .one_of = services),
    DATE("usageStartDate", "Only what was used on that day or later.", 0),
    DATE("usageEndDate", "Only what was used before that day.", 0),
    DATE("billStartDate", "Only lines that were added at that moment or later.", 0),
    DATE("billEndDate", "Only lines that were added before that moment.", 0),
    BOOL("includeZeroCentLineItems", "Whether lines of 0 cents are shown.", 0, .fallback = "true"),
    TEXT("sortField", "What to sort by.", 0, .one_of = line_orders, .fallback = "\"USAGE_DATES\""),
    TEXT("sortOrder", "Smallest or largest first.", 0, .one_of = line_directions, .fallback = "\"ASCENDING\""),
    END_OF_FIELDS,
};

/* ---- Reports ---- */
#define DAY "[0-9]{4}-[0-9]{2}-[0-9]{2}"
static const struct field report_fields[] = {
    TEXT("startDate", "First day of the report.", REQUIRED, .pattern = DAY, .example = "\"2025-01-01\""),
    TEXT("endDate", "The day after the last day of the report, at most two years after startDate.", REQUIRED,
         .pattern = DAY, .example = "\"2025-03-01\""),
    TEXT("groupBy", "What each month is divided by.", 0, .one_of = divisions, .fallback = "\"organizations\""),
    LIST("organizations", "Only these organizations; only the one in the path has usage here.", 0, .item = TYPE_ID,
         .max = 100),
    LIST("projects", "Only these projects.", 0, .item = TYPE_ID, .max = 100),
    LIST("clusters", "Only these clusters.", 0, .item = TYPE_ID, .max = 100),
    LIST("services", "Only items of these kinds.", 0, .item = TYPE_TEXT, .max = 2, .one_of = services),
    BOOL("includePartialMatches", "Whether a line counts if one of the lists matches, and not all.", 0,
         .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema report_schema = { "UsageReportRequest", "What a usage report is about.", report_fields };
static const struct field token_fields[] = {
    TEXT("token", "Token of the report. It is kept for a day.", READ_ONLY | ALWAYS, .min = 64, .max = 64),
    END_OF_FIELDS,
};
static const struct schema token_schema = { "UsageReport", "A report that can be fetched.", token_fields };
static const struct field token_path[] = {
    TEXT("token", "Token of the report.", 0, .pattern = "[0-9a-f]{64}",
         .example = "\"00000000000000000000000000000000000000000000000000000000000000ab\""),
    END_OF_FIELDS,
};

static const struct read sku_list, sku_get, invoice_list, pending_list, invoice_get, invoice_csv, line_list, report_get;
static handler report_create;

// clang-format off
static const struct endpoint billing_endpoints[] = {
    { POST, "/orgs/{orgId}/billing/costExplorer/usage", S34, ANY_OF(ORG_BILLING_READ_ONLY),
      "createOrgBillingCostExplorerUsageProcess",
      "Request a usage report",
      "Starts a report of usage by project, cluster or service between two dates. Fetch it with the token in the answer; it is "
      "kept for a day. It contains only complete hours.",
      .success = 202, .flags = NO_ETAG | WHILE_LOCKED, .item = "/orgs/{orgId}/billing/costExplorer/usage/{token}", .run = report_create,
      .request = &report_schema, .response = &token_schema,
      .example = "{\"startDate\": \"2025-01-01\", \"endDate\": \"2025-03-01\", \"groupBy\": \"projects\"}" },
    { GET, "/orgs/{orgId}/billing/costExplorer/usage/{token}", S34, ANY_OF(ORG_BILLING_READ_ONLY),
      "getOrgBillingCostExplorerUsage",
      "Return one usage report",
      "Returns a report that was requested in the last 24 hours, as CSV: one line for each month and part.",
      .shape = SHAPE_FILE, .file = "csv", .read = &report_get, .path_fields = token_path },
    { GET, "/orgs/{orgId}/invoices", S34, ANY_OF(ORG_BILLING_READ_ONLY), "listOrgInvoices",
      "Return all invoices of one organization",
      "Lists the invoices in short form, newest first, including the open one.",
      .shape = SHAPE_LIST, .item = "/orgs/{orgId}/invoices/{invoiceId}", .read = &invoice_list,
      .response = &invoice_short_schema, .query = invoice_list_query },
    { GET, "/orgs/{orgId}/invoices/pending", S34, ANY_OF(ORG_BILLING_READ_ONLY), "listOrgInvoicePending",
      "Return the pending invoices of one organization",
      "Returns the invoice of the current month; its amounts grow until it is closed. There is none before anything is used.",
      .shape = SHAPE_LIST, .item = "/orgs/{orgId}/invoices/{invoiceId}", .read = &pending_list,
      .response = &invoice_schema },
    { GET, "/orgs/{orgId}/invoices/{invoiceId}", S34, ANY_OF(ORG_BILLING_READ_ONLY), "getOrgInvoice",
      "Return one invoice",
      "Returns one invoice with its line items. Once it is closed it never changes.",
      .read = &invoice_get, .response = &invoice_schema, .path_fields = invoice_path },
    { GET, "/orgs/{orgId}/invoices/{invoiceId}/csv", S34, ANY_OF(ORG_BILLING_READ_ONLY), "getOrgInvoiceCsv",
      "Download one invoice as CSV",
      "Returns the line items of one invoice, one on each line. Tags are JSON in the last field; a name that a spreadsheet would "
      "take for a formula has an apostrophe in front.",
      .shape = SHAPE_FILE, .file = "csv", .read = &invoice_csv, .path_fields = invoice_path },
    { GET, "/orgs/{orgId}/invoices/{invoiceId}/lineItems:search", S34, ANY_OF(ORG_BILLING_READ_ONLY),
      "searchOrgInvoiceLineItems",
      "Search the line items of one invoice",
      "Lists the line items of one invoice that match projects, clusters, kinds of items and dates.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .read = &line_list, .response = &found_line_schema,
      .query = line_query, .path_fields = invoice_path },

    { GET, "/skus", S35, ANY_CALLER, "listSkus",
      "Return all billed items",
      "Lists the items that have a price, with a description of each. Without a price list there are none, and everything is "
      "free.",
      .shape = SHAPE_LIST, .since = "2025-03-12", .item = "/skus/{skuId}", .read = &sku_list,
      .response = &sku_schema },
    { GET, "/skus/{skuId}", S35, ANY_CALLER, "getSku",
      "Return one billed item",
      "Returns one item of invoices, also one that no longer has a price.",
      .flags = NO_ETAG, .since = "2025-03-12", .read = &sku_get, .response = &sku_schema },
};
// clang-format on

FAMILY(billing_family, "billing", "Billing", "Invoices of an organization, its usage, and the list of billed items.",
       billing_endpoints);

/* ---- Reading ---- */

/* Parameters that may stand several times, as PostgreSQL writes a text[]. Their tables let nothing through that needs quotes. */
static void
bind_query_list(struct request *req, struct params *params, enum param parameter, const char *name)
{
    struct buf out = buf_in(req->arena, 4096);
    for (size_t i = 0; i < req->query_count; i++) {
        if (!str_is(req->query[i].name, name))
            continue;
        buf_add_char(&out, out.len == 0 ? '{' : ',');
        buf_add(&out, req->query[i].value);
    }
    if (out.len == 0) {
        params_null(params, parameter);
        return;
    }
    buf_add_char(&out, '}');
    params_text(params, parameter, buf_str(&out));
}

static void
bind_query_date(struct request *req, struct params *params, enum param parameter, const char *name)
{
    int64_t ms;
    if (date_parse(request_query(req, name), &ms))
        params_int(params, parameter, ms);
    else
        params_null(params, parameter);
}

static error
bind_skus(struct request *req, struct params *params)
{
    list_bind(req, params);
    return OK;
}

static error
bind_sku(struct request *req, struct params *params)
{
    params_text(params, P_SKU, request_path_value(req, "skuId"));
    return OK;
}

static error
bind_invoices(struct request *req, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    bind_query_list(req, params, P_STATUSES, "statusNames");
    bind_query_date(req, params, P_FROM_MS, "fromDate");
    bind_query_date(req, params, P_TO_MS, "toDate");
    params_bool(params, P_NEWEST_FIRST, !str_is(request_query(req, "orderBy"), "asc"));
    list_bind(req, params);
    return OK;
}

static error
bind_invoice(struct request *req, struct params *params)
{
    id invoice;
    TRY(request_path_id(req, "invoiceId", &invoice));
    params_id(params, P_ORGANIZATION, req->organization);
    params_id(params, P_INVOICE, invoice);
    return OK;
}

static error
bind_lines(struct request *req, struct params *params)
{
    str by = request_query(req, "sortField");
    TRY(bind_invoice(req, params));
    bind_query_list(req, params, P_PROJECTS, "groupIds");
    bind_query_list(req, params, P_CLUSTERS, "clusterIds");
    bind_query_list(req, params, P_SERVICES, "skuServices");
    bind_query_date(req, params, P_USED_FROM_MS, "usageStartDate");
    bind_query_date(req, params, P_USED_TO_MS, "usageEndDate");
    bind_query_date(req, params, P_BILLED_FROM_MS, "billStartDate");
    bind_query_date(req, params, P_BILLED_TO_MS, "billEndDate");
    params_bool(params, P_WITHOUT_ZERO, str_is(request_query(req, "includeZeroCentLineItems"), "false"));
    params_text(params, P_SORT_BY, by.len == 0 ? STR("USAGE_DATES") : by);
    params_bool(params, P_LARGEST_FIRST, str_is(request_query(req, "sortOrder"), "DESCENDING"));
    list_bind(req, params);
    return OK;
}

static error
bind_report(struct request *req, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    params_text(params, P_TOKEN, request_path_value(req, "token"));
    return OK;
}

static error
answer_text(struct request *req, const struct rows *rows)
{
    if (rows->count == 0)
        return request_not_found(req);
    answer_file(req, rows_text(rows, 0, C_CONTENT));
    return OK;
}

static const struct read sku_list = { SQL_SKU_LIST, bind_skus, list_answer };
static const struct read sku_get = { SQL_SKU_GET, bind_sku, answer_row };
static const struct read invoice_list = { SQL_INVOICE_LIST, bind_invoices, list_answer };
static const struct read pending_list = { SQL_INVOICE_PENDING_LIST, list_bind_organization, list_answer };
static const struct read invoice_get = { SQL_INVOICE_GET, bind_invoice, answer_row };
static const struct read invoice_csv = { SQL_INVOICE_CSV, bind_invoice, answer_text };
static const struct read line_list = { SQL_INVOICE_LINE_LIST, bind_lines, list_answer_below };
static const struct read report_get = { SQL_COST_REPORT_GET, bind_report, answer_text };

/* ---- Reports ---- */

static str
body_list(struct request *req, const char *name)
{
    const json_t *list = json_object_get(req->body, name);
    struct buf out = buf_in(req->arena, 4096);
    if (json_array_size(list) == 0)
        return STR_EMPTY;
    for (size_t i = 0; i < json_array_size(list); i++) {
        buf_add_char(&out, i == 0 ? '{' : ',');
        buf_add(&out, json_str(json_array_get(list, i)));
    }
    buf_add_char(&out, '}');
    return buf_str(&out);
}

static error
read_day(struct request *req, const char *name, int64_t *ret_ms)
{
    if (date_parse(json_str(json_object_get(req->body, name)), ret_ms))
        return OK;
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(name), V("there is no such day"));
}

/* Reports are short, so it is made at once; the client need not know, and asks for it with the token as it would later. */
static error
report_create(struct request *req)
{
    enum { TOKEN_BYTES = 32 };
    const int64_t longest_ms = INT64_C(2) * 366 * 24 * 3600 * 1000;
    uint8_t random[TOKEN_BYTES];
    struct cost_report_draft draft = {
        .group_by = json_str(json_object_get(req->body, "groupBy")),
        .organizations = body_list(req, "organizations"),
        .projects = body_list(req, "projects"),
        .clusters = body_list(req, "clusters"),
        .services = body_list(req, "services"),
        .one_is_enough = json_is_true(json_object_get(req->body, "includePartialMatches")),
    };
    TRY(read_day(req, "startDate", &draft.from_ms));
    TRY(read_day(req, "endDate", &draft.to_ms));
    if (draft.to_ms <= draft.from_ms || draft.to_ms - draft.from_ms > longest_ms)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("endDate"),
                    V("it must be after startDate, and at most two years later"));
    crypto_random(random, sizeof(random));
    draft.token = str_hex(req->arena, random, sizeof(random));
    TRY(store_cost_report_add(req->tx, req->organization, &draft));
    answer_created(req, str_format(req->arena, "{\"token\":\"%.*s\"}", STR_ARG(draft.token)), draft.token, 0);
    return OK;
}
