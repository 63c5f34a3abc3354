/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation is about: projects, organizations and clusters are chosen by their names, and not typed as identifiers. */
import { useEffect, useState } from "preact/hooks";
import { list } from "../api";
import { useWorld } from "../frame";
import { say } from "../messages";
import { Line } from "../ui/basics";
import { Doc } from "../ui/doc";

type Where = Record<string, string>;

/* Names of the clusters of a project, as suggestions: an operation can also be about one that is not there any more. */
function useClusters(project: string, isWanted: boolean): string[] {
  const [names, setNames] = useState<string[]>([]);
  useEffect(() => {
    if (isWanted && project) list<{ name: string }>(`/groups/${project}/clusters`).then((page) => setNames(page.results.map((one) => one.name)), () => setNames([]));
  }, [project, isWanted]);
  return names;
}

export function Places(props: { parameters: { name: string; doc: string }[]; value: Where; change: (value: Where) => void }) {
  const { parameters, value, change } = props;
  const { person } = useWorld();
  const clusters = useClusters(value["groupId"] ?? "", parameters.some((one) => one.name === "clusterName"));
  const known: Record<string, [id: string, title: string][]> = {
    groupId: Object.entries(person.grants.projects).map(([id, one]) => [id, one.name]),
    orgId: Object.keys(person.grants.organizations).map((id) => [id, id]),
  };
  const label = (name: string) => (name === "groupId" ? say("nav.project") : name === "orgId" ? say("nav.organization") : name === "clusterName" ? say("explorer.cluster") : name);
  const set = (name: string, to: string) => change({ ...value, [name]: to });
  return (
    <>
      {parameters.map(({ name, doc }) => (
        <Line key={name} label={label(name)} hint={<Doc text={doc} />}>
          {(ids) => known[name]?.some(([id]) => id === value[name])
            ? <select {...ids} value={value[name]} onChange={(event) => set(name, event.currentTarget.value)}>{known[name].map(([id, title]) => <option key={id} value={id}>{title}</option>)}</select>
            : <input {...ids} required autocomplete="off" spellcheck={false} list={name === "clusterName" ? "clusters" : undefined} value={value[name] ?? ""} onInput={(event) => set(name, event.currentTarget.value)} />}
        </Line>
      ))}
      <datalist id="clusters">{clusters.map((one) => <option key={one} value={one} />)}</datalist>
    </>
  );
}
