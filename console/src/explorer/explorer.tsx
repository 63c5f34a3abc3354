/* SPDX-License-Identifier: Apache-2.0 */
/* Every operation of the API: a list to look through, and a form that sends it. */
import { useMemo, useState } from "preact/hooks";
import { send } from "../api";
import { type Context, type Details, detailsOf, missingRoles, type Operation } from "../catalog";
import { change as confirmed } from "../confirmed";
import { Act, useWorld } from "../frame";
import { say } from "../messages";
import { rank } from "../palette";
import { to } from "../route";
import { site } from "../site";
import { Empty, Screen, Show, State, Trouble, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { Doc } from "../ui/doc";
import { Fields, forChange, type Value } from "./form";
import { Places } from "./places";

export function ExplorerList() {
  const { catalog, person, context } = useWorld();
  const [text, setText] = useState("");
  const families = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = new Map<string, Operation[]>();
    for (const one of catalog.operations.values()) {
      if (words.length > 0 && rank({ title: one.summary, detail: `${one.method} ${one.path} ${one.id}` }, words) === 0) continue;
      groups.set(one.family, [...(groups.get(one.family) ?? []), one]);
    }
    return [...groups];
  }, [catalog, text]);
  return (
    <Screen title={say("explorer.title")}>
      <div class="filters"><input type="search" aria-label={say("explorer.filter")} placeholder={say("explorer.filter")} value={text} onInput={(event) => setText(event.currentTarget.value)} /></div>
      {families.map(([family, operations]) => (
        <section key={family}>
          <h2>{catalog.families[family] ?? family}</h2>
          <ul class="operations">
            {operations.map((one) => {
              const missing = missingRoles(catalog, one, person.grants, context);
              return (
                <li key={one.id} data-operation={one.id} data-missing={missing.join(" ") || undefined}>
                  <span class={`method ${one.method}`}>{one.method}</span><a href={to("explorer", one.id)}>{one.summary}</a>
                  {one.waits && <State of="NOT THERE YET" />}{missing.length > 0 && <span class="quiet small">{say("may.needs", { roles: missing.join(" / ") })}</span>}
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </Screen>
  );
}

/* What somebody knows already from where they are need not be typed: the address says it, or where they were last. */
function guessed(name: string, query: URLSearchParams, context: Context): string {
  return query.get(name) ?? (name === "groupId" ? context.project : name === "orgId" ? context.organization : undefined) ?? "";
}

function filledPath(operation: Operation, places: Record<string, string>): string {
  return operation.path.replace(/\{(\w+)\}/g, (whole, name: string) => (places[name] ? encodeURIComponent(places[name]) : whole));
}

function Form(props: { operation: Operation; details: Details }) {
  const { operation, details } = props;
  const { place, context } = useWorld();
  const [places, setPlaces] = useState<Record<string, string>>(() => Object.fromEntries(details.pathParameters.map(({ name }) => [name, guessed(name, place.query, context)])));
  const where = { project: places["groupId"], organization: places["orgId"] };
  const [query, setQuery] = useState<Value>();
  const [body, setBody] = useState<Value>();
  const [turn, setTurn] = useState(0); /* the form is drawn anew with what it was given */
  const [typed, setTyped] = useState("");
  const [answer, setAnswer] = useState<{ status: number; text: string; file?: string; problem?: unknown }>();
  const path = filledPath(operation, places);
  const word = operation.method;
  const sent = { method: operation.method, query: query as Record<string, string>, ...(details.request ? { body: details.bodyIsList ? [body ?? {}] : (body ?? {}) } : {}) };
  const go = async (event: Event) => {
    event.preventDefault();
    try {
      if (operation.method === "GET") {
        const response = await send(path, { ...sent, accept: details.shape === "file" ? "*/*" : undefined });
        if (/json/.test(response.headers.get("Content-Type") ?? "")) setAnswer({ status: response.status, text: JSON.stringify(await response.json(), null, 2) });
        else {
          const file = await response.blob();
          setAnswer({ status: response.status, text: say("explorer.save", { size: file.size }), file: URL.createObjectURL(file) });
        }
      } else {
        setAnswer({ status: 200, text: JSON.stringify(await confirmed(path, sent), null, 2) ?? "" });
      }
    } catch (problem) {
      setAnswer({ status: 0, text: "", problem });
    }
  };
  return (
    <form onSubmit={go}>
      <p><Doc text={details.description} /></p>
      <p class="quiet"><Doc text={say("explorer.who", { who: details.who })} /></p>
      {operation.waits && <p class="trouble">{say("explorer.waits", { what: details.waitsFor ?? "–" })}</p>}
      <Places parameters={details.pathParameters} value={places} change={setPlaces} />
      {details.query.length > 0 && <Fields fields={details.query} value={query} change={setQuery} />}
      {details.request && (
        <div class="body-form">
          <Fields key={turn} at="body" fields={operation.method === "PATCH" ? forChange(details.request) : details.request} value={body} change={setBody} />
          <div class="actions">
            {details.example !== undefined && <button type="button" class="small" onClick={() => (setBody(details.bodyIsList ? (details.example as Value[])[0] : details.example), setTurn(turn + 1))}>{say("explorer.example")}</button>}
            {body !== undefined && <button type="button" class="small" onClick={() => (setBody(undefined), setTurn(turn + 1))}>{say("explorer.clear")}</button>}
          </div>
        </div>
      )}
      {operation.losesData && (
        <div class="line"><label for="typed">{say("explorer.danger", { word })}</label><input id="typed" autocomplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></div>
      )}
      <div class="actions">
        <Act operation={operation.id} in={where} submit danger={operation.losesData} off={operation.waits || (operation.losesData && typed !== word)}>{say("explorer.send")}</Act>
      </div>
      <Command of={{ cli: site.cli(operation, { path, places: details.pathParameters.map(({ name }) => places[name] || name.toUpperCase()), query: sent.query, body: sent.body }), method: operation.method, path, body: sent.body }} />
      {answer && (answer.problem ? <Trouble problem={answer.problem} /> : (
        <section aria-live="polite"><h2>{say("explorer.answer")}</h2>{answer.file ? <p><a href={answer.file} download={path.split("/").pop()}>{answer.text}</a></p> : answer.text ? <pre tabIndex={0}>{answer.text}</pre> : <p class="fine">{say("explorer.done", { status: answer.status })}</p>}</section>
      ))}
    </form>
  );
}

export function ExplorerForm(props: { id: string }) {
  const { catalog } = useWorld();
  const operation = catalog.operations.get(props.id);
  const details = useLoaded(props.id, () => (operation ? detailsOf(operation) : Promise.resolve(undefined)));
  if (!operation) return <Screen title={say("explorer.title")}><Empty next={<a href={to("explorer")}>{say("explorer.title")}</a>}>{say("state.missing")}</Empty></Screen>;
  return (
    <Screen title={operation.summary} up={[say("explorer.title"), to("explorer")]}>
      <p><span class={`method ${operation.method}`}>{operation.method}</span> <code>{operation.path}</code></p>
      <Show of={details}>{(known) => known && <Form key={operation.id} operation={operation} details={known} />}</Show>
    </Screen>
  );
}
