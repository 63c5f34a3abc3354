/* SPDX-License-Identifier: Apache-2.0 */
/* What the families about queries share: how processes and tables are written, and how what is asked for reaches a statement. */
#ifndef FAMILY_ADVISOR_ADVISOR_H
#define FAMILY_ADVISOR_ADVISOR_H

#include "api/contract.h"

/* "db1.example.org:5432" */
#define PROCESS_ID "^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?:[0-9]{1,5}$"
/* "shop.orders": a database and a table */
#define NAMESPACE "^[^.\\s]{1,63}\\.\\S{1,127}$"

extern const struct field advisor_process_path[];

/* The project and the cluster of the path; with all parameters of the query; the project and the process of the path, with these. */
MUST_USE error advisor_bind_name(struct request *req, struct params *params);
MUST_USE error advisor_bind_cluster(struct request *req, struct params *params);
MUST_USE error advisor_bind_process(struct request *req, struct params *params);

#endif
