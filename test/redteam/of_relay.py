# SPDX-License-Identifier: Apache-2.0
"""Against relays of private endpoints (test/cluster/relay_attacks.py): from clients of others, from members and hosts, and from a relay that was taken over. Two tenants have one each, on
one relay host."""
import hosts
import relay_attacks
import rig
from rows import Attack
from state import CLIENT, PROVIDER, wait_until

READY_S = 120
# Where the victim's and the thief's own clients are.
CLIENTS = {"victim": "stranger", "thief": "client"}


def service_of(ground, who):
    """With an endpoint that can be used; made once."""
    tenant, cluster = ground.tenants[who], ground.names[who]
    services = tenant.of_project("/privateEndpoint/%s/endpointService" % PROVIDER)
    there = tenant.ask("GET", services)["results"]
    one = there[0] if there else tenant.ask("POST", tenant.of_project("/privateEndpoint/endpointService"), {"providerName": PROVIDER, "region": ground.fleet.regions[0]})
    endpoint = "%s/%s/endpoint" % (services, one["id"])
    if tenant.try_nodes("GET", endpoint + "/own", None).status == 404:
        tenant.ask("POST", endpoint, {"id": "own", "privateEndpointIPAddress": CLIENT[CLIENTS[who]]})
    wait_until(lambda: tenant.ask("GET", endpoint + "/own")["status"] == "AVAILABLE", "the endpoint of %s is AVAILABLE" % cluster, READY_S)
    return tenant.ask("GET", services + "/" + one["id"])


def set_up(ground):
    relays = {who: relay_attacks.Relay(ground.fleet, service_of(ground, who)) for who in CLIENTS}
    scene = relay_attacks.Scene(ground.fleet, relays["victim"], relays["thief"], CLIENTS["victim"], CLIENTS["thief"])
    scene.member_host, scene.victim_member = ground.attacker.host, rig.primary_of(ground.fleet, ground.names["victim"])
    scene.member_user = int(hosts.run(ground.fleet, ground.attacker.host, "stat", "-c", "%g", "/var/lib/reeve/members/" + ground.attacker.id))
    thief = ground.tenants["thief"]

    def way(user, password):
        string = thief.cluster(ground.names["thief"])["connectionStrings"]["privateEndpoint"][0]["connectionString"]
        return thief.dsn({"connectionStrings": {"pl": string}}, user, password, "pl")
    scene.thief_dsn, scene.victim_user = way, ("app", ground.tenants["victim"].secret)
    if not scene.check_works():
        raise AssertionError("the victim's own client finds nothing at the relay")
    ground.relays = scene
    return scene


def attacks(ground):
    """Nothing on a fleet without a relay host."""
    if not any(one.get("purpose") == "RELAY" for one in ground.fleet.hosts.values()):
        return
    for name, vantage, wall, attempt in relay_attacks.rows(set_up(ground)):
        yield Attack("relay: " + name, vantage, wall, attempt)
