/* SPDX-License-Identifier: Apache-2.0 */
/* "Show me the command": what a screen does, as curl and as a line of the command line, so that it can be automated. */
import { addressOf, type Sent } from "../api";
import { say } from "../messages";
import { site } from "../site";
import { Copy } from "./basics";

/* The words of a line and its flags, as they are meant: whoever draws them quotes every one, because names are what others chose. */
export interface Line {
  words: string[]; /* after "reeve" */
  flags?: Record<string, unknown>; /* by the names of the API; true: without a value; a list: one for each; nothing: not there */
}

export interface Shown extends Pick<Sent, "method" | "query" | "body"> {
  cli: Line;
  path: string;
}

/* What a terminal would act on does not go there as it is: an Escape could end the paste that it is in. */
function quoted(text: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text;
  if (!/[\0-\x1f\x7f-\x9f]/.test(text)) return `'${text.replace(/'/g, "'\\''")}'`;
  const escaped = text.replace(/['\\]/g, "\\$&").replace(/[\0-\x1f\x7f-\x9f]/g, (one) => "\\u" + one.charCodeAt(0).toString(16).padStart(4, "0"));
  return `$'${escaped}'`;
}

/* dropBackups → --drop-backups. With the value in the same word, so that none is taken for a flag. */
function flagsOf([name, value]: [string, unknown]): string[] {
  const flag = "--" + name.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase());
  const given = [value].flat().filter((one) => one !== undefined && one !== "");
  return given.map((one) => (one === true ? flag : `${flag}=${String(one)}`));
}

export function lineOf({ words, flags = {} }: Line): string {
  const at = words.findIndex((word) => word.startsWith("-")), end = at < 0 ? words.length : at;
  const names = at < 0 ? [] : ["--", ...words.slice(end)];
  return ["reeve", ...words.slice(0, end), ...Object.entries(flags).flatMap(flagsOf), ...names].map(quoted).join(" ");
}

export function curlOf(shown: Shown): string {
  const words = [`curl --fail-with-body --header "Authorization: Bearer $${site.token}"`];
  if (shown.method && shown.method !== "GET") words.push(`--request ${shown.method}`);
  if (shown.body !== undefined) words.push("--header 'Content-Type: application/json'", `--data ${quoted(JSON.stringify(shown.body))}`);
  return [...words, quoted(location.origin + addressOf(shown.path, shown.query))].join(" ");
}

/* For what has no command of its own, or whose command nobody needs to look up: any request by hand. */
export function cliOf(method: string, path: string, body?: unknown): Line {
  return { words: ["api", method, path], flags: { data: body === undefined ? undefined : JSON.stringify(body) } };
}

export function Command(props: { of: Shown }) {
  return (
    <details class="command">
      <summary>{say("command.title")}</summary>
      {[lineOf(props.of.cli), curlOf(props.of)].map((text) => (
        <div class="copied" key={text}><code>{text}</code><Copy text={text} /></div>
      ))}
    </details>
  );
}
