/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a schedule says about exports: which snapshots are written to which bucket, as soon as they are completed. The sweep `backup-exports` finds those that
 * are due; here it is only written down, with the moment since when.
 */
#include "backup/schedule_document.h"
#include "base/date.h"
#include "base/json.h"
#include "family/backup/backups.h"

#define ENABLED "autoExportEnabled"
#define EXPORT  "export"

static bool
is_enabled(const json_t *schedule)
{
    return json_is_true(json_object_get(schedule, ENABLED));
}

static const json_t *
frequency_of(const json_t *schedule)
{
    return json_object_get(json_object_get(schedule, EXPORT), "frequencyType");
}

/* Also of one that was named long ago: it may have been deleted while nothing was exported. */
static error
check_bucket(struct request *req, const json_t *schedule)
{
    id ignored;
    const json_t *wanted = json_object_get(schedule, EXPORT);
    if (wanted == NULL)
        return fail(req->arena, MISSING_ATTRIBUTE, V(EXPORT));
    return export_bucket_find(req, EXPORT ".exportBucketId", json_str(json_object_get(wanted, "exportBucketId")),
                              &ignored);
}

/* Snapshots from before are not exported: neither from before it was switched on, nor from when it was about others. */
static void
set_since(struct request *req, const json_t *before, json_t *after)
{
    if (!is_enabled(after))
        json_object_del(after, SCHEDULE_EXPORT_SINCE);
    else if (!is_enabled(before) || !json_equal(frequency_of(before), frequency_of(after)))
        json_object_set_new(after, SCHEDULE_EXPORT_SINCE, json_string(date_now(req->arena).data));
}

/* It takes the place of the one before as a whole. What changes something gets no fallbacks from the field tables. */
static void
set_export(json_t *schedule, json_t *wanted)
{
    if (json_object_get(wanted, "format") == NULL)
        json_object_set_new(wanted, "format", json_string(export_formats[0]));
    json_object_set(schedule, EXPORT, wanted);
}

error
schedule_merge_export(struct request *req, struct schedule_change *change)
{
    json_t *enabled = json_object_get(req->body, ENABLED), *wanted = json_object_get(req->body, EXPORT);
    if (enabled == NULL && wanted == NULL)
        return OK;
    if (enabled != NULL)
        json_object_set(change->after, ENABLED, enabled);
    if (wanted != NULL)
        set_export(change->after, wanted);
    if (is_enabled(change->after) || wanted != NULL)
        TRY(check_bucket(req, change->after));
    set_since(req, change->before, change->after);
    return OK;
}
