// SPDX-License-Identifier: Apache-2.0
// Search, and a button that copies a command. Everything else works without this file.
(function () {
  "use strict";
  var root = document.currentScript.getAttribute("data-root");
  var box = document.getElementById("search");
  var list = document.getElementById("results");
  var status = document.getElementById("search-status");
  var entries = null, chosen = -1;

  // The index is a script, because a page that was opened as a file may not fetch one.
  function load(then) {
    if (entries) return then();
    window.reeveSearchIndex = function (index) {
      entries = index.entries.map(function (row) {
        return { kind: index.kinds[row[0]], title: row[1], detail: row[2], url: row[3],
                 titleText: row[1].toLowerCase(), titleWords: words(row[1]), detailWords: words(row[2]), moreWords: words(row[4] || "") };
      });
      then();
    };
    if (document.getElementById("search-index")) return;
    var script = document.createElement("script");
    script.id = "search-index";
    script.src = root + "search-index.js";
    document.head.appendChild(script);
  }

  // "createProject" and "GROUP_OWNER" are also found by their parts.
  function words(text) {
    var parts = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[^A-Za-z0-9]+/g, " ");
    return " " + (text + " " + parts).toLowerCase();
  }

  // A question is asked with words that say nothing about the answer.
  var small = " a an and are can do does for from how i if in is it its me my of on or should that the there to was what when where which who why will with you your ";

  // "upgrading" and "hosts" are also found as "upgrade" and "host".
  function stem(term) {
    return term.length > 4 ? term.replace(/(ing|ies|ed|es|s|e|y)$/, "") : term;
  }

  // A whole word counts more than its beginning, and that more than a part of it.
  function strength(text, term) {
    if ((text + " ").indexOf(" " + term + " ") >= 0) return 50;
    if (text.indexOf(" " + term) >= 0) return 40;
    if (text.indexOf(" " + stem(term)) >= 0) return 30;
    return text.indexOf(term) >= 0 ? 15 : 0;
  }

  // A guide that is called what somebody looks for comes before operations and fields that only mention it.
  function isAbout(guide, terms) {
    return terms.every(function (term) { return strength(guide.titleWords, term) >= 30; });
  }

  function score(entry, terms, whole, question) {
    var operation = entry.kind === "operation";
    var guide = entry.kind === "guide" || entry.kind === "explanation";
    var page = guide && entry.url.indexOf("#") < 0;
    var sum = (entry.titleText === whole ? 200 : 0) + (operation ? 5 : 0) + (page ? 12 : 0) + (guide && question ? 60 : 0) +
              (page && isAbout(entry, terms) ? 220 : 0);
    for (var i = 0; i < terms.length; i++) {
      var best = Math.max(strength(entry.titleWords, terms[i]), strength(entry.detailWords, terms[i]) * (operation ? 1 : 0.6),
                          strength(entry.moreWords, terms[i]) * (operation ? 1.1 : guide ? 0.6 : 0.3));
      if (!best) return 0;
      sum += best + (entry.titleText.indexOf(terms[i]) === 0 ? 8 : 0);
    }
    return sum - entry.title.length / 50;
  }

  function find(query) {
    var whole = query.trim().toLowerCase(), all = whole.replace(/[?!,]+(\s|$)/g, " ").split(/\s+/).filter(Boolean);
    var terms = all.filter(function (term) { return small.indexOf(" " + term + " ") < 0; });
    if (!terms.length) terms = all;
    // Who asks how or why wants to be guided, and not an operation.
    var question = /^(how|why|what|when|where|who|which|can|should) /.test(whole);
    if (!terms.length) return [];
    var found = [];
    entries.forEach(function (entry) {
      var points = score(entry, terms, whole, question);
      if (points > 0) found.push([points, entry]);
    });
    found.sort(function (a, b) { return b[0] - a[0]; });
    return found.map(function (pair) { return pair[1]; });
  }

  function add(parent, tag, name, text) {
    var element = document.createElement(tag);
    element.className = name;
    element.textContent = text;
    parent.appendChild(element);
    return element;
  }

  function show() {
    var query = box.value, found = find(query);
    list.textContent = "";
    chosen = -1;
    box.removeAttribute("aria-activedescendant");
    found.slice(0, 40).forEach(function (entry, i) {
      var item = document.createElement("li");
      item.id = "result-" + i;
      item.setAttribute("role", "option");
      var link = add(item, "a", "result", "");
      link.href = root + entry.url;
      link.tabIndex = -1;
      add(link, "span", "kind " + entry.kind.replace(" ", "-"), entry.kind);
      add(link, "span", "title", entry.title);
      add(link, "span", "detail", entry.detail);
      list.appendChild(item);
    });
    if (query.trim() && !found.length) add(list, "li", "nothing", "Nothing found for “" + query.trim() + "”.");
    status.textContent = query.trim() ? found.length + (found.length === 1 ? " result" : " results") : "";
    open(query.trim() !== "");
    if (found.length) choose(0);
  }

  function open(yes) {
    list.hidden = !yes;
    box.setAttribute("aria-expanded", yes ? "true" : "false");
  }

  function choose(index) {
    var items = list.querySelectorAll("[role=option]");
    if (!items.length) return;
    if (chosen >= 0) items[chosen].removeAttribute("aria-selected");
    chosen = (index + items.length) % items.length;
    items[chosen].setAttribute("aria-selected", "true");
    items[chosen].scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", items[chosen].id);
  }

  box.parentNode.hidden = false;
  box.addEventListener("input", function () { load(show); });
  box.addEventListener("focus", function () { load(function () { if (box.value) show(); }); });
  box.addEventListener("keydown", function (event) {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Escape") { open(false); box.blur(); }
    else if (event.key === "Enter") {
      var link = list.querySelector("[aria-selected] a");
      if (link && !list.hidden) { open(false); location.href = link.href; }
    } else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", function (event) {
    var at = event.target;
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
  document.addEventListener("click", function (event) {
    if (!box.parentNode.contains(event.target)) open(false);
    else if (event.target.closest(".result")) open(false);
  });
  // page.html?q=word opens with the results, so that a search can be passed on.
  var asked = /[?&]q=([^&]*)/.exec(location.search);
  if (asked) {
    try { box.value = decodeURIComponent(asked[1].replace(/\+/g, " ")); } catch (e) { box.value = ""; }
    load(show);
    box.focus();
  }

  if (navigator.clipboard) {
    document.querySelectorAll("pre > code.language-sh").forEach(function (code) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.addEventListener("click", function () {
        navigator.clipboard.writeText(code.textContent).then(function () {
          button.textContent = "Copied";
          setTimeout(function () { button.textContent = "Copy"; }, 1500);
        });
      });
      var frame = document.createElement("div");
      frame.className = "copyable";
      code.parentNode.replaceWith(frame);
      frame.append(code.parentNode, button);
    });
  }
  // The navigation keeps the current page in view.
  var here = document.querySelector("#nav [aria-current]"), nav = document.getElementById("nav");
  if (here && here.offsetTop > nav.clientHeight - 80) nav.scrollTop = here.offsetTop - 120;
})();
