/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Downloads (docs/internals/downloads.md): a snapshot becomes one file, which can be fetched from an address for a day. A request writes the rows; the repository host finds
 * them in its goal. They are among the restores of the cluster, and shown and cancelled as those are.
 */
#include "store/restore/download.h"

#include "api/api.h"
#include "api/download.h"
#include "api/request_event.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "family/backup/backups.h"

enum { BYTES_IN_GB = 1000 * 1000 * 1000, SPARE_GB = 1 };

/* ---- Asking ---- */
/* The data, a file of it that may be as large, and some WAL. */
static int64_t
needed_gb(int64_t data_bytes)
{
    return (data_bytes / 5 * 11 + BYTES_IN_GB - 1) / BYTES_IN_GB + SPARE_GB;
}

static error
place(struct request *req, str cluster, const struct restore_draft *draft)
{
    enum download_outcome outcome;
    int64_t needed = needed_gb(draft->source.size_bytes);
    TRY(store_download_add(req->tx, draft, needed, &outcome));
    switch (outcome) {
    case DOWNLOAD_PLACED: return OK;
    case DOWNLOAD_BUSY: return fail(req->arena, DOWNLOAD_UNFINISHED, V(cluster));
    case DOWNLOAD_FULL: return fail(req->arena, NO_DOWNLOAD_CAPACITY, V(needed));
    case DOWNLOAD_GONE: break;
    }
    return fail(req->arena, CONCURRENT_CHANGE, V("backups"));
}

error
download_create(struct request *req, const struct restore_place *shown_as, struct restore_draft *draft)
{
    struct restore_place own = *shown_as;
    str shown;
    int64_t revision;
    own.restore = draft->id;
    TRY(place(req, own.cluster, draft));
    TRY(store_restore_document(req->tx, &own, &shown, &revision));
    TRY(request_event(req, EVENT_DOWNLOAD_REQUESTED, NULL, json_parse_own(req->arena, shown)));
    answer_created(req, shown, id_text(req->arena, draft->id), revision);
    return OK;
}

/* ---- Showing ---- */
/* Whoever may not ask for one does not get its address either, though they may see that there is one. */
static bool
may_fetch(const struct request *req)
{
    return (req->roles & (PROJECT_BACKUP_EXPORT_OPERATOR | PROJECT_BACKUP_RECOVERY_OPERATOR)) != 0;
}

static bool
is_to_be_had(const json_t *document)
{
    return str_is(json_str(json_object_get(document, "state")), "DONE") &&
           json_is_false(json_object_get(document, "expired"));
}

static bool
is_flex_to_be_had(const json_t *document)
{
    int64_t until_ms;
    return str_is(json_str(json_object_get(document, "deliveryType")), "DOWNLOAD") &&
           str_is(json_str(json_object_get(document, "status")), "COMPLETED") &&
           date_parse(json_str(json_object_get(document, "expirationDate")), &until_ms) && until_ms > clock_now_ms();
}

str
download_show(struct request *req, str document)
{
    id download;
    if (memmem(document.data, document.len, "ownload", strlen("ownload")) == NULL &&
        memmem(document.data, document.len, "DOWNLOAD", strlen("DOWNLOAD")) == NULL)
        return document;
    json_t *shown = json_parse_own(req->arena, document);
    if (!may_fetch(req) || !id_parse(json_str(json_object_get(shown, "id")), &download))
        return document;
    str address = download_address(req, download);
    if (str_is(json_str(json_object_get(shown, "deliveryType")), "download") && is_to_be_had(shown))
        json_object_set_new(shown, "deliveryUrl", json_pack("[s]", address.data));
    else if (is_flex_to_be_had(shown))
        json_object_set_new(shown, "snapshotUrl", json_string(address.data));
    return json_text(req->arena, shown);
}

/* ---- Cancelling ---- */
error
download_cancel(struct request *req, const struct restore_place *shown_as)
{
    str shown;
    int64_t revision;
    bool changed;
    TRY(store_download_cancel(req->tx, req->organization, shown_as->restore, &changed));
    TRY(store_restore_document(req->tx, shown_as, &shown, &revision));
    answer_nothing(req);
    return changed ? request_event(req, EVENT_DOWNLOAD_CANCELLED, json_parse_own(req->arena, shown), NULL) : OK;
}
