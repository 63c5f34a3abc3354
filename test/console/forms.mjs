// SPDX-License-Identifier: Apache-2.0
// Every operation is found by the palette; every form of a body takes its example, entered field by field, and would send exactly that.
import { check, counts, finish, given, newContext, newPage, title } from "./browser.mjs";

const page = await newPage(await newContext(given.cookie));
await page.goto(`${given.base}/console/explorer`);
await title(page, "All operations").waitFor();

// ---- The palette ----
await page.keyboard.press("/");
await page.getByRole("combobox", { name: "Search and commands" }).waitFor();
const notFound = await page.evaluate(async (ids) => {
  const input = document.querySelector("dialog input"), missing = [];
  const first = () => document.querySelector("#palette [role=option]")?.dataset.operation;
  for (const id of ids) {
    input.value = id;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    for (let i = 0; i < 100 && first() !== id; i++) await new Promise((wake) => setTimeout(wake, 2));
    if (first() !== id) missing.push(`${id} (${first()})`);
  }
  return missing;
}, given.operations.map((one) => one.operation));
counts.passed += given.operations.length - notFound.length;
check(notFound.length === 0, `not the first that the palette finds: ${notFound.slice(0, 5).join(", ")}`);
console.log(`  ${given.operations.length} operations in the palette`);
await page.keyboard.press("Escape");

// ---- The forms ----
async function roundTrip({ operation, example, isList }) {
  const tick = () => new Promise((wake) => setTimeout(wake, 1));
  const find = async (selector) => {
    for (let i = 0; i < 200; i++, await tick()) {
      const found = document.querySelector(selector);
      if (found) return found;
    }
    throw new Error(`there is no ${selector}`);
  };
  const enter = (control, text) => {
    const kind = control.tagName === "SELECT" ? HTMLSelectElement : control.tagName === "TEXTAREA" ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(control, text);
    control.dispatchEvent(new Event(control.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
  };
  const named = (at) => `[data-field="${CSS.escape(at)}"]`;
  const fill = async (at, value) => {
    if (document.querySelector(`${named(at)}[data-type=json]`)) enter(await find(named(at)), JSON.stringify(value));
    else if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        (await find(`[data-add="${CSS.escape(at)}"]`)).click();
        await tick();
        await tick();
        await fill(`${at}.${i}`, value[i]);
      }
      if (value.length === 0) (await find(`[data-empty="${CSS.escape(at)}"]`)).click();
    } else if (typeof value === "object" && value !== null) for (const [name, one] of Object.entries(value)) await fill(`${at}.${name}`, one);
    else enter(await find(named(at)), String(value));
    await tick();
  };
  // What it would send, as the shown command has it.
  const shown = () => {
    const line = [...document.querySelectorAll(".command code")].find((code) => code.textContent.startsWith("curl"))?.textContent ?? "";
    const data = /--data ('(?:[^']|'\\'')*'|\S+)/.exec(line)?.[1] ?? "";
    return JSON.parse(data.startsWith("'") ? data.slice(1, -1).replaceAll("'\\''", "'") : data);
  };
  const sorted = (value) => Array.isArray(value) ? value.map(sorted) : value && typeof value === "object" ? Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])])) : value;
  const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
  history.pushState(null, "", `/console/explorer/${operation}`);
  dispatchEvent(new PopStateEvent("popstate"));
  await find(`button[data-operation="${operation}"]`);
  await find(".body-form");
  const wrong = [];
  try {
    await fill("body", isList ? example[0] : example);
    for (let i = 0; i < 100 && !same(shown(), example); i++) await tick();
    if (!same(shown(), example)) wrong.push(`entered: ${JSON.stringify(shown())} instead of ${JSON.stringify(example)}`);
    const invalid = [...document.querySelectorAll(".body-form :invalid:not(fieldset)")].map((one) => one.dataset.field);
    if (invalid.length > 0) wrong.push(`the browser would not send it: ${invalid}`);
    [...document.querySelectorAll(".body-form > .actions button")].find((button) => button.textContent === "Empty the form")?.click();
    for (let i = 0; i < 100 && !same(shown(), isList ? [{}] : {}); i++) await tick();
    [...document.querySelectorAll(".body-form > .actions button")].find((button) => button.textContent === "Fill in an example").click();
    for (let i = 0; i < 100 && !same(shown(), example); i++) await tick();
    if (!same(shown(), example)) wrong.push(`by the button: ${JSON.stringify(shown())}`);
  } catch (error) {
    wrong.push(String(error));
  }
  return wrong.join("; ");
}
let forms = 0;
for (const one of given.operations.filter((operation) => operation.example !== undefined)) {
  const wrong = await page.evaluate(roundTrip, one).catch((error) => String(error));
  if (check(wrong === "", `${one.operation}: ${wrong}`)) forms++;
}
console.log(`  ${forms} forms take their example and would send it`);
await finish();
