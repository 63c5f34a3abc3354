/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, the addresses that members can have on them, and the tokens with which machines join. */
#include "api/list.h"
#include "base/date.h"
#include "base/json.h"
#include "fleet/join.h"
#include "job/cluster/cluster_jobs.h"
#include "operator/parts.h"
#include "operator/range.h"
#include "operator/session.h"
#include "store/backup/copy.h"
#include "store/backup/object_store.h"
#include "store/fleet/drain.h"
#include "store/fleet/host.h"
#include "store/network/peer.h"

enum { HOUR_S = 3600, MAX_TOKEN_HOURS = 24 * 7, NAME_MAX_CHARACTERS = 63 };
#define HOST_NAME "^[A-Za-z0-9.*-]+$"

/* ---- Tables ---- */

static const struct field member_fields[] = {
    ID("id", "Identifier of the member.", READ_ONLY | ALWAYS),
    TEXT("name", "Name of the member.", READ_ONLY | ALWAYS),
    ID("clusterId", "Cluster that it belongs to.", READ_ONLY | ALWAYS),
    TEXT("clusterName", "Name of that cluster.", READ_ONLY | ALWAYS),
    ID("projectId", "Project of that cluster.", READ_ONLY | ALWAYS),
    TEXT("address", "Address of the member.", READ_ONLY | NULLABLE),
    TEXT("desired", "State that it should have.", READ_ONLY | ALWAYS),
    TEXT("unit", "State of its service on the host.", READ_ONLY | ALWAYS),
    TEXT("role", "Its role in its cluster.", READ_ONLY | ALWAYS),
    MEMBER_REPORT_FIELDS,
    DATE("reportedAt", "When its agent last reported it.", READ_ONLY | NULLABLE),
    END_OF_FIELDS,
};
static const struct schema member_schema = { "HostMember", "A member on a host.", member_fields };

static const struct field seat_fields[] = {
    ID("id", "Identifier of the seat: of this cluster's backups on this host.", READ_ONLY | ALWAYS),
    TEXT("stanza", "Name of the history that it keeps: the cluster's scope and a number.", READ_ONLY | ALWAYS),
    ID("clusterId", "Cluster that is backed up.", READ_ONLY | ALWAYS),
    TEXT("clusterName", "Name of that cluster.", READ_ONLY | ALWAYS),
    ID("projectId", "Project of that cluster.", READ_ONLY | ALWAYS),
    INTEGER("ordinal", "0: the first place of these backups; 1: the second site.", READ_ONLY | ALWAYS),
    TEXT("objectStore", "Object store that the data is in; null: the host's disk.", READ_ONLY | NULLABLE),
    INTEGER("reservedGb", "Disk space that is reserved for it, in GiB.", READ_ONLY | ALWAYS),
    TEXT("desired", "State that it should have.", READ_ONLY | ALWAYS),
    TEXT("unit", "State of the service that receives WAL.", READ_ONLY | ALWAYS),
    INTEGER("lagBytes", "How far it is behind the primary.", READ_ONLY | NULLABLE),
    INTEGER("lagMs", "How far it is behind the primary, in milliseconds.", READ_ONLY | NULLABLE),
    DATE("windowFrom", "First moment that can be restored.", READ_ONLY | NULLABLE),
    DATE("windowTo", "Last moment that can be restored.", READ_ONLY | NULLABLE),
    INTEGER("usedBytes", "Bytes that its backups and its WAL take.", READ_ONLY | NULLABLE),
    TEXT("problem", "Problem that its agent reports.", READ_ONLY | NULLABLE),
    DATE("reportedAt", "When its agent last reported it.", READ_ONLY | NULLABLE),
    END_OF_FIELDS,
};
static const struct schema seat_schema = { "HostSeat", "The backups of a cluster on a host.", seat_fields };

#define HOST_FIELDS                                                                                                                \
    TEXT("name", "Name of the host.", READ_ONLY | ALWAYS, .example = "\"h1\""),                                                    \
        TEXT("state", "Whether it gets members, or backups.", READ_ONLY | ALWAYS, .one_of = host_state_names),                     \
        TEXT(                                                                                                                      \
            "purpose",                                                                                                             \
            "DATABASE: it has members of clusters. REPOSITORY: it keeps their backups. RELAY: private endpoints lead through it.", \
            READ_ONLY | ALWAYS, .one_of = host_purpose_names),                                                                     \
        TEXT("objectStore", "Object store that new backups are kept in; null: its disk.", READ_ONLY | NULLABLE),                   \
        TEXT("provider", "Provider of the machine.", READ_ONLY | ALWAYS),                                                          \
        TEXT("region", "Where it is.", READ_ONLY | ALWAYS),                                                                        \
        TEXT("zone", "Zone: hosts that can fail together.", READ_ONLY | ALWAYS),                                                   \
        INTEGER("members", "Members on it.", READ_ONLY | ALWAYS),                                                                  \
        INTEGER("seats", "Clusters whose backups are on it.", READ_ONLY | ALWAYS),                                                 \
        NUMBER("usedCpus", "Processors that members use.", READ_ONLY | ALWAYS),                                                    \
        NUMBER("cpus", "Processors of the host.", READ_ONLY | ALWAYS),                                                             \
        INTEGER("usedMemoryMb", "Memory that members use, in MiB.", READ_ONLY | ALWAYS),                                           \
        INTEGER("memoryMb", "Memory of the host, in MiB.", READ_ONLY | ALWAYS),                                                    \
        INTEGER("usedDiskGb", "Disk space that members or backups have reserved, in GiB.", READ_ONLY | ALWAYS),                    \
        INTEGER("diskGb", "Disk space of the host, in GiB.", READ_ONLY | ALWAYS),                                                  \
        INTEGER("fullPercent", "How much is used of what is used most: processors, memory or disk.",                               \
                READ_ONLY | NULLABLE),                                                                                             \
        INTEGER("freeAddresses", "Addresses that no member uses.", READ_ONLY | ALWAYS),                                            \
        INTEGER("addresses", "Addresses for members.", READ_ONLY | ALWAYS),                                                        \
        INTEGER("silentS", "Seconds since the last report of its agent.", READ_ONLY | NULLABLE),                                   \
        LIST("strays", "Units on it that belong to no member.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),                            \
        ID("id", "Identifier of the host.", READ_ONLY | ALWAYS),                                                                   \
        INTEGER("epoch", "How often a machine joined as this host.", READ_ONLY | ALWAYS),                                          \
        TEXT("address", "Its own address.", READ_ONLY | NULLABLE),                                                                 \
        INTEGER("goalVersion", "Version of the goal for the host.", READ_ONLY | ALWAYS),                                           \
        INTEGER("seenVersion", "Version of the goal that it has reached.", READ_ONLY | ALWAYS),                                    \
        DATE("joinedAt", "When it joined.", READ_ONLY | ALWAYS),                                                                   \
        DATE("lastSeenAt", "When its agent last reported.", READ_ONLY | NULLABLE),                                                 \
        TEXT("agentVersion", "Version of its agent.", READ_ONLY | NULLABLE),                                                       \
        TEXT("patroniVersion", "Version of Patroni on it.", READ_ONLY | NULLABLE),                                                 \
        TEXT("pgbackrestVersion", "Version of pgBackRest on it.", READ_ONLY | NULLABLE),                                           \
        LIST("postgresVersions", "Versions of the database on it.", READ_ONLY | ALWAYS, .item = TYPE_TEXT)

static const struct field host_fields[] = { HOST_FIELDS, END_OF_FIELDS };
static const struct schema host_schema = { "Host", "A machine that has members, or keeps backups.", host_fields };
static const struct field one_host_fields[] = {
    HOST_FIELDS,
    LIST("memberList", "The members on it.", READ_ONLY | ALWAYS, .of = &member_schema),
    LIST("seatList", "The clusters whose backups are on it.", READ_ONLY | ALWAYS, .of = &seat_schema),
    END_OF_FIELDS,
};
static const struct schema one_host_schema = { "HostWithMembers", "A host with what is on it.", one_host_fields };

static const struct field move_fields[] = {
    TEXT("member", "Name of the member.", READ_ONLY | ALWAYS),
    TEXT("cluster", "Its cluster.", READ_ONLY | ALWAYS),
    TEXT("project", "Project of that cluster.", READ_ONLY | ALWAYS),
    TEXT("organization", "Organization of that cluster.", READ_ONLY | ALWAYS),
    TEXT("role", "Its role in its cluster.", READ_ONLY | ALWAYS),
    TEXT("size", "Its size.", READ_ONLY | ALWAYS),
    INTEGER("diskGb", "Its disk, in GiB.", READ_ONLY | ALWAYS),
    TEXT("to", "Host that its replacement would be on; null: it would have to wait.", READ_ONLY | NULLABLE),
    BOOL("switchover", "Whether another member of its cluster would become the primary.", READ_ONLY | ALWAYS),
    TEXT("waitsFor", "What it would wait for.", READ_ONLY | NULLABLE),
    END_OF_FIELDS,
};
static const struct schema move_schema = { "HostMove", "Where a member would go.", move_fields };
static const struct field changed_fields[] = {
    TEXT("name", "Name of the host.", READ_ONLY | ALWAYS, .example = "\"h1\""),
    TEXT("state", "Its state from now on.", READ_ONLY | ALWAYS, .one_of = host_state_names),
    ID("jobId", "The job that moves its members away.", READ_ONLY),
    INTEGER("moving", "In a dry run: how many members would find another host.", READ_ONLY),
    INTEGER("waiting", "In a dry run: how many would have to wait.", READ_ONLY),
    INTEGER("switchovers", "In a dry run: how many clusters would get another primary.", READ_ONLY),
    LIST("moves", "In a dry run: which member would go where.", READ_ONLY, .of = &move_schema),
    END_OF_FIELDS,
};
static const struct schema changed_schema = { "HostChange", "The new state of a host.", changed_fields };
static const struct field drain_query[] = {
    BOOL(
        "dropBackups",
        "Whether backups that the host only keeps, and no longer receives, are removed now. Refused while one of them is protected.",
        0, .fallback = "false"),
    END_OF_FIELDS,
};
static const char *const host_sortings[] = { "name", "full", "silent", "members", NULL };
static const struct field list_query[] = {
    TEXT("state", "Only hosts in this state.", 0, .one_of = host_state_names),
    TEXT("purpose", "Only hosts with this purpose.", 0, .one_of = host_purpose_names),
    TEXT("region", "Only hosts of this region.", 0, .max = NAME_MAX_CHARACTERS, .example = "\"EU_WEST\""),
    TEXT("sort", "What they are sorted by: `full`, `silent` and `members` with the most first.", 0,
         .one_of = host_sortings, .fallback = "\"name\""),
    END_OF_FIELDS,
};
static const struct field remove_query[] = {
    BOOL("lost", "Whether the host will never come back; its members are then replaced.", 0, .fallback = "false"),
    END_OF_FIELDS,
};

static const struct field address_fields[] = {
    TEXT("address", "The address.", READ_ONLY | ALWAYS, .example = "\"10.0.1.10\""),
    TEXT("privateAddress", "Address of the same member in private networks.", READ_ONLY | NULLABLE),
    INTEGER("prefix", "Length of the prefix of its network.", READ_ONLY | ALWAYS),
    TEXT("host", "Host of the address.", READ_ONLY | ALWAYS),
    TEXT("memberId", "Member that uses it; null when it is free.", READ_ONLY | NULLABLE),
    END_OF_FIELDS,
};
static const struct schema address_schema = { "HostAddress", "An address that a member can have.", address_fields };
static const struct field address_query[] = {
    TEXT("host", "Only addresses of one host.", 0, .max = NAME_MAX_CHARACTERS, .example = "\"h1\""),
    END_OF_FIELDS,
};
static const struct field new_address_fields[] = {
    TEXT("host", "Host of the addresses.", REQUIRED, .min = 1, .max = NAME_MAX_CHARACTERS, .example = "\"h1\""),
    TEXT("range", "The addresses: FIRST-LAST, a block, or a single one.", REQUIRED, .min = 2, .max = 96,
         .example = "\"10.0.1.10-10.0.1.99\""),
    TEXT("privateFirst", "First private address of the same members; the others follow in order.", 0, .min = 2,
         .max = 45, .example = "\"192.168.1.10\""),
    INTEGER("prefix",
            "Prefix length of their network. Default: the smallest of 8, 16, 24 and so on whose network also has the "
            "host's own address.",
            0, .min = 1, .max = 128),
    END_OF_FIELDS,
};
static const struct schema new_address_schema = { "HostAddressRequest", "Addresses for members.", new_address_fields };
static const struct field address_count_fields[] = {
    TEXT("host", "Host of the addresses.", READ_ONLY | ALWAYS, .example = "\"h1\""),
    INTEGER("asked", "Addresses in the range.", READ_ONLY | ALWAYS),
    INTEGER("added", "How many of them were added; the others existed already.", READ_ONLY),
    INTEGER("removed", "How many of them were removed; the others are in use or did not exist.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema address_count_schema = { "HostAddressCount", "Result for a range of addresses.",
                                                    address_count_fields };

static const struct field token_request_fields[] = {
    TEXT("host", "Name of the host. If it exists, it joins again, and its old certificate stops working.", REQUIRED,
         .min = 1, .max = NAME_MAX_CHARACTERS, .pattern = HOST_NAME, .example = "\"h1\""),
    TEXT("provider", "Provider of the machine.", REQUIRED, .min = 1, .max = 32, .example = "\"OWN\""),
    TEXT("region", "Where it is.", REQUIRED, .min = 1, .max = 63, .example = "\"EU_WEST\""),
    TEXT("zone", "Zone: hosts that can fail together. Members of a cluster are placed in different zones.", 0, .min = 1,
         .max = NAME_MAX_CHARACTERS, .pattern = HOST_NAME, .fallback = "\"a\""),
    TEXT(
        "purpose",
        "What the host is for: members of clusters (DATABASE), backups of clusters (REPOSITORY), or private endpoints (RELAY).",
        0, .one_of = host_purpose_names, .fallback = "\"DATABASE\""),
    TEXT("objectStore", "For a repository host: the object store that it keeps backups in. Default: its disk.", 0,
         .min = 1, .max = NAME_MAX_CHARACTERS, .example = "\"west\""),
    INTEGER("hours", "How long the token can be used.", 0, .min = 1, .max = MAX_TOKEN_HOURS, .fallback = "1"),
    END_OF_FIELDS,
};
static const struct schema token_request_schema = { "JoinTokenRequest", "A join token to make.", token_request_fields };
static const struct field token_fields[] = {
    TEXT("host", "Name that the machine gets.", READ_ONLY | ALWAYS),
    TEXT("token", "The token. It works once, and is not shown again.", READ_ONLY | ALWAYS),
    TEXT("command", "What to run on the machine.", READ_ONLY | ALWAYS),
    INTEGER("hours", "How long it can be used.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema token_schema = { "JoinToken", "A token with which one machine can join.", token_fields };

#define HOST_PARAMETER \
    TEXT("hostName", "Name of the host.", 0, .min = 1, .max = NAME_MAX_CHARACTERS, .example = "\"h1\"")
static const struct field host_path[] = { HOST_PARAMETER, END_OF_FIELDS };
static const struct field range_path[] = {
    HOST_PARAMETER,
    TEXT("range", "The addresses: FIRST-LAST, a block, or a single one.", 0, .min = 2, .max = 96,
         .example = "\"10.0.1.10-10.0.1.20\""),
    END_OF_FIELDS,
};

static const char *const own_backup_states[] = { "WORKING", "FAILING", "UNPROVEN", NULL };
static const struct field own_backup_fields[] = {
    TEXT("host", "Repository host that keeps it.", READ_ONLY | ALWAYS, .example = "\"r1\""),
    TEXT(
        "state",
        "FAILING: what is written now would be lost, or nobody knows. UNPROVEN: no control plane could be started from it for three days.",
        READ_ONLY | ALWAYS, .one_of = own_backup_states),
    TEXT("unit", "State of the service that receives WAL.", READ_ONLY | ALWAYS),
    INTEGER("lagBytes", "How far it is behind the database.", READ_ONLY | NULLABLE),
    INTEGER("lagMs", "How far it is behind the database, in milliseconds.", READ_ONLY | NULLABLE),
    DATE("windowFrom", "First moment that can be restored.", READ_ONLY | NULLABLE),
    DATE("windowTo", "Last moment that can be restored.", READ_ONLY | NULLABLE),
    INTEGER("behindS", "Seconds since that moment.", READ_ONLY | NULLABLE),
    INTEGER("backups", "Backups that are whole.", READ_ONLY | NULLABLE),
    DATE("newestBackupAt", "When the newest was finished.", READ_ONLY | NULLABLE),
    INTEGER("usedBytes", "Bytes that backups and WAL take.", READ_ONLY | NULLABLE),
    TEXT("drillState", "How the last drill ended: PASSED or FAILED.", READ_ONLY | NULLABLE),
    TEXT("drillProblem", "Why it failed.", READ_ONLY | NULLABLE),
    DATE("drillFinishedAt", "When it ended.", READ_ONLY | NULLABLE),
    DATE(
        "recoveryPoint",
        "Up to when it came back: the last transaction that was replayed, or the backup itself where nothing was committed since.",
        READ_ONLY | NULLABLE),
    INTEGER("recoveryTimeMillis", "How long it took until the database could be used.", READ_ONLY | NULLABLE),
    TEXT("problem", "Problem that the host's agent reports.", READ_ONLY | NULLABLE),
    DATE("reportedAt", "When its agent last reported it.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema own_backup_schema = { "OwnBackup", "Backups of the control plane's own database on a host.",
                                                 own_backup_fields };

/* ---- Hosts ---- */
static error
list_own_backups(struct request *req)
{
    str list;
    TRY(store_fleet_list(req->api->store, req->arena, SQL_OWN_BACKUP_LIST, STR_EMPTY, &list));
    return answer_array(req, list, "host");
}

/* The field that hosts are sorted by, the most first; those of the same keep the order of their names. */
static const char *
sort_field(str sort)
{
    return str_is(sort, "full") ? "fullPercent" : str_is(sort, "silent") ? "silentS" : "members";
}

static bool
host_is_wanted(struct request *req, const json_t *host)
{
    static const char *const filters[] = { "state", "purpose", "region" };
    for (size_t i = 0; i < LENGTH(filters); i++) {
        str wanted = request_query(req, filters[i]);
        if (wanted.len > 0 && !str_eq(wanted, json_str(json_object_get(host, filters[i]))))
            return false;
    }
    return true;
}

struct listed_host {
    json_t *host;
    size_t at;
    json_int_t key;
};

static int
compare_hosts(const void *a, const void *b)
{
    const struct listed_host *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? 1 : -1;
    return one->at < other->at ? -1 : 1;
}

static error
list_hosts(struct request *req)
{
    str list, sort = request_query(req, "sort");
    size_t i, count = 0;
    json_t *host;
    TRY(store_fleet_list(req->api->store, req->arena, SQL_HOST_LIST, STR_EMPTY, &list));
    json_t *all = json_parse_own(req->arena, list), *wanted = json_in(req->arena, json_array());
    struct listed_host *listed = ARENA_ARRAY(req->arena, struct listed_host, json_array_size(all) + 1);
    if (all == NULL || wanted == NULL || listed == NULL)
        return fail(req->arena, OVERLOADED);
    bool by_name = sort.len == 0 || str_is(sort, "name");
    json_array_foreach(all, i, host)
    {
        if (host_is_wanted(req, host))
            listed[count++] =
                (struct listed_host){ host, i,
                                      by_name ? 0 : json_integer_value(json_object_get(host, sort_field(sort))) };
    }
    qsort(listed, count, sizeof(*listed), compare_hosts);
    for (i = 0; i < count; i++)
        json_array_append(wanted, listed[i].host);
    return answer_array(req, json_text(req->arena, wanted), "name");
}

static error
find_host(struct request *req, str name, json_t **ret_host)
{
    str list;
    TRY(store_fleet_list(req->api->store, req->arena, SQL_HOST_LIST, name, &list));
    *ret_host = name.len == 0 ? NULL : json_array_get(json_parse_own(req->arena, list), 0);
    return OK;
}

static error
show_host(struct request *req)
{
    str name = request_path_value(req, "hostName"), members, seats;
    json_t *host;
    TRY(find_host(req, name, &host));
    if (host == NULL)
        return request_not_found(req);
    TRY(store_fleet_list(req->api->store, req->arena, SQL_HOST_MEMBER_LIST, name, &members));
    TRY(store_fleet_list(req->api->store, req->arena, SQL_HOST_SEAT_LIST, name, &seats));
    json_object_set(host, "memberList", json_parse_own(req->arena, members));
    json_object_set(host, "seatList", json_parse_own(req->arena, seats));
    answer_entity(req, json_text(req->arena, host), 0);
    return OK;
}

/* Members are moved away by a job, which whoever asked can wait for. Whoever waits for hosts hears of the change. */
static error
begin_drain(struct request *req, id host, str name, id *ret_job)
{
    TRY(job_add(req->tx, &host_drain_job, (struct job_draft){ .subject = host, .subject_name = name }, ret_job));
    answer_operation(req, *ret_job);
    return OK;
}

/* What is protected is lost by nobody's word. */
static error
drop_backups(struct request *req, id host)
{
    int64_t protected_ms;
    TRY(store_host_drop_seats(req->tx, host, &protected_ms));
    return protected_ms == 0 ? OK : fail(req->arena, BACKUP_PROTECTED, V(date_text(req->arena, protected_ms)));
}

/* In a dry run nobody waits for the job: it says what the job would do. */
static error
add_plan(struct request *req, id host, json_t *answer)
{
    str text;
    size_t i;
    const json_t *move;
    json_int_t moving = 0, switchovers = 0;
    TRY(store_host_drain_plan(req->tx, host, &text));
    json_t *moves = json_parse_own(req->arena, text);
    json_array_foreach(moves, i, move)
    {
        moving += json_is_string(json_object_get(move, "to"));
        switchovers += json_is_true(json_object_get(move, "switchover"));
    }
    json_object_set_new(answer, "moving", json_integer(moving));
    json_object_set_new(answer, "waiting", json_integer((json_int_t)json_array_size(moves) - moving));
    json_object_set_new(answer, "switchovers", json_integer(switchovers));
    json_object_set(answer, "moves", moves);
    return OK;
}

static error
set_state(struct request *req, enum host_state state, bool drains)
{
    str name = request_path_value(req, "hostName");
    id host, job;
    bool is_there;
    TRY(store_host_set_state(req->tx, name, state, &is_there, &host));
    if (!is_there)
        return request_not_found(req);
    json_t *answer = json_pack("{s:s%, s:s}", "name", name.data, name.len, "state", host_state_names[state]);
    answer_object(req, answer);
    if (drains) {
        if (str_is(request_query(req, "dropBackups"), "true"))
            TRY(drop_backups(req, host));
        TRY(begin_drain(req, host, name, &job));
        if (req->dry_run)
            TRY(add_plan(req, host, answer));
        else
            json_object_set_new(answer, "jobId", json_string(id_text(req->arena, job).data));
        req->answer.document = json_text(req->arena, answer);
    }
    return tx_notify(req->tx, JOB_CHANNEL, id_text(req->arena, host));
}

/* Many members get other places, and backups go where others receive them: not by somebody who finds an open session. */
static error
drain_host(struct request *req)
{
    TRY(operator_session_demand_presence(req));
    return set_state(req, HOST_DRAINING, true);
}

static error
activate_host(struct request *req)
{
    return set_state(req, HOST_ACTIVE, false);
}

/* Why there was nothing to remove. */
static error
explain_host(struct request *req, str name)
{
    json_t *host;
    TRY(find_host(req, name, &host));
    if (host == NULL || str_word(json_str(json_object_get(host, "state")), host_state_names) == HOST_REMOVED)
        return request_not_found(req);
    if (json_integer_value(json_object_get(host, "seats")) > 0)
        return fail(req->arena, HOST_HAS_BACKUPS, V(name), V(json_integer_value(json_object_get(host, "seats"))));
    return fail(req->arena, HOST_HAS_MEMBERS, V(name), V(json_integer_value(json_object_get(host, "members"))));
}

static error
remove_host(struct request *req)
{
    str name = request_path_value(req, "hostName");
    bool is_lost = str_is(request_query(req, "lost"), "true"), is_there;
    id host, job;
    int64_t revoked;
    TRY(store_host_remove(req->tx, name, is_lost, &is_there, &host));
    if (!is_there)
        return explain_host(req, name);
    str owner = id_text(req->arena, host);
    TRY(store_certificate_revoke(req->tx, STR("HOST"), owner, &revoked));
    TRY(tx_notify(req->tx, GOAL_CHANNEL, owner)); /* its poll ends */
    if (is_lost)
        TRY(begin_drain(req, host, name, &job));
    TRY(tx_notify(req->tx, JOB_CHANNEL, owner));
    answer_nothing(req);
    return OK;
}

/* ---- Addresses ---- */
static error
bind_addresses(struct request *req, struct params *params)
{
    list_bind(req, params);
    params_text(params, P_HOST, request_query(req, "host"));
    return OK;
}
static const struct read addresses = { SQL_HOST_ADDRESS_PAGE, bind_addresses, list_answer };

static error
check_private(struct request *req, const struct address_range *range)
{
    struct net_address first, private_first;
    if (range->private_first.len == 0)
        return OK;
    if (!net_parse_address(range->private_first, &private_first) || !net_parse_address(range->first, &first) ||
        net_is_v4(&first) != net_is_v4(&private_first))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("privateFirst"),
                    V("it must be an address of the same kind"));
    if (!range_fits(&private_first, range->count))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("privateFirst"),
                    V("there are not enough addresses after it"));
    return OK;
}

/* A tenant's members answer into their own network by a tunnel: a host, or a member, with an address of it would hear nothing. */
static error
check_unpeered(struct request *req, const char *field, str first, int64_t count)
{
    str block = STR_EMPTY;
    if (first.len > 0)
        TRY(store_address_is_peered(req->tx, first, count, &block));
    return block.len == 0
               ? OK
               : fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field),
                      V(str_format(req->arena,
                                   "a client's network that is connected by a peering has %.*s; choose other addresses",
                                   STR_ARG(block))
                            .data));
}

static error
add_addresses(struct request *req)
{
    struct address_range range = { STR_EMPTY, STR_EMPTY, 0, 0 };
    str name = json_str(json_object_get(req->body, "host"));
    struct net_address first;
    json_t *host;
    int64_t added;
    if (!range_read(req->arena, json_str(json_object_get(req->body, "range")), &range))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("range"), V("it must be " RANGE_FORMS));
    range.private_first = json_str(json_object_get(req->body, "privateFirst"));
    range.prefix = json_integer_value(json_object_get(req->body, "prefix"));
    TRY(check_private(req, &range));
    if (range.prefix > 32 && net_parse_address(range.first, &first) && net_is_v4(&first))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("prefix"), V("it must be at most 32 for IPv4"));
    TRY(find_host(req, name, &host));
    if (host == NULL)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("host"), V("there is no such host"));
    TRY(check_unpeered(req, "range", range.first, range.count));
    TRY(check_unpeered(req, "privateFirst", range.private_first, range.count));
    TRY(store_host_address_add(req->tx, name, &range, &added));
    TRY(tx_notify(req->tx, JOB_CHANNEL, STR_EMPTY)); /* somebody may have waited for room */
    answer_object(req, json_pack("{s:s%, s:I, s:I}", "host", name.data, name.len, "asked", (json_int_t)range.count,
                                 "added", (json_int_t)added));
    return OK;
}

static error
remove_addresses(struct request *req)
{
    struct address_range range = { STR_EMPTY, STR_EMPTY, 0, 0 };
    str name = request_path_value(req, "hostName");
    json_t *host;
    int64_t removed;
    if (!range_read(req->arena, request_path_value(req, "range"), &range))
        return fail(req->arena, INVALID_PATH_PARAMETER, V("range"), V("it must be " RANGE_FORMS));
    TRY(find_host(req, name, &host));
    if (host == NULL)
        return request_not_found(req);
    TRY(store_host_address_remove(req->tx, name, &range, &removed));
    answer_object(req, json_pack("{s:s%, s:I, s:I}", "host", name.data, name.len, "asked", (json_int_t)range.count,
                                 "removed", (json_int_t)removed));
    return OK;
}

/* ---- Tokens ---- */
static error
check_object_store(struct request *req, const struct join_place *place)
{
    str found;
    if (place->object_store.len == 0)
        return OK;
    if (place->purpose != HOST_FOR_BACKUPS)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("objectStore"),
                    V("only a host with the purpose REPOSITORY has one"));
    TRY(store_object_store_list(req->api->store, req->arena, place->object_store, &found));
    return str_is(found, "[]")
               ? fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("objectStore"), V("there is no such object store"))
               : OK;
}

static error
create_token(struct request *req)
{
    struct operator_api *operators = operator_api_of(req);
    struct join_place place = {
        json_str(json_object_get(req->body, "host")),
        json_str(json_object_get(req->body, "provider")),
        json_str(json_object_get(req->body, "region")),
        json_str(json_object_get(req->body, "zone")),
        (enum host_purpose)str_word(json_str(json_object_get(req->body, "purpose")), host_purpose_names),
        json_str(json_object_get(req->body, "objectStore")),
    };
    int64_t hours = json_integer_value(json_object_get(req->body, "hours"));
    bool is_valid = false;
    str token = STR_EMPTY;
    TRY(check_object_store(req, &place));
    error problem = join_token_add(&operators->fleet, req->tx, &place, hours * HOUR_S, &is_valid, &token);
    if (problem != OK &&
        problem->code == FLEET_NOT_READY) /* which means to come back later: here somebody has to act */
        return fail(req->arena, FLEET_NOT_FOUNDED);
    TRY(problem);
    if (!is_valid)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("region"), V("the provider has no such region"));
    str listen = operators->agent_listen.len > 0 ? operators->agent_listen : STR("AGENT_LISTEN");
    str command =
        str_format(req->arena, "reeve-agent join --url https://%.*s --token %s --start", STR_ARG(listen), token.data);
    answer_object(req, json_pack("{s:s%, s:s, s:s, s:I}", "host", place.host_name.data, place.host_name.len, "token",
                                 token.data, "command", command.data, "hours", (json_int_t)hours));
    return OK;
}

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "/hosts", 0, FOR_OPERATORS, "listHosts", "Return all hosts",
      "Lists the hosts: what they have, how much of it is used, and when their agents last reported. Removed hosts are left out.",
      SHAPE_LIST, .run = list_hosts, .response = &host_schema, .query = list_query, .item = "/hosts/{hostName}" },
    { GET, "/hosts/{hostName}", 0, FOR_OPERATORS, "showHost", "Return one host with its members",
      "Shows the host and everything on it, as its agent last reported it: members of clusters, or clusters' backups.",
      SHAPE_ENTITY, .run = show_host, .response = &one_host_schema, .path_fields = host_path },
    { GET, "/ownBackups", 0, FOR_OPERATORS, "listOwnBackups", "Return the backups of the control plane's own database",
      "Lists the repository hosts that keep it (`reeve-agent own-database keep` there): up to when it can be restored, and whether a second control "
      "plane could be started from it. Nothing of this is needed to restore it.",
      SHAPE_LIST, .run = list_own_backups, .response = &own_backup_schema },
    { POST, "/hosts/{hostName}:drain", 0, FOR_OPERATORS, "drainHost", "Empty one host",
      "The host gets no new members, and a worker moves its members to other hosts. That takes as long as copying their data and "
      "waits for the maintenance windows of their projects. The answer names the job; that of a dry run says which member would go where, what would not fit, and which clusters would switch over. Other repository "
      "hosts of the region take over what a repository host receives, and begin with full backups; it receives until they have them, and keeps "
      "what it has until that has expired.",
      SHAPE_ENTITY, 200, .run = drain_host, .response = &changed_schema, .query = drain_query, .path_fields = host_path },
    { POST, "/hosts/{hostName}:activate", 0, FOR_OPERATORS, "activateHost", "Put members on one host again",
      "Ends draining: the host gets new members again. Members that have moved do not come back.",
      SHAPE_ENTITY, 200, .run = activate_host, .response = &changed_schema, .path_fields = host_path },
    { DELETE, "/hosts/{hostName}", 0, FOR_OPERATORS, "removeHost", "Remove one host",
      "Refuses the host's certificate from now on. The host must have no members and no backups. Remove a host that will never come back with "
      "`lost`: workers replace its members, and other repository hosts take over its clusters' backups from now on. If that machine does come back, erase it before it reaches the network.",
      SHAPE_NOTHING, .run = remove_host, .query = remove_query, .path_fields = host_path },
    { GET, "/addresses", 0, FOR_OPERATORS, "listAddresses", "Return the addresses for members",
      "Lists the addresses of one host or of all hosts, and which members use them.",
      SHAPE_LIST, .read = &addresses, .response = &address_schema, .query = address_query },
    { POST, "/addresses", 0, FOR_OPERATORS, "addAddresses", "Give one host addresses for members",
      "Adds a range of addresses that are routed to the host. Every member needs its own address; a host without addresses "
      "gets no members.",
      SHAPE_ENTITY, .run = add_addresses, .request = &new_address_schema, .response = &address_count_schema,
      .example = "{\"host\": \"h1\", \"range\": \"10.0.1.10-10.0.1.99\"}" },
    { DELETE, "/addresses/{hostName}/{range}", 0, FOR_OPERATORS, "removeAddresses", "Remove addresses from one host",
      "Removes the addresses in the range that no member uses. In a path, write the slash of a block as %2F.",
      SHAPE_ENTITY, .run = remove_addresses, .response = &address_count_schema,
      .path_fields = range_path },
    { POST, "/tokens", 0, FOR_OPERATORS, "createToken", "Let one machine join as a host",
      "Makes a token that works once and for a limited time, and the command to run on the machine. The token itself is not "
      "stored.",
      SHAPE_ENTITY, .run = create_token, .request = &token_request_schema, .response = &token_schema,
      .example = "{\"host\": \"h1\", \"provider\": \"OWN\", \"region\": \"EU_WEST\", \"zone\": \"a\"}" },
};
// clang-format on
FAMILY(operator_host_family, "hosts", "Hosts", "The machines that clusters run on, and how they join.", endpoints);
