// A test command narrowed to files, where its runner takes them: of vitest and its like as words at its end. Pure.

import { isObject, parseObject } from "../base/json.ts";

/** Runners that take the files that they are to execute as their last words. */
const fileRunners = new Set([
  "vitest",
  "jest",
  "mocha",
  "ava",
  "tap",
  "jasmine",
  "playwright",
  "pytest",
  "py.test",
  "rspec",
  "bats",
  "busted",
]);
const nodePrograms = new Set(["npm", "pnpm", "yarn", "bun"]);
const shellWords = /[;&|<>`$(){}\n\\]/;

/** `packageJson` is the repository's manifest; null where there is none. Where the runner is not known the whole command is returned. */
export function narrowedCommand(
  command: string,
  { files, packageJson }: { readonly files: readonly string[]; readonly packageJson: string | null },
): string {
  if (files.length === 0) return command;
  const own = narrowed(command, files);
  if (own !== null) return own;
  const words = command.trim().split(/\s+/);
  const script = scriptOf(words, packageJson);
  if (script === null) return command;
  // The runner itself, for a script may do more before it, and hands words on only to its last command.
  for (const part of script.split(/&&|;/)) {
    const found = narrowed(part.trim(), files);
    if (found !== null)
      return found.startsWith("node ") ? found : `npx --no-install ${found.replace(/^npx /, "")}`;
  }
  return command;
}

function narrowed(command: string, files: readonly string[]): string | null {
  if (shellWords.test(command)) return null;
  const words = command.split(/\s+/);
  const quoted = files.map(shellWord);
  const isNodeTest = words[0] === "node" && words.includes("--test");
  if (isNodeTest) return [...words.filter((word) => !/[*]/.test(word)), ...quoted].join(" ");
  if (words[0] === "go" && words[1] === "test") {
    const folders = [
      ...new Set(files.map((file) => `./${file.slice(0, Math.max(0, file.lastIndexOf("/")))}`)),
    ];
    return [...words.filter((word) => !word.startsWith("./")), ...folders.map(shellWord)].join(" ");
  }
  const runs = words.some((word) => fileRunners.has(word.slice(word.lastIndexOf("/") + 1)));
  return runs ? [...words, ...quoted].join(" ") : null;
}

/** The text of the script that `npm test`, `pnpm run unit` and their like name. */
function scriptOf([program = "", ...words]: readonly string[], packageJson: string | null): string | null {
  if (!nodePrograms.has(program) || packageJson === null) return null;
  const said = words.filter((word) => !word.startsWith("-") && word !== "run" && word !== "run-script");
  const [name = ""] = said;
  const scripts = parseObject(packageJson)?.scripts;
  const script = isObject(scripts) ? scripts[name === "t" ? "test" : name] : undefined;
  return typeof script === "string" ? script : null;
}

function shellWord(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
