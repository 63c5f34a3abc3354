/* SPDX-License-Identifier: Apache-2.0 */
/* The wanted state of a member, and the state that its agent reports. In the database these are words. */
#ifndef STORE_CLUSTER_MEMBER_STATE_H
#define STORE_CLUSTER_MEMBER_STATE_H

#include "base/str.h"

enum member_desired { MEMBER_PLANNED, MEMBER_RUNNING, MEMBER_STOPPED, MEMBER_REMOVED };
enum member_role { MEMBER_HAS_NO_ROLE, MEMBER_IS_PRIMARY, MEMBER_IS_REPLICA, MEMBER_IS_SYNC_STANDBY };
/* Of its unit in systemd. OTHER is starting, stopping, failed, or not known. */
enum member_unit { UNIT_OTHER, UNIT_ACTIVE, UNIT_INACTIVE, UNIT_ABSENT };
/* Of its server, as Patroni reports it. OTHER is every state in which it serves nobody. */
enum member_server { SERVER_OTHER, SERVER_RUNNING, SERVER_STREAMING };

const char *member_desired_word(enum member_desired desired);
enum member_desired member_desired_from(str word);
enum member_role member_role_from(str word);
enum member_unit member_unit_from(str word);
enum member_server member_server_from(str word);

#endif
