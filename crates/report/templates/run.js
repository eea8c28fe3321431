"use strict";
// Sorts tables; filters and pages the table of sites. All text is set as text content, never as markup.
(() => {
  // Small tables are complete in the page: their rows are moved. Cells without a value come last.
  const value = (cell) => {
    const by = cell.dataset.by ?? (cell.textContent === "–" ? "" : cell.textContent);
    return by === "" ? null : Number.isNaN(Number(by)) ? by.toLowerCase() : Number(by);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const open = Number(table.dataset.open);
    const fold = document.createElement("button");
    fold.type = "button";
    fold.className = "fold";
    const show = () => [...body.rows].forEach((row, at) => (row.hidden = !fold.hidden && at >= open));
    fold.textContent = `Show all ${body.rows.length}`;
    fold.hidden = body.rows.length <= open + 2;
    fold.addEventListener("click", () => {
      fold.hidden = true;
      show();
      body.rows[open].querySelector("a")?.focus();
    });
    table.parentElement.after(fold);
    show();
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => {
        const rows = [...body.rows].map((row, order) => [value(row.cells[at]), order, row]);
        const up = head.ariaSort !== "ascending" && (head.ariaSort === "descending" || typeof rows[0]?.[0] === "string");
        const sign = up ? 1 : -1;
        rows.sort(([a, m], [b, n]) => {
          if ((a === null) !== (b === null)) return a === null ? 1 : -1;
          return (a < b ? -sign : a > b ? sign : 0) || m - n;
        });
        body.append(...rows.map(([, , row]) => row));
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        show();
      });
      head.replaceChildren(button);
    });
  }

  const SHOWN = 100;
  // A row is [site, page, [articles, doubtful, pages, left out, layouts], confidence, boilerplate, support, best].
  const rows = JSON.parse(document.getElementById("rows").textContent);
  const figure = (at) => (row) => row[2][at];
  // What each column sorts by.
  const keys = [
    (row) => row[0],
    figure(0),
    (row) => row[3],
    figure(1),
    (row) => row[4],
    figure(2),
    figure(3),
    figure(4),
    (row) => row[5] && row[5][0],
  ];
  const filters = {
    all: () => true,
    doubtful: (row) => row[2][1] > 0,
    alone: (row) => !row[5],
    empty: (row) => row[2][0] === 0,
  };
  const byId = (id) => document.getElementById(id);
  const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  const counted = (number) => `${grouped(number)} ${number === 1 ? "site" : "sites"}`;
  const body = byId("table").tBodies[0];
  const heads = [...byId("table").tHead.rows[0].cells];
  const names = rows.map((row) => row[0].toLowerCase());
  let sorted = { by: 1, up: false };
  let order = rows.map((_, at) => at);
  let found = order;
  let first = 0;

  const make = (name, text, parent) => {
    const element = document.createElement(name);
    if (text) element.textContent = text;
    if (parent) parent.append(element);
    return element;
  };
  const meter = (share, parent) => {
    const drawn = (name, attributes, parent) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      parent.append(element);
      return element;
    };
    const svg = drawn("svg", {
      class: "meter", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false",
    }, parent);
    drawn("rect", { class: "track", width: 100, height: 8 }, svg);
    drawn("rect", { width: (share * 100).toFixed(1), height: 8 }, svg);
  };
  const share = (value, shown, row) => {
    const cell = make("td", value === null ? "–" : "", row);
    if (value === null) return;
    make("span", shown(value), cell);
    meter(value, cell);
  };
  const support = (value) => {
    if (!value) return "–";
    const [from, back, agreeing] = value;
    const pages = `${grouped(from)} ${from === 1 ? "page" : "pages"}`;
    return back ? `${pages}, ${agreeing} of ${back}` : pages;
  };
  const line = ([site, page, [articles, doubtful, pages, leftOut, layouts], confidence, boilerplate, supported, best]) => {
    const row = document.createElement("tr");
    const name = make("th", "", row);
    name.scope = "row";
    const link = page ? make("a", "", name) : name;
    if (page) link.href = `sites/${page}.html`;
    make("bdi", site, link);
    make("code", best, name);
    make("td", grouped(articles), row);
    share(confidence, (value) => (Math.round(value * 100) / 100).toFixed(2), row);
    make("td", grouped(doubtful), row);
    share(boilerplate, (value) => `${Math.round(value * 100)} %`, row);
    for (const number of [pages, leftOut, layouts]) make("td", grouped(number), row);
    make("td", support(supported), row);
    return row;
  };

  // Rows without a value come last in both directions; ties are sorted by articles, then by name.
  const sort = () => {
    const key = keys[sorted.by];
    const values = rows.map(key);
    const sign = sorted.up ? 1 : -1;
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    order.sort((a, b) => {
      const [x, y] = [values[a], values[b]];
      if ((x === null) !== (y === null)) return x === null ? 1 : -1;
      return sign * compare(x, y) || rows[b][2][0] - rows[a][2][0] || compare(rows[a][0], rows[b][0]);
    });
    heads.forEach((head, at) => {
      if (at === sorted.by) head.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  };
  const filter = () => {
    const part = byId("find").value.trim().toLowerCase();
    const wanted = filters[byId("only").value];
    found = order.filter((at) => names[at].includes(part) && wanted(rows[at]));
    first = 0;
  };
  const turn = byId("turn");
  const show = () => {
    body.replaceChildren(...found.slice(first, first + SHOWN).map((at) => line(rows[at])));
    const all = found.length === rows.length;
    byId("found").textContent = all ? counted(rows.length) : `${grouped(found.length)} of ${counted(rows.length)}`;
    turn.hidden = found.length <= SHOWN;
    const last = Math.min(first + SHOWN, found.length);
    place.textContent = `${grouped(first + 1)} to ${grouped(last)} of ${grouped(found.length)}`;
    for (const [button, to] of steps) button.setAttribute("aria-disabled", String(to() === first));
  };

  // Buttons without effect stay in place, so that they keep the focus.
  const place = document.createElement("span");
  const end = () => Math.max(0, Math.floor((found.length - 1) / SHOWN) * SHOWN);
  const steps = [
    ["First", () => 0],
    ["Previous", () => Math.max(0, first - SHOWN)],
    ["Next", () => Math.min(end(), first + SHOWN)],
    ["Last", end],
  ].map(([name, to], at) => {
    if (at === 2) turn.append(place);
    const button = make("button", name, turn);
    button.type = "button";
    button.addEventListener("click", () => {
      if (to() === first) return;
      first = to();
      show();
    });
    return [button, to];
  });
  place.setAttribute("role", "status");

  heads.forEach((head, at) => {
    const button = make("button", head.textContent);
    button.type = "button";
    button.addEventListener("click", () => {
      // Names ascending and figures descending at first; a second click reverses the order.
      sorted = { by: at, up: sorted.by === at ? !sorted.up : at === 0 };
      sort();
      filter();
      show();
    });
    head.replaceChildren(button);
  });
  for (const [id, event] of [["find", "input"], ["only", "change"]]) {
    byId(id).addEventListener(event, () => {
      filter();
      show();
    });
  }
  filter();
  show();
  byId("controls").hidden = false;
  byId("beginning").hidden = true;
  document.documentElement.dataset.ready = "";
})();
