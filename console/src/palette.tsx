/* SPDX-License-Identifier: Apache-2.0 */
/* The palette: every place and every operation, found by a few letters, from everywhere. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { missingRoles } from "./catalog";
import { useWorld } from "./frame";
import { say } from "./messages";
import { go, to } from "./route";
import { type Found, site } from "./site";
import { Dialog } from "./ui/basics";

interface Entry extends Found {
  missing?: string[]; /* roles of which one is missing for it */
  operation?: string;
}

const MOST_SHOWN = 50;

/* Every word must begin one of the entry's; those in the title count more. */
export function rank(entry: { title: string; detail: string }, words: string[]): number {
  const title = " " + entry.title.toLowerCase(), all = `${title} ${entry.detail} ${entry.detail.replace(/([a-z])([A-Z])/g, "$1 $2")}`.toLowerCase().replace(/[/{}:]/g, " ");
  let sum = 0;
  for (const word of words) {
    if (title.includes(" " + word)) sum += 3;
    else if (all.includes(" " + word)) sum += 2;
    else if (all.includes(word)) sum += 1;
    else return 0;
  }
  return sum + 1 / (1 + entry.title.length) + (words.length === 1 && entry.detail.toLowerCase().endsWith(" " + words[0]) ? 10 : 0);
}

export function Palette(props: { close: () => void }) {
  const { catalog, person, context } = useWorld();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const [things, setThings] = useState<Entry[]>([]);
  const results = useRef<HTMLUListElement>(null);
  const { project, organization } = context;
  useEffect(() => void site.things(context).then(setThings, () => undefined), [project]);
  const entries = useMemo<Entry[]>(() => {
    const places = site.menu(context).flatMap((group) => group.places.map(([address, title]): Entry => ({ kind: "palette.place", title: say(title), detail: say(group.title), address })));
    const operations = [...catalog.operations.values()].map((one): Entry => ({
      kind: "palette.operation", title: one.summary, detail: `${one.method} ${one.path} ${one.id}`, address: to("explorer", one.id), operation: one.id, missing: missingRoles(catalog, one, person.grants, context),
    }));
    return [...places, ...things, ...operations];
  }, [catalog, project, organization, things]);
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/[\s/]+/).filter(Boolean);
    if (words.length === 0) return entries.slice(0, MOST_SHOWN);
    return entries.map((entry) => ({ entry, points: rank(entry, words) })).filter((one) => one.points > 0)
      .sort((a, b) => b.points - a.points).slice(0, MOST_SHOWN).map((one) => one.entry);
  }, [entries, text]);
  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    props.close();
    go(entry.address);
  };
  const pressed = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && found.length > 0) {
      event.preventDefault();
      const next = (chosen + step + found.length) % found.length;
      setChosen(next);
      results.current?.children[next]?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      open(found[chosen]);
    }
  };
  return (
    <Dialog title={say("palette.title")} close={props.close}>
      <input type="search" role="combobox" aria-expanded="true" aria-controls="palette" aria-label={say("palette.title")} autofocus
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined} value={text}
        onInput={(event) => (setText(event.currentTarget.value), setChosen(0))} onKeyDown={pressed} />
      <ul id="palette" role="listbox" aria-label={say("palette.title")} ref={results}>
        {found.map((entry, i) => (
          <li key={entry.address} id={`palette-${i}`} role="option" aria-selected={i === chosen} data-operation={entry.operation} data-missing={entry.missing?.join(" ") || undefined} onClick={() => open(entry)}>
            <span class="kind">{say(entry.kind)}</span>
            <span class="found"><span>{entry.title}</span> <span class="quiet small">{entry.missing?.length ? say("may.needs", { roles: entry.missing.join(" / ") }) : entry.detail}</span></span>
          </li>
        ))}
      </ul>
      <p class="quiet small" role="status">{found.length > 0 ? say("palette.hint") : say("palette.none")}</p>
    </Dialog>
  );
}
