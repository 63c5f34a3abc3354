/* SPDX-License-Identifier: Apache-2.0 */
/* Where clusters can be and how large their members are. */
#include "base/json.h"
#include "operator/parts.h"
#include "store/fleet/fleet.h"
#include "store/operator/operator.h"

#define PLACE_NAME  "^[A-Z][A-Z0-9_]{0,31}$"
#define REGION_NAME "^[A-Z0-9][A-Z0-9_-]{0,62}$"
enum { MOST_CPUS = 4096 };

/* ---- Tables ---- */
static const struct field provider_fields[] = {
    TEXT("name", "Name of the provider, in capitals.", REQUIRED | ALWAYS, .max = 32, .pattern = PLACE_NAME,
         .example = "\"OWN\""),
    INTEGER("regions", "How many regions it has.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema provider_schema = { "Provider", "Who owns the machines.", provider_fields };

static const struct field region_fields[] = {
    TEXT("provider", "Provider of the region.", REQUIRED | ALWAYS, .max = 32, .pattern = PLACE_NAME,
         .example = "\"OWN\""),
    TEXT("name", "Name of the region, in capitals.", REQUIRED | ALWAYS, .max = 63, .pattern = REGION_NAME,
         .example = "\"EU_WEST\""),
    INTEGER("hosts", "How many hosts are in it.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema region_schema = { "Region", "A place with hosts.", region_fields };

static const struct field size_fields[] = {
    TEXT("name", "Name of the size, in capitals.", REQUIRED | ALWAYS, .max = 32, .pattern = PLACE_NAME,
         .example = "\"M10\""),
    NUMBER("cpus", "Processors of a member; below 1 it shares one.", REQUIRED | ALWAYS, .min = 0, .max = MOST_CPUS,
           .example = "0.25"),
    INTEGER("memoryMb", "Memory of a member in MiB.", REQUIRED | ALWAYS, .min = 1, .max = INT32_MAX, .example = "256"),
    INTEGER("diskGb", "Disk space of a member in GiB, unless its cluster sets another.", REQUIRED | ALWAYS, .min = 1,
            .max = INT32_MAX, .example = "10"),
    INTEGER("maxConnections", "Connections that a member accepts.", 0, .min = 1, .max = INT32_MAX, .fallback = "100"),
    INTEGER("ordinal", "Position in the list, small sizes first. Default: by memory.", 0, .min = 0, .max = INT32_MAX),
    END_OF_FIELDS,
};
static const struct schema size_schema = { "InstanceSize", "How large a member is.", size_fields };

static const struct field provider_path[] = {
    TEXT("providerName", "Name of the provider.", 0, .max = 32, .pattern = PLACE_NAME, .example = "\"OWN\""),
    END_OF_FIELDS,
};
static const struct field region_path[] = {
    TEXT("providerName", "Name of the provider.", 0, .max = 32, .pattern = PLACE_NAME, .example = "\"OWN\""),
    TEXT("regionName", "Name of the region.", 0, .max = 63, .pattern = REGION_NAME, .example = "\"EU_WEST\""),
    END_OF_FIELDS,
};
static const struct field size_path[] = {
    TEXT("sizeName", "Name of the size.", 0, .max = 32, .pattern = PLACE_NAME, .example = "\"M10\""),
    END_OF_FIELDS,
};

/* ---- What they have in common ---- */
static error
answer_list_of(struct request *req, enum sql statement)
{
    str list;
    TRY(store_fleet_list(req->api->store, req->arena, statement, STR_EMPTY, &list));
    return answer_array(req, list, "name");
}

static void
answer_body(struct request *req)
{
    answer_entity(req, json_text(req->arena, req->body), 0);
}

static error
end_removal(struct request *req, bool is_there, bool is_used, const char *what, str name, const char *why_not)
{
    if (is_used)
        return fail(req->arena, STILL_IN_USE, V(what), V(name), V(why_not));
    if (!is_there)
        return request_not_found(req);
    answer_nothing(req);
    return OK;
}

/* ---- Providers ---- */
static error
list_providers(struct request *req)
{
    return answer_list_of(req, SQL_PROVIDER_LIST);
}

static error
add_provider(struct request *req)
{
    bool is_valid;
    TRY(store_provider_add(req->tx, json_str(json_object_get(req->body, "name")), &is_valid));
    if (!is_valid)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("name"),
                    V("it must consist of capitals, digits and underscores"));
    answer_body(req);
    return OK;
}

static error
remove_provider(struct request *req)
{
    bool is_there, is_used;
    str name = request_path_value(req, "providerName");
    TRY(store_provider_remove(req->tx, name, &is_there, &is_used));
    return end_removal(req, is_there, is_used, "Provider", name, "it has regions");
}

/* ---- Regions ---- */
static error
list_regions(struct request *req)
{
    return answer_list_of(req, SQL_REGION_LIST);
}

static error
add_region(struct request *req)
{
    bool is_valid;
    TRY(store_region_add(req->tx, json_str(json_object_get(req->body, "provider")),
                         json_str(json_object_get(req->body, "name")), &is_valid));
    if (!is_valid)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("provider"), V("there is no such provider"));
    answer_body(req);
    return OK;
}

static error
remove_region(struct request *req)
{
    bool is_there, is_used;
    str name = request_path_value(req, "regionName");
    TRY(store_region_remove(req->tx, request_path_value(req, "providerName"), name, &is_there, &is_used));
    return end_removal(req, is_there, is_used, "Region", name, "it has or had hosts");
}

/* ---- Sizes ---- */
/* What a member of this size gets. The smaller ones share a processor. */
static const struct {
    const char *name, *cpus;
    int memory_mb, disk_gb, max_connections;
} default_sizes[] = {
    { "FLEX", "0.1", 128, 5, 50 },       { "M0", "0.1", 128, 1, 25 },          { "M10", "0.25", 256, 10, 100 },
    { "M20", "0.5", 512, 20, 200 },      { "M30", "1", 2048, 40, 500 },        { "M40", "2", 4096, 80, 1000 },
    { "M50", "4", 16384, 160, 2000 },    { "M60", "8", 32768, 320, 3000 },     { "M80", "16", 65536, 750, 4000 },
    { "M140", "24", 98304, 1000, 5000 }, { "M200", "32", 131072, 1500, 5000 },
};

static error
list_sizes(struct request *req)
{
    return answer_list_of(req, SQL_INSTANCE_SIZE_LIST);
}

static error
set_size(struct request *req, const struct instance_size *size)
{
    bool is_valid;
    TRY(store_instance_size_set(req->tx, size, &is_valid));
    return is_valid ? OK : fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("cpus"), V("it must be more than 0"));
}

static error
add_size(struct request *req)
{
    const json_t *body = req->body;
    double cpus = json_number_value(json_object_get(body, "cpus"));
    struct instance_size size = {
        .name = json_str(json_object_get(body, "name")),
        .cpus = str_format(req->arena, "%.3f", cpus),
        .memory_mb = json_integer_value(json_object_get(body, "memoryMb")),
        .disk_gb = json_integer_value(json_object_get(body, "diskGb")),
        .max_connections = json_integer_value(json_object_get(body, "maxConnections")),
    };
    if (json_object_get(body, "ordinal") == NULL)
        json_object_set_new(req->body, "ordinal", json_integer(size.memory_mb));
    size.ordinal = json_integer_value(json_object_get(body, "ordinal"));
    TRY(set_size(req, &size));
    answer_body(req);
    return OK;
}

static error
add_default_sizes(struct request *req)
{
    answer_list(req, LENGTH(default_sizes), false);
    for (size_t i = 0; i < LENGTH(default_sizes); i++) {
        struct instance_size size = { str_from(default_sizes[i].name),  str_from(default_sizes[i].cpus),
                                      default_sizes[i].memory_mb,       default_sizes[i].disk_gb,
                                      default_sizes[i].max_connections, (int64_t)i * 10 };
        TRY(set_size(req, &size));
        str document = str_format(
            req->arena,
            "{\"name\":\"%s\",\"cpus\":%s,\"memoryMb\":%d,\"diskGb\":%d,\"maxConnections\":%d,\"ordinal\":%zu}",
            default_sizes[i].name, default_sizes[i].cpus, default_sizes[i].memory_mb, default_sizes[i].disk_gb,
            default_sizes[i].max_connections, i * 10);
        answer_item(req, document, size.name);
    }
    return OK;
}

static error
remove_size(struct request *req)
{
    bool is_there, is_used;
    str name = request_path_value(req, "sizeName");
    TRY(store_instance_size_remove(req->tx, name, &is_there, &is_used));
    return end_removal(req, is_there, is_used, "Size", name, "members use it");
}

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "/providers", 0, FOR_OPERATORS, "listProviders", "Return all providers",
      "Lists the providers, each with its number of regions.",
      SHAPE_LIST, .run = list_providers, .response = &provider_schema },
    { POST, "/providers", 0, FOR_OPERATORS, "addProvider", "Add one provider",
      "Adds the owner of some hosts: a data centre, a company, yourself. Tenants see the name. If it exists already, nothing "
      "changes.",
      SHAPE_ENTITY, .run = add_provider, .request = &provider_schema, .response = &provider_schema, .example = "{\"name\": \"OWN\"}" },
    { DELETE, "/providers/{providerName}", 0, FOR_OPERATORS, "removeProvider", "Remove one provider",
      "Removes a provider without regions.", SHAPE_NOTHING, .run = remove_provider, .path_fields = provider_path },
    { GET, "/regions", 0, FOR_OPERATORS, "listRegions", "Return all regions",
      "Lists the regions, each with its number of hosts.", SHAPE_LIST, .run = list_regions, .response = &region_schema },
    { POST, "/regions", 0, FOR_OPERATORS, "addRegion", "Add one region of a provider",
      "Adds a place for hosts. Tenants see the name and choose it for their clusters. If it exists already, nothing changes.",
      SHAPE_ENTITY, .run = add_region, .request = &region_schema, .response = &region_schema, .example = "{\"provider\": \"OWN\", \"name\": \"EU_WEST\"}" },
    { DELETE, "/regions/{providerName}/{regionName}", 0, FOR_OPERATORS, "removeRegion", "Remove one region",
      "Removes a region that never had hosts, with its join tokens.", SHAPE_NOTHING, .run = remove_region, .path_fields = region_path },
    { GET, "/sizes", 0, FOR_OPERATORS, "listSizes", "Return all sizes of members",
      "Lists the sizes that tenants can choose, small ones first.", SHAPE_LIST, .run = list_sizes, .response = &size_schema },
    { POST, "/sizes", 0, FOR_OPERATORS, "addSize", "Add or change one size of members",
      "Sets what new members of the size get. Existing members keep what they have until their cluster changes.",
      SHAPE_ENTITY, .run = add_size, .request = &size_schema, .response = &size_schema,
      .example = "{\"name\": \"M10\", \"cpus\": 0.25, \"memoryMb\": 256, \"diskGb\": 10}" },
    { POST, "/sizes:defaults", 0, FOR_OPERATORS, "addDefaultSizes", "Add the usual sizes",
      "Adds FLEX, M0, M10, M20, M30 and so on, or resets them to their defaults.",
      SHAPE_LIST, 200, .run = add_default_sizes, .response = &size_schema },
    { DELETE, "/sizes/{sizeName}", 0, FOR_OPERATORS, "removeSize", "Remove one size",
      "Removes a size that no member uses. Nobody can choose it any more.", SHAPE_NOTHING, .run = remove_size, .path_fields = size_path },
};
// clang-format on
FAMILY(operator_place_family, "places", "Places and sizes", "Places for clusters, and sizes of their members.",
       endpoints);
