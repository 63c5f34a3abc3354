# SPDX-License-Identifier: Apache-2.0
"""Calls through the Python client that script/make-clients made: what a program of a team does in its first minute."""
import base64
import json
import os
import ssl
import sys
import urllib.parse
import urllib.request

sys.path.insert(0, sys.argv[1])
import reeve_client  # noqa: E402


def fetch_token(base_url):
    """The client cannot do this by itself: its generator knows OAuth only as a place to put a token."""
    pair = "%s:%s" % (os.environ["REEVE_CLIENT_ID"], os.environ["REEVE_CLIENT_SECRET"])
    request = urllib.request.Request(base_url + "/api/oauth/token", data=urllib.parse.urlencode({"grant_type": "client_credentials"}).encode(),
                                     headers={"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()})
    with urllib.request.urlopen(request, context=ssl.create_default_context(cafile=os.environ["REEVE_CA_FILE"])) as answer:
        return json.load(answer)["access_token"]


def main():
    base_url = os.environ["REEVE_SERVER"]
    configuration = reeve_client.Configuration(host=base_url + "/api/svc/v2")
    configuration.ssl_ca_cert = os.environ["REEVE_CA_FILE"]
    configuration.access_token = fetch_token(base_url)
    with reeve_client.ApiClient(configuration) as client:
        projects, clusters = reeve_client.ProjectsApi(client), reeve_client.ClustersApi(client)
        made = projects.create_project(reeve_client.ProjectInput(name="python", org_id=os.environ["REEVE_ORG_ID"]))
        assert isinstance(made, reeve_client.Project) and made.name == "python", made
        again = projects.get_project(made.id)
        assert (again.id, again.org_id, again.created) == (made.id, os.environ["REEVE_ORG_ID"], made.created), again
        assert made.id in [one.id for one in projects.list_projects().results]
        wanted = {"name": "orders", "replicationSpecs": [{"regionConfigs": [
            {"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": 3}}]}]}
        cluster = clusters.create_group_cluster(made.id, wanted)
        assert cluster.replication_specs[0].region_configs[0].electable_specs.node_count == 3, cluster
        assert [one.name for one in clusters.list_group_clusters(made.id).results] == ["orders"]
        try:
            projects.get_project("650000000000000000000009")
            raise AssertionError("a project that is not there")
        except reeve_client.ApiException as refused:
            assert refused.status == 404 and json.loads(refused.body)["errorCode"], refused
    print("7 passed, 0 failed")


main()
