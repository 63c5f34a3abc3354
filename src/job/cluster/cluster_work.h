/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the steps of all jobs of clusters share. A step begins with cluster_work(): it locks the cluster, reads its
 * members and makes the plan again, so that each step works with the present state and not with that of an earlier
 * step.
 */
#ifndef JOB_CLUSTER_CLUSTER_WORK_H
#define JOB_CLUSTER_CLUSTER_WORK_H

#include "cluster/member.h"
#include "cluster/names.h"
#include "job/job.h"
#include "store/cluster/cluster.h"
#include "store/event/event.h"

struct cluster_work {
    bool found; /* false: the cluster is gone, and there is nothing to do for it */
    struct cluster cluster;
    struct cluster_members members;
    struct wanted wanted;
    struct plan plan;
};
MUST_USE error cluster_work(struct job_context *context, struct cluster_work **ret_work);

/* ---- Looking ---- */
bool member_stays(const struct cluster_work *work, size_t index);
/* The primary's index, or -1. */
int work_primary(const struct cluster_work *work);
/* The highest priority among the replicas that can take over from the primary, or -1 when there is none. */
int work_best_priority(const struct cluster_work *work);
str member_name(struct job_context *context, const struct cluster_work *work, const struct cluster_member *member);

/* ---- Answers of steps ---- */
MUST_USE error step_done(struct job_result *ret_result);
MUST_USE error step_waits(struct job_context *context, struct job_result *ret_result, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* ---- What several kinds do. Each answers as a step does. ---- */
/* Members that stay get what their group asks for; those in the state `from`, PLANNED or STOPPED, are started. */
MUST_USE error work_start_members(struct job_context *context, struct cluster_work *work, enum member_desired from,
                                  bool *ret_changed);
/*
 * Waits until every member that stays runs and has applied everything, one of them is the primary, and another can
 * replace it.
 */
MUST_USE error work_wait_for_members(struct job_context *context, struct cluster_work *work,
                                     struct job_result *ret_result);
/* For when there is no primary: starts planned members, lets running ones be elected, and waits. */
MUST_USE error work_wait_for_primary(struct job_context *context, struct cluster_work *work,
                                     struct job_result *ret_result);
enum { ANY_PRIORITY = 0 };
/*
 * Makes a replica of at least this priority the primary, and waits for it. The caller knows that the present primary
 * must change.
 */
MUST_USE error work_hand_over(struct job_context *context, struct cluster_work *work, int least_priority,
                              struct job_result *ret_result);
/*
 * In a group of etcd without users: a host of a member removes what they agreed on. `purpose` is how a step that runs again
 * finds its task.
 */
MUST_USE error work_forget_scope(struct job_context *context, struct cluster_work *work, str purpose,
                                 struct job_result *ret_result);
/*
 * Until the project's maintenance window is open. A step that does this is called MAINTENANCE_STEP, and leaves it only while no other
 * job of the cluster is under way.
 */
enum { WINDOW_LONGEST_S = 30 * 24 * 3600 /* a week, put off twice, and one that was missed */ };
MUST_USE error work_wait_for_window(struct job_context *context, struct cluster_work *work,
                                    struct job_result *ret_result);
/* Until every restart that was asked for is done and all members are there again; only then the next one may go. */
MUST_USE error work_wait_for_restarts(struct job_context *context, struct cluster_work *work,
                                      struct job_result *ret_result);
/* Asks for the restart of one member, once for each goal. */
MUST_USE error work_restart(struct job_context *context, struct cluster_work *work, size_t index, int64_t goal,
                            struct job_result *ret_result);
/* Names for the members that stay. */
MUST_USE error work_publish_names(struct job_context *context, struct cluster_work *work);
MUST_USE error work_hide_names(struct job_context *context, struct cluster_work *work,
                               const struct cluster_member *member);

/* The event that a job writes by itself. */
MUST_USE error work_event(struct job_context *context, const struct cluster_work *work, enum event_type type);
/* The end of a job: when it was the last one, everything that was asked for is in force. */
MUST_USE error work_finish(struct job_context *context, struct cluster_work *work, enum event_type type);

/* ---- Steps that stand in more than one table ---- */
job_step cluster_step_start; /* members that were only planned run, and are what their group asks for */
job_step cluster_step_wake;  /* members that were stopped run again */
job_step cluster_step_wait_primary;
job_step cluster_step_wait_members;
job_step cluster_step_publish_names;
job_step cluster_step_hand_over;
job_step cluster_step_remove_members; /* those that do not stay */
job_step cluster_step_wait_removed;
job_step cluster_step_configure; /* servers get their settings, and libraries; cluster_update.c, as the next three */
job_step cluster_step_restart_replicas;
job_step cluster_step_restart_primary;
job_step cluster_step_restart_rest;
job_step cluster_step_wait_backups; /* until a repository host receives what is written; cluster_backup.c */
job_step cluster_step_end_backups;  /* with the cluster they go, unless whoever deletes it keeps them */
/* The last step of a job that only writes this event. */
MUST_USE error cluster_finish_with(struct job_context *context, enum event_type type, struct job_result *ret_result);

#endif
