/* SPDX-License-Identifier: Apache-2.0 */
#include "main/command_api.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "job/billing/price_file.h"
#include "main/config.h"
#include "main/files.h"
#include "main/nginx_config.h"
#include "main/node.h"

static const char default_config[] = "/etc/reeve/reeve.conf";
static const char module_name[] = "ngx_http_reeve_module.so";

enum { EXIT_USAGE = 2 };

static void
print_api_usage(FILE *out)
{
    fprintf(
        out,
        "Usage: reeved api [--config FILE] [--print-config]\n\n"
        "Answers the API in the foreground: writes nginx's configuration into run_dir and becomes nginx with Reeve's module.\n"
        "HUP reloads reeve.conf and the certificates, QUIT ends when open requests are answered, TERM ends at once,\n"
        "USR1 opens the log file again.\n\n"
        "  --config FILE    reeve.conf to read (default: %s)\n"
        "  --print-config   only print the configuration that nginx would get\n"
        "  --help           this text\n",
        default_config);
}

str
api_module_path(struct arena *arena, const struct config *config)
{
    if (config->module[0] != '\0')
        return str_from(config->module);
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (len > 0) {
        self[len] = '\0';
        *strrchr(self, '/') = '\0';
        static const char *const places[] = { "", "/src/http" };
        for (size_t i = 0; i < LENGTH(places); i++) {
            str path = str_format(arena, "%s%s/%s", self, places[i], module_name);
            if (access(path.data, R_OK) == 0)
                return path;
        }
    }
    return str_format(arena, "/usr/lib/reeve/%s", module_name);
}

/* The folders of the node's own; workers of another user write temporary files there. */
static bool
make_folders(struct arena *arena, const struct config *config)
{
    static const char *const folders[] = { "", "/temp", "/empty" };
    for (size_t i = 0; i < LENGTH(folders); i++) {
        str path = str_format(arena, "%s%s", config->run_dir, folders[i]);
        if (!files_make_folder(path.data)) {
            fprintf(stderr, "run_dir %s: %s\n", path.data, strerror(errno));
            return false;
        }
    }
    return true;
}

/* nginx takes what the process may open; the default of many systems (1,024) is below max_connections. */
static void
raise_file_limit(const struct config *config)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    rlim_t wanted = (rlim_t)config->max_connections + 1024;
    if (limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted)
        fprintf(stderr, "reeved: the system allows %llu open files; max_connections = %lld needs %llu\n",
                (unsigned long long)limit.rlim_cur, (long long)config->max_connections, (unsigned long long)wanted);
}

static int
become_nginx(struct arena *arena, struct config *config, struct nginx_facts facts)
{
    /* Said here in plain words; nginx would only say that its configuration is wrong. */
    if (!config_read_key(config, stderr) || node_catalog(stderr) == NULL)
        return EXIT_FAILURE;
    str module = api_module_path(arena, config);
    if (access(module.data, R_OK) != 0) {
        fprintf(stderr, "module %s: %s\n", module.data, strerror(errno));
        return EXIT_FAILURE;
    }
    if (!make_folders(arena, config))
        return EXIT_FAILURE;
    str first = str_format(arena, "%s/nginx.conf", config->run_dir);
    str rest = str_format(arena, "%s/nginx.generated.conf", config->run_dir);
    /* The rest is written again by the module; here so that a folder that cannot be written to is noticed now. */
    if (!files_replace(first.data, nginx_config_first(arena, config, module.data, rest.data)) ||
        !files_replace(rest.data, nginx_config_rest(arena, config, facts))) {
        fprintf(stderr, "%s: %s\n", first.data, strerror(errno));
        return EXIT_FAILURE;
    }
    raise_file_limit(config);
    str prefix = str_format(arena, "%s/", config->run_dir);
    char *const arguments[] = { (char *)"reeved-api", (char *)"-p", (char *)prefix.data, (char *)"-c",
                                (char *)first.data,   (char *)"-e", (char *)"stderr",    NULL };
    (void)fflush(NULL);
    execv(config->nginx, arguments);
    fprintf(stderr, "nginx %s: %s\n", config->nginx, strerror(errno));
    return EXIT_FAILURE;
}

int
command_api(int argc, char **argv)
{
    const char *path = default_config;
    bool only_print = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            print_api_usage(stdout);
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--print-config") == 0) {
            only_print = true;
        } else if (strcmp(argv[i], "--config") == 0 && i + 1 < argc) {
            path = argv[++i];
        } else {
            print_api_usage(stderr);
            return EXIT_USAGE;
        }
    }
    struct config *config = config_load(path, stderr);
    if (config == NULL)
        return EXIT_FAILURE;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    struct nginx_facts facts;
    int status = EXIT_FAILURE;
    bool found = arena != NULL && nginx_facts_find(arena, config, stderr, &facts);
    if (found && only_print) {
        str module = api_module_path(arena, config);
        str rest = str_format(arena, "%s/nginx.generated.conf", config->run_dir);
        printf("%s\n# ---- %s ----\n%s", nginx_config_first(arena, config, module.data, rest.data).data, rest.data,
               nginx_config_rest(arena, config, facts).data);
        status = EXIT_SUCCESS;
    } else if (found) {
        status = become_nginx(arena, config, facts);
    }
    config_free(config);
    return status;
}

static bool
check_prices(const struct config *config)
{
    str items;
    if (config->price_file[0] == '\0')
        return true;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(16 * 1024 * 1024);
    return arena != NULL && price_file_read(arena, config->price_file, stderr, &items);
}

int
command_config(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--sample") == 0) {
        config_print_sample(stdout);
        return EXIT_SUCCESS;
    }
    if (argc == 2 && strcmp(argv[1], "--reference") == 0) {
        config_print_reference(stdout);
        return EXIT_SUCCESS;
    }
    if (argc == 3 && strcmp(argv[1], "--check") == 0) {
        struct config *config = config_load(argv[2], stderr);
        bool fine = config != NULL && config_read_key(config, stderr) && check_prices(config);
        config_free(config);
        return fine ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    fputs("Usage: reeved config --sample | --reference | --check FILE\n\n"
          "  --sample      print a reeve.conf to start with\n"
          "  --reference   print the page of the documentation that explains every key\n"
          "  --check FILE  say what is wrong with this reeve.conf\n"
          "  --help        this text\n",
          help ? stdout : stderr);
    return help ? EXIT_SUCCESS : EXIT_USAGE;
}
