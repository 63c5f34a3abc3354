/* SPDX-License-Identifier: Apache-2.0 */
/* What was used, by which project and cluster. For an operator's own hosts the prices are the operator's. */
#include "api/contract.h"

// clang-format off
static const struct endpoint billing_endpoints[] = {
    { POST, "/orgs/{orgId}/billing/costExplorer/usage", S34, ANY_OF(ORG_BILLING_READ_ONLY),
      "createOrgBillingCostExplorerUsageProcess",
      "Request a usage report",
      "Starts a report of usage by project, cluster or service between two dates. Asynchronous; fetch it with the "
      "token in the answer.",
      .success = 202, .item = "/orgs/{orgId}/billing/costExplorer/usage/{token}", .waits_for = "billing" },
    { GET, "/orgs/{orgId}/billing/costExplorer/usage/{token}", S34, ANY_OF(ORG_BILLING_READ_ONLY),
      "getOrgBillingCostExplorerUsage",
      "Return one usage report",
      "Returns a report that has been requested, as CSV when that is accepted. While it is still being made, ask "
      "again later.",
      .shape = SHAPE_FILE, .waits_for = "billing" },
    { GET, "/orgs/{orgId}/invoices", S34, ANY_OF(ORG_BILLING_READ_ONLY), "listOrgInvoices",
      "Return all invoices of one organization",
      "Lists the invoices in short form, newest first, the one that is still open included.",
      .shape = SHAPE_LIST, .item = "/orgs/{orgId}/invoices/{invoiceId}", .waits_for = "billing" },
    { GET, "/orgs/{orgId}/invoices/pending", S34, ANY_OF(ORG_BILLING_READ_ONLY), "listOrgInvoicePending",
      "Return the pending invoices of one organization",
      "Returns the invoice of the month that is still running; its amounts grow until it is closed.",
      .shape = SHAPE_LIST, .item = "/orgs/{orgId}/invoices/{invoiceId}", .waits_for = "billing" },
    { GET, "/orgs/{orgId}/invoices/{invoiceId}", S34, ANY_OF(ORG_BILLING_READ_ONLY), "getOrgInvoice",
      "Return one invoice",
      "Returns one invoice with its payments and line items.",
      .waits_for = "billing" },
    { GET, "/orgs/{orgId}/invoices/{invoiceId}/csv", S34, ANY_OF(ORG_BILLING_READ_ONLY), "getOrgInvoiceCsv",
      "Download one invoice as CSV",
      "Returns the line items of one invoice, one on each line.",
      .shape = SHAPE_FILE, .waits_for = "billing" },
    { GET, "/orgs/{orgId}/invoices/{invoiceId}/lineItems:search", S34, ANY_OF(ORG_BILLING_READ_ONLY),
      "searchOrgInvoiceLineItems",
      "Search the line items of one invoice",
      "Lists the line items of one invoice that match projects, clusters, items and dates.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .waits_for = "billing" },

    { GET, "/skus", S35, ANY_CALLER, "listSkus",
      "Return all billed items",
      "Lists the items that can stand on an invoice, with a description of each.",
      .shape = SHAPE_LIST, .since = "2025-03-12", .item = "/skus/{skuId}", .waits_for = "billing" },
    { GET, "/skus/{skuId}", S35, ANY_CALLER, "getSku",
      "Return one billed item",
      "Returns one item that can stand on an invoice.",
      .since = "2025-03-12", .waits_for = "billing" },
};
// clang-format on

FAMILY(billing_family, "billing", "Billing",
       "Invoices of an organization, what was used by whom, and the list of billed items.", billing_endpoints);
