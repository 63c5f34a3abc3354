/* SPDX-License-Identifier: Apache-2.0 */
/* Where what is shared with measurements was before; for families that still wait. */
#ifndef FAMILY_WAITING_METRICS_H
#define FAMILY_WAITING_METRICS_H

#include "family/monitor/metrics.h"

#endif
