"use strict";
// Marks blocks of the sample pages, shows what their siblings would become, and saves the marks as corrections. All text is set as
// text content, never as markup; nothing leaves the page but the file that is saved.
(() => {
  // For each sample page: its address, its elements, and its blocks as [xpath, element, words, hash, pattern].
  const pages = JSON.parse(document.getElementById("markable").textContent);
  const MARKS = [
    ["content", "c", "content"], ["not-content", "n", "not content"], ["comment", "m", "comment"], ["caption", "p", "caption"],
    ["headline", "h", "headline"], ["author", "a", "author"], ["date", "d", "date"],
  ];
  const named = new Map(MARKS.map(([mark, , name]) => [mark, name]));
  const blocks = [...document.querySelectorAll("details.page [data-block]")].map((element) => {
    const [page, at] = element.dataset.block.split(" ").map(Number);
    const badge = document.createElement("b");
    badge.className = "badge";
    return { element, page, at, badge, layout: element.closest("section"), pattern: pages[page].blocks[at][4] };
  });
  if (blocks.length === 0) {
    document.documentElement.dataset.ready = "";
    return;
  }
  const of = new Map(blocks.map((block) => [block.element, block]));
  // The marks that were made, by page and number of the block: a block may be shown once for several pages.
  const marks = new Map();
  const key = (block) => `${block.page} ${block.at}`;
  let current = "content";
  let active = false;

  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const status = make("output", { className: "status" });
  status.setAttribute("aria-live", "polite");
  const start = make("button", { type: "button", textContent: "Correct" });
  start.setAttribute("aria-pressed", "false");
  const by = make("input", { type: "text", autocomplete: "name" });
  const save = make("button", { type: "button", textContent: "Save corrections.jsonl", disabled: true });
  const choices = MARKS.map(([mark, letter, name]) => {
    const button = make("button", { type: "button", textContent: `${name} (${letter})` });
    button.dataset.choice = mark;
    button.addEventListener("click", () => choose(mark));
    return button;
  });
  const choice = make("div", { className: "choice" }, ...choices);
  choice.setAttribute("role", "group");
  choice.setAttribute("aria-label", "Mark");
  const help = make("p", {
    textContent: "Click a block to mark it, again to take the mark back. By keyboard: the arrows move from block to block, letters mark, x takes a mark back.",
  });
  const tools = make("div", { className: "tools", hidden: true }, choice, help, make("label", {}, "Your name ", by), " ", save);
  document.querySelector("main").prepend(make("div", { className: "correct" }, start, " ", status, tools));

  const choose = (mark) => {
    current = mark;
    for (const button of choices) button.setAttribute("aria-pressed", String(button.dataset.choice === mark));
  };

  // The marks of each pattern of a layout: siblings follow them.
  const show = () => {
    const of_patterns = new Map();
    for (const block of blocks) {
      const mark = marks.get(key(block));
      if (!mark) continue;
      const own = of_patterns.get(block.layout) ?? of_patterns.set(block.layout, new Map()).get(block.layout);
      own.set(block.pattern, (own.get(block.pattern) ?? new Set()).add(mark));
    }
    let following = 0;
    for (const block of blocks) {
      const { element, badge } = block;
      const mark = marks.get(key(block));
      const others = active ? of_patterns.get(block.layout)?.get(block.pattern) : undefined;
      const shown = mark ?? (others?.size === 1 ? [...others][0] : others && "mixed");
      delete element.dataset.mark;
      delete element.dataset.follows;
      badge.remove();
      if (!active || !shown) continue;
      if (mark) element.dataset.mark = mark;
      else element.dataset.follows = shown;
      following += mark ? 0 : 1;
      badge.textContent = mark ? named.get(mark) : `follows: ${named.get(shown) ?? "mixed marks"}`;
      element.prepend(badge);
    }
    save.disabled = marks.size === 0;
    return following;
  };

  const set = (block, mark) => {
    if (mark) marks.set(key(block), mark);
    else marks.delete(key(block));
    const following = show();
    const what = mark ? `Marked as ${named.get(mark)}` : "Mark taken back";
    status.textContent = `${what}; ${marks.size} marked, ${following} follow`;
  };

  start.addEventListener("click", () => {
    active = !active;
    start.setAttribute("aria-pressed", String(active));
    tools.hidden = !active;
    document.documentElement.classList.toggle("correcting", active);
    for (const block of blocks) {
      if (active) block.element.setAttribute("role", "button");
      else block.element.removeAttribute("role");
    }
    show();
    status.textContent = active ? "Blocks can be marked" : "";
  });
  document.addEventListener("click", (event) => {
    const block = active ? of.get(event.target.closest("[data-block]")) : undefined;
    if (block) set(block, marks.get(key(block)) === current ? undefined : current);
  });
  document.addEventListener("keydown", (event) => {
    const block = active ? of.get(event.target) : undefined;
    if (!block || event.ctrlKey || event.altKey || event.metaKey) return;
    const letter = MARKS.find(([, letter]) => letter === event.key);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      const visible = blocks.filter((other) => other.element.checkVisibility());
      visible[visible.indexOf(block) + step]?.element.focus();
    } else if (letter) set(block, letter[0]);
    else if (event.key === "x" || event.key === "Delete") set(block);
    else if (event.key === "Enter" || event.key === " ") set(block, marks.get(key(block)) === current ? undefined : current);
    else return;
    event.preventDefault();
  });

  // The elements of some blocks and those around them, renumbered.
  const around = (elements, numbers) => {
    const wanted = new Set();
    for (let number of numbers) for (; number !== null && !wanted.has(number); number = elements[number].in) wanted.add(number);
    const order = [...wanted].sort((a, b) => a - b);
    const renumbered = new Map(order.map((number, at) => [number, at]));
    const kept = order.map((number) => ({ ...elements[number], in: renumbered.get(elements[number].in) ?? null }));
    return [kept, renumbered];
  };
  save.addEventListener("click", () => {
    const at = new Date().toISOString();
    const lines = pages.flatMap((page, number) => {
      const own = page.blocks.flatMap((block, index) => {
        const mark = marks.get(`${number} ${index}`);
        return mark ? [[block, mark]] : [];
      });
      if (own.length === 0) return [];
      const [elements, renumbered] = around(page.elements, own.map(([block]) => block[1]));
      const marked = own.map(([[xpath, element, words, hash], mark]) => ({
        xpath, element: renumbered.get(element), words, hash, mark,
      }));
      return [`${JSON.stringify({ url: page.url, by: by.value, at, reason: "", elements, blocks: marked })}\n`];
    });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
    link.download = "corrections.jsonl";
    link.click();
    URL.revokeObjectURL(link.href);
    status.textContent = `Saved ${marks.size} marks`;
  });
  choose(current);
  document.documentElement.dataset.ready = "";
})();
