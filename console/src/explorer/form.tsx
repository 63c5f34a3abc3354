/* SPDX-License-Identifier: Apache-2.0 */
/* A form for any body, drawn from the fields of the tables. What is left empty is not sent. */
import { useId, useState } from "preact/hooks";
import type { Field } from "../catalog";
import { say } from "../messages";
import { Doc } from "../ui/doc";

export type Value = unknown;
type Change = (value: Value) => void;

/* An empty text means: not set. A number that is none is sent as it is, and the service says what is wrong with it. */
function read(field: Field, text: string): Value {
  if (text === "") return undefined;
  if (field.type === "integer" || field.type === "number") return Number.isNaN(Number(text)) ? text : Number(text);
  if (field.type === "boolean") return text === "true";
  return field.oneOf?.find((one) => String(one) === text) ?? text;
}

/* A value of any form, as JSON: where the tables do not say what is in it. */
function Free(props: { at: string; field: Field; value: Value; change: Change }) {
  const id = useId();
  const { field, value } = props;
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value));
  const [isWrong, setWrong] = useState(false);
  /* It was set from elsewhere, by the example. */
  const shown = value !== undefined && !isWrong && !same(text, value) ? JSON.stringify(value) : text;
  const typed = (next: string) => {
    setText(next);
    try {
      props.change(next === "" ? undefined : JSON.parse(next));
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  return (
    <div class="line">
      <label for={id}>{field.name} ({say("explorer.body")}){field.required && <span class="must" aria-hidden="true"> *</span>}</label>
      <textarea id={id} rows={3} data-field={props.at} data-type="json" spellcheck={false} aria-invalid={isWrong} aria-describedby={id + "-doc"} value={shown} onInput={(event) => typed(event.currentTarget.value)} />
      <p class="hint" id={id + "-doc"}>{isWrong ? say("explorer.wrong") : <Doc text={field.doc} />}</p>
    </div>
  );
}

function same(text: string, value: Value): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

function Choice(props: { id: string; at: string; field: Field; value: Value; change: Change }) {
  const options = props.field.type === "boolean" ? ["true", "false"] : (props.field.oneOf ?? []).map(String);
  return (
    <select id={props.id} data-field={props.at} aria-describedby={props.id + "-doc"} value={props.value === undefined ? "" : String(props.value)} onChange={(event) => props.change(read(props.field, event.currentTarget.value))}>
      <option value="">{say("explorer.unset")}</option>
      {options.map((option) => <option key={option} value={option}>{option}</option>)}
    </select>
  );
}

/* idle: it is in something that is not sent, so nothing of it must be entered. */
function Scalar(props: { at: string; field: Field; idle: boolean; value: Value; change: Change }) {
  const id = useId();
  const { at, field, value, change } = props;
  const must = field.required && !props.idle;
  const isChoice = field.type === "boolean" || (field.oneOf?.length ?? 0) > 0;
  return (
    <div class="line">
      <label for={id}>{field.name}{must && <span class="must" aria-hidden="true"> *</span>}</label>
      {isChoice ? <Choice id={id} at={at} field={field} value={value} change={change} /> : (
        <input id={id} data-field={at} aria-describedby={id + "-doc"} required={must} value={value === undefined ? "" : String(value)} autocomplete="off" spellcheck={false}
          type={field.type === "integer" || field.type === "number" ? "number" : field.writeOnly && /pass|secret|key/i.test(field.name) ? "password" : "text"} step="any"
          placeholder={field.example === undefined || typeof field.example === "object" ? undefined : String(field.example)}
          onInput={(event) => change(read(field, event.currentTarget.value))} />
      )}
      <p class="hint" id={id + "-doc"}><Doc text={field.doc} /></p>
    </div>
  );
}

function List(props: { at: string; field: Field; value: Value; change: Change }) {
  const { at, field, change } = props;
  const values = Array.isArray(props.value) ? (props.value as Value[]) : [];
  const item: Field = field.of
    ? { name: field.name, type: "object", doc: "", of: field.of }
    : { name: field.name, type: field.item ?? "text", doc: "", oneOf: field.oneOf, required: true };
  return (
    <fieldset>
      <legend>{field.name}{field.required && <span class="must" aria-hidden="true"> *</span>}</legend>
      <p class="hint"><Doc text={field.doc} /></p>
      {values.map((value, i) => (
        <div class="item" key={i}>
          <One at={`${at}.${i}`} field={item} idle={false} value={value} change={(changed) => change(values.map((one, k) => (k === i ? changed : one)))} />
          <button type="button" class="small" onClick={() => change(values.length === 1 ? undefined : values.filter((_, k) => k !== i))}>{say("explorer.remove")}</button>
        </div>
      ))}
      {(!field.max || values.length < field.max) && (
        <button type="button" class="small" data-add={at} onClick={() => change([...values, field.of || item.type === "object" ? {} : ""])}>{say("explorer.add")} {field.name}</button>
      )}
      {values.length === 0 && (props.value === undefined
        ? <button type="button" class="small" data-empty={at} onClick={() => change([])}>{say("explorer.none")}</button>
        : <button type="button" class="small" onClick={() => change(undefined)}>{say("explorer.notNone")}</button>)}
    </fieldset>
  );
}

function One(props: { at: string; field: Field; idle: boolean; value: Value; change: Change }) {
  const { at, field, value, change } = props;
  if (field.type === "list") return <List at={at} field={field} value={value} change={change} />;
  if (field.type !== "object") return <Scalar at={at} field={field} idle={props.idle} value={value} change={change} />;
  if (!field.of) return <Free at={at} field={field} value={value} change={change} />;
  return (
    <fieldset>
      {field.doc && <legend>{field.name}{field.required && <span class="must" aria-hidden="true"> *</span>}</legend>}
      {field.doc && <p class="hint"><Doc text={field.doc} /></p>}
      <Fields at={at} fields={field.of} idle={value === undefined && (props.idle || !field.required)} value={value} change={change} />
    </fieldset>
  );
}

/* Of two forms of a field with the same name, one that has what either has. */
function joined(fields: Field[]): Field[] {
  const byName = new Map<string, Field>();
  for (const field of fields) {
    const other = byName.get(field.name);
    byName.set(field.name, other?.of && field.of ? { ...other, of: joined([...other.of, ...field.of]) } : (other ?? field));
  }
  return [...byName.values()];
}

/* For a change: what is not sent stays as it is, so nothing must be; and what can only be set at the beginning is not offered. Items of lists are whole. */
export function forChange(fields: Field[]): Field[] {
  return joined(fields.flatMap((field): Field[] => {
    const variants = Object.entries(field.variants ?? {}).map(([value, further]): [string, Field[]] => [value, forChange(further)]);
    if (field.createOnly) return variants.flatMap(([, further]) => further);
    return [{ ...field, required: false, of: field.type === "object" && field.of ? forChange(field.of) : field.of, variants: field.variants && Object.fromEntries(variants) }];
  }));
}

/* Some fields decide which others there are. Where one need not be sent, since it is known already, everything that there may be is offered. */
function withVariants(fields: Field[], known: Record<string, Value>): Field[] {
  return joined(fields.flatMap((field) => {
    if (!field.variants) return [field];
    const value = known[field.name];
    const further = value !== undefined ? (field.variants[String(value)] ?? []) : field.required ? [] : Object.values(field.variants).flat().map((one) => ({ ...one, required: false }));
    return [field, ...withVariants(further, known)];
  }));
}

/* Required fields and those that came with a value first; the rest is one click away, and stays there while somebody types into it. */
export function Fields(props: { at?: string; fields: Field[]; idle?: boolean; value: Value; change: Change }) {
  const known = (typeof props.value === "object" && props.value !== null ? props.value : {}) as Record<string, Value>;
  const set = (name: string, value: Value) => {
    const next = { ...known };
    if (value === undefined) delete next[name];
    else next[name] = value;
    props.change(Object.keys(next).length > 0 ? next : undefined);
  };
  const draw = (field: Field) => <One key={field.name} at={props.at ? `${props.at}.${field.name}` : field.name} field={field} idle={props.idle ?? false} value={known[field.name]} change={(value) => set(field.name, value)} />;
  const [given] = useState(() => new Set(Object.keys(known)));
  const isMain = (field: Field) => field.required || given.has(field.name);
  const fields = withVariants(props.fields, known);
  const main = fields.filter(isMain), more = fields.filter((field) => !isMain(field));
  return (
    <>
      {main.map(draw)}
      {more.length > 0 && (
        <details open={main.length === 0}><summary>{say("explorer.advanced")} ({more.length})</summary>{more.map(draw)}</details>
      )}
    </>
  );
}
