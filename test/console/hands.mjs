// SPDX-License-Identifier: Apache-2.0
// Three people: one with a mouse, one with a keyboard and nothing else, one with a finger on a phone. Each does what they can do: whoever has a keyboard gets to a control
// with Tab, and reads the page meanwhile. What they meet on the way that they should not is a check that fails. The popup of a list is drawn by the browser and
// out of reach of a test, so choosing from one by mouse or finger is done by the test, and counted as two.
import { check } from "./browser.mjs";

const MOST_TABS = 150;
const FINGER_PX = 40; // as high as what a finger is to hit must be

class Hand {
  constructor(page) {
    this.page = page;
    this.presses = 0; // clicks or taps
    this.keys = 0;
    this.told = new Set();
  }
  // Once for each sentence.
  check(good, sentence) {
    if (!this.told.has(sentence) || !good) check(good, sentence);
    this.told.add(sentence);
  }
  async keyboard(text) {
    await this.page.keyboard.type(text);
    this.keys += text.length;
  }
  async goTo(place) {
    await this.press(this.page.getByRole("navigation", { name: "Menu" }).getByRole("link", { name: place, exact: true }), place);
  }
  async type(target, text, what) {
    await this.press(target, what);
    await this.page.keyboard.press("Control+a");
    await this.keyboard(text);
  }
  async choose(target, label) {
    await target.selectOption({ label });
    this.presses += 2;
  }
  tick(target, what) {
    return this.press(target, what);
  }
  // A value of a slider: where it should be, and then beside it until it is right.
  async slide(target, value, what) {
    for (let tries = 0, more = 0; tries < 30; tries++) {
      const { at, min, max } = await target.evaluate((slider) => ({ at: Number(slider.value), min: Number(slider.min), max: Number(slider.max) }));
      if (at === value) return;
      await target.scrollIntoViewIfNeeded();
      const box = await target.boundingBox(), second = (box.width - 16) / Math.max(1, max - min);
      if (tries > 0) more += Math.sign(value - at) * Math.max(0.5, (Math.abs(value - at) * second) / 2);
      await this.pressAt(box.x + 8 + (value - min) * second + more, box.y + box.height / 2);
    }
    throw new Error(`${what}: ${value} was not hit`);
  }
}

export class Mouse extends Hand {
  static how = "by mouse";
  async press(target) {
    await target.click();
    this.presses++;
  }
  async pressAt(x, y) {
    await this.page.mouse.click(x, y);
    this.presses++;
  }
}

export class Finger extends Hand {
  static how = "by finger";
  async press(target, what) {
    await target.waitFor();
    const box = await target.boundingBox();
    this.check(box.height >= FINGER_PX && box.width >= FINGER_PX, `on a phone "${what}" is ${Math.round(box.width)}×${Math.round(box.height)} pixels, too small for a finger`);
    await target.tap();
    this.presses++;
  }
  // The words beside the box belong to it.
  tick(target, what) {
    return this.press(target.locator("xpath=ancestor::label"), what);
  }
  async pressAt(x, y) {
    await this.page.touchscreen.tap(x, y);
    this.presses++;
  }
}

export class Keyboard extends Hand {
  static how = "by keyboard";
  async key(name) {
    await this.page.keyboard.press(name);
    this.keys++;
  }
  // To a control, the shorter way.
  async reach(target, what) {
    await target.waitFor();
    for (let tabs = 0; ; tabs++) {
      const where = await target.evaluate((one) => {
        const here = document.activeElement;
        return here === one ? "here" : here && one.compareDocumentPosition(here) & Node.DOCUMENT_POSITION_FOLLOWING && here !== document.body ? "before" : "behind";
      });
      if (where === "here") break;
      if (tabs === MOST_TABS) throw new Error(`"${what}" is not reached with Tab`);
      await this.key(where === "before" ? "Shift+Tab" : "Tab");
    }
    const seen = await target.evaluate((one) => {
      const box = one.getBoundingClientRect(), on = document.elementFromPoint(box.x + box.width / 2, box.y + Math.min(box.height, innerHeight) / 2);
      return { isMarked: one.matches(":focus-visible") && getComputedStyle(one).outlineStyle !== "none", isOnTop: on !== null && (one.contains(on) || on.contains(one)) };
    });
    this.check(seen.isMarked, `"${what}" shows that it has the focus`);
    this.check(seen.isOnTop, `"${what}" is in view and uncovered when Tab gets to it`);
  }
  async press(target, what) {
    await this.reach(target, what);
    await this.key("Enter");
  }
  async tick(target, what) {
    await this.reach(target, what);
    await this.key("Space");
  }
  async type(target, text, what) {
    await this.reach(target, what);
    await this.page.keyboard.press("Control+a");
    await this.keyboard(text);
  }
  async choose(target, label, what) {
    await this.reach(target, what);
    const steps = await target.evaluate((list, wanted) => [...list.options].findIndex((one) => one.label === wanted) - list.selectedIndex, label);
    for (let i = 0; i < Math.abs(steps); i++) await this.key(steps > 0 ? "ArrowDown" : "ArrowUp");
    check((await target.evaluate((list) => list.selectedOptions[0].label)) === label, `"${what}" is chosen with arrow keys`);
  }
  async slide(target, value, what) {
    await this.reach(target, what);
    for (let at; (at = Number(await target.inputValue())) !== value; ) await this.key(at < value ? "ArrowRight" : "ArrowLeft");
  }
  // Whatever has a name is found by it.
  async goTo(place) {
    await this.key("/");
    await this.page.getByRole("combobox", { name: "Search and commands" }).waitFor();
    await this.keyboard(place.toLowerCase());
    await this.page.getByRole("option", { selected: true }).getByText(place, { exact: true }).waitFor();
    await this.key("Enter");
  }
}
