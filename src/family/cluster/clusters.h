/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about clusters share: the schemas, and how a request for a change becomes rows and a job. */
#ifndef FAMILY_CLUSTER_CLUSTERS_H
#define FAMILY_CLUSTER_CLUSTERS_H

#include "api/request.h"
#include "job/job.h"
#include "store/cluster/cluster.h"
#include "store/offer/fleet_offer.h"

/* Letters, digits and hyphens: names stand in paths and in connection strings of other systems. */
#define CLUSTER_NAME "^[a-zA-Z0-9][a-zA-Z0-9-]*$"

/* ---- clusters.c ---- */
/* Clusters of the endpoint's kind; only its name and its parameter matter. */
extern const struct read cluster_get, cluster_list;

/* ---- cluster_schema.c ---- */
extern const struct schema cluster_schema, cluster_settings_schema, connection_strings_schema;

/* ---- cluster_document.c: the rules of a document ---- */
/* Checks what the field tables cannot, against what the operator offers, and fills in what was left out. `before` is NULL for a
 * new cluster. On success wanted_from_document() understands it, and `dbMajorVersion` is set. */
/* Whether it can be under the project's own key; NONE is not kept (cluster_keys.c). */
MUST_USE error cluster_keys_check(struct request *req, const json_t *before, json_t *document);
MUST_USE error cluster_document_check(struct request *req, const struct fleet_offer *offer, const json_t *before,
                                      json_t *document);
/* The newest version that every host of the region has; NOT_OFFERED when there is none. */
MUST_USE error cluster_default_version(struct request *req, const struct offered_region *region, str *ret_version);

/* ---- cluster_backups.c ---- */
/* Of a document; what asks for nothing is not kept. */
MUST_USE error cluster_backups_check(struct request *req, json_t *document);
/* BELOW_COMPLIANCE_POLICY when the document asks for none, and the project has a policy. */
MUST_USE error cluster_backups_check_policy(struct request *req, const json_t *document);
/* NOT_OFFERED when the cluster has none that could be kept. */
MUST_USE error cluster_backups_check_kept(struct request *req, const struct cluster *cluster);
/* Makes it so: a history begins or ends. NO_BACKUP_CAPACITY when there is no place for it. */
MUST_USE error cluster_backups_follow(struct request *req, struct cluster *cluster);

/* ---- cluster_changes.c: how a change is made ---- */
/* Of the path or body. 404 when there is none, 412 when If-Match says so. `ret_before` is the cluster as the API shows it. */
MUST_USE error cluster_take(struct request *req, str kind, str name, struct cluster *ret_cluster, json_t **ret_before);
/* 409 when the cluster is being deleted, or an outage simulation is running. */
MUST_USE error cluster_check_changeable(struct request *req, const struct cluster *cluster);
/* A new cluster with reserved places and the job that makes it; `document` is complete. */
MUST_USE error cluster_begin(struct request *req, const struct fleet_offer *offer, str kind, str name, json_t *document,
                             struct cluster *ret_cluster);
/* Reserves what the document asks for beyond what is there: more room for members that stay, places for those that are missing.
 * NO_CAPACITY when a host is missing. */
MUST_USE error cluster_reserve(struct request *req, const struct fleet_offer *offer, const struct cluster *cluster);
/* Stores the document as a change that a job carries out; `job` NULL: there is nothing to do but to store it. */
MUST_USE error cluster_submit(struct request *req, struct cluster *cluster, const json_t *document,
                              const struct job_kind *job, const json_t *payload);
/* Shows the cluster as it is now, in the answer and as the `after` of its event. */
MUST_USE error cluster_answer(struct request *req, const struct cluster *cluster, enum event_type type,
                              const json_t *before, bool created);
/* The same for a repeated request: no event. */
MUST_USE error cluster_answer_unchanged(struct request *req, const struct cluster *cluster);
/* Ends a cluster of either kind, with its backups unless they are kept. */
MUST_USE error cluster_terminate(struct request *req, str kind, str name, bool keeps_backups);
/* Applies the request to an existing cluster, or creates a new one; does not answer. */
MUST_USE error cluster_try_create(struct request *req, const json_t *sent, struct cluster *ret_cluster);
MUST_USE error cluster_try_update(struct request *req, const json_t *sent, struct cluster *ret_cluster,
                                  json_t **ret_before, bool *ret_changed);
/* A flex cluster becomes a dedicated one. */
handler cluster_upgrade;
extern const struct schema cluster_upgrade_schema;

handler cluster_create, cluster_update, cluster_delete;

/* ---- cluster_settings.c ---- */
extern const struct read cluster_settings_get;
handler cluster_settings_update;

/* ---- cluster_actions.c: actions ---- */
extern const struct schema access_grant_schema, version_pin_schema, sample_load_schema;
extern const struct read sample_load_get;
handler cluster_restart, cluster_grant_access, cluster_revoke_access, cluster_pin, cluster_unpin, sample_load_start;

/* ---- cluster_offers.c: what can be had ---- */
extern const struct schema provider_regions_schema, db_version_schema, validation_request_schema, validation_schema,
    overview_schema;
extern const struct field provider_regions_query[], db_versions_query[];
handler provider_regions_list, db_versions_list, cluster_validate, cluster_overview;

#endif
