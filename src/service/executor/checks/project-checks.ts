// Checks of a project: the scripts of its manifests, and the commands of its CI, read from the commit that writers agreed to.
// They are data.

import { isObject, parseObject } from "../../../base/json.ts";
import { singleLine } from "../../../base/untrusted-text.ts";
import { type Checkout, CheckoutError } from "../../core/checkouts/checkout.ts";
import { checkIn, kindOfName, type ProjectScripts } from "./check-kinds.ts";
import { simpleCommands } from "./shell-script.ts";

const rootFiles = new Set([
  "package.json",
  "Makefile",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
]);
const workflowPattern = /^\.github\/workflows\/[^/]+\.ya?ml$/;
const MAX_WORKFLOWS = 10;
const MAX_COMMANDS = 12;
const MAX_COMMAND_CHARS = 140;

export type ProjectChecks = {
  readonly scripts: ProjectScripts;
  /** Commands that check, as people would type them; the project's own first. */
  readonly commands: readonly string[];
};

export const noChecks: ProjectChecks = { scripts: new Map(), commands: [] };

type Reader = Pick<Checkout, "trustedPaths" | "trustedText">;

/** A repository whose files cannot be read in time has none that are known. */
export async function readProjectChecks(checkout: Reader): Promise<ProjectChecks> {
  try {
    return await readAll(checkout);
  } catch (cause) {
    if (cause instanceof CheckoutError) return noChecks;
    throw cause;
  }
}

async function readAll(checkout: Reader): Promise<ProjectChecks> {
  const found = await checkout.trustedPaths((path) => rootFiles.has(path) || workflowPattern.test(path));
  const paths = new Set(found);
  const text = async (path: string) => (paths.has(path) ? await checkout.trustedText(path) : null);
  const node = scriptsOfPackage(await text("package.json"));
  const make = targetsOf(await text("Makefile"));
  const scripts = new Map([
    ...(node === null ? [] : [["npm", new Set(node)] as const]),
    ...(make === null ? [] : [["make", new Set(make)] as const]),
  ]);
  const program = nodeProgram(paths);
  const ofNode = (node ?? [])
    .filter(isCheck)
    .map((name) => `${program} ${name === "test" ? name : `run ${name}`}`);
  const ofMake = (make ?? []).filter(isCheck).map((name) => `make ${name}`);
  const ofCi: string[] = [];
  for (const path of found.filter((one) => workflowPattern.test(one)).slice(0, MAX_WORKFLOWS)) {
    for (const run of scriptsOfWorkflow(await text(path))) ofCi.push(...checksOf(run, scripts));
  }
  const all = [...ofNode, ...ofMake, ...ofCi].map((command) => singleLine(command, MAX_COMMAND_CHARS));
  return { scripts, commands: [...new Set(all)].slice(0, MAX_COMMANDS) };
}

function isCheck(name: string): boolean {
  return kindOfName(name) !== null;
}

/** Null where there is no manifest that can be read. */
function scriptsOfPackage(text: string | null): readonly string[] | null {
  const scripts = text === null ? undefined : parseObject(text)?.scripts;
  return isObject(scripts) ? Object.keys(scripts) : null;
}

export function targetsOf(text: string | null): readonly string[] | null {
  if (text === null) return null;
  const targets = text.matchAll(/^([A-Za-z0-9][\w.-]*(?:[ \t]+[A-Za-z0-9][\w.-]*)*)[ \t]*:(?![=:])/gm);
  return [...targets].flatMap(([, names = ""]) => names.split(/\s+/));
}

function nodeProgram(paths: ReadonlySet<string>): string {
  if (paths.has("pnpm-lock.yaml")) return "pnpm";
  if (paths.has("yarn.lock")) return "yarn";
  return paths.has("bun.lock") || paths.has("bun.lockb") ? "bun" : "npm";
}

/** The scripts of a workflow's steps: of each `run` its line, or the lines that are indented below it. */
export function scriptsOfWorkflow(text: string | null): readonly string[] {
  const scripts: string[] = [];
  const lines = (text ?? "").split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const found = /^(\s*(?:- +)?)run:[ \t]*(.*)$/.exec(lines[at] ?? "");
    if (found === null) continue;
    const [, indent = "", value = ""] = found;
    if (!/^[|>]/.test(value)) {
      scripts.push(value.replace(/^(["'])(.*)\1$/, "$2"));
      continue;
    }
    const block: string[] = [];
    const deeper = " ".repeat(indent.length + 1);
    for (; at + 1 < lines.length; at += 1) {
      const line = lines[at + 1] ?? "";
      if (line.trim() !== "" && !line.startsWith(deeper)) break;
      block.push(line);
    }
    scripts.push(block.join("\n"));
  }
  return scripts;
}

function checksOf(run: string, scripts: ProjectScripts): readonly string[] {
  const lines = simpleCommands(run).map(({ words }) => words.join(" "));
  return lines.filter((line) => !line.includes("${{") && checkIn(line, scripts) !== null);
}
