/* SPDX-License-Identifier: Apache-2.0 */
/* Back from the pages of an identity provider. Each provider sends people to an address of its own here, and the server compares. */
import { useEffect, useState } from "preact/hooks";
import { say } from "../messages";
import { ours, to } from "../route";
import { finishWithProvider } from "../session";
import { tellConfirmed } from "../ui/ask_provider";
import { Screen, Trouble } from "../ui/basics";

const NEXT = "reeve.next";

export function rememberNext(address: string): void {
  sessionStorage.setItem(NEXT, address);
}

function next(): string {
  return ours(sessionStorage.getItem(NEXT) ?? "");
}

/* The answer of a SAML provider comes as a form that is posted to the service, which hands it over here; it is taken once. */
const SAML = "reeve.saml";

function fromSaml(provider: string): Record<string, string> | undefined {
  const kept = sessionStorage.getItem(SAML);
  sessionStorage.removeItem(SAML);
  if (kept === null) return undefined;
  const said = JSON.parse(kept) as Record<string, string>;
  return { identityProviderId: provider, samlResponse: said.response ?? "", relayState: said.state ?? "" };
}

/* What the provider says is in the address, which anybody can write: only what is known of it becomes a sentence. */
function fromAddress(provider: string): Record<string, string> {
  const words = new URLSearchParams(location.search);
  if (words.get("error") === "access_denied") throw new Error(say("provider.denied"));
  const brought: Record<string, string> = { identityProviderId: provider, code: words.get("code") ?? "", state: words.get("state") ?? "" };
  if (words.get("error")) brought.code = "";
  if (words.get("iss")) brought.issuer = words.get("iss")!;
  return brought;
}

function broughtBack(provider: string): Record<string, string> {
  const brought = fromSaml(provider) ?? fromAddress(provider);
  if (Object.values(brought).includes("")) throw new Error(say("provider.nothing"));
  return brought;
}

export function FromProvider(props: { provider: string }) {
  const [problem, setProblem] = useState<unknown>();
  const [confirmed, setConfirmed] = useState(false);
  useEffect(() => {
    let brought: Record<string, string>;
    try {
      brought = broughtBack(props.provider);
    } catch (wrong) {
      setProblem(wrong);
      return;
    } finally {
      history.replaceState(null, "", location.pathname); /* the code is not to be read from there, or gone back to */
    }
    finishWithProvider(brought).then(({ sessionId }) => {
      if (sessionId) {
        location.replace(next());
        return;
      }
      setConfirmed(true);
      tellConfirmed();
    }, setProblem);
  }, []);
  return (
    <div class="alone">
      <Screen title={say("provider.title")}>
        {confirmed && <p>{say("provider.confirmed")}</p>}
        {problem !== undefined && <Trouble problem={problem} />}
        {problem !== undefined && <a class="button" href={to("sign-in") + "?next=" + encodeURIComponent(next())}>{say("provider.again")}</a>}
        {problem === undefined && !confirmed && <p class="quiet" aria-live="polite">{say("state.loading")}</p>}
      </Screen>
    </div>
  );
}
