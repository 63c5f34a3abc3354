/* SPDX-License-Identifier: Apache-2.0 */
/* Asks somebody who has no passkey for their password once more. */
import { render } from "preact";
import { useState } from "preact/hooks";
import { say } from "../messages";
import { Dialog, Line } from "./basics";

function Asking(props: { done: (password: string | undefined) => void }) {
  const [password, setPassword] = useState("");
  const go = (event: Event) => {
    event.preventDefault();
    props.done(password);
  };
  return (
    <Dialog title={say("confirm.title")} close={() => props.done(undefined)}>
      <form onSubmit={go}>
        <p>{say("confirm.text")}</p>
        <Line label={say("signIn.secret")}>
          {(ids) => <input {...ids} type="password" autocomplete="current-password" value={password} maxLength={256} required onInput={(event) => setPassword(event.currentTarget.value)} />}
        </Line>
        <button type="submit" class="button">{say("confirm.go")}</button>
      </form>
    </Dialog>
  );
}

/* undefined: they closed the question. */
export function askPassword(): Promise<string | undefined> {
  const place = document.body.appendChild(document.createElement("div"));
  return new Promise((resolve) => {
    const done = (password: string | undefined) => {
      render(null, place);
      place.remove();
      resolve(password);
    };
    render(<Asking done={done} />, place);
  });
}
