/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fetch.h"

#include <stdlib.h>

#include "base/json.h"
#include "cli/output/output.h"

int
fetch_document(struct cli *cli, struct client *client, str target, json_t **ret_document)
{
    struct answer answer;
    struct request_out request = { .method = "GET", .target = target, .accept = "application/json" };
    int status = client_send(client, &request, &answer);
    if (status != EXIT_SUCCESS)
        return status;
    if (answer.status != 200)
        return output_error(cli, &answer);
    *ret_document = json_in(cli->arena, json_loadb(answer.body.data, answer.body.len, 0, NULL));
    return EXIT_SUCCESS;
}
