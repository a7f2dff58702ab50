// Every parser of ours that reads text of others, and the texts that take it longest.

import { sessionKeyOf } from "../../src/action/run-request.ts";
import { GitError } from "../../src/base/git/git.ts";
import { matchesGlob } from "../../src/base/glob.ts";
import { imageSizeOf } from "../../src/base/image-type.ts";
import { withoutJsonFence } from "../../src/base/json-fence.ts";
import { nearestName } from "../../src/base/nearest-name.ts";
import { expandBraces, pathMatcher } from "../../src/base/path-pattern.ts";
import { singleLine, visibleText, withoutHidden } from "../../src/base/untrusted-text.ts";
import { fromBitbucket, toBitbucket } from "../../src/bitbucket/bitbucket-markdown.ts";
import { withoutSmartCommits } from "../../src/bitbucket/changes/smart-commits.ts";
import { isCompactToken } from "../../src/ci/compact-form.ts";
import { readEgressEntries } from "../../src/contract/egress.ts";
import { boundedObject } from "../../src/contract/fields.ts";
import { mcpServersRequestSchema } from "../../src/contract/runs/mcp-servers.ts";
import { isBranchName } from "../../src/contract/runs/pull-request.ts";
import { setupPathPattern } from "../../src/contract/runs/run-requests.ts";
import { promptOf } from "../../src/evals/commit-message.ts";
import { isJudgePath, isSourcePath } from "../../src/evals/path-kinds.ts";
import { narrowedCommand } from "../../src/evals/test-command.ts";
import { failedStepsLog } from "../../src/github/failed-jobs/step-log.ts";
import { imageReferences, signedAddresses } from "../../src/github/thread-images/image-references.ts";
import { parseCommand } from "../../src/github/trigger/command.ts";
import { type TriggerPromptOptions, triggerPrompt } from "../../src/github/trigger/trigger-prompt.ts";
import { withoutClosingWords, withoutMergeRequests } from "../../src/gitlab/changes/inert-references.ts";
import { withoutQuickActions } from "../../src/gitlab/inert-actions.ts";
import { linesOfDiff } from "../../src/gitlab/reviews/diff-positions.ts";
import { commitTitle, isOfRun } from "../../src/job/changes/commit-message.ts";
import { mapLines } from "../../src/job/code-host/mapped-lines.ts";
import { shownLines } from "../../src/job/findings/diff-lines.ts";
import { commentText } from "../../src/job/findings/finding-text.ts";
import { markersOf, markFindings } from "../../src/job/findings/marker.ts";
import { codeHostMessage, gitFailureOf } from "../../src/job/git/git-failure.ts";
import { markerLine, markerOf } from "../../src/job/outputs/filed-marker.ts";
import { diffBlock } from "../../src/job/prompt/diff-block.ts";
import { fencedBlocks } from "../../src/job/prompt/fenced-blocks.ts";
import { sanitise } from "../../src/job/prompt/sanitise.ts";
import { segmentsOf } from "../../src/job/prompt/segments.ts";
import { egressSection } from "../../src/render/egress-notes.ts";
import { inlineMarkdown } from "../../src/render/html/inline-markdown.ts";
import { markdownElements } from "../../src/render/html/markdown-elements.ts";
import { inertMarkdown } from "../../src/render/inert-markdown.ts";
import { escapeMarkdown, inlineCode, untrustedFence } from "../../src/render/markdown.ts";
import { pullRequestBody } from "../../src/render/pull-request.ts";
import { changedWords } from "../../src/render/run-page/diff/changed-words.ts";
import { patchFiles } from "../../src/render/run-page/diff/patch-files.ts";
import { languageOf } from "../../src/render/run-page/diff/syntax/languages.ts";
import { scanLine } from "../../src/render/run-page/diff/syntax/scan-line.ts";
import { findSecrets, maskSecrets } from "../../src/report/find-secrets.ts";
import { type Finding, readFindings } from "../../src/report/findings.ts";
import { scanPatch } from "../../src/report/scan-patch.ts";
import { toolTitle } from "../../src/report/tool-title.ts";
import { credentialOf } from "../../src/service/api/git/credential.ts";
import { commandOf } from "../../src/service/api/git/push-request.ts";
import { readRange } from "../../src/service/api/http/bytes/answer-bytes.ts";
import { readIfMatch } from "../../src/service/api/http/bytes/preconditions.ts";
import { parseResourceUri } from "../../src/service/api/mcp/resource-uri.ts";
import { cookieOutside, cookiesInside } from "../../src/service/api/oauth/library-cookies.ts";
import { isPermittedRedirect } from "../../src/service/api/oauth/redirect-uri.ts";
import { bearerOf } from "../../src/service/api/shared/bearer.ts";
import { clientAddress } from "../../src/service/api/shared/client-address.ts";
import { refusalOf } from "../../src/service/checkouts/clone-refusal.ts";
import { credentialValues } from "../../src/service/checkouts/credential-values.ts";
import { asExtended } from "../../src/service/checkouts/grep.ts";
import { packFaultOf } from "../../src/service/checkouts/packs/pack-fault.ts";
import { parseBlame } from "../../src/service/checkouts/read-history.ts";
import { parseHead } from "../../src/service/checkouts/remotes/git-remotes.ts";
import { remoteRefusalOf } from "../../src/service/checkouts/remotes/remote-refusal.ts";
import type { CheckoutSource } from "../../src/service/core/checkouts/checkout.ts";
import { maySignUp } from "../../src/service/core/sign-in/sign-in-policy.ts";
import { checkPortable } from "../../src/service/core/workspaces/paths/portable-path.ts";
import { looksLikeAddress, plainName, readAuthority, shownHost } from "../../src/service/egress/authority.ts";
import { readClientHello } from "../../src/service/egress/client-hello.ts";
import { quote } from "../../src/service/executor/backends/model/call-failure.ts";
import { readErrorBody } from "../../src/service/executor/backends/model/error-body.ts";
import { refusesThoughts } from "../../src/service/executor/backends/model/refused-thoughts.ts";
import { readTooLong } from "../../src/service/executor/backends/model/too-long.ts";
import { learnRefusal, refusesTools } from "../../src/service/executor/backends/model/wires/refusals.ts";
import { commandsOf } from "../../src/service/executor/backends/offline/commands.ts";
import { code, visible } from "../../src/service/executor/backends/offline/markdown.ts";
import { firstParagraph } from "../../src/service/executor/backends/offline/readme.ts";
import { changesFiles } from "../../src/service/executor/checks/changing-commands.ts";
import { checkIn } from "../../src/service/executor/checks/check-kinds.ts";
import { scriptsOfWorkflow, targetsOf } from "../../src/service/executor/checks/project-checks.ts";
import { simpleCommands } from "../../src/service/executor/checks/shell-script.ts";
import {
  readAnnotations,
  readColons,
  readNode,
  readPrettier,
  readRustfmt,
  readStylish,
  readTypeScript,
} from "../../src/service/executor/diagnostics/read-output.ts";
import { readFrontMatter } from "../../src/service/executor/memory/front-matter.ts";
import { memoryFileOf } from "../../src/service/executor/memory/memory-files.ts";
import { checkRelativePath, withoutShownRoot } from "../../src/service/executor/tools/checkout-path.ts";
import { findReplaced } from "../../src/service/executor/tools/find-replaced.ts";
import { foldText } from "../../src/service/executor/tools/folded-text.ts";
import { isForeign } from "../../src/service/executor/tools/foreign-files.ts";
import { htmlToText } from "../../src/service/executor/tools/html-text.ts";
import { indentationRule } from "../../src/service/executor/tools/indentation.ts";
import { answerOf } from "../../src/service/executor/tools/mcp/call-result.ts";
import { offerTools } from "../../src/service/executor/tools/mcp/offered-tools.ts";
import { readServers, readServerText } from "../../src/service/executor/tools/mcp/server-definition.ts";
import { findRegexFault } from "../../src/service/executor/tools/regex-fault.ts";
import { replacementHunks } from "../../src/service/executor/tools/replacement-diff.ts";
import { findSimilarLine } from "../../src/service/executor/tools/similar-line.ts";
import { readInput } from "../../src/service/executor/tools/tool-input.ts";
import { parseCompactToken } from "../../src/service/oidc/compact-token.ts";
import { branchName, ownWorkflow, whereWellFormed } from "../../src/service/oidc/providers/claim-forms.ts";
import { show } from "../../src/service/oidc/registered-claims.ts";
import { toolsIn } from "../../src/service/sandbox/found-tools.ts";
import { harmlessConfiguration } from "../../src/service/sandbox/git-view.ts";
import { isToolchainFolder } from "../../src/service/sandbox/toolchain-variables.ts";

const anyInput = {
  type: "object",
  properties: { count: { type: "integer" }, flag: { type: "boolean" }, list: { type: "array", items: {} } },
};

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

const shellTexts: readonly WorstText[] = [
  "'",
  '"',
  "`",
  "$(",
  ")",
  "<<a ",
  "<",
  ">",
  "|",
  "\\",
  "#",
  "a ",
  "\n",
  ["cat <<a", " <<b", "\n"],
  ["cat <<a\n", "b\n", ""],
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

const filed = markerLine({ place: "0".repeat(32), item: "0".repeat(32) });

export const parsers: readonly Parser[] = [
  {
    file: "base/nearest-name.ts",
    name: "nearestName",
    run: (text) => nearestName(text, ["message", "session_id", "idempotency_key"]),
    worst: ["m", "_", " ", ["m", "_", "m"]],
  },
  {
    file: "service/core/workspaces/paths/portable-path.ts",
    name: "checkPortable",
    run: (text) => checkPortable(text),
    worst: ["a", ". ", " ", "/", "con/", ["con", " ", "x"]],
  },
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
    file: "contract/fields.ts",
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
    file: "job/changes/commit-message.ts",
    name: "commitTitle",
    run: (text) => commitTitle({ subject: null, prompt: text }),
    worst: ["a+", "a.", "a/", "-", "://", "GH-", " "],
  },
  {
    file: "job/changes/commit-message.ts",
    name: "isOfRun",
    run: (text) => isOfRun(text, { id: "a", sessionId: "b" }),
    worst: ["\n", "\n ", ["\n", " ", "x"]],
  },
  {
    file: "evals/commit-message.ts",
    name: "promptOf",
    run: (text) => promptOf(text),
    worst: [
      "-by",
      "a-by:",
      "\n",
      "\nfixes ",
      "fixes a/",
      " (#1",
      "Merge branch ",
      ["subject\n\n", "\nCc: a", ""],
    ],
  },
  {
    file: "evals/path-kinds.ts",
    name: "isJudgePath",
    run: (text) => isJudgePath(text) || isSourcePath(text),
    worst: ["a/", "vitest.", "jest.config", "requirements", ".lock", ".test", "_test", "test_"],
  },
  {
    file: "evals/test-command.ts",
    name: "narrowedCommand",
    run: (text) =>
      narrowedCommand(text, { files: [text], packageJson: `{"scripts":{"test":${JSON.stringify(text)}}}` }),
    worst: ["a ", "&&", "./", "'", "go test "],
  },
  {
    file: "github/failed-jobs/step-log.ts",
    name: "failedStepsLog",
    run: (log) => failedStepsLog(log, []),
    worst: ["2026-01-15T09:30:00.1Z ", "\u001b]", "\u001b[0", "\u001b", "\r", "\n", "##[error]\n", "\uFEFF"],
  },
  {
    file: "job/findings/diff-lines.ts",
    name: "shownLines",
    run: shownLines,
    worst: ["@@ -1 +1 @@\n", ["@@ -", "1", ""], "+\n"],
  },
  {
    file: "service/sandbox/found-tools.ts",
    name: "toolsIn",
    run: (output) => toolsIn({ output }),
    worst: ["a", "a ", "1", "1.", ["node ", "a", ""], "node 1\n", "\n"],
  },
  {
    file: "service/sandbox/toolchain-variables.ts",
    name: "isToolchainFolder",
    run: isToolchainFolder,
    worst: [
      ["JAVA_HOME_", "1", "-"],
      ["JAVA_HOME_", "_", ""],
      ["GOROOT_1_", "a", "-"],
      ["GOROOT_", "1_", "-"],
    ],
  },
  {
    file: "contract/runs/run-requests.ts",
    name: "setupPathPattern",
    run: (text) => setupPathPattern.test(text),
    worst: ["a", "a/", ["", "a", "/"], ["a", ".", " "]],
  },
  {
    file: "job/findings/finding-text.ts",
    name: "commentText",
    run: (text) => commentText({ ...finding(text), marker: "" }, "0".repeat(40)),
    worst: markdown,
  },
  {
    file: "job/findings/marker.ts",
    name: "markersOf",
    run: markersOf,
    worst: ["\n", [`\n${marker()}`, " ", "x"], `\n${marker()}`, `\n${marker()} x`],
  },
  {
    file: "job/outputs/filed-marker.ts",
    name: "markerOf",
    run: markerOf,
    worst: ["\n", [`\n${filed}`, " ", "x"], `\n${filed}`, `\n${filed} x`],
  },
  {
    file: "gitlab/inert-actions.ts",
    name: "withoutQuickActions",
    run: withoutQuickActions,
    worst: ["/close\n", "> ", "1. ", "```\n/close\n", ["```\n", "> ", "/close"], " ", "`"],
  },
  {
    file: "bitbucket/bitbucket-markdown.ts",
    name: "toBitbucket",
    run: toBitbucket,
    worst: [
      "<summary>",
      "<code>",
      ["<code>", "&#1;", "</code>"],
      "<sub>",
      "<!-- agent-service:a -->\n",
      "[//]: # (agent-service:a)\n",
    ],
  },
  {
    file: "bitbucket/bitbucket-markdown.ts",
    name: "fromBitbucket",
    run: fromBitbucket,
    worst: ["[//]: # (agent-service:", "[//]: # (agent-service:a)\n", "\r\n"],
  },
  {
    file: "bitbucket/changes/smart-commits.ts",
    name: "withoutSmartCommits",
    run: withoutSmartCommits,
    worst: ["A1", "DEV-7 #a ", "DEV-", "#a", "&#a", "DEV-7 #a\n"],
  },
  {
    file: "job/code-host/mapped-lines.ts",
    name: "mapLines",
    run: (text) => mapLines(text, { text: (line) => line, code: (line) => line }),
    worst: ["> ", "1. ", "`", "```\n", "> ```\n"],
  },
  {
    file: "gitlab/changes/inert-references.ts",
    name: "withoutClosingWords",
    run: (text) => withoutMergeRequests(withoutClosingWords(text)),
    worst: [
      "closes ",
      ["closes issues ", "a/", "#"],
      ["fixes ", "\\", "#"],
      ["resolving", " ", "x"],
      "!",
      "implements: [[",
    ],
  },
  {
    file: "gitlab/reviews/diff-positions.ts",
    name: "linesOfDiff",
    run: linesOfDiff,
    worst: ["@@ -1 +1 @@\n", ["@@ -", "1", ""], "+\n", " \n"],
  },
  {
    file: "job/prompt/diff-block.ts",
    name: "diffBlock",
    run: diffBlock,
    worst: ["`", "` "],
  },
  {
    file: "job/findings/marker.ts",
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
    file: "github/thread-images/image-references.ts",
    name: "imageReferences",
    run: (text) => imageReferences(text, "https://github.com"),
    worst: [
      ...plain,
      "![image](",
      "![image](https://",
      ["![image](https://github.com/", "a", ")"],
      ["![image](https://github.com/user-attachments/assets/", "a-", ")"],
      "![image](https://github.com/a/b/assets/1/00000000-0000-0000-0000-00000000000)",
    ],
  },
  {
    file: "github/thread-images/image-references.ts",
    name: "signedAddresses",
    run: (text) => signedAddresses(text, "https://github.com"),
    worst: [
      ...plain,
      "<img ",
      "<img a",
      '<img src="',
      ' src="a',
      ["<img ", 'src="a', ""],
      ['<img src="', "a", ""],
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
    file: "job/prompt/sanitise.ts",
    name: "sanitise",
    run: sanitise,
    worst: [...markdown, "> > > > > > > > > a\n"],
  },
  { file: "job/prompt/segments.ts", name: "segmentsOf", run: segmentsOf, worst: markdown },
  {
    file: "job/prompt/fenced-blocks.ts",
    name: "fencedBlocks",
    run: (text) => fencedBlocks([{ title: "log", text }], { seed: "1", what: "a log" }),
    worst: ["=", "= ", "a"],
  },
  {
    file: "github/trigger/trigger-prompt.ts",
    name: "triggerPrompt",
    run: prompt,
    worst: ["[a](\\(", "<?", "=", "`"],
  },
  {
    file: "render/html/markdown-elements.ts",
    name: "markdownElements",
    run: markdownElements,
    worst: [
      ...markdown,
      "- a\n",
      "- - ",
      "> > ",
      "- a\n\n",
      "1. a\n",
      "|-",
      "| a |\n|---|\n",
      "a|b\n-|-\n",
      "- - -x\n",
    ],
  },
  {
    file: "render/html/inline-markdown.ts",
    name: "inlineMarkdown",
    run: inlineMarkdown,
    worst: [...markdown, "**a ", "*a_b", "a** ", "` `` ", "https://a ", "h", '[](a "', "  \n"],
  },
  {
    file: "render/run-page/diff/patch-files.ts",
    name: "patchFiles",
    run: patchFiles,
    worst: [
      "@@ -1 +1 @@\n+a\n",
      ["diff --git a/a b/a\n@@ -1 +1,99999 @@\n", "+a\n", ""],
      "diff --git a/a b/a\n",
      ["diff --git a/a b/a\n+++ ", '"b/', ""],
      ["diff --git ", "a/", ""],
    ],
  },
  {
    file: "render/run-page/diff/changed-words.ts",
    name: "changedWords",
    run: (text) => changedWords(text, `${text}x`),
    worst: ["a", " ", "a ", ".", "\u{1f600}", "a\n"],
  },
  ...["ts", "rs", "cs", "html", "yml", "css", "py", "sh"].map((extension) => ({
    file: "render/run-page/diff/syntax/scan-line.ts",
    name: `scanLine .${extension}`,
    run: (text: string) => {
      const language = languageOf(`a.${extension}`);
      if (language !== null) scanLine(text, language, null);
    },
    worst: [
      "'\\",
      "/[",
      "a(",
      "\"'`",
      "<a ",
      "'\\u{",
      " ",
      "x:",
      "/*",
      "*/",
      '"\\',
      '"":',
      "a",
      "0.",
      "<!-",
      "a :",
    ],
  })),
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
    run: (text) => [toolTitle("x", text), toolTitle("run_command", JSON.stringify({ command: text }))],
    worst: ["[", '{"a":', ...plain],
  },
  {
    file: "service/api/http/bytes/preconditions.ts",
    name: "readIfMatch",
    run: readIfMatch,
    worst: [",", '"', " ", '",'],
  },
  {
    file: "service/api/http/bytes/answer-bytes.ts",
    name: "readRange",
    run: (text) => readRange(`bytes=${text}`, 10),
    worst: [" ", "1", "-", ["", " ", "-x"], ["1-1", " ", "x"]],
  },
  {
    file: "service/api/mcp/resource-uri.ts",
    name: "parseResourceUri",
    run: (text) => parseResourceUri(`run://${text}`),
    worst: ["a", "-", "0", "/", ["0/events?after=", "1", "x"]],
  },
  {
    file: "service/api/shared/bearer.ts",
    name: "bearerOf",
    run: (text) => bearerOf(`Bearer ${text}`),
    worst: [" ", "a", "a ", ["a", " ", "x"]],
  },
  {
    file: "service/api/git/credential.ts",
    name: "credentialOf",
    run: (text) => credentialOf(`Basic ${text}`),
    worst: [" ", "a", "=", "a=", "a ", ["a", "=", " x"]],
  },
  {
    file: "service/api/git/push-request.ts",
    name: "commandOf",
    run: (text) => pushCommand(text),
    worst: ["a", " ", "/", "\0", ["", "a", " "]],
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
    run: (text) => refusalOf(gitError(`fatal: ${text}`), source, { maxCpuSeconds: 1 }),
    worst: ["a", "a:", "a://", "repository '", "transport '", "/", " /", "\nfatal: ", "\u0001"],
  },
  {
    file: "service/checkouts/remotes/remote-refusal.ts",
    name: "remoteRefusalOf",
    run: (text) => remoteRefusalOf(gitError(text), "deploy_key"),
    worst: ["repository '", "a", "Host key", "returned error: 4", ["repository '", "a", "' not"]],
  },
  {
    file: "service/checkouts/remotes/git-remotes.ts",
    name: "parseHead",
    run: (text) => parseHead(text),
    worst: ["a", "a\tHEAD", "ref: refs/heads/", ["ref: refs/heads/", "a", ""], "\n", "0\n"],
  },
  {
    file: "service/checkouts/packs/pack-fault.ts",
    name: "packFaultOf",
    run: (text) => packFaultOf(gitError(text), { maxCpuSeconds: 1 }),
    worst: ["error in tree ", "error in tree a", ["error in tree ", "a", ""], "error: object ", "a", "fsck"],
  },
  {
    file: "service/executor/checks/shell-script.ts",
    name: "simpleCommands",
    run: (text) => simpleCommands(text),
    worst: [...shellTexts, ["", "a && ", "b"]],
  },
  {
    file: "service/executor/checks/check-kinds.ts",
    name: "checkIn",
    run: (text) => checkIn(text),
    worst: [...shellTexts, "npm run ", "python3.", ["npm run ", "a-", ""], ["", "time ", "npm test"]],
  },
  {
    file: "service/executor/checks/changing-commands.ts",
    name: "changesFiles",
    run: (text) => changesFiles(text),
    worst: [...shellTexts, ["sed -", "a", ""], "sed -i "],
  },
  {
    file: "service/executor/checks/project-checks.ts",
    name: "targetsOf",
    run: (text) => targetsOf(text),
    worst: ["a ", "a", " ", "a:", ["a", " ", "="], "a\n"],
  },
  {
    file: "service/executor/checks/project-checks.ts",
    name: "scriptsOfWorkflow",
    run: (text) => scriptsOfWorkflow(text),
    worst: ["run: a\n", "run: |\n", " ", "- ", "\n", ["run: ", "'", ""], "  run: |\n"],
  },
  {
    file: "service/executor/backends/model/call-failure.ts",
    name: "quote",
    run: (text) => quote(text, "key"),
    worst: ["k", "ke", ...plain],
  },
  {
    file: "service/executor/backends/model/error-body.ts",
    name: "readErrorBody",
    run: readErrorBody,
    worst: [
      "<title>",
      "retry in 1",
      "try again after 1m",
      "1.1.1",
      ["[", "[", "]"],
      ['{"error":', '{"error":', "}"],
      ["", "[{", ""],
      ["retry in ", "1", ""],
      ["<html><title>", " ", ""],
      ...plain,
    ],
  },
  {
    file: "service/executor/backends/model/refused-thoughts.ts",
    name: "what a model's API says of the thoughts that it refuses",
    run: (text) => refusesThoughts(400, text),
    worst: [
      "encrypted content ",
      "items are not persisted when ",
      "invalid value at ",
      "invalid `signature` in ",
    ],
  },
  {
    file: "service/executor/backends/model/too-long.ts",
    name: "readTooLong",
    run: (text) => [readTooLong(400, text), readTooLong(429, text)],
    worst: [
      "request too large for ",
      "request body too large for max size: ",
      "prompt contains 1 tokens",
      "prompt is too long: 1",
      "input length and max_tokens exceed context limit: 1",
      "1,111",
      "1",
      ["input length (", "1", ""],
      ...plain,
    ],
  },
  {
    file: "service/executor/backends/model/wires/refusals.ts",
    name: "learnRefusal",
    run: (text) => [
      refusesTools(text),
      learnRefusal(text, {
        max_tokens: 16_000,
        reasoning_effort: "high",
        messages: [{ role: "developer", content: "" }],
      }),
    ],
    worst: [
      "max_tokens ",
      "1",
      "1 > ",
      '"a" is not supported',
      "extra inputs are not permitted",
      "a.a.a: extra inputs are not permitted",
      ["'type': 'extra_forbidden', 'loc': (", "'a', ", ""],
      ["supported values are ", "effort ", ""],
      ["property '", "a", ""],
      ['"param": "', "a", ""],
      ...plain,
    ],
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
    file: "base/path-pattern.ts",
    name: "pathMatcher",
    run: (text) => {
      const pattern = text.slice(0, 256);
      return [pathMatcher(expandBraces(pattern))(text), pathMatcher(["**/*a*b*c*", "[a-z]*[/]"])(text)];
    },
    worst: ["a", "/", "a/", "*", "**/", "{a,b}", "{", "{a,", "[", "[a", "[a-"],
  },
  {
    file: "service/checkouts/grep.ts",
    name: "asExtended",
    run: asExtended,
    worst: ["\\d", "(?:", "*?", "?", "\\"],
  },
  {
    file: "service/executor/tools/checkout-path.ts",
    name: "checkRelativePath and withoutShownRoot",
    run: (text) => {
      try {
        return [withoutShownRoot("/a", `/a${text}`), checkRelativePath(text.slice(0, 4_000))];
      } catch (cause) {
        return cause;
      }
    },
    worst: ["/", "a/", "./", "../", ".git/"],
  },
  {
    file: "service/executor/tools/tool-input.ts",
    name: "readInput",
    run: (text) => readInput(anyInput, { count: text, flag: text, list: text, [text]: text }),
    worst: ["1", " ", "[", "-", ".", "["],
  },
  {
    file: "service/executor/tools/regex-fault.ts",
    name: "findRegexFault",
    run: findRegexFault,
    worst: ["(", ")", "[", "[:", "\\", "\\Q", "*", "(?"],
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
    file: "service/executor/tools/find-replaced.ts",
    name: "findReplaced",
    run: (text) => findReplaced(`${text}z`, { oldText: text.slice(0, 2_000), newText: `1\t${text}` }),
    worst: ["a ", " \n", "\t", "1\t", "\u0301", "e\u0301", "\u201c", "\r\n", "a\n"],
  },
  {
    file: "service/executor/tools/indentation.ts",
    name: "indentationRule",
    run: (text) => indentationRule([{ given: text.slice(0, 20), own: " " }], text)?.(text),
    worst: [" ", "\t", " \n", "a"],
  },
  {
    file: "service/executor/tools/folded-text.ts",
    name: "foldText",
    run: (text) => foldText(`\u201c${text}`).offset(3),
    worst: ["a", "\u0301", "e\u0301\u0327", "\u201c", "\u{1d165}"],
  },
  {
    file: "service/checkouts/read-history.ts",
    name: "parseBlame",
    run: parseBlame,
    worst: ["\n", "a\n", "\t\n", `${"a".repeat(40)} 1 1\n`, "author ", "0"],
  },
  {
    file: "base/image-type.ts",
    name: "imageSizeOf",
    run: (text) => imageSizeOf("image/jpeg", Buffer.from(`\xff\xd8${text}`, "latin1")),
    worst: ["\xff", "\xff\xe0\0\0", "\xff\xe0\0\x02", "a"],
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
    file: "contract/egress.ts",
    name: "readEgressEntries",
    run: (text) => readEgressEntries([text]),
    worst: ["a", "a.", "*.", "-", ":", "1", "a-", "1.", "0x", ["*.", "a.", ":"], ["", "a", "."]],
  },
  {
    file: "render/egress-notes.ts",
    name: "egressSection",
    run: (host) =>
      egressSection({ withheld: [host], allowed: [], blocked: [{ host, times: 2, reason: "" }] }),
    worst: ["a", "a.", "`", "<", " ", "\n"],
  },
  {
    file: "service/checkouts/credential-values.ts",
    name: "credentialValues",
    run: credentialValues,
    worst: [
      "a",
      " ",
      "=",
      ":",
      '"',
      ["password=", " ", "x"],
      ["token", " ", "x"],
      "//a:",
      "//",
      "a:b@",
      "password ",
      ["password=", "Og==", "!"],
    ],
  },
  {
    file: "service/api/oauth/redirect-uri.ts",
    name: "isPermittedRedirect",
    run: (text) => [isPermittedRedirect(`https://${text}`), isPermittedRedirect(`${text}:/`)],
    worst: ["a", "a.", ".", "-", ":", "/", "[", "a:", ["a", ".a", "*"]],
  },
  {
    file: "service/api/oauth/library-cookies.ts",
    name: "cookiesInside",
    run: (text) => [cookiesInside(text, "/oauth/authorize/a"), cookieOutside(`a=b${text}`)],
    worst: ["a=b; ", ";", "; ", ["a=b;", " ", "x"], "; path", "path="],
  },
  {
    file: "service/core/sign-in/sign-in-policy.ts",
    name: "maySignUp",
    run: (text) => maySignUp({ kind: "domains", domains: ["example.com"] }, text),
    worst: ["a", "a.", "a-", "a@", "-", ["a@", "a", "-"], ["a@", "a.", "-"]],
  },
  {
    file: "service/egress/authority.ts",
    name: "readAuthority",
    run: (text) => {
      const { host } = readAuthority(`${text}:443`) ?? { host: text };
      return [looksLikeAddress(plainName(host)), shownHost({ host, port: 443 })];
    },
    worst: ["a", "[", "]", ":", "1", "1.", "0x", ".", "[a", ["[", "a", "]"]],
  },
  {
    file: "service/egress/client-hello.ts",
    name: "readClientHello",
    run: (text) => readClientHello(Buffer.from(text, "latin1")),
    worst: [
      "\u0016\u0003\u0001\u0000\u0001\u0001",
      "\u0016\u0003\u0001\u0000\u0001\u0000",
      ["\u0016\u0003\u0001\u0040\u0000\u0001\u0000\u003f\u00fc", "\u0000", ""],
      ["\u0016\u0003\u0001\u0040\u0000\u0001\u0000\u0040\u0000", "\u0001", ""],
    ],
  },
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
  ...Object.entries({
    readAnnotations,
    readColons,
    readNode,
    readPrettier,
    readRustfmt,
    readStylish,
    readTypeScript,
  }).map(
    ([name, run]): Parser => ({
      file: "service/executor/diagnostics/read-output.ts",
      name,
      run,
      worst: [
        ...plain,
        "::error ",
        "::error a::",
        ",",
        "=",
        ":",
        ":1",
        ":1:1: ",
        "a.js:1\n",
        "^",
        "(1,1): ",
        " --> a:1:1\n",
        ["::error ", "a", ""],
        ["::error ", "a=b,", "::x"],
        ["[error] a: SyntaxError: ", "(1:1", ""],
        ["  1:1  error  ", "a  ", ""],
        ["error: a\n --> ", "a:1", ""],
        ["a.js:1\n", " ", "^\nSyntaxError: a"],
        ["a.js:1\n", " ^\n", "SyntaxError: a"],
        "error: a\n",
        ["a", "(1,1): error TS1", ""],
      ],
    }),
  ),
  {
    file: "service/executor/memory/front-matter.ts",
    name: "readFrontMatter",
    run: (text) => readFrontMatter(`---\n${text}`),
    worst: ["a: b\n", [" a\n", "a:\n", "---\n"], ["a:\n", " b\n", "---\n"], "\r\n", ":", "---\n"],
  },
  {
    file: "service/executor/memory/memory-files.ts",
    name: "memoryFileOf",
    run: memoryFileOf,
    worst: ["/", "a/", [".github/instructions/", "a", ".instructions.md"]],
  },
  {
    file: "contract/runs/mcp-servers.ts",
    name: "mcpServersRequestSchema",
    run: (text) => mcpServersRequestSchema.safeParse({ [text]: { url: text, tools: [text] } }).success,
    worst: ["a", "_", ["a", "-", "."], ["https://a/", "%", ""], ["https://a", ":", "/"]],
  },
  {
    file: "service/executor/tools/mcp/server-definition.ts",
    name: "readServers",
    run: (text) => serversNamed(text),
    worst: ["${", "${A", `\${}`, ["${", "a", "{}"], ["${", "$", "}"], "KEY", " "],
  },
  {
    file: "service/executor/tools/mcp/server-definition.ts",
    name: "readServerText",
    run: (text) => readServerText(text, { origin: "repository", variables: null }),
    worst: ["{", '{"a":', ["{", `"a":{"command":"\${A}"},`, '"b":1}'], " "],
  },
  {
    file: "service/executor/tools/mcp/offered-tools.ts",
    name: "offerTools",
    run: (text) =>
      offerTools(
        { name: "a", tools: ["*a*a*a*b*", "*"] },
        [text, "b"].map((name) => ({
          name,
          description: text,
          inputSchema: { type: "object", properties: { [text]: { type: "string", description: text } } },
        })),
      ),
    worst: ["a", "ab", "\u2028", [" ", "\u200b", "a"], "é", "\ud800"],
  },
  {
    file: "service/executor/tools/mcp/call-result.ts",
    name: "answerOf",
    run: (text) =>
      answerOf("a", "b", {
        parts: [
          { type: "text", text },
          { type: "image", data: text, mimeType: text },
          { type: "resource", resource: { uri: text, mimeType: text, text } },
          { type: "resource_link", uri: text, name: text },
        ],
        structured: undefined,
      }),
    worst: [" ", ["a", " ", "a"], "\0", "é", "\ud800", "a \n"],
  },
];

function serversNamed(text: string): unknown {
  const server = { command: text, args: [text], env: { A: text, [text]: text } };
  const host = { url: text, headers: { A: text, [text]: text } };
  const options = { origin: "repository", variables: { values: {}, isWithheld: () => false } } as const;
  return readServers({ [text]: server, program: server, host, fields: { ...host, tools: [text] } }, options);
}

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
  const places = [...text.matchAll(/a/g)].map(({ index }) => ({ start: index, length: 1, newText: "c" }));
  return replacementHunks(text, places);
}

function pushCommand(ref: string): unknown {
  try {
    return commandOf(`${"0".repeat(40)} ${"1".repeat(40)} refs/${ref}`);
  } catch {
    return null;
  }
}
