/* SPDX-License-Identifier: Apache-2.0 */
#include "family/takes_along.h"

static const struct field kind_fields[] = {
    TEXT("kind", "What goes.", READ_ONLY | ALWAYS, .example = "\"databaseUser\""),
    INTEGER("count", "How many of it.", READ_ONLY | ALWAYS, .example = "3"),
    END_OF_FIELDS,
};
static const struct schema kind_schema = { "TakenKind", "How many of one kind go.", kind_fields };

static const struct field takes_along_fields[] = {
    LIST("takesAlong", "What would go, in the order of kinds. Kinds of which there is nothing are left out.",
         READ_ONLY | ALWAYS, .of = &kind_schema),
    END_OF_FIELDS,
};
const struct schema takes_along_schema = { "TakesAlong", "What a deletion would take along.", takes_along_fields };

void
answer_takes_along(struct request *req, str document)
{
    if (!req->dry_run)
        return;
    answer_entity(req, document, 0);
    req->answer.status = 200;
}
