/* SPDX-License-Identifier: Apache-2.0 */
/* A program that wants to work in somebody's name: they see what it is, and decide. Others may have sent them here, so the page says so before anything else. */
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { change } from "../confirmed";
import { useWorld } from "../frame";
import { say, whenAgo } from "../messages";
import { Line, Screen, Trouble } from "../ui/basics";

interface Seen {
  userCode: string;
  state: "LOOKING" | "FOUND" | "APPROVED" | "DENIED";
  deviceId?: string;
  host?: string;
  address?: string;
  askedAt?: string;
}

const AGAIN_MS = 1500;

function look(userCode: string): Promise<Seen> {
  return ask<Seen>("/api/sign-in/device/look", { method: "POST", body: { userCode } });
}

/* The names of all roles that the person has somewhere: the program gets the same. */
function useRoles(): string {
  const { grants } = useWorld().person;
  const names = [...Object.values(grants.organizations).flat(), ...Object.values(grants.projects).flatMap((one) => one.roles)];
  return [...new Set(names)].sort().join(", ") || "–";
}

function Question(props: { seen: Seen; decide: (approved: boolean) => void }) {
  const { seen } = props;
  const roles = useRoles();
  return (
    <section>
      <h2>{say("device.question")}</h2>
      <p role="alert"><b>{say("device.warning", { code: seen.userCode })}</b></p>
      <dl>
        <dt>{say("device.host")}</dt><dd>{seen.host}</dd>
        <dt>{say("device.address")}</dt><dd>{seen.address}</dd>
        <dt>{say("device.asked")}</dt><dd>{whenAgo(seen.askedAt ?? "")}</dd>
        <dt>{say("device.gets")}</dt><dd>{roles}</dd>
      </dl>
      <button type="button" class="button" onClick={() => props.decide(false)}>{say("device.deny")}</button>{" "}
      <button type="button" onClick={() => props.decide(true)}>{say("device.approve")}</button>
    </section>
  );
}

export function Device() {
  const { place } = useWorld();
  const [code, setCode] = useState(place.query.get("code") ?? "");
  const [seen, setSeen] = useState<Seen>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    if (seen?.state !== "LOOKING") return;
    const timer = setTimeout(() => look(seen.userCode).then(setSeen, setProblem), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [seen]);
  /* A code that came with the address is not looked up by itself: whoever follows a link decides that, too. */
  const begin = (event: Event) => {
    event.preventDefault();
    setProblem(undefined);
    look(code).then(setSeen, setProblem);
  };
  const decide = (approved: boolean) => {
    const now = seen!;
    change<void>("/api/sign-in/device/decide", { method: "POST", body: { deviceId: now.deviceId, approved } }).then(
      () => setSeen({ ...now, state: approved ? "APPROVED" : "DENIED" }), setProblem);
  };
  return (
    <Screen title={say("device.title")}>
      {seen === undefined && (
        <form onSubmit={begin}>
          <p>{say("device.text")}</p>
          <Line label={say("device.code")} hint={say("device.codeHint")}>
            {(ids) => <input {...ids} value={code} maxLength={20} autocomplete="off" onInput={(event) => setCode(event.currentTarget.value)} />}
          </Line>
          <button type="submit" class="button">{say("device.look")}</button>
        </form>
      )}
      {seen?.state === "LOOKING" && <p role="status">{say("device.looking", { code: seen.userCode })}</p>}
      {seen?.state === "FOUND" && <Question seen={seen} decide={decide} />}
      {seen?.state === "APPROVED" && <p role="status">{say("device.approved")}</p>}
      {seen?.state === "DENIED" && <p role="status">{say("device.denied")}</p>}
      {problem !== undefined && <Trouble problem={problem} />}
    </Screen>
  );
}
