// Markdown as GitHub shows it: a page with GitHub's look, its diagrams drawn, for a browser to take a picture of.
// What draws is not of the project's dependencies, being as large as all the others: it is installed by who needs it.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const PACKAGES = [
  "marked@18.2.1",
  "github-markdown-css@5.9.0",
  "mermaid@11.17.2",
  "@fontsource/noto-sans@5.3.0",
  "twemoji-colr-font@15.0.3",
];
/** The same letters on every machine. */
const FONTS = [
  "@fontsource/noto-sans/400.css",
  "@fontsource/noto-sans/600.css",
  "twemoji-colr-font/twemoji.css",
];

/** What turns Markdown into a page. */
export type Painter = {
  /** As HTML. Not cleaned: for what this project wrote. */
  readonly toHtml: (markdown: string) => string;
  readonly css: string;
  readonly fontUrls: readonly string[];
  readonly mermaidUrl: string;
};

type Token = { readonly lang?: string | undefined; readonly text: string };
type Marked = new (options: object) => { parse(markdown: string): string };

/** From the `node_modules` of `folder`. Throws, with what to install, where it is not. */
export async function findPainter(folder: string): Promise<Painter> {
  const { resolve } = createRequire(join(folder, "package.json"));
  const urlOf = (name: string) => pathToFileURL(resolve(name)).href;
  try {
    const { Marked } = (await import(urlOf("marked"))) as { Marked: Marked };
    const marked = new Marked({ gfm: true, renderer: { code: codeBlock } });
    return {
      toHtml: (markdown) => marked.parse(markdown),
      css: await readFile(resolve("github-markdown-css/github-markdown.css"), "utf8"),
      fontUrls: FONTS.map(urlOf),
      mermaidUrl: urlOf("mermaid/dist/mermaid.min.js"),
    };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    if (!["MODULE_NOT_FOUND", "ERR_PACKAGE_PATH_NOT_EXPORTED", "ENOENT"].includes(code)) throw cause;
    const command = `npm install --no-save ${PACKAGES.join(" ")}`;
    throw new Error(`${folder} lacks what draws Markdown and diagrams. Install it there: ${command}`, {
      cause,
    });
  }
}

/** The job's summary, on the page of a workflow run. */
export function summaryPage(painter: Painter, markdown: string): string {
  // A reader unfolds the timeline; in a picture somebody has.
  const unfolded = painter.toHtml(markdown).replace("<details>", "<details open>");
  return page(painter, `<section class="box markdown-body">${unfolded}</section>`);
}

/** A request on a pull request, and the answer. */
export function threadPage(painter: Painter, said: { request: string; answer: string }): string {
  const remark = (who: { name: string; badge: string; avatar: string }, markdown: string) => `
    <article class="remark">
      <div class="avatar">${who.avatar}</div>
      <div class="box">
        <header><b>${who.name}</b>${who.badge === "" ? "" : `<i>${who.badge}</i>`} commented now</header>
        <div class="markdown-body">${painter.toHtml(markdown)}</div>
      </div>
    </article>`;
  const person = { name: "octocat", badge: "", avatar: "o" };
  const bot = { name: "github-actions", badge: "bot", avatar: "▶" };
  return page(painter, remark(person, said.request) + remark(bot, said.answer));
}

/** The log of a job's step, as its page shows it: groups are folded there. */
export function logPage({ fontUrls }: Painter, log: string): string {
  const folded = log.replaceAll(/^▼ (.*)\n(?:(?: {2}.*)?\n)*/gm, "▶ $1\n");
  const lines = folded.trimEnd().split("\n");
  const rows = lines.map((line) => {
    const [, level] = /^##\[(\w+)\]/.exec(line) ?? [];
    const text = escapeHtml(line.replace(/^##\[\w+\]/, level === "error" ? "Error: " : ""));
    return `<li class="${level ?? ""}">${text === "" ? "&nbsp;" : text}</li>`;
  });
  return `<!doctype html>
<meta charset="utf-8">
${fontUrls.map((url) => `<link rel="stylesheet" href="${url}">`).join("\n")}
<style>${logLook}</style>
<main><ol>${rows.join("\n")}</ol></main>
<script>window.isDrawn = document.fonts.ready;</script>
`;
}

function codeBlock({ text, lang = "" }: Token): string {
  if (lang === "mermaid") return `<pre class="mermaid">${escapeHtml(text)}</pre>\n`;
  const lines = text.split("\n").map((line) => (lang === "diff" ? diffLine(line) : escapeHtml(line)));
  return `<div class="highlight"><pre>${lines.join("\n")}</pre></div>\n`;
}

function diffLine(line: string): string {
  const kind = line.startsWith("+") ? "pl-mi1" : line.startsWith("-") ? "pl-md" : "";
  return kind === "" ? escapeHtml(line) : `<span class="${kind}">${escapeHtml(line)}</span>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function page({ css, fontUrls, mermaidUrl }: Painter, body: string): string {
  return `<!doctype html>
<meta charset="utf-8">
${fontUrls.map((url) => `<link rel="stylesheet" href="${url}">`).join("\n")}
<style>${css}</style>
<style>${look}</style>
<main>${body}</main>
<script src="${mermaidUrl}"></script>
<script>
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: isDark ? "dark" : "default" });
  window.isDrawn = mermaid.run({ querySelector: ".mermaid" });
</script>
`;
}

/** What surrounds the Markdown on GitHub. Colours are those of its default themes. */
const look = `
  :root { --page: #fff; --line: #d1d9e0; --head: #f6f8fa; --text: #1f2328; --muted: #59636e; --avatar: #ddf4ff; }
  @media (prefers-color-scheme: dark) {
    :root { --page: #0d1117; --line: #3d444d; --head: #151b23; --text: #f0f6fc; --muted: #9198a1; --avatar: #0c2d6b; }
  }
  body { margin: 0; background: var(--page); color: var(--text); }
  main { box-sizing: border-box; width: 100%; padding: 16px; background: var(--page); }
  main, .markdown-body { font: 14px/1.5 "Noto Sans", sans-serif, Twemoji; }
  .box { border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
  section.box { padding: 24px; }
  .markdown-body pre.mermaid { background: none; padding: 16px 0; text-align: center; border: 1px solid var(--line); overflow: hidden; }
  .remark { display: grid; grid-template-columns: 40px 1fr; gap: 16px; }
  .remark + .remark { margin-top: 16px; }
  .remark .markdown-body { padding: 16px; }
  .avatar { width: 40px; height: 40px; border-radius: 50%; background: var(--avatar); color: #4493f8; font: 600 18px/40px sans-serif; text-align: center; }
  header { padding: 8px 16px; background: var(--head); border-bottom: 1px solid var(--line); color: var(--muted); }
  header b { color: var(--text); font-weight: 600; }
  header i { margin-left: 6px; padding: 0 6px; border: 1px solid var(--line); border-radius: 2em; font-style: normal; font-size: 12px; }
`;

/** Of the log of a step on GitHub: dark, its lines numbered. */
const logLook = `
  body { margin: 0; background: #010409; }
  main { box-sizing: border-box; width: 100%; padding: 12px 0; background: #010409; color: #f0f6fc; }
  ol { margin: 0; padding: 0 16px 0 56px; font: 12px/20px "DejaVu Sans Mono", "Liberation Mono", monospace, Twemoji; }
  li { padding-left: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
  li::marker { color: #9198a1; }
  li.error { color: #ff7b72; }
  li.warning { color: #d29922; }
`;
