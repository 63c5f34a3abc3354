/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share: PostgreSQL under Patroni. */
#ifndef ENGINE_POSTGRES_POSTGRES_H
#define ENGINE_POSTGRES_POSTGRES_H

#include "base/json.h"
#include "engine/engine.h"

#define NAMESPACE       "/reeve/" /* of keys in etcd */
#define SUPERUSER       "postgres"
#define REPLICATOR      "reeve_replicator"
#define REWINDER        "reeve_rewinder"
#define WAL_ROLE        "reeve_wal"     /* repository hosts receive WAL as this one */
#define MONITOR_ROLE    "reeve_monitor" /* the agent measures as this one */
#define PLANNER_ROLE    "reeve_planner" /* has no rights at all: tenants' statements are planned as this one */
#define MANAGED_ROLE    "reeve_managed" /* who is a member was made by Reeve, and is the only one it changes */
#define X509_ROLE       "reeve_x509"    /* who is a member logs in with a certificate */
#define LDAP_ROLE       "reeve_ldap"    /* who is a member proves who it is to the project's directory */
#define RESERVED_PREFIX "reeve_"
#define OWN_USER_TAG    "reeve_own_user"  /* of Patroni: others see that the member has a system user of its own */
#define ETCD_USER_TAG   "reeve_etcd_user" /* and that it was started as a user of etcd */
#define START_FILE      "start.py"        /* below a member's folder */

enum { PATRONI_PORT = 8008, PG_NAME_BYTES = 63 };

/* A path below the member's folder. */
str member_path(const struct engine_member *self, const char *name);
/* "10.0.0.1" or "[2001:db8::1]", as URLs and listen addresses have it. */
str address_in_url(struct arena *arena, str address);

/* ---- config.c: patroni.yml ---- */
MUST_USE error config_write(struct engine_member *self, bool *ret_changed);
/* Where members of the cluster agree. */
const struct wire_texts *etcd_endpoints(const struct engine_member *self);
/* The part that all members share and etcd keeps; the agent of the primary makes it match the goal. */
json_t *config_dynamic(struct engine_member *self);
/* patroni.yml as it is written; "bootstrap" is missing for those who must not begin a cluster. */
json_t *config_whole(struct engine_member *self);
/* Every parameter of PostgreSQL that the cluster should have. */
json_t *config_parameters(struct engine_member *self);
/* Whether the goal says that servers load it when they start. The cluster decides that, never the agent: one that is upgraded has no server restarted. */
bool config_loads(const struct engine_member *self, const char *library);
/* The same with only those libraries that this host has. */
json_t *config_parameters_here(struct engine_member *self);
/* Those of them that only this member has: of a size of its own. */
json_t *config_own_parameters(struct engine_member *self);

/* ---- start.c: what the unit starts ---- */
MUST_USE error start_write(struct engine_member *self);
str start_command(struct engine_member *self);

/* ---- hba.c: who may connect, from where and how ---- */
MUST_USE error hba_write(struct engine_member *self, bool *ret_changed);

/* ---- patroni.c: Patroni's REST API ---- */
MUST_USE error patroni_ask(struct engine_member *self, const char *method, const char *path, str body, int timeout_ms,
                           struct answer *ret_answer);
MUST_USE error patroni_observe(struct engine_member *self, struct engine_observation *ret_observation);
/* Makes the dynamic configuration what it should be; `ret_equal` says that this member has it. */
MUST_USE error patroni_configure(struct engine_member *self, bool is_primary, bool *ret_equal);
MUST_USE error patroni_restart(struct engine_member *self);
bool patroni_leads(struct engine_member *self, id member);
enum engine_outcome patroni_switch_over(struct engine_member *self, str *ret_detail);
enum engine_outcome patroni_forget_scope(struct engine_member *self, str *ret_detail);

/* ---- turn.c: one member of a cluster after the other ---- */
error postgres_make_way(struct engine_member *self, int64_t waited_ms);

/* ---- settle.c ---- */
error postgres_settle(struct engine_member *self, const struct engine_observation *seen,
                      struct engine_progress *progress);

/* ---- tasks.c ---- */
enum engine_outcome postgres_run_task(struct engine_member *self, const struct goal_task *task, str *ret_detail);

/* ---- host.c ---- */
error postgres_look_at_host(struct arena *arena, struct report_facts *facts);
uint64_t postgres_programs_mark(void);
struct wire_texts postgres_installed_versions(struct arena *arena);

#endif
