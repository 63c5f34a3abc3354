/* SPDX-License-Identifier: Apache-2.0 */
/* Signing in with a passkey, a password or the organization's identity provider, and the first one of somebody who got a link. */
import { useState } from "preact/hooks";
import { say } from "../messages";
import { ours, to } from "../route";
import { beginWithProvider, challenges, enrol, enrolmentOf, enrolPassword, signIn, signInWithPassword, type WayToProvider } from "../session";
import { site } from "../site";
import { Line, Screen, Show, Trouble, useLoaded } from "../ui/basics";
import { rememberNext } from "./from_provider";

function wanted(): string {
  return ours(new URLSearchParams(location.search).get("next") ?? "");
}

/* Does something once at a time, and shows what went wrong. */
function useTry(then: () => void) {
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const go = async (what: () => Promise<void>) => {
    setBusy(true);
    try {
      await what();
      then();
    } catch (failure) {
      setProblem(failure);
      setBusy(false);
    }
  };
  return { problem, busy, go };
}

function WithPassword(props: { busy: boolean; go: (what: () => Promise<void>) => void }) {
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const send = (event: Event) => {
    event.preventDefault();
    props.go(() => signInWithPassword(username, password));
  };
  return (
    <form onSubmit={send}>
      <Line label={say("signIn.username")}>
        {(ids) => <input {...ids} autocomplete="username" value={username} maxLength={254} required onInput={(event) => setUsername(event.currentTarget.value)} />}
      </Line>
      <Line label={say("signIn.secret")}>
        {(ids) => <input {...ids} type="password" autocomplete="current-password" value={password} maxLength={256} required onInput={(event) => setPassword(event.currentTarget.value)} />}
      </Line>
      <button type="submit" disabled={props.busy}>{say("signIn.password")}</button>
    </form>
  );
}

/* Away to the provider's pages; where they wanted to go waits in this tab. */
function WithProvider() {
  const [username, setUsername] = useState("");
  const [way, setWay] = useState<WayToProvider>({});
  const [problem, setProblem] = useState<unknown>();
  const begin = (provider?: string) =>
    beginWithProvider(username, provider).then((found) => {
      setProblem(undefined);
      setWay(found);
      if (!found.authorizationUrl) return;
      rememberNext(wanted());
      location.assign(found.authorizationUrl);
    }, setProblem);
  const send = (event: Event) => {
    event.preventDefault();
    void begin();
  };
  return (
    <form onSubmit={send}>
      <Line label={say("signIn.address")}>
        {(ids) => <input {...ids} autocomplete="username" value={username} maxLength={254} required onInput={(event) => setUsername(event.currentTarget.value)} />}
      </Line>
      <button type="submit" disabled={way.authorizationUrl !== undefined}>{say("signIn.provider")}</button>
      {way.identityProviders && <p>{say("signIn.providers")}</p>}
      {way.identityProviders?.map((one) => <button type="button" class="button" key={one.id} onClick={() => void begin(one.id)}>{one.displayName}</button>)}
      {problem !== undefined && <Trouble problem={problem} />}
    </form>
  );
}

export function SignIn() {
  const ways = useLoaded("ways", challenges);
  const { problem, busy, go } = useTry(() => location.assign(wanted()));
  return (
    <div class="alone">
      <Screen title={say("signIn.title")}>
        <Show of={ways}>
          {({ rpId, passwords }) => (
            <>
              {rpId ? <button type="button" class="button" disabled={busy} onClick={() => void go(signIn)}>{say("signIn.passkey")}</button> : <p>{say("signIn.noPasskeys")}</p>}
              {passwords && <WithPassword busy={busy} go={(what) => void go(what)} />}
              {site.providers && <WithProvider />}
            </>
          )}
        </Show>
        {problem !== undefined && <Trouble problem={problem} />}
        <p class="quiet">{say(site.signInHelp)}</p>
      </Screen>
    </div>
  );
}

/* The token is behind the #: it is not in any log of a server. */
export function Enrol() {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const token = location.hash.slice(1);
  const asked = useLoaded("enrolment", () => enrolmentOf(token));
  const { problem, busy, go } = useTry(() => location.replace(to()));
  const sent = (event: Event, what: () => Promise<void>) => {
    event.preventDefault();
    void go(what);
  };
  return (
    <div class="alone">
      <Screen title={say("enrol.title")}>
        <Show of={asked}>
          {({ rpId, passwords, recovers, username }) => (
            <>
              <p><strong>{username}</strong></p>
              {recovers && <p>{say("enrol.recovers")}</p>}
              {rpId && (
                <form onSubmit={(event) => sent(event, () => enrol(token, name || navigator.platform || "Passkey"))}>
                  <p>{say("enrol.text")}</p>
                  <Line label={say("enrol.name")} hint={say("enrol.nameHint")}>
                    {(ids) => <input {...ids} value={name} maxLength={80} onInput={(event) => setName(event.currentTarget.value)} />}
                  </Line>
                  <button type="submit" class="button" disabled={busy}>{say("enrol.make")}</button>
                </form>
              )}
              {passwords && (
                <form onSubmit={(event) => sent(event, () => enrolPassword(token, password))}>
                  <input type="hidden" autocomplete="username" value={username} />
                  <Line label={say("enrol.orPassword")} hint={say("enrol.passwordHint")}>
                    {(ids) => <input {...ids} type="password" autocomplete="new-password" value={password} minLength={12} maxLength={128} required onInput={(event) => setPassword(event.currentTarget.value)} />}
                  </Line>
                  <button type="submit" class="button" disabled={busy}>{say("enrol.usePassword")}</button>
                </form>
              )}
            </>
          )}
        </Show>
        {problem !== undefined && <Trouble problem={problem} />}
      </Screen>
    </div>
  );
}
