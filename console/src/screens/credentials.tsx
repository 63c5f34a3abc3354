/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody signs in with: their passkeys and their password. */
import { useState } from "preact/hooks";
import { ask, Problem } from "../api";
import { change } from "../confirmed";
import { say, whenAgo } from "../messages";
import { addPasskey, type Credentials, type Passkey } from "../session";
import { Line, Show, Trouble, useLoaded } from "../ui/basics";
import { Table } from "../ui/table";

/* What changes something, and then shows how it is. */
function useChanges(again: () => void) {
  const [problem, setProblem] = useState<unknown>();
  const go = (what: () => Promise<unknown>) =>
    what().then(
      () => (setProblem(undefined), again()),
      (failure: unknown) => setProblem(failure),
    );
  return { problem, go };
}

function Passkeys(props: { known: Credentials; again: () => void }) {
  const { problem, go } = useChanges(props.again);
  const [name, setName] = useState("");
  const remove = (one: Passkey) => go(() => change("/api/passkeys/remove", { method: "POST", body: { passkeyId: one.passkeyId } }));
  const add = (event: Event) => {
    event.preventDefault();
    void go(() => addPasskey(props.known, name || "Passkey").then(() => setName("")));
  };
  return (
    <>
      <h2>{say("account.passkeys")}</h2>
      <Table label={say("account.passkeys")} rows={props.known.results} keyOf={(one) => one.passkeyId} columns={[
        { title: say("enrol.name"), show: (one) => one.name },
        { title: say("account.since"), show: (one) => whenAgo(one.createdAt) },
        { title: say("account.used"), show: (one) => (one.usedAt ? whenAgo(one.usedAt) : "–") },
        { title: "", show: (one) => <button type="button" class="small" onClick={() => void remove(one)}>{say("account.remove")}</button> },
      ]} />
      {props.known.passkeys && (
        <form onSubmit={add}>
          <Line label={say("enrol.name")} hint={say("enrol.nameHint")}>
            {(ids) => <input {...ids} value={name} maxLength={80} onInput={(event) => setName(event.currentTarget.value)} />}
          </Line>
          <button type="submit" class="button">{say("account.addPasskey")}</button>
        </form>
      )}
      {problem !== undefined && <Trouble problem={problem} />}
    </>
  );
}

function Password(props: { known: Credentials; again: () => void }) {
  const { problem, go } = useChanges(props.again);
  const [password, setPassword] = useState("");
  const since = props.known.passwordChangedAt;
  const set = (event: Event) => {
    event.preventDefault();
    void go(() => change("/api/password", { method: "POST", body: { password } }).then(() => setPassword("")));
  };
  return (
    <>
      <h2>{say("signIn.secret")}</h2>
      <p>{since ? say("account.passwordSince") + " " + whenAgo(since) : say("account.noPassword")}</p>
      <form onSubmit={set}>
        <Line label={say("account.newPassword")} hint={say("enrol.passwordHint")}>
          {(ids) => <input {...ids} type="password" autocomplete="new-password" value={password} minLength={12} maxLength={128} required onInput={(event) => setPassword(event.currentTarget.value)} />}
        </Line>
        <button type="submit" class="button">{say("account.setPassword")}</button>
        {since && <button type="button" class="small" onClick={() => void go(() => change("/api/password/remove", { method: "POST", body: {} }))}>{say("account.removePassword")}</button>}
      </form>
      {problem !== undefined && <Trouble problem={problem} />}
    </>
  );
}

export function SignInWith() {
  const known = useLoaded("credentials", (signal) => ask<Credentials>("/api/passkeys", { signal }));
  const again = () => known.state === "there" && known.again();
  /* What they sign in with beside their organization's provider is not that provider's business. */
  if (known.state === "failed" && known.problem instanceof Problem && known.problem.code === "SESSION_OF_PROVIDER") return null;
  return (
    <Show of={known}>
      {(value) => (
        <>
          <Passkeys known={value} again={again} />
          {value.passwords && <Password known={value} again={again} />}
        </>
      )}
    </Show>
  );
}
