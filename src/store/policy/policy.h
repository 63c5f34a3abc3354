/* SPDX-License-Identifier: Apache-2.0 */
/* Resource policies: rules that the database evaluates. docs/internals/policies.md. */
#ifndef STORE_POLICY_POLICY_H
#define STORE_POLICY_POLICY_H

#include "store/store.h"

#define POLICY_KIND "resourcePolicy"

/* Empty when the rule can be used; else what is wrong with it. */
MUST_USE error store_policy_problem(struct tx *tx, str body, str *ret_problem);
MUST_USE error store_policy_count(struct tx *tx, id organization, int64_t *ret_count);

struct policy_verdict {
    bool forbidden;
    str id, name; /* of the policy */
    str field;    /* that it is about: "cidrBlock", "replicationSpecs.0.regionConfigs", "$members" */
};
/* What the organization's policies say about documents that are about to be stored, an array of JSON. `kind` as in the resource table. */
MUST_USE error store_policy_judge(struct tx *tx, id organization, str kind, str documents,
                                  struct policy_verdict *ret_verdict);

#endif
