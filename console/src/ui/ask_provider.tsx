/* SPDX-License-Identifier: Apache-2.0 */
/* Asks somebody who signed in with their organization's provider to confirm there, in another tab: what they were about to do stays where it is. */
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { say } from "../messages";
import { Dialog } from "./basics";

const CHANNEL = "reeve.confirmed";

/* From the tab that came back; whoever waits asks the server again, so nobody is let in by this word. */
export function tellConfirmed(): void {
  new BroadcastChannel(CHANNEL).postMessage(true);
}

function Asking(props: { url: string; done: (confirmed: boolean) => void }) {
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = () => props.done(true);
    return () => channel.close();
  }, []);
  return (
    <Dialog title={say("confirm.provider")} close={() => props.done(false)}>
      <p>{say("confirm.text")}</p>
      <p>{say("confirm.providerText")}</p>
      <a class="button" href={props.url} target="_blank" rel="noreferrer">{say("confirm.provider")}</a>
    </Dialog>
  );
}

/* False: they closed the question. */
export function askProvider(url: string): Promise<boolean> {
  const place = document.body.appendChild(document.createElement("div"));
  return new Promise((resolve) => {
    const done = (confirmed: boolean) => {
      render(null, place);
      place.remove();
      resolve(confirmed);
    };
    render(<Asking url={url} done={done} />, place);
  });
}
