/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/disk_below.h"
#include "engine/postgres/postgres.h"

/*
 * Patroni as it is, with corrections that its version 4.1 has and Debian's 4.0 has not. Without them a group of etcd cannot get users
 * while members work in it (docs/internals/etcd.md):
 * - newer gateways of etcd say what is wrong in `message` only, older ones in `error`, too. Patroni 4.0 reads `error`, and so understands
 *   neither that there are no users yet nor that there are now.
 * - a lease that is kept alive is refused without a token by newer etcd. Patroni 4.0 logs in again for every request but this one,
 *   and a primary whose lease was refused steps down.
 * And one that it has not: whoever is told to reload while Patroni still loads its modules would end it. Such a word waits.
 *
 * All of it in functions: Patroni starts PostgreSQL from a process of Python's that reads this file once more.
 */
static const char program[] = "# Written by reeve-agent, which overwrites whatever is changed here.\n"
                              "import signal\n"
                              "import sys\n"
                              "\n"
                              "\n"
                              "def correct_etcd():\n"
                              "    from patroni.dcs import etcd3\n"
                              "    read_error, client = etcd3._raise_for_data, etcd3.Etcd3Client\n"
                              "\n"
                              "    def read_message(data, status_code=None):\n"
                              "        if isinstance(data, dict) and 'message' in data and not data.get('error'):\n"
                              "            data = {**data, 'error': data['message']}\n"
                              "        return read_error(data, status_code)\n"
                              "\n"
                              "    etcd3._raise_for_data = read_message\n"
                              "    if client.lease_keepalive.__name__ == 'lease_keepalive':  # else it has it already\n"
                              "        client.lease_keepalive = etcd3._handle_auth_errors(client.lease_keepalive)\n"
                              "\n"
                              "\n"
                              "def start():\n"
                              "    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})\n"
                              "    from patroni.__main__ import main\n"
                              "    from patroni.daemon import AbstractPatroniDaemon as daemon\n"
                              "    from patroni.version import __version__ as version\n"
                              "    listen = daemon.setup_signal_handlers\n"
                              "\n"
                              "    def listen_to_signals(self):\n"
                              "        listen(self)\n"
                              "        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})\n"
                              "\n"
                              "    daemon.setup_signal_handlers = listen_to_signals\n"
                              "    if version.startswith('4.0.'):  # what is inside of another one is another matter\n"
                              "        correct_etcd()\n"
                              "    return main()\n"
                              "\n"
                              "\n"
                              "if __name__ == '__main__':\n"
                              "    sys.exit(start())\n";

error
start_write(struct engine_member *self)
{
    bool ignored;
    if (!disk_below_keep(self->arena, self->folder.data, START_FILE, str_from(program), 0640, self->files, &ignored))
        return problem(self->arena, "%s cannot be written: %s.", member_path(self, START_FILE).data, strerror(errno));
    return OK;
}

/*
 * Isolated: nothing that lies in the member's folder is taken for one of Python's modules. Ignored until the program above says otherwise: in a
 * small member Python alone takes half a second to begin.
 */
str
start_command(struct engine_member *self)
{
    return str_format(self->arena, "/usr/bin/env --ignore-signal=HUP /usr/bin/python3 -I %s %s",
                      member_path(self, START_FILE).data, member_path(self, "patroni.yml").data);
}
