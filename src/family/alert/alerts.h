/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the alerts family share: the tables of fields, and what people decide about configurations. */
#ifndef FAMILY_ALERT_ALERTS_H
#define FAMILY_ALERT_ALERTS_H

#include "api/contract.h"

/* ---- Tables (alert_schema.c) ---- */
extern const struct schema alert_config_schema, alert_toggle_schema, alert_matcher_field_schema;
extern const struct schema alert_schema, alert_acknowledgement_schema;

/* ---- Configurations (alert_configs.c) ---- */
extern const struct kind alert_config;
handler alert_config_replace, alert_config_toggle;
/*
 * The default configurations of a new project: owners are told by mail. None where the deployment sends no mail. Writes
 * no events.
 */
MUST_USE error alert_config_add_defaults(struct request *req, id organization, id project);

#endif
