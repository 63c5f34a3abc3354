/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about backups share: the fields, and how requests of the newer and the older form become the same changes. */
#ifndef FAMILY_BACKUP_BACKUPS_H
#define FAMILY_BACKUP_BACKUPS_H

#include "api/request.h"
#include "store/cluster/cluster.h"

/* ---- backup_schema.c: what is kept, and by which rules ---- */
extern const struct schema export_bucket_schema, backup_endpoint_schema, compliance_schema, schedule_schema;
extern const struct schema window_schema;
extern const struct field compliance_query[];

/* ---- snapshot_schema.c: snapshots and what is made of them ---- */
extern const struct schema snapshot_schema, sharded_snapshot_schema, snapshot_request_schema, retention_schema;
extern const struct schema export_schema, restore_job_schema, legacy_restore_job_schema;
extern const struct schema flex_snapshot_schema, flex_restore_job_schema, flex_download_schema;
extern const struct field snapshot_query[], legacy_restore_job_query[];
extern const struct field snapshot_path[];
extern const char *const export_formats[];
/* What the operations of several shards wait for. */
#define SHARDS "clusters with shards, which need hosts that report an engine for them"

/* ---- snapshots.c ---- */
extern const struct read snapshot_list, snapshot_get, flex_snapshot_list, flex_snapshot_get, legacy_snapshot_list,
    legacy_snapshot_get;
handler snapshot_take, snapshot_update, snapshot_delete, legacy_snapshot_update, legacy_snapshot_delete;

/* ---- restores.c ---- */
extern const struct read restore_list, restore_get, flex_restore_list, flex_restore_get, legacy_restore_list,
    legacy_restore_get;
handler restore_create, restore_cancel, legacy_restore_create, flex_restore_create, flex_download_create;

/* ---- downloads.c ---- */
struct restore_draft;
struct restore_place;
/* Asks for the file of the snapshot that the draft names, and answers with it. */
MUST_USE error download_create(struct request *req, const struct restore_place *shown_as, struct restore_draft *draft);
/* A restore as it is shown, with its address if it is a download that the caller can fetch. */
str download_show(struct request *req, str document);
MUST_USE error download_cancel(struct request *req, const struct restore_place *shown_as);

/* ---- exports.c ---- */
extern const struct kind export_bucket_kind;
extern const struct read export_list, export_get;
handler export_bucket_create, export_create;
/* A bucket of the project, locked, so that nobody deletes it meanwhile. `field` is where its name stands in the body. */
MUST_USE error export_bucket_find(struct request *req, const char *field, str name, id *ret_bucket);

/* ---- schedules.c ---- */
extern const struct read schedule_get, window_get;
handler schedule_update, schedule_delete;

/* For reads in another form: what the statement takes, and the document that it gave. */
MUST_USE error schedule_bind(struct request *req, struct params *params);
MUST_USE error schedule_found(struct request *req, const struct rows *rows, json_t **ret_document);

/* A schedule that is about to be changed. */
struct schedule_change {
    struct cluster cluster;
    id id; /* of the resource */
    int64_t revision;
    json_t *before, *after;
    json_t *policy;                            /* NULL: the project has none */
    bool updates_snapshots, deletes_snapshots; /* those that are there follow the new rules; those without a rule go */
    const json_t *deleted_copies;              /* regions whose copies go; may be NULL */
    bool deletes_copies;                       /* those of every setting that is gone */
};
/* Of the cluster in the path, locked; 404 without such a cluster, BACKUPS_NOT_ENABLED when nothing is kept of it. `after` is a copy of `before`. */
MUST_USE error schedule_take(struct request *req, struct schedule_change *ret_change);
/* Checks the rules of `after`, gives new ones their ids, and stores it with its event, unless nothing changed. */
MUST_USE error schedule_store(struct request *req, struct schedule_change *change);
/* Checks rules by what the field tables cannot say; `path` is where they stand in the body. Rules that are also among `before` (may be NULL) keep
 * their ids. */
MUST_USE error schedule_check_items(struct request *req, const char *path, const json_t *before, json_t *items);

/* ---- copies.c ---- */
/* Refuses settings that nobody can follow; those that stay are not looked at again. */
MUST_USE error copies_check(struct request *req, const struct schedule_change *change);
/* Places for new settings are found, and those of settings that are gone end. */
MUST_USE error copies_follow(struct request *req, struct schedule_change *change);

/* ---- schedule_exports.c ---- */
/* What the body says about exports by the schedule, put into `after`. */
MUST_USE error schedule_merge_export(struct request *req, struct schedule_change *change);

/* ---- compliance.c ---- */
extern const struct read compliance_get;
handler compliance_set, compliance_end;
/* The policy of the project, locked; NULL when it has none. */
MUST_USE error compliance_find(struct request *req, json_t **ret_policy);
/* Refuses a schedule that is less than what the policy asks for. */
MUST_USE error compliance_check_schedule(struct request *req, const json_t *policy, const json_t *schedule);
/* Refuses to keep a snapshot on demand less long than the policy asks for. */
MUST_USE error compliance_check_on_demand(struct request *req, const json_t *policy, int64_t now_ms,
                                          int64_t expires_ms);
/* How long the policy wants snapshots on demand to be kept; `otherwise_ms` when it does not say. */
int64_t compliance_on_demand_expires(const json_t *policy, int64_t now_ms, int64_t otherwise_ms);
/* It is protected until then: BACKUP_PROTECTED. */
MUST_USE NEVER_NULL error compliance_refusal(struct request *req, int64_t protected_ms);

#endif
