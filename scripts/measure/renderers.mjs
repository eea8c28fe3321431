// What scripts/measure/renderers runs in Node.js, from a copy beside the packages.
//
// `render` reads lines {engine, code, math, articles: [Markdown]} and writes lines {contents: [HTML]}.
// `formulas` reads lines {math, formulas: [[TeX, whether it is on lines of its own]]} and writes lines {rendered: [HTML]}.
// `peers` reads lines {url, html} and writes lines {url, PEER: {html, markdown}}.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(import.meta.url);
const load = async (name) => (await import(name)).default;
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

// Renderers of formulas: functions from TeX and whether it stands on lines of its own to HTML.

const loadKatex = (output) => async () => {
  const katex = await load("katex");
  return (tex, displayMode) => katex.renderToString(tex, { displayMode, output });
};

const loadMathJax3 = (output) => async () => {
  const { mathjax } = require("mathjax-full/js/mathjax.js");
  const { TeX } = require("mathjax-full/js/input/tex.js");
  const { SVG } = require("mathjax-full/js/output/svg.js");
  const { CHTML } = require("mathjax-full/js/output/chtml.js");
  const { AllPackages } = require("mathjax-full/js/input/tex/AllPackages.js");
  const { liteAdaptor } = require("mathjax-full/js/adaptors/liteAdaptor.js");
  const { RegisterHTMLHandler } = require("mathjax-full/js/handlers/html.js");
  const { AssistiveMmlHandler } = require("mathjax-full/js/a11y/assistive-mml.js");
  const { STATE } = require("mathjax-full/js/core/MathItem.js");
  const { SerializedMmlVisitor } = require("mathjax-full/js/core/MmlTree/SerializedMmlVisitor.js");
  const adaptor = liteAdaptor();
  AssistiveMmlHandler(RegisterHTMLHandler(adaptor));
  const OutputJax = output === "chtml" ? new CHTML() : new SVG({ fontCache: "local" });
  const document = mathjax.document("", { InputJax: new TeX({ packages: AllPackages }), OutputJax });
  const visitor = new SerializedMmlVisitor();
  if (output === "mathml") {
    return (tex, display) => visitor.visitTree(document.convert(tex, { display, end: STATE.CONVERT })).replace(/>\s+</g, "><");
  }
  return (tex, display) => adaptor.outerHTML(document.convert(tex, { display }));
};

// Version 4 adds data-latex.
const loadMathJax4 = async () => {
  const MathJax = await (await load("mathjax")).init({
    loader: { load: ["input/tex", "output/svg", "a11y/assistive-mml"] }, svg: { fontCache: "none" },
  });
  return async (tex, display) => MathJax.startup.adaptor.outerHTML(await MathJax.tex2svgPromise(tex, { display }));
};

// As the extension Math of MediaWiki writes them.
const loadMediaWiki = async () => {
  const mathml = await loadMathJax3("mathml")();
  return (tex, display) => {
    const source = escape(`{\\displaystyle ${tex}}`), kind = display ? "display" : "inline";
    const math = mathml(tex, display).replace(/^<math([^>]*)>([^]*)<\/math>$/, (_, attributes, inner) =>
      `<math${attributes} alttext="${source}"><semantics><mrow>${inner}</mrow><annotation encoding="application/x-tex">${source}</annotation></semantics></math>`);
    const style = kind === "inline" ? ' style="display: none;"' : "";
    return `<span class="mwe-math-element mwe-math-element-${kind}"><span class="mwe-math-mathml-${kind} mwe-math-mathml-a11y"${style}>${math}</span>` +
      `<img src="/media/math/render/svg/${Buffer.from(tex).toString("hex").slice(0, 32)}" class="mwe-math-fallback-image-${kind} mw-invert" aria-hidden="true" style="vertical-align: -0.8ex; width:7ex; height:2.5ex;" alt="${source}"></span>`;
  };
};

const FORMULAS = {
  katex: loadKatex("htmlAndMathml"), "katex-html": loadKatex("html"), "katex-mathml": loadKatex("mathml"),
  "mathjax-svg": loadMathJax3("svg"), "mathjax-chtml": loadMathJax3("chtml"), mathml: loadMathJax3("mathml"),
  "mathjax4-svg": loadMathJax4, mediawiki: loadMediaWiki,
};

// Highlighters: functions from code and its language to HTML.

const loadHighlight = async () => {
  const hljs = await load("highlight.js");
  const known = (language) => hljs.getLanguage(language) ? language : "plaintext";
  return (code, language) => `<pre><code class="hljs language-${language}">${hljs.highlight(code, { language: known(language) }).value}</code></pre>`;
};

const loadShiki = async () => {
  const { createHighlighter, bundledLanguages } = await import("shiki");
  const highlighter = await createHighlighter({ themes: ["github-light"], langs: Object.keys(bundledLanguages).filter((name) => LANGUAGES.includes(name)) });
  const known = (language) => highlighter.getLoadedLanguages().includes(language) ? language : "text";
  // With the bar that VitePress writes.
  return (code, language) => `<div class="language-${language} vp-adaptive-theme line-numbers-mode"><button title="Copy Code" class="copy"></button><span class="lang">${language}</span>` +
    highlighter.codeToHtml(code, { lang: known(language), theme: "github-light" }) +
    `<div class="line-numbers-wrapper" aria-hidden="true">${code.split("\n").map((_, at) => `<span class="line-number">${at + 1}</span><br>`).join("")}</div></div>`;
};
const LANGUAGES = "python javascript typescript rust go c cpp sql bash yaml json html css diff java ruby makefile php toml latex".split(" ");

// What scripts do in the browser to a highlighted block.
const inBrowser = (scripts, run) => {
  const { JSDOM } = require("jsdom");
  const { window } = new JSDOM("<html lang=en><body></body></html>", { runScripts: "outside-only", pretendToBeVisual: true });
  Object.assign(window, { Prism: { manual: true }, hljs: {} });
  window.eval(scripts.map((name) => readFileSync(new URL(`node_modules/${name}`, import.meta.url), "utf8")).join("\n;\n") + `\n;run = () => { ${run} };`);
  return (html) => {
    window.document.body.innerHTML = html;
    window.element = window.document.querySelector("pre code");
    window.run();
    return window.document.body.innerHTML;
  };
};

const loadHighlightWithPlugins = async () => {
  const highlight = await loadHighlight();
  const change = inBrowser(
    ["highlightjs-line-numbers.js/dist/highlightjs-line-numbers.min.js", "highlightjs-copy/dist/highlightjs-copy.min.js"],
    `hljs.lineNumbersBlockSync(element, { singleLine: true }); new CopyButtonPlugin()["after:highlightElement"]({ el: element, text: "" });`);
  return (code, language) => change(highlight(code, language));
};

const loadPrism = async () => {
  const parts = ["core", ..."clike javascript typescript markup markup-templating css c cpp python rust go sql bash yaml json diff java ruby makefile php toml latex".split(" ")];
  const plugins = ["line-numbers", "toolbar", "show-language", "copy-to-clipboard"];
  const change = inBrowser(
    [...parts.map((name) => `prismjs/components/prism-${name}.min.js`), ...plugins.map((name) => `prismjs/plugins/${name}/prism-${name}.min.js`)],
    "Prism.highlightElement(element);");
  return (code, language) => change(`<pre class="line-numbers"><code class="language-${language}">${escape(code)}</code></pre>`);
};

const HIGHLIGHTERS = { highlight: loadHighlight, "highlight-plugins": loadHighlightWithPlugins, prism: loadPrism, shiki: loadShiki };

// Engines: functions from Markdown to HTML.

async function loadMarkdownIt({ code, math }) {
  const [MarkdownIt, footnote, definitions, container, tasks, anchor] = await Promise.all(
    ["markdown-it", "markdown-it-footnote", "markdown-it-deflist", "markdown-it-container", "markdown-it-task-lists", "markdown-it-anchor"].map(load));
  const { tex } = await import("@mdit/plugin-tex");
  const highlight = await HIGHLIGHTERS[code](), formula = await FORMULAS[math]();
  // markdown-it cannot wait: what is slow is put in afterwards.
  const later = [];
  const hold = (html) => `<!--${later.push(html) - 1}-->`;
  const markdown = MarkdownIt({ html: true }).use(footnote).use(definitions).use(tasks, { label: true })
    .use(anchor, { permalink: anchor.permalink.linkInsideHeader({ symbol: "#", placement: "after" }) })
    .use(tex, { render: (source, display) => display ? `<p>${hold(formula(source.trim(), true))}</p>` : hold(formula(source, false)) });
  for (const kind of ["note", "warning", "tip"]) {
    markdown.use(container, kind, { render: (tokens, at) => tokens[at].nesting === 1 ? `<div class="custom-block ${kind}"><p class="custom-block-title">${kind.toUpperCase()}</p>\n` : "</div>\n" });
  }
  markdown.renderer.rules.fence = (tokens, at) => hold(highlight(tokens[at].content.replace(/\n$/, ""), tokens[at].info)) + "\n";
  return async (source) => {
    const html = markdown.render(source), parts = await Promise.all(later.splice(0));
    return html.replace(/<!--(\d+)-->/g, (_, at) => parts[at]);
  };
}

// MDX; code by prism-react-renderer in the elements of Docusaurus's theme, or by rehype-pretty-code.
async function loadMdx({ code, math }) {
  const { evaluate } = await import("@mdx-js/mdx");
  const runtime = await import("react/jsx-runtime");
  const { createElement: h } = await import("react");
  const { renderToStaticMarkup } = await import("react-dom/server");
  const { Highlight, themes } = await import("prism-react-renderer");
  const [gfm, remarkMath, directive, katex, pretty, slug] = await Promise.all(["remark-gfm", "remark-math", "remark-directive", "rehype-katex", "rehype-pretty-code", "rehype-slug"].map(load));
  const box = () => (tree) => {
    for (const node of tree.children.filter((own) => own.type === "containerDirective")) {
      const part = (hName, className, children) => ({ type: "paragraph", data: { hName, hProperties: { className } }, children });
      Object.assign(node, part("div", `theme-admonition theme-admonition-${node.name} admonition_xJq3 alert alert--info`, [
        part("div", "admonitionHeading_Gvgb", [{ type: "text", value: node.name }]), part("div", "admonitionContent_BuS1", node.children)]), { type: "paragraph" });
    }
  };
  const buttons = h("div", { className: "buttonGroup_M5ko", key: "buttons" }, ["Toggle word wrap", "Copy code to clipboard"].map((label) => h("button", { key: label, type: "button", "aria-label": label, title: label, className: "clean-btn" },
    h("span", { className: "copyButtonIcons_IEyt", "aria-hidden": "true" }, h("svg", { viewBox: "0 0 24 24" })))));
  let blocks = 0;
  const CodeBlock = ({ children }) => {
    const { className = "", children: text } = children.props, language = className.replace("language-", ""), numbered = blocks++ % 2 === 1;
    const line = (own, getTokenProps) => own.map((token, at) => h("span", { key: at, ...getTokenProps({ token }) }));
    const lines = ({ tokens, getTokenProps }) => tokens.map((own, at) => h("span", { key: at, className: `token-line${numbered ? " codeLine_lJS_" : ""}`, style: { color: "#393A34" } },
      numbered ? [h("span", { key: 0, className: "codeLineNumber_Tfdd" }), h("span", { key: 1, className: "codeLineContent_feaV" }, line(own, getTokenProps))] : line(own, getTokenProps), h("br")));
    const pre = h(Highlight, { key: "code", theme: themes.github, code: String(text).replace(/\n$/, ""), language: language || "text" }, (given) =>
      h("pre", { tabIndex: 0, className: `prism-code ${className} codeBlock_bY9V thin-scrollbar` }, h("code", { className: numbered ? "codeBlockLines_e6Vv codeBlockLinesWithNumbering_o6Pm" : "codeBlockLines_e6Vv" }, lines(given))));
    return h("div", { className: `${className} codeBlockContainer_Ckt0 theme-code-block` },
      language === "yaml" && h("div", { className: "codeBlockTitle_OeMC" }, "settings.yaml"), h("div", { className: "codeBlockContent_QJqH" }, pre, buttons));
  };
  const options = {
    ...runtime, remarkPlugins: [gfm, remarkMath, directive, box],
    rehypePlugins: [slug, [katex, { output: { "katex-html": "html", "katex-mathml": "mathml" }[math] ?? "htmlAndMathml" }], ...(code === "pretty" ? [[pretty, { theme: "github-light" }]] : [])],
  };
  return async (source) => {
    const { default: Content } = await evaluate(source, options);
    return renderToStaticMarkup(h(Content, { components: code === "pretty" ? {} : { pre: CodeBlock } }));
  };
}

async function* readLines() {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) yield JSON.parse(line);
}

const write = (row) => process.stdout.write(JSON.stringify(row) + "\n");

async function render() {
  for await (const { engine, articles, ...options } of readLines()) {
    const convert = await (engine === "mdx" ? loadMdx : loadMarkdownIt)(options), contents = [];
    for (const source of articles) contents.push(await convert(source));
    write({ contents });
  }
}

async function renderFormulas() {
  for await (const { math, formulas } of readLines()) {
    const render = await FORMULAS[math](), rendered = [];
    for (const [tex, isDisplay] of formulas) rendered.push(await render(tex, isDisplay));
    write({ rendered });
  }
}

async function runPeers() {
  const { JSDOM, VirtualConsole } = require("jsdom");
  const { Readability } = require("@mozilla/readability");
  const { Defuddle } = await import("defuddle/node");
  const TurndownService = require("turndown"), { gfm } = require("turndown-plugin-gfm");
  const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced" }).use(gfm);
  const open = (html, url) => new JSDOM(html, { url, virtualConsole: new VirtualConsole() }).window.document;
  const guard = async (run) => {
    try { return await run(); } catch (error) { return { html: "", markdown: "", error: String(error) }; }
  };
  for await (const { url, html } of readLines()) {
    const readability = await guard(() => {
      const content = new Readability(open(html, url)).parse()?.content ?? "";
      return { html: content, markdown: turndown.turndown(content) };
    });
    const defuddle = await guard(async () => {
      const [plain, marked] = [await Defuddle(open(html, url), url), await Defuddle(open(html, url), url, { markdown: true })];
      return { html: plain.content, markdown: marked.content };
    });
    write({ url, readability, defuddle });
  }
}

await { render, formulas: renderFormulas, peers: runPeers }[process.argv[2]]();
// Windows of jsdom would keep the process.
process.stdout.write("", () => process.exit(0));
