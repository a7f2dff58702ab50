// Programs that commands find in their PATH, and the versions of those that tell it quickly.

import type { SandboxResult } from "../core/ports/sandbox.ts";

/** Asked for their version, all at once; the others start slowly, or have none to tell. */
const versioned: Readonly<Record<string, string>> = {
  node: "--version",
  python3: "--version",
  ruby: "--version",
  php: "--version",
  go: "version",
  rustc: "--version",
};
const others = [
  "bash",
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "deno",
  "pip",
  "uv",
  "poetry",
  "cargo",
  "java",
  "mvn",
  "gradle",
].concat(["composer", "bundle", "dotnet", "gcc", "clang", "make", "cmake", "rg", "jq"]);
const SECONDS = 3;
const linePattern = /^([a-z0-9]+) ?(?:\D*(\d+(?:\.\d+){0,2}))?/;

/** A command that writes a line for each program that is there. */
export const findToolsCommand = [
  "cd /tmp",
  ...Object.entries(versioned).map(
    ([name, flag]) =>
      `(command -v ${name} >/dev/null && echo "${name} $(timeout ${SECONDS} ${name} ${flag} </dev/null 2>/dev/null | head -n 1)") &`,
  ),
  `for name in ${others.join(" ")}; do command -v $name >/dev/null && echo $name; done`,
  "wait",
].join("\n");

/** In our own order. A program that does not answer as it should is named without a version. */
export function toolsIn({ output }: Pick<SandboxResult, "output">): readonly string[] {
  const found = new Map<string, string>();
  for (const line of output.split("\n")) {
    const [, name = "", version] = linePattern.exec(line) ?? [];
    found.set(name, version === undefined ? name : `${name} ${version}`);
  }
  return [...Object.keys(versioned), ...others].flatMap((name) => found.get(name) ?? []);
}
