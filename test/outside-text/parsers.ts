// Every parser of ours that reads text of others, and the texts that take it longest.

import { sessionKeyOf } from "../../src/action/run-request.ts";
import { GitError } from "../../src/base/git/git.ts";
import { matchesGlob } from "../../src/base/glob.ts";
import { withoutJsonFence } from "../../src/base/json-fence.ts";
import { singleLine, visibleText, withoutHidden } from "../../src/base/untrusted-text.ts";
import { isCompactToken } from "../../src/ci/compact-form.ts";
import { boundedObject } from "../../src/contract/bounded-object.ts";
import { isBranchName } from "../../src/contract/runs/pull-request.ts";
import { commitTitle, isOfRun } from "../../src/github/changes/commit-message.ts";
import { shownLines } from "../../src/github/findings/diff-lines.ts";
import { commentText } from "../../src/github/findings/finding-text.ts";
import { markersOf, markFindings } from "../../src/github/findings/marker.ts";
import { parseCommand } from "../../src/github/trigger/command.ts";
import { sanitise } from "../../src/github/trigger/sanitise.ts";
import { segmentsOf } from "../../src/github/trigger/segments.ts";
import { type TriggerPromptOptions, triggerPrompt } from "../../src/github/trigger/trigger-prompt.ts";
import { codeHostMessage, gitFailureOf } from "../../src/job/git/git-failure.ts";
import { inertMarkdown } from "../../src/render/inert-markdown.ts";
import { escapeMarkdown, inlineCode, untrustedFence } from "../../src/render/markdown.ts";
import { pullRequestBody } from "../../src/render/pull-request.ts";
import { findSecrets, maskSecrets } from "../../src/report/find-secrets.ts";
import { type Finding, readFindings } from "../../src/report/findings.ts";
import { scanPatch } from "../../src/report/scan-patch.ts";
import { toolTitle } from "../../src/report/tool-title.ts";
import { readIfMatch } from "../../src/service/api/http/bytes/preconditions.ts";
import { readRange } from "../../src/service/api/http/bytes/range.ts";
import { bearerOf } from "../../src/service/api/shared/bearer.ts";
import { clientAddress } from "../../src/service/api/shared/client-address.ts";
import { refusalOf } from "../../src/service/checkouts/clone-refusal.ts";
import type { CheckoutSource } from "../../src/service/core/ports/checkout.ts";
import { quote } from "../../src/service/executor/backends/model/call-failure.ts";
import { commandsOf } from "../../src/service/executor/backends/offline/commands.ts";
import { code, visible } from "../../src/service/executor/backends/offline/markdown.ts";
import { firstParagraph } from "../../src/service/executor/backends/offline/readme.ts";
import { isForeign } from "../../src/service/executor/tools/foreign-files.ts";
import { htmlToText } from "../../src/service/executor/tools/html-text.ts";
import { replacementHunks } from "../../src/service/executor/tools/replacement-diff.ts";
import { findSimilarLine } from "../../src/service/executor/tools/similar-line.ts";
import { parseCompactToken } from "../../src/service/oidc/compact-token.ts";
import { branchName, ownWorkflow, whereWellFormed } from "../../src/service/oidc/providers/claim-forms.ts";
import { show } from "../../src/service/oidc/registered-claims.ts";
import { harmlessConfiguration } from "../../src/service/sandbox/git-view.ts";

/** A unit that is repeated, or one between two texts that stand once. */
export type WorstText = string | readonly [before: string, unit: string, after: string];

export type Parser = {
  /** Below src. */
  readonly file: string;
  readonly name: string;
  readonly run: (text: string) => unknown;
  readonly worst: readonly WorstText[];
  /** The length of the shorter text, where it is not 16 KB. */
  readonly shortChars?: number;
};

const ROOM = 10_000_000;
const LAST_LINE = "\n/agent go";

/** Everything that Markdown pairs up, without its second half. */
const markdown: readonly WorstText[] = [
  "[",
  "\\[",
  "[\\",
  "![",
  "[](",
  "[a](\\(",
  "[a]: <",
  '[a]: b "',
  ["[a]:", "\t", ""],
  ["[a]:", "\n", ""],
  ["![](", " ", ""],
  ["![](", "\n", ""],
  ["![](a", " ", "x"],
  ['![](a "', "a", ""],
  ["](a", " ", "x"],
  "](a](b)",
  "](",
  "<",
  "<!--",
  "<!---->",
  "<?",
  "<![CDATA[",
  "<!A",
  "<pre>",
  "<a>",
  "</a",
  "<a b='",
  ["<a", " b", ""],
  ["<a", " ", ""],
  ["<a b", " ", "="],
  "<a b=\"<a c='",
  "`",
  "` `` ",
  "`a``b```c````d",
  "```\n",
  ["~~~", "~", "`"],
  "=\n",
  "-\n",
  "- ",
  "- a\n",
  "> ",
  "> a\n",
  "1. ",
  "&#",
  "&a",
  "@a",
  "\n",
  "\n\n",
  " \n",
  "\r",
  "\\",
  "*_",
  "|",
  "a",
];

const plain: readonly WorstText[] = [
  "a",
  " ",
  "\n",
  "\r\n",
  "\t",
  "\u200d",
  "\u{e0041}",
  "\ud800",
  "é",
  "👩‍",
];

const secrets: readonly WorstText[] = [
  ...plain,
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\n",
  ["-----BEGIN PRIVATE KEY-----\n", "A", ""],
  ["-----BEGIN PRIVATE KEY-----\n", "-", ""],
  "-----BEGIN ",
  "AKIAAAAAAAAAAAAAAAAA",
  "aws_secret_access_key=",
  "ghp_",
  "eyJhbGciOi.",
  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA ",
  "xoxb-",
  "sk-",
  "=",
  "/",
  ":",
];

const finding = (text: string): Finding => ({
  path: "a.ts",
  startLine: 1,
  line: 1,
  severity: "error",
  title: text,
  body: text,
  suggestion: text,
});
const gitError = (stderr: string) => new GitError({ code: "git_failed", message: "git failed", stderr });
const source: CheckoutSource = {
  repository: "a/b",
  sha: "a".repeat(40),
} as CheckoutSource;

/** Twenty earlier comments, a request and a body, each of the whole text. */
function prompt(text: string): string {
  const account = { login: "someone", type: "User" };
  const options = {
    trigger: {
      type: "issue_comment",
      action: "created",
      subject: { number: 1, isPullRequest: false, title: text, body: text, author: account },
      sender: account,
    },
    workflowPrompt: null,
    command: { verb: null, request: text, preamble: text },
    refs: null,
    included: {
      hasSubject: true,
      leftOut: 0,
      conversation: Array.from({ length: 20 }, () => ({ login: "other", body: text })),
    },
    reviewed: null,
    repository: "a/b",
    seed: "1",
  };
  return triggerPrompt(options as unknown as TriggerPromptOptions);
}

export const parsers: readonly Parser[] = [
  {
    file: "base/untrusted-text.ts",
    name: "visibleText",
    run: visibleText,
    worst: [...plain, "\u001b[", "\u001b[1;"],
  },
  {
    file: "base/untrusted-text.ts",
    name: "withoutHidden",
    run: withoutHidden,
    worst: [...plain, "\u001b[1;", "\r"],
  },
  { file: "base/untrusted-text.ts", name: "singleLine", run: (text) => singleLine(text, ROOM), worst: plain },
  {
    file: "base/json-fence.ts",
    name: "withoutJsonFence",
    run: withoutJsonFence,
    worst: ["\n", " ", "`", ["```", "\n", "x"], "```\n"],
  },
  { file: "action/run-request.ts", name: "sessionKeyOf", run: sessionKey, worst: ["a", "-", ["", ".", "@"]] },
  { file: "ci/compact-form.ts", name: "isCompactToken", run: isCompactToken, worst: ["a", "a.", "."] },
  {
    file: "contract/bounded-object.ts",
    name: "boundedObject",
    run: boundsOf,
    worst: ["[", '{"a":', "[],", '{"a":[],'],
  },
  {
    file: "contract/runs/pull-request.ts",
    name: "isBranchName",
    run: isBranchName,
    worst: ["a", "/", ".", "a/.", "@{"],
  },
  {
    file: "github/changes/commit-message.ts",
    name: "commitTitle",
    run: (text) => commitTitle({ subject: null, prompt: text }),
    worst: ["a+", "a.", "a/", "-", "://", "GH-", " "],
  },
  {
    file: "github/changes/commit-message.ts",
    name: "isOfRun",
    run: (text) => isOfRun(text, { id: "a", sessionId: "b" }),
    worst: ["\n", "\n ", ["\n", " ", "x"]],
  },
  {
    file: "github/findings/diff-lines.ts",
    name: "shownLines",
    run: shownLines,
    worst: ["@@ -1 +1 @@\n", ["@@ -", "1", ""], "+\n"],
  },
  {
    file: "github/findings/finding-text.ts",
    name: "commentText",
    run: (text) => commentText({ ...finding(text), marker: "" }),
    worst: markdown,
  },
  {
    file: "github/findings/marker.ts",
    name: "markersOf",
    run: markersOf,
    worst: ["\n", [`\n${marker()}`, " ", "x"], `\n${marker()}`, `\n${marker()} x`],
  },
  {
    file: "github/findings/marker.ts",
    name: "markFindings",
    run: (text) => markFindings([finding(text)]),
    worst: plain,
  },
  {
    file: "job/git/git-failure.ts",
    name: "gitFailureOf",
    run: (text) => gitFailureOf(gitError(text)),
    worst: ["repository '", "remote: Permission to ", "refusing to allow ", "a"],
  },
  {
    file: "job/git/git-failure.ts",
    name: "codeHostMessage",
    run: (text) => codeHostMessage(gitError(text)),
    worst: [
      "[rejected]",
      "[rejected] (",
      "[rejected] (\n",
      "remote: ",
      "remote:\t\n",
      ["remote:", " ", ""],
      "(",
    ],
  },
  {
    file: "github/trigger/command.ts",
    name: "parseCommand",
    run: (text) => parseCommand(text + LAST_LINE, "/agent"),
    worst: [
      ...markdown,
      "/agent",
      "/agent\n",
      "   ",
      "<q>x",
      "On a\n",
      "On a wrote",
      "<a@",
      "a: b\n",
      "_",
      "-- a",
    ],
  },
  {
    file: "github/trigger/sanitise.ts",
    name: "sanitise",
    run: sanitise,
    worst: [...markdown, "> > > > > > > > > a\n"],
  },
  { file: "github/trigger/segments.ts", name: "segmentsOf", run: segmentsOf, worst: markdown },
  {
    file: "github/trigger/trigger-prompt.ts",
    name: "triggerPrompt",
    run: prompt,
    worst: ["[a](\\(", "<?", "=", "`"],
  },
  {
    file: "render/inert-markdown.ts",
    name: "inertMarkdown",
    run: (text) => inertMarkdown(text, ROOM),
    worst: markdown,
  },
  {
    file: "render/inert-inline.ts",
    name: "inertMarkdown, in one line of code",
    run: (text) => inertMarkdown(`\` ${text}x\``, ROOM),
    worst: [" ", "\t", "a "],
  },
  {
    file: "render/inert-fence.ts",
    name: "inertMarkdown, in a fence",
    run: (text) => inertMarkdown(`> ~~~\n${text}`, ROOM),
    worst: ["> a\n", "\n", " ", "~~~\n", "> ~~\n"],
  },
  {
    file: "render/markdown.ts",
    name: "escapeMarkdown",
    run: (text) => escapeMarkdown(text, ROOM),
    worst: ["@", "#", "@a", "GH-", "-", ...plain],
  },
  { file: "render/markdown.ts", name: "inlineCode", run: inlineCode, worst: ["`", ":", "://", ...plain] },
  {
    file: "render/markdown.ts",
    name: "untrustedFence",
    run: untrustedFence,
    worst: ["`", "```\n", ...plain],
  },
  {
    file: "render/pull-request.ts",
    name: "pullRequestBody",
    run: pullRequest,
    // It keeps 48 KB, and a text beyond that costs the cut as well: both are beyond.
    shortChars: 64 * 1024,
    worst: [
      ...markdown,
      "close.",
      "fix ",
      "fix:\n",
      ["fix", " ", ""],
      ["fix ", "[", ""],
      ["fix ", "a.", "/"],
      "fix a/",
    ],
  },
  { file: "report/find-secrets.ts", name: "findSecrets", run: findSecrets, worst: secrets },
  { file: "report/find-secrets.ts", name: "maskSecrets", run: maskSecrets, worst: secrets },
  {
    file: "report/scan-patch.ts",
    name: "scanPatch",
    run: scanPatch,
    worst: [
      "@@ -1 +1 @@\n+a\n",
      ["@@ -1 +1,99999 @@\n", "+a\n", ""],
      ["@@ -1 +1 @@\n", "+", ""],
      "diff --git a/a b/a\n",
      '+++ "b/',
      "\u200b",
      "\u{e0041}",
      ...secrets,
    ],
  },
  { file: "report/findings.ts", name: "readFindings", run: findings, worst: ["./", "/", ...plain] },
  {
    file: "report/tool-title.ts",
    name: "toolTitle",
    run: (text) => [toolTitle("x", text), toolTitle("shell", JSON.stringify({ command: text }))],
    worst: ["[", '{"a":', ...plain],
  },
  {
    file: "service/api/http/bytes/preconditions.ts",
    name: "readIfMatch",
    run: readIfMatch,
    worst: [",", '"', " ", '",'],
  },
  {
    file: "service/api/http/bytes/range.ts",
    name: "readRange",
    run: (text) => readRange(`bytes=${text}`, 10),
    worst: [" ", "1", "-", ["", " ", "-x"], ["1-1", " ", "x"]],
  },
  {
    file: "service/api/shared/bearer.ts",
    name: "bearerOf",
    run: (text) => bearerOf(`Bearer ${text}`),
    worst: [" ", "a", "a ", ["a", " ", "x"]],
  },
  {
    file: "service/api/shared/client-address.ts",
    name: "clientAddress",
    run: (text) => clientAddress({ peer: text, forwardedFor: text }, 1),
    worst: [",", ":", "::", "1.", "[", "0", ["[", ":", "]"], ["::", "0", ""]],
  },
  {
    file: "service/checkouts/clone-refusal.ts",
    name: "refusalOf",
    run: (text) => refusalOf(gitError(`fatal: ${text}`), source),
    worst: ["a", "a:", "a://", "repository '", "transport '", "/", " /", "\nfatal: ", "\u0001"],
  },
  {
    file: "service/executor/backends/model/call-failure.ts",
    name: "quote",
    run: (text) => quote(text, "key"),
    worst: ["k", "ke", ...plain],
  },
  {
    file: "service/executor/backends/offline/commands.ts",
    name: "commandsOf",
    run: commands,
    worst: ["test:\n", "a", "-", ":", "\n"],
  },
  {
    file: "service/executor/backends/offline/markdown.ts",
    name: "code",
    run: (text) => code(text, ROOM),
    worst: ["`", "` ", ...plain],
  },
  {
    file: "service/executor/backends/offline/markdown.ts",
    name: "visible",
    run: (text) => visible(text, ROOM),
    worst: plain,
  },
  {
    file: "service/executor/backends/offline/readme.ts",
    name: "firstParagraph",
    run: firstParagraph,
    worst: markdown,
  },
  {
    file: "service/executor/tools/foreign-files.ts",
    name: "isForeign",
    run: isForeign,
    worst: ["_generated.", "/", "a", ".min", "vendor"],
  },
  {
    file: "base/glob.ts",
    name: "matchesGlob",
    run: (text) => [matchesGlob(text, "**/*a*b*c*"), matchesGlob("a/b/aaaaaaaaaab", text)],
    worst: ["a", "/", "a/", "*", "**/", "?", "*a"],
  },
  {
    file: "service/executor/tools/html-text.ts",
    name: "htmlToText",
    run: htmlToText,
    worst: [
      "<",
      "<a",
      "<!--",
      "<script>",
      "<script></script>",
      "</script",
      "<pre>",
      "<li>",
      "&",
      "&#",
      "&amp",
      " ",
      "\n",
      "<p>\n",
      "<!",
      "</",
    ],
  },
  {
    file: "service/executor/tools/replacement-diff.ts",
    name: "replacementHunks",
    run: hunks,
    worst: ["a", "a\n", "\n", "b\n"],
  },
  {
    file: "service/executor/tools/similar-line.ts",
    name: "findSimilarLine",
    run: (text) => findSimilarLine(text.split("\n"), text),
    worst: ["a", "a\n", " ", "ab cd ef\n"],
  },
  {
    file: "service/oidc/compact-token.ts",
    name: "parseCompactToken",
    run: parseCompactToken,
    worst: ["a", "a.", "."],
  },
  { file: "service/oidc/registered-claims.ts", name: "show", run: show, worst: plain },
  {
    file: "service/oidc/providers/claim-forms.ts",
    name: "branchName",
    run: (text) => whereWellFormed(branchName, text),
    worst: ["a", ".", "..", "@{", "-", "a/"],
  },
  {
    file: "service/oidc/providers/claim-forms.ts",
    name: "ownWorkflow",
    run: (text) => ownWorkflow(text, "a/b/"),
    worst: ["a", "a/b/"],
  },
  {
    file: "service/sandbox/git-view.ts",
    name: "harmlessConfiguration",
    run: (text) => harmlessConfiguration(`[core]\n${text}`),
    worst: ["[", ["[", " ", "x"], ["a =", "\t", "\0"], ["a", " ", "x"], "a = b\n", " ", "\n", "[a]\n"],
  },
];

function marker(): string {
  return `<!-- agent-service:finding ${"0".repeat(32)} -->`;
}

function sessionKey(workflowRef: string): string | null {
  const inputs = { session: { type: "thread" }, changes: "pull-request", matrix: "" };
  const options = { inputs, request: { subject: null }, job: { job: "a", step: "b" }, workflowRef };
  return sessionKeyOf(options as unknown as Parameters<typeof sessionKeyOf>[0]);
}

function boundsOf(text: string): unknown {
  const closed = text.startsWith("[") ? text + "]".repeat(text.length) : `${text}1${"}".repeat(text.length)}`;
  let value: unknown;
  try {
    value = { a: JSON.parse(closed) };
  } catch {
    value = { a: text };
  }
  return boundedObject({ maxBytes: 16_384, maxDepth: 64 }).safeParse(value);
}

function pullRequest(reply: string): string {
  const context = { reply, changes: null, jobUrl: "https://code.example/job", subject: null };
  return pullRequestBody(context as unknown as Parameters<typeof pullRequestBody>[0]);
}

function findings(text: string): unknown {
  const value = { findings: [{ path: text, line: 1, severity: text, title: text, body: text }] };
  return readFindings({ value } as unknown as Parameters<typeof readFindings>[0]);
}

function commands(text: string): unknown {
  const paths = ["Makefile", "package.json"];
  return commandsOf({ paths, texts: new Map(paths.map((path) => [path, text])) });
}

function hunks(text: string): string[] {
  const starts = [...text.matchAll(/a/g)].map(({ index }) => index);
  return replacementHunks(text, { starts, oldText: "a", newText: "c" });
}
