// SPDX-License-Identifier: Apache-2.0
// Calls through the Go client that script/make-clients made: what a program of a team does in its first minute.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
	"reeve"
)

func must(good bool, what string, more ...interface{}) {
	if !good {
		fmt.Println("FAILED", what, more)
		os.Exit(1)
	}
}

func main() {
	pem, err := os.ReadFile(os.Getenv("REEVE_CA_FILE"))
	must(err == nil, "certificate", err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	plain := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, plain)
	server := os.Getenv("REEVE_SERVER")
	account := clientcredentials.Config{ClientID: os.Getenv("REEVE_CLIENT_ID"), ClientSecret: os.Getenv("REEVE_CLIENT_SECRET"), TokenURL: server + "/api/oauth/token"}

	configuration := reeve.NewConfiguration()
	configuration.HTTPClient = account.Client(ctx)
	configuration.Servers = reeve.ServerConfigurations{{URL: server + "/api/svc/v2"}}
	client := reeve.NewAPIClient(configuration)

	made, _, err := client.ProjectsApi.CreateProject(ctx).ProjectInput(*reeve.NewProjectInput("golang", os.Getenv("REEVE_ORG_ID"))).Execute()
	must(err == nil && made.GetName() == "golang", "create", err)
	again, _, err := client.ProjectsApi.GetProject(ctx, made.GetId()).Execute()
	must(err == nil && again.GetOrgId() == os.Getenv("REEVE_ORG_ID"), "get", err)
	list, _, err := client.ProjectsApi.ListProjects(ctx).Execute()
	must(err == nil && len(list.GetResults()) > 0, "list", err)
	clusters, _, err := client.ClustersApi.ListGroupClusters(ctx, made.GetId()).Execute()
	must(err == nil && len(clusters.GetResults()) == 0, "clusters", err)
	_, answer, err := client.ProjectsApi.GetProject(ctx, "650000000000000000000009").Execute()
	must(err != nil && answer != nil && answer.StatusCode == 404, "a project that is not there", err)
	fmt.Println("5 passed, 0 failed")
}
