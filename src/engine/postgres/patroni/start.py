# SPDX-License-Identifier: Apache-2.0
# Written by reeve-agent, which overwrites whatever is changed here.
"""Patroni as it is, with corrections. Each is for the 4.0 of Debian only: what is inside of another one is another matter.

All of it in functions: Patroni may start PostgreSQL from a process of Python's that reads this file once more.
"""
import signal
import subprocess
import sys
import threading
import time

FIRST_PAUSE_S = 0.05
IMPATIENT_S = 5  # for so long something that has just begun is looked at every IMPATIENT_PAUSE_S
IMPATIENT_PAUSE_S = 0.3


def read_quickly():
    """Each Patroni that starts reads the list of PostgreSQL's parameters: a fifth of the time that its modules take, unless C does it."""
    import yaml
    if hasattr(yaml, "CSafeLoader"):
        yaml.safe_load = lambda stream: yaml.load(stream, Loader=yaml.CSafeLoader)


# ---- What 4.1 has ----
def correct_etcd():
    """Without these a group of etcd cannot get users while members work in it (docs/internals/etcd.md).

    Newer gateways of etcd say what is wrong in `message` only, older ones in `error`, too. Patroni 4.0 reads `error`, and so understands
    neither that there are no users yet nor that there are now. And a lease that is kept alive is refused without a token by newer etcd:
    Patroni 4.0 logs in again for every request but this one, and a primary whose lease was refused steps down.
    """
    from patroni.dcs import etcd3
    read_error, client = etcd3._raise_for_data, etcd3.Etcd3Client

    def read_message(data, status_code=None):
        if isinstance(data, dict) and 'message' in data and not data.get('error'):
            data = {**data, 'error': data['message']}
        return read_error(data, status_code)

    etcd3._raise_for_data = read_message
    if client.lease_keepalive.__name__ == 'lease_keepalive':  # else it has it already
        client.lease_keepalive = etcd3._handle_auth_errors(client.lease_keepalive)


# ---- Waiting for what happens, and not for the next loop. Nothing here decides anything: Patroni looks sooner, and by the same rules ----
def growing_pauses(timeout, interval=1):
    """As patroni.utils.polling_loop, but what is there at once is seen at once."""
    until, pause, number = time.time() + timeout, FIRST_PAUSE_S, 0
    while time.time() < until:
        yield number
        number += 1
        time.sleep(pause)
        pause = min(pause * 2, float(interval))


def look_sooner():
    """A server that starts or is promoted, and a primary that is asked to let a synchronous replica go."""
    from patroni import ha, postgresql

    def wait_for_startup(self, timeout=0):
        pause = FIRST_PAUSE_S
        while not self.check_startup_state_changed():
            if self.cancellable.is_cancelled or timeout and self.time_in_state() > timeout:
                return None
            time.sleep(pause)
            pause = min(pause * 2, 1)
        return self.state == 'running'

    postgresql.polling_loop = ha.polling_loop = growing_pauses
    postgresql.Postgresql.wait_for_startup = wait_for_startup


class DirectStart:
    """Stands for a process of Python's, which needs longer to begin than PostgreSQL. The shell ends at once, so nobody here is its parent.

    What a shell starts in the background ignores SIGINT and SIGQUIT. Patroni stops a server with them, and waits without end for one that
    begins: `env` takes that back.
    """
    pid = None

    def Pipe(self, _duplex):
        return self, None

    def Process(self, target, args):
        self.command, self.environment = args[1:]
        return self

    def start(self):
        words = ['/bin/sh', '-c', '"$@" >&2 & echo $!', 'sh', '/usr/bin/env', '--default-signal=INT,QUIT', *self.command]
        done = subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
        self.pid = int(done.stdout) if done.returncode == 0 else None

    def recv(self):
        return self.pid

    def join(self):
        pass


def start_directly():
    from patroni.postgresql import postmaster

    class Contexts:
        @staticmethod
        def get_context(_kind):
            return DirectStart()

    postmaster.multiprocessing = Contexts


def assign_at_once():
    """Patroni waits two seconds for replicas to become synchronous. It is asked all the time instead, and waits as long at most."""
    from patroni import ha
    here = threading.local()
    assign = ha.Ha._process_multisync_replication

    class Clock:
        def __getattr__(self, name):
            return getattr(time, name)

        @staticmethod
        def sleep(seconds):
            asked = getattr(here, 'assigns', None)
            if asked is None:
                return time.sleep(seconds)
            for _ in growing_pauses(seconds):
                asked.state_handler.reset_cluster_info_state(None)
                state = asked.state_handler.sync_handler.current_state(asked.cluster)
                if state.active and state.active <= state.sync_confirmed:
                    return None
            return asked.state_handler.reset_cluster_info_state(None)  # or Patroni's own look would see the last one of these

    def assign_quickly(self):
        here.assigns = self
        try:
            assign(self)
        finally:
            here.assigns = None

    ha.time = Clock()
    ha.Ha._process_multisync_replication = assign_quickly


def hear_of_members():
    """The leader hears at once when a member begins or ends to follow it, and replicas when one of them became synchronous."""
    import json

    from patroni.dcs import etcd3
    from patroni.ha import Ha
    process_event, watch = etcd3.KVCache._process_event, Ha.watch
    words = ('state', 'role', 'replication_state', 'tags')
    heard = {'at': 0.0}

    def state_of(kv):
        try:
            said = json.loads(etcd3.base64_decode(kv['value']))
            return [said.get(word) for word in words]
        except (KeyError, TypeError, ValueError, AttributeError):
            return None

    def process_and_wake(self, event):
        kv, before = event['kv'], self.get(event['kv']['key'])
        key = etcd3.base64_decode(kv['key'])
        process_event(self, event)
        leads = (self.get(self._leader_key) or {}).get('value') == self._name
        if leads and key.startswith(self._dcs.members_path) and key != self._dcs.member_path and state_of(before) != state_of(kv):
            heard['at'] = time.monotonic()
            self._dcs.event.set()
        elif not leads and key == self._dcs.sync_path:
            self._dcs.event.set()

    def is_impatient(self):
        server = self.state_handler
        if self._async_executor.busy or not self.cluster or server.state != 'running':
            return False
        if self.has_lock(False):
            return self.is_synchronous_mode() and not self.cluster.sync.members and time.monotonic() - heard['at'] < IMPATIENT_S
        return server.time_in_state() < IMPATIENT_S and server.replication_state() != 'streaming'

    def watch_impatiently(self, timeout):
        try:
            is_soon = is_impatient(self)
        except Exception:  # whatever it is, it is no reason not to watch
            is_soon = False
        return watch(self, min(timeout, IMPATIENT_PAUSE_S)) or True if is_soon else watch(self, timeout)

    etcd3.KVCache._process_event = process_and_wake
    Ha.watch = watch_impatiently


# ---- Signals ----
def hear_signals():
    """Whoever is told to reload while Patroni still loads its modules would end it: such a word waits. Later it is heeded at once, by a
    thread of its own, because a handler must not wait for a lock that the thread under it may have."""
    from patroni.daemon import AbstractPatroniDaemon as daemon
    listen, note = daemon.setup_signal_handlers, daemon.sighup_handler

    def wake(self):
        if getattr(self, 'ha', None):
            self.ha.wakeup()

    def sighup_handler(self, *arguments):
        note(self, *arguments)
        threading.Thread(target=wake, args=(self,), daemon=True).start()

    def listen_to_signals(self):
        listen(self)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})

    daemon.sighup_handler = sighup_handler
    daemon.setup_signal_handlers = listen_to_signals


def start():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    read_quickly()
    from patroni.__main__ import main
    from patroni.version import __version__ as version
    hear_signals()
    if version.startswith('4.0.'):
        correct_etcd()
        look_sooner()
        start_directly()
        assign_at_once()
        hear_of_members()
    return main()


if __name__ == '__main__':
    sys.exit(start())
