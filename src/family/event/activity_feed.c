/* SPDX-License-Identifier: Apache-2.0 */
/* Links to share: the events of a project or an organization, with a filter in the address. */
#include "api/api.h"
#include "api/render.h"
#include "family/families.h"
#include "store/event/event.h"

enum { LINK_MAX_BYTES = 16 * 1024, MAX_OF_A_KIND = 20, MAX_CLUSTER_NAME = 64 };

static const struct field link_fields[] = {
    TEXT("link", "Address of the events that match the filter. Reading it needs the same role as this operation.",
         READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema link_schema = { "ActivityFeedLink", "A link to filtered events.", link_fields };

#define COMMON_PARAMETERS_OF_FEEDS                                                                       \
    LIST("eventType", "Only events of this type. Can be repeated up to 20 times.", 0, .item = TYPE_TEXT, \
         .one_of = event_type_names),                                                                    \
        DATE("minDate", "Only events at this moment or later.", 0),                                      \
        DATE("maxDate", "Only events at this moment or earlier.", 0)
static const struct field project_query[] = {
    COMMON_PARAMETERS_OF_FEEDS,
    LIST("clusterName", "Only events about this cluster. Can be repeated up to 20 times.", 0, .item = TYPE_TEXT,
         .min = 1, .max = MAX_CLUSTER_NAME),
    END_OF_FIELDS,
};
static const struct field organization_query[] = { COMMON_PARAMETERS_OF_FEEDS, END_OF_FIELDS };

/* Names of parameters here and where the events are read. */
static const struct {
    const char *here, *there;
} carried[] = {
    { "eventType", "eventType" },
    { "minDate", "minDate" },
    { "maxDate", "maxDate" },
    { "clusterName", "clusterNames" },
};

static handler feed_link;

// clang-format off
static const struct endpoint activity_feed_endpoints[] = {
    { GET, "/groups/{groupId}/activityFeed", S03, ANY_OF(PROJECT_READ_ONLY), "getGroupActivityFeed",
      "Return a link to the activity feed of one project",
      "Returns the address of the project's events with this filter, to share with a colleague. It contains no credentials: "
      "people who open it need a role in the project.",
      .since = "2025-03-12", .flags = NO_ETAG, .run = feed_link, .query = project_query, .response = &link_schema },

    { GET, "/orgs/{orgId}/activityFeed", S04, ANY_OF(ORG_MEMBER), "getOrgActivityFeed",
      "Return a link to the activity feed of one organization",
      "Returns the address of the organization's events with this filter. It contains no credentials: people who open it need "
      "a role in the organization.",
      .since = "2025-03-12", .flags = NO_ETAG, .run = feed_link, .query = organization_query, .response = &link_schema },
};
// clang-format on

FAMILY(activity_feed_family, "activity-feed", "Activity feed",
       "Links to what happened in a project or an organization, with a filter.", activity_feed_endpoints);

static error
feed_link(struct request *req)
{
    struct buf link = buf_in(req->arena, LINK_MAX_BYTES), document = buf_in(req->arena, 2 * LINK_MAX_BYTES);
    str context = id_text(req->arena, id_or(req->project, req->organization));
    buf_add(&link, req->api->base_url);
    buf_format(&link, "%s/%s/%.*s/events", API_PREFIX, id_is_there(req->project) ? "groups" : "orgs", STR_ARG(context));
    char separator = '?';
    for (size_t i = 0; i < LENGTH(carried); i++) {
        int count = 0;
        for (size_t j = 0; j < req->query_count; j++) {
            if (!str_is(req->query[j].name, carried[i].here))
                continue;
            if (++count > MAX_OF_A_KIND)
                return fail(req->arena, INVALID_QUERY_PARAMETER, V(carried[i].here),
                            V("it can be repeated at most 20 times"));
            buf_add_char(&link, separator);
            buf_add_text(&link, carried[i].there);
            buf_add_char(&link, '=');
            buf_add(&link, str_percent_encode(req->arena, req->query[j].value));
            separator = '&';
        }
    }
    buf_add_text(&document, "{\"link\":");
    buf_add_json(&document, buf_str(&link));
    buf_add_char(&document, '}');
    answer_entity(req, buf_str(&document), 0);
    return OK;
}
