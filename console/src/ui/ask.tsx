/* SPDX-License-Identifier: Apache-2.0 */
/* A button that asks for a few things and then does it. What people do most is a row of fields here, and not a form of everything there is. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Context } from "../catalog";
import { Act } from "../frame";
import { say } from "../messages";
import { Copy, Dialog, Line, Trouble } from "./basics";

export interface Asked {
  name: string;
  label: string;
  hint?: string;
  type?: "text" | "password" | "number" | "email" | "date";
  options?: [value: string, label: string][]; /* one of these */
  value?: string;
  optional?: boolean;
}

export type Answers = Record<string, string>;

/* A secret that is shown once: it cannot be asked for again. */
export function Secret(props: { text: string; children: ComponentChildren }) {
  return <><p>{props.children}</p><div class="copied"><code>{props.text}</code><Copy text={props.text} /></div></>;
}

function Question(props: { title: string; text?: string; fields: Asked[]; confirm: string; danger?: boolean; send: (answers: Answers) => Promise<ComponentChildren | void>; close: () => void }) {
  const [answers, setAnswers] = useState<Answers>(() => Object.fromEntries(props.fields.map((one) => [one.name, one.value ?? one.options?.[0]?.[0] ?? ""])));
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<ComponentChildren>();
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const answer = await props.send(answers);
      if (answer) setSaid(answer);
      else props.close();
    } catch (failure) {
      setProblem(failure);
    }
    setBusy(false);
  };
  if (said) return <Dialog title={props.title} close={props.close}>{said}<div class="actions end"><button type="button" class="button" onClick={props.close}>{say("dialog.close")}</button></div></Dialog>;
  return (
    <Dialog title={props.title} close={props.close}>
      <form onSubmit={send}>
        {props.text && <p>{props.text}</p>}
        {props.fields.map((one, i) => (
          <Line key={one.name} label={one.label} hint={one.hint}>
            {(ids) => one.options
              ? <select {...ids} value={answers[one.name]} onChange={(event) => setAnswers({ ...answers, [one.name]: event.currentTarget.value })}>{one.options.map(([value, label]) => <option key={value} value={value}>{label}</option>)}</select>
              : <input {...ids} autofocus={i === 0} type={one.type ?? "text"} required={!one.optional} autocomplete={one.type === "password" ? "new-password" : "off"} spellcheck={false} value={answers[one.name]} onInput={(event) => setAnswers({ ...answers, [one.name]: event.currentTarget.value })} />}
          </Line>
        ))}
        {problem !== undefined && <Trouble problem={problem} />}
        <div class="actions end">
          <button type="button" onClick={props.close}>{say("dialog.cancel")}</button>
          <button type="submit" class={props.danger ? "button danger" : "button"} disabled={busy}>{props.confirm}</button>
        </div>
      </form>
    </Dialog>
  );
}

export function AskAct(props: {
  operation: string; in: Context; label: string; of?: string; title?: string; text?: string; fields: Asked[]; danger?: boolean; quiet?: boolean; small?: boolean;
  send: (answers: Answers) => Promise<ComponentChildren | void>; done?: () => void;
}) {
  const [open, setOpen] = useState(false);
  const close = () => (setOpen(false), props.done?.());
  return (
    <>
      <Act operation={props.operation} in={props.in} danger={props.danger} quiet={props.quiet} small={props.small} act={() => setOpen(true)}>{props.label}{props.of && <span class="hidden"> {props.of}</span>}</Act>
      {open && <Question title={props.title ?? props.label} text={props.text} fields={props.fields} confirm={props.label} danger={props.danger} send={props.send} close={close} />}
    </>
  );
}

/* A question that is answered by typing the name of the thing: nobody confirms it by habit. */
export function ConfirmByName(props: { title: string; ask: string; name: string; confirm: string; isReady?: boolean; send: () => Promise<unknown>; close: () => void; children: ComponentChildren }) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const send = async (event: Event) => {
    event.preventDefault();
    if (typed !== props.name) return;
    setBusy(true);
    try {
      await props.send();
    } catch (failure) {
      setProblem(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={props.title} close={props.close}>
      <form onSubmit={send}>
        {props.children}
        <Line label={props.ask}>
          {(ids) => <input {...ids} autofocus autocomplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />}
        </Line>
        {problem !== undefined && <Trouble problem={problem} />}
        <div class="actions end">
          <button type="button" onClick={props.close}>{say("dialog.cancel")}</button>
          <button type="submit" class="button danger" disabled={busy || props.isReady === false || typed !== props.name}>{props.confirm}</button>
        </div>
      </form>
    </Dialog>
  );
}
