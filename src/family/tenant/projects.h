/* SPDX-License-Identifier: Apache-2.0 */
/* What others use of projects: their list, and tags. */
#ifndef FAMILY_TENANT_PROJECTS_H
#define FAMILY_TENANT_PROJECTS_H

#include "api/contract.h"

extern const struct schema project_schema, tag_schema;
#define TAG_FORM "key=value" /* a tag on the command line */
extern const struct field projects_of_organization_query[];
handler project_list_of_organization;

#endif
