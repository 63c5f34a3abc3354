/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of the control plane: each says now and then that it is there, so that operators and Prometheus find them. */
#ifndef STORE_OPERATOR_INSTANCE_H
#define STORE_OPERATOR_INSTANCE_H

#include "store/store.h"

struct instance {
    str kind;    /* API, WORKER */
    str name;    /* <machine>/<what distinguishes it there> */
    str address; /* where it answers at /metrics; empty: nowhere */
    bool is_encrypted;
    str version;
};
MUST_USE error store_instance_seen(struct store *store, struct arena *arena, const struct instance *instance);
/* A JSON list. */
MUST_USE error store_instance_list(struct store *store, struct arena *arena, str *ret_list);
/* What Prometheus can ask, a JSON list in the form of its HTTP service discovery. */
MUST_USE error store_instance_targets(struct store *store, struct arena *arena, str *ret_list);

#endif
