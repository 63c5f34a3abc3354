/* SPDX-License-Identifier: Apache-2.0 */
/* What other families use: adding a user to a project is also an operation of projects. */
#ifndef FAMILY_IDENTITY_USERS_H
#define FAMILY_IDENTITY_USERS_H

#include "api/contract.h"

extern const struct schema project_user_schema, new_project_user_schema;
handler user_add;

#endif
