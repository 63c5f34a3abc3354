/* SPDX-License-Identifier: Apache-2.0 */
/* `reeved fleet`: commands about hosts, one row for each; here are those about certificates and joining. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/net/net.h"
#include "fleet/authority.h"
#include "main/files.h"
#include "main/fleet_command.h"
#include "store/fleet/fleet.h"
#include "store/fleet/host.h"

enum { DAY_S = 24 * 3600, MAX_TOKEN_HOURS = 24 * 7, MAX_DAYS = 3650, NAME_MAX_BYTES = 63 };

/* ---- init, authority ---- */
/* As PostgreSQL writes a text[]; config_load() let only plain names through, and options are checked. */
static str
list_nameservers(struct arena *arena, const struct config_list *given, const char *domain)
{
    struct buf out = buf_in(arena, 16 * 1024);
    buf_add_char(&out, '{');
    for (size_t i = 0; i < given->count; i++)
        buf_format(&out, "%s\"%s\"", i == 0 ? "" : ",", given->values[i]);
    if (given->count == 0)
        buf_format(&out, "\"ns1.%s\"", domain);
    buf_add_char(&out, '}');
    return buf_str(&out);
}

static bool
is_host_name(const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '-' ||
              *c == '.' || *c == '*'))
            return false;
    }
    return text[0] != '\0' && strlen(text) < 254;
}

static error
set_zone(struct fleet_place *place, const struct config_list *nameservers, const char *contact)
{
    struct arena *arena = place->arena;
    const char *domain = place->config->domain;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(place->fleet->store, arena, &tx));
    TRY(store_dns_zone_set(tx, str_from(domain), list_nameservers(arena, nameservers, domain),
                           contact != NULL ? str_from(contact) : str_format(arena, "hostmaster.%s", domain)));
    return tx_commit(tx);
}

static error
describe_authority(struct fleet_place *place, struct authority *ret_authority, str *ret_fingerprint)
{
    TRY(authority_open(place->fleet, place->arena, ret_authority));
    return authority_fingerprint(ret_authority, place->arena, ret_fingerprint);
}

static int
run_init(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { NAMESERVER, CONTACT, JSON };
    struct config_list nameservers = { 0 };
    struct option_value options[] = {
        [NAMESERVER] = { "--nameserver", "Name server of the domain; can be repeated. (default: ns1 in the domain)",
                         .list = &nameservers },
        [CONTACT] = { "--contact", "Mailbox of the zone's contact, as a name: hostmaster.example.org." },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    int status;
    bool created;
    struct authority authority;
    str fingerprint;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    for (size_t i = 0; i < nameservers.count; i++) {
        if (!is_host_name(nameservers.values[i]))
            return fleet_complain(command, "--nameserver takes the name of a machine");
    }
    if (options[CONTACT].value != NULL && !is_host_name(options[CONTACT].value))
        return fleet_complain(command, "--contact takes a mailbox as a name, such as hostmaster.example.org");
    error problem = authority_create(place->fleet, place->arena, &created);
    if (problem == OK)
        problem = set_zone(place, &nameservers, options[CONTACT].value);
    if (problem == OK)
        problem = describe_authority(place, &authority, &fingerprint);
    if (problem != OK)
        return fleet_fail(command, problem);
    const struct fleet_line lines[] = {
        { "authority", created ? STR("created") : STR("there already") },
        { "fingerprint", fingerprint },
        { "domain", str_from(place->config->domain) },
    };
    fleet_print_lines(place->arena, options[JSON].value != NULL, lines, LENGTH(lines));
    return 0;
}

static int
run_authority(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    struct option_value options[] = { { "--json", "Print it as JSON, with its fingerprint.", .is_flag = true } };
    int status;
    struct authority authority;
    str fingerprint;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    error problem = describe_authority(place, &authority, &fingerprint);
    if (problem != OK)
        return fleet_fail(command, problem);
    const struct fleet_line lines[] = { { "certificate", authority.certificate }, { "fingerprint", fingerprint } };
    if (options[0].value != NULL)
        fleet_print_lines(place->arena, true, lines, LENGTH(lines));
    else
        fputs(authority.certificate.data, stdout);
    return 0;
}

/* ---- certificate ---- */
struct order {
    const char *name, *folder;
    struct config_list names, addresses;
    int64_t days;
};

static error
issue(struct fleet_place *place, const struct order *order, str *ret_key, str *ret_chain, str *ret_authority)
{
    struct arena *arena = place->arena;
    struct authority authority;
    str request, certificate, names[CERTIFICATE_MAX_NAMES], addresses[CERTIFICATE_MAX_NAMES];
    for (size_t i = 0; i < order->names.count; i++)
        names[i] = str_from(order->names.values[i]);
    for (size_t i = 0; i < order->addresses.count; i++)
        addresses[i] = str_from(order->addresses.values[i]);
    struct certificate_subject subject = {
        .common_name = str_from(order->name),
        .names = names,
        .name_count = order->names.count,
        .addresses = addresses,
        .address_count = order->addresses.count,
        .lifetime_s = order->days * DAY_S,
    };
    TRY(authority_open(place->fleet, arena, &authority));
    if (!certificate_key_new(arena, ret_key) ||
        !certificate_request_new(arena, *ret_key, str_from(order->name), &request))
        return fail(arena, INTERNAL_ERROR);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(place->fleet->store, arena, &tx));
    TRY(authority_issue(&authority, tx, CERTIFICATE_SERVICE, str_from(order->name), request, subject, &certificate));
    TRY(tx_commit(tx));
    *ret_chain = str_format(arena, "%.*s%.*s", STR_ARG(certificate), STR_ARG(authority.certificate));
    *ret_authority = authority.certificate;
    return OK;
}

/* Nobody else could read it, not even for the moment between making and protecting it. */
static bool
write_key(const char *path, str text)
{
    (void)unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    bool written = write(fd, text.data, text.len) == (ssize_t)text.len;
    return close(fd) == 0 && written;
}

static bool
write_order(struct arena *arena, const char *folder, str key, str chain, str authority)
{
    return files_make_folder(folder) && write_key(str_format(arena, "%s/key.pem", folder).data, key) &&
           files_replace(str_format(arena, "%s/certificate.pem", folder).data, chain) &&
           files_replace(str_format(arena, "%s/authority.pem", folder).data, authority);
}

static int
run_certificate(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { NAME, DNS, ADDRESS, OUT, DAYS, JSON };
    struct order order = { 0 };
    struct option_value options[] = {
        [NAME] = { "--name", "What it is for: etcd1, agents, prometheus.", .required = true },
        [DNS] = { "--dns", "DNS name of the service; can be repeated.", .list = &order.names },
        [ADDRESS] = { "--address", "Address of the service; can be repeated.", .list = &order.addresses },
        [OUT] = { "--out", "Folder for key.pem, certificate.pem (followed by the authority) and authority.pem.",
                  .required = true },
        [DAYS] = { "--days", "How many days it is valid.", .value = "365" },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    int status;
    str key, chain, authority;
    struct net_address address;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    order.name = options[NAME].value;
    order.folder = options[OUT].value;
    if (!is_host_name(order.name) || strlen(order.name) > NAME_MAX_BYTES)
        return fleet_complain(command, "--name takes letters, digits, hyphens and dots, at most 63 of them");
    for (size_t i = 0; i < order.names.count; i++) {
        if (!is_host_name(order.names.values[i]))
            return fleet_complain(command, "--dns takes the name of a machine");
    }
    for (size_t i = 0; i < order.addresses.count; i++) {
        if (!net_parse_address(str_from(order.addresses.values[i]), &address))
            return fleet_complain(command, "--address takes an address such as 10.0.0.5 or 2001:db8::5");
    }
    if (!str_to_int(str_from(options[DAYS].value), 1, MAX_DAYS, &order.days))
        return fleet_complain(command, "--days takes a number from 1 to 3650");
    error problem = issue(place, &order, &key, &chain, &authority);
    if (problem != OK)
        return fleet_fail(command, problem);
    if (!write_order(place->arena, order.folder, key, chain, authority)) {
        fprintf(stderr, "reeved fleet certificate: %s: %s\n", order.folder, strerror(errno));
        return 1;
    }
    const struct fleet_line lines[] = {
        { "key", str_format(place->arena, "%s/key.pem", order.folder) },
        { "certificate", str_format(place->arena, "%s/certificate.pem", order.folder) },
        { "authority", str_format(place->arena, "%s/authority.pem", order.folder) },
    };
    fleet_print_lines(place->arena, options[JSON].value != NULL, lines, LENGTH(lines));
    return 0;
}

/* ---- token ---- */
static void
print_token(const char *host, const char *hours, const char *command, bool has_members)
{
    printf("Run this on %s within %s hour(s); it works once:\n\n  %s\n", host, hours, command);
    if (has_members)
        printf("\nThen give it addresses for members: reeved fleet addresses add --host %s FIRST-LAST\n", host);
}

static int
run_token(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    enum { HOST, PROVIDER, REGION, ZONE, PURPOSE, STORE, HOURS, JSON };
    struct option_value options[] = {
        [HOST] = { "--host", "Name of the host. If it exists, it joins again, and its old certificate stops working.",
                   .required = true },
        [PROVIDER] = { "--provider", "Provider of the machine.", .required = true },
        [REGION] = { "--region", "Where it is.", .required = true },
        [ZONE] = { "--zone", "Zone: hosts that can fail together. Members of a cluster are placed in different zones.",
                   .value = "a" },
        [PURPOSE] = { "--purpose",
                      "DATABASE: for members of clusters. REPOSITORY: for backups of clusters. RELAY: for private endpoints.",
                      .value = "DATABASE" },
        [STORE] = { "--store", "With REPOSITORY: object store that it keeps backups in. (default: its disk)" },
        [HOURS] = { "--hours", "How long the token can be used.", .value = "1" },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    int status;
    int64_t hours;
    json_t *made;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    if (!str_to_int(str_from(options[HOURS].value), 1, MAX_TOKEN_HOURS, &hours))
        return fleet_complain(command, "--hours takes a number from 1 to 168");
    json_t *body = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "host", options[HOST].value, "provider",
                             options[PROVIDER].value, "region", options[REGION].value, "zone", options[ZONE].value,
                             "purpose", options[PURPOSE].value, "hours", (json_int_t)hours);
    if (options[STORE].value != NULL)
        json_object_set_new(body, "objectStore", json_string(options[STORE].value));
    error problem = fleet_call(place, "POST", STR("/tokens"), body, &made);
    if (problem != OK)
        return fleet_fail(command, problem);
    const struct fleet_line lines[] = {
        { "token", json_str(json_object_get(made, "token")) },
        { "command", json_str(json_object_get(made, "command")) },
    };
    if (options[JSON].value != NULL)
        fleet_print_lines(place->arena, true, lines, LENGTH(lines));
    else
        print_token(options[HOST].value, options[HOURS].value, lines[1].value.data,
                    str_is(str_from(options[PURPOSE].value), host_purpose_names[HOST_FOR_DATABASES]));
    return 0;
}

/* ---- restored ---- */
/* More than a fleet moves between two backups, and small enough for a deployment to be restored as often as it likes. */
enum { RESTORED_STEP = 1000000 };

static error
move_on(struct fleet_place *place, int64_t *ret_hosts, int64_t *ret_clusters)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(place->fleet->store, place->arena, &tx));
    TRY(store_fleet_restored(tx, RESTORED_STEP, ret_hosts, ret_clusters));
    return tx_commit(tx);
}

static int
run_restored(const struct fleet_command *command, struct fleet_place *place, int argc, char **argv)
{
    struct option_value options[] = { { "--json", "Print the result as JSON.", .is_flag = true } };
    int status;
    int64_t hosts, clusters;
    if (!read_options(argc, argv, command->usage, options, LENGTH(options), NULL, &status))
        return status;
    error problem = move_on(place, &hosts, &clusters);
    if (problem != OK)
        return fleet_fail(command, problem);
    const struct fleet_line lines[] = { { "hosts", str_from_int(place->arena, hosts) },
                                        { "clusters", str_from_int(place->arena, clusters) } };
    fleet_print_lines(place->arena, options[0].value != NULL, lines, LENGTH(lines));
    return 0;
}

/* ---- The table ---- */
static const struct fleet_command own_commands[] = {
    { "init", "fleet init [--nameserver NAME]… [--contact NAME]",
      "Create the authority for the certificates of hosts, members and services, and the DNS zone. Safe to repeat.",
      run_init },
    { "authority", "fleet authority", "Print the authority's certificate.", run_authority },
    { "certificate", "fleet certificate --name NAME [--dns NAME]… [--address ADDRESS]… --out FOLDER",
      "Make a key and a certificate for a service, such as etcd or agent_listen.", run_certificate },
    { "tokens create",
      "fleet tokens create --host NAME --provider P --region R [--zone Z] [--purpose P] [--store S] [--hours N]",
      "Let one machine join as a host, once; prints the command to run there.", run_token },
    { "restored", "fleet restored",
      "Send every host its goal again. Run it after restoring the control database from a backup, before API and "
      "workers start.",
      run_restored },
    { NULL, NULL, NULL, NULL },
};
static const struct fleet_command *const tables[] = { own_commands,         fleet_place_commands,
                                                      fleet_host_commands,  fleet_etcd_commands,
                                                      fleet_store_commands, fleet_store_role_commands };

static void
print_help(FILE *out)
{
    fputs(
        "reeved fleet: the machines that clusters run on\n\n"
        "A host is a machine with the agent on it. It belongs to a provider, a region and a zone, and has addresses for the\n"
        "members (PostgreSQL servers) on it. To set up the first host:\n\n"
        "  reeved fleet init\n"
        "  reeved fleet authority > /etc/reeve/fleet/authority.pem\n"
        "  reeved fleet certificate --name agents --address 10.0.0.5 --out /etc/reeve/fleet/agents\n"
        "      then set agent_listen, agent_certificate, agent_certificate_key and agent_authority in reeve.conf, and reload\n"
        "  reeved fleet providers add OWN && reeved fleet regions add OWN EU_WEST && reeved fleet sizes defaults\n"
        "  reeved fleet tokens create --host h1 --provider OWN --region EU_WEST --zone a\n"
        "  reeved fleet addresses add --host h1 10.0.1.10-10.0.1.99\n\n"
        "usage: reeved fleet SUBCOMMAND [OPTION…] [--config FILE] [--json]\n\n",
        out);
    for (size_t t = 0; t < LENGTH(tables); t++) {
        for (const struct fleet_command *command = tables[t]; command->name != NULL; command++)
            fprintf(out, "  %-21s %s\n", command->name, command->sentence);
    }
    fputs("\n`reeved fleet SUBCOMMAND --help` says more.\n", out);
}

/* The words of a subcommand's name at the beginning of the arguments; how many there are, 0 when it is another one. */
static int
count_words(const char *name, int argc, char **argv)
{
    int count = 0;
    for (str rest = str_from(name); rest.len > 0; count++) {
        str word = str_cut(&rest, ' ');
        if (count >= argc || !str_eq(str_from(argv[count]), word))
            return 0;
    }
    return count;
}

static int
run(const struct fleet_command *command, const char *config, int argc, char **argv)
{
    struct fleet_place place CLEANUP(fleet_place_close) = { 0 };
    bool wants_help = argc > 1 && strcmp(argv[1], "--help") == 0;
    if (wants_help)
        printf("%s\n\n", command->sentence);
    else if (!fleet_place_open(&place, config))
        return 1;
    return command->run(command, &place, argc, argv);
}

/*
 * The words are those of `reeve fleet`. These were others, and are typed by scripts: what a subcommand began with, and how it begins
 * now. Two words now: it was one, with nothing behind it but options.
 */
static const char *const earlier_words[][3] = {
    { "host", "hosts", NULL },          { "provider", "providers", NULL }, { "region", "regions", NULL },
    { "size", "sizes", NULL },          { "address", "addresses", NULL },  { "etcd", "etcd-groups", NULL },
    { "store", "object-stores", NULL }, { "token", "tokens", "create" },   { "own-backup", "own-backups", "list" },
};

static int
replace_earlier(char **words, int count, int most)
{
    for (size_t i = 0; count > 0 && i < LENGTH(earlier_words); i++) {
        if (strcmp(words[0], earlier_words[i][0]) != 0)
            continue;
        words[0] = (char *)earlier_words[i][1];
        if (earlier_words[i][2] != NULL && count < most) {
            memmove(words + 2, words + 1, (size_t)(count - 1) * sizeof(*words));
            words[1] = (char *)earlier_words[i][2];
            count++;
        }
        break;
    }
    return count;
}

int
command_fleet(int argc, char **argv)
{
    enum { ARGUMENTS_MAX = 256 };
    const char *config = DEFAULT_CONFIG;
    char *words[ARGUMENTS_MAX] = { 0 };
    int count = 0;
    for (int i = 1; i < argc && count < ARGUMENTS_MAX; i++) {
        if (strcmp(argv[i], "--config") == 0 && i + 1 < argc)
            config = argv[++i];
        else
            words[count++] = argv[i];
    }
    count = replace_earlier(words, count, ARGUMENTS_MAX);
    for (size_t t = 0; count > 0 && t < LENGTH(tables); t++) {
        for (const struct fleet_command *command = tables[t]; command->name != NULL; command++) {
            int taken = count_words(command->name, count, words);
            if (taken > 0) {
                words[taken - 1] = (char *)"fleet";
                return run(command, config, count - taken + 1, words + taken - 1);
            }
        }
    }
    bool wants_help = count > 0 && strcmp(words[0], "--help") == 0;
    if (!wants_help && count > 0)
        fprintf(stderr, "reeved fleet: there is no subcommand '%s'; these are there:\n\n", words[0]);
    print_help(wants_help ? stdout : stderr);
    return wants_help ? 0 : 2;
}
