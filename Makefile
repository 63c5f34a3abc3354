# SPDX-License-Identifier: Apache-2.0
# A thin face on Meson. `make` builds into build/; `make help` lists the rest.
BUILD ?= build
PYTHON ?= /usr/bin/python3

# Every target with a description is a command, not a file.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' $(MAKEFILE_LIST))

all: $(BUILD)/build.ninja ## build everything: binaries are in build/
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@meson setup $(BUILD) $(MESON_OPTIONS)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

bootstrap: ## install everything that is needed, by package name
	script/bootstrap

check: all ## static checks, unit tests, and the API against real PostgreSQL and Redis
	$(PYTHON) script/ci --quick --build $(BUILD)

unit: all ## only the unit tests
	script/with-services meson test -C $(BUILD) --no-rebuild --print-errorlogs

lint: all ## only the static checks
	$(PYTHON) script/ci --only lint --build $(BUILD)

format: ## format the C files
	script/format

run: all ## a whole server on this machine, with credentials and a first curl
	script/with-services script/run-dev $(BUILD)

demo: all ## a fleet of three hosts on this machine and a replicated cluster on it, up to psql; needs root
	REEVE_BUILD=$(BUILD) $(PYTHON) script/demo

session: all ## record the terminal session of README.md from a real run: needs root, takes three minutes
	REEVE_BUILD=$(BUILD) script/record-session

demo-down: ## take the demo away
	test/fleet/fleet down

creation-profile: all ## where the time of a creation goes, step by step, beside the bare steps of PostgreSQL; needs root, takes two minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/creation_profile.py

cluster-smoke: all ## the life of one cluster on real hosts; needs root
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/smoke_test.py

failover: all ## hosts of primaries killed 5 times and cut off 12 times under a writing client; takes 20 minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/failover_test.py --one-way 2 --report docs/reports/failover.md

drivers: all ## hosts of primaries killed and cut off under psycopg, JDBC, node-postgres and pgx; needs script/bootstrap --drivers
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/drivers_test.py --report docs/reports/drivers.md

control-plane-gone: all ## ten minutes without a control plane, with a failover in between
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/control_plane_gone_test.py --minutes 10 --report docs/reports/control-plane-gone.md

etcd-load: all ## what one cluster costs its etcd, and what a group carries
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/etcd_load_test.py --report docs/reports/etcd-load.md

cluster-load: all ## forty clusters of three members asked for at once
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/load_test.py --report docs/reports/cluster-load.md

fleet-update-test: all ## a minor update of 20 clusters under writing clients, with a broken canary first: needs root, takes half an hour
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/fleet_update_test.py --report docs/reports/fleet-update.md

bench: all ## speed, as a ratio to the bare database and to Fastify
	script/with-services test/bench/run $(BUILD)

bench-scale: all ## whether a cell with a million projects is as fast as one with a hundred; takes half an hour and 40 GB of /tmp
	script/with-services test/bench/scale $(BUILD) --verify --report docs/reports/scale.md

fuzz: ## 10^8 executions of each fuzz target; takes hours
	test/fuzz/run 100000000

docs: all ## the documentation as a site: open build/docs/index.html
	script/build-docs --reeved $(BUILD)/reeved --out $(BUILD)/docs

clients: all ## typed clients for TypeScript, Python and Go from the OpenAPI document, in build/clients; needs script/bootstrap --automation, takes two minutes
	script/make-clients --reeved $(BUILD)/reeved --out $(BUILD)/clients

site-pictures: docs ## pictures of the pages that people land on, for docs/reports/site; needs Chromium and cwebp
	$(PYTHON) test/docs/pictures.py --site $(BUILD)/docs

stateful: all ## 10^6 operations of eight clients against two nodes, held against a model; takes an hour
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/api/stateful_test.py --operations 1000000 --rounds 50 \
	    --seconds 100000 --report docs/reports/stateful.md

steady: all ## the API suites ten times beside a busy machine, none of them tried twice; takes hours, and goes on where it was
	$(PYTHON) test/api/steady.py --build $(BUILD) --report docs/reports/steady.md

openapi-compare: all ## whether the OpenAPI document differs from that of a commit in wording only: make openapi-compare AGAINST=commit
	$(PYTHON) test/openapi/compare --against $(AGAINST) --build $(BUILD) --report docs/reports/openapi-wording.md

mutate: ## small faults in C and SQL, one at a time, and whether a test notices: takes hours, and goes on where it was
	$(PYTHON) test/mutate/mutate.py --report docs/reports/mutate.md

soak: all ## 10^7 requests of every kind, and whether memory levels off; takes an hour or two
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/api/soak_test.py --requests 10000000 --report docs/reports/soak.md

abuse: all ## what other tenants notice of each attack on a node
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/abuse/abuse.py --report docs/reports/abuse.md

redteam: all ## every attack that we know, against a fleet with two tenants on the same hosts; needs root
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/redteam/redteam.py --report docs/reports/redteam.md

redteam-walls: all ## every wall taken down once, so that attacks are seen to be real; needs root, takes half an hour
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/redteam/show_walls.py --report docs/reports/redteam-walls.md

neighbour: all ## what one organization far beyond its limits costs another
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/api/neighbour_test.py --report docs/reports/neighbour.md

console-test: all ## the console in Debian's Chromium: all screens and forms, every role, ten tabs and a killed node, figures, ten tasks with pictures; takes ten minutes
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/console/console_test.py --all --report docs/reports/console

console-fleet-test: all ## the console against real hosts: created, connected to, watched, restored and deleted by mouse, by keyboard alone and with a finger on a phone; needs root, takes ten minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/console/fleet_test.py --report docs/reports/console

fleet-clusters: all ## how long operators of 1,000 clusters wait for the list of them, with simulated agents; takes two minutes
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/bench/fleet_clusters.py --report docs/reports/fleet-clusters.md

fifteen-test: all ## what people do most, typed into a terminal, with the number of commands and characters now and before, on a fleet: needs root, takes five minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cli/fifteen_tasks.py --fleet --report docs/reports/fifteen-tasks.md

fleet-load: all ## 10,000 hosts come back at once: how long it takes, and what a tenant notices
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/api/fleet_load.py --report docs/reports/fleet-load.md

agent-test: all ## the agent on three hosts with systemd of their own: needs root, takes ten minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/agent_test.py

monitor-agent-test: all ## what the agents of two hosts measure and send, and what it costs: needs root, takes fifteen minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/monitor_agent_test.py

backup-agent-test: all ## backups by the agents of four hosts with systemd of their own: needs root, takes six minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/backup_agent_test.py

restore-agent-test: all ## restores by the agents of five hosts with systemd of their own: needs root, takes eight minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/restore_agent_test.py

own-database-test: all ## the control plane's own database backed up, destroyed under load and restored elsewhere: needs root, takes ten minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/own_database_test.py

drill-test: all ## drills on repository hosts, by the agent alone and through the control plane: needs root, takes twenty minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/drill_test.py
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/drill_life_test.py

extensions-test: all ## extensions made, used, refused, kept through a failover, loaded with restarts and removed, on a fleet of three hosts: needs root, takes ten minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/extensions_test.py

advisor-test: all ## ten planted problems found and mended, on a fleet of three hosts: needs root, takes ten minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/advisor_test.py

export-test: all ## exports of snapshots to a real object store, on a fleet with a repository host: needs root, takes six minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/export_test.py

download-test: all ## a snapshot fetched as a file, resumed, started, withdrawn and expired, on a fleet with a repository host: needs root, takes four minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/download_test.py

logs-test: all ## logs and logins of members read by their tenant, a gigabyte, resumed, followed, and a host that dies, on a fleet: needs root, takes ten minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/log_download_test.py

backup-life-test: all ## backups of a cluster through the control plane, on a fleet with a repository host: needs root, takes two minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/backup_life_test.py

backup-faults-test: all ## WAL and backups that are removed, damaged or cannot be written, on a fleet with a repository host: needs root, takes fifteen minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/backup_faults_test.py

backup-load-test: all ## 40 clusters with backups: what clients notice of them, a drill of each, what a seat costs: needs root, takes half an hour
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/backup_load_test.py --report docs/reports/backup-load.md

guides-test: all ## guides about backups, typed as they stand by somebody at a client of a fleet: needs root, takes four minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/guides_test.py

scaling-test: all ## clusters that follow their load: the decision, hours of simulated load in real stores, two workers and tenants who try to get more of it: takes three minutes
	script/with-services meson test -C $(BUILD) --no-rebuild cluster_scaling_test job_scaling_test
	REEVE_BUILD=$(BUILD) $(PYTHON) test/api/run_all.py scaling

metric-alert-test: all ## alerts about measurements from real causes to mails and webhooks, on a fleet: needs root, takes ten minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/metric_alert_test.py

monitor-truth-test: all ## measurements of members that are switched over, lost, killed, restarted, frozen and paused, on a fleet: needs root, takes twenty minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/monitor_truth_test.py

monitor-cost-test: all ## what monitoring costs a member under load and idle, with and without by turns, on a fleet: needs root, takes fifteen minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/monitor_cost_test.py

measurements-ratio: all ## measurements through the API against the same points at the store, by turns; takes half a minute
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/bench/measurements_ratio.py

points-load: all ## how many points a second one node and one store take, and what a million costs; takes three minutes
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/bench/points_load.py

monitor-test: all ## measurements of real members, with everything killed at random and one store lost, on a fleet: needs root, takes a quarter of an hour
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/monitor_test.py --seconds 300 --away 600

keys-test: all ## a cluster under its customer's key: raw disks searched, the key taken back and given again, on a fleet: needs root and loop devices, takes ten minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/keys_test.py

volumes-test: all ## disks of members filled, grown and cut off from power, beside a neighbour, on a fleet: needs root and loop devices, takes ten minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/volumes_test.py
	REEVE_BUILD=$(BUILD) REEVE_VOLUMES=full $(PYTHON) test/cluster/volumes_test.py they_are_disks_of_their_own growing_heals_it nothing_is_left

top-test: all ## `reeve top` and `reeve fleet top` with a load and a host that dies, on a fleet: needs root, takes six minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/top_test.py

table-statistics-test: all ## measurements of single tables against known counts, pinned and not, on a fleet: needs root, takes ten minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/table_statistics_test.py

sizes-test: all ## members for analytics with a size of their own, larger and smaller, and a lost host, on a fleet: needs root, takes four minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/sizes_test.py

private-endpoint-test: all ## private endpoints on a fleet of two regions with two relay hosts, attacked: needs root, takes four minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/private_endpoint_test.py

pooler-test: all ## poolers: attacked, with 5,000 clients, a switchover and a lost host, pooled against direct, on a fleet: needs root, takes ten minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/pooler_test.py

store-test: all ## backups in an object store, refused and away, on a fleet with a repository host: needs root, takes ten minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/store_test.py

backup-kill-test: all ## everything about backups, killed at every step, on a fleet with a repository host: needs root, takes forty minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/backup_kill_test.py --report docs/reports/backup-kills.md

expiry-test: all ## two hundred snapshots over a simulated year in a real repository, and what must be there after each: needs root, takes fifteen minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/expiry/expiry_test.py --report docs/reports/expiry.md

vault-test: all ## what somebody with the key of a bucket with Object Lock can do, and that it comes back: needs root, takes half a minute
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/cluster/vault_test.py

lost-statements: all ## the database lost at each statement of every changing exchange: takes ten minutes
	REEVE_BUILD=$(BUILD) script/with-services $(PYTHON) test/api/lost_statement_test.py --all

sites-test: all ## copies of backups in another region, and every host of the first one destroyed: needs root, takes fifteen minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/sites_test.py

restore-test: all ## restores through the control plane, an exact second, in place and after the loss of all hosts, five times: needs root, takes twenty minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/restore_test.py --rounds 5 --report docs/reports/restore.md

restore-history-test: all ## restores of seconds around failovers, dead receivers and restores in place: needs root, takes fifteen minutes
	REEVE_BUILD=$(BUILD) $(PYTHON) test/cluster/restore_history_test.py

fleet-upgrade: ## a fleet of the version before the walls, with clusters under writes, is upgraded from packages: needs root, takes ten minutes
	$(PYTHON) test/cluster/fleet_upgrade_test.py --report docs/reports/fleet-upgrade.md

upgrade-test: ## two nodes upgraded from an earlier package under load, behind a balancer: needs root, takes five minutes
	$(PYTHON) test/package/upgrade_test.py --report docs/reports/upgrade.md

three-nodes: ## three nodes installed by docs/install-three-nodes.md, and each switched off in turn: needs root, takes ten minutes
	$(PYTHON) test/package/three_nodes_test.py --report docs/reports/three-nodes.md

clean-machine: ## bootstrap, make and some unit tests on a bare Debian 12 and 13 with nothing of ours: needs root, takes eight minutes
	$(PYTHON) test/package/clean_machine_test.py

docs-reference: all ## write the generated part of the documentation
	$(BUILD)/reeved reference docs/reference
	$(BUILD)/reeved config --reference > docs/reference/configuration.md
	$(BUILD)/reeve __reference > docs/reference/cli.md
	script/make-messages > docs/reference/messages.md
	script/make-effects --reeved $(BUILD)/reeved > docs/reference/effects.md
	$(BUILD)/reeved config --sample > deploy/reeve.conf

container-test: ## images of deploy/container built by buildah and run: make container-test PACKAGES=folder BASE=tarball; needs root, takes some minutes
	$(PYTHON) test/package/container_test.py --packages $(PACKAGES) --base $(BASE)

clean: ## remove what was built
	rm -rf build build-*
