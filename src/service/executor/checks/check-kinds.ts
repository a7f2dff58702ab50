// Kinds of commands that check a project: by the runners that people know, and by the names that a project gives to its scripts.
// Pure.

import { type CheckKind, checkKinds } from "../../../contract/runs/checks.ts";
import { simpleCommands } from "./shell-script.ts";

/** What a script that was executed checks, and whether its exit code tells how that went. */
type CheckedScript = { readonly kind: CheckKind; readonly isTold: boolean };

/** The scripts that a project has, by the program that executes them: `npm`, `make`, …; null where they are not known. */
export type ProjectScripts = ReadonlyMap<string, ReadonlySet<string>>;

/** The most telling one of a script; null where it checks nothing that is known. */
export function checkIn(script: string, scripts: ProjectScripts = new Map()): CheckedScript | null {
  const found = simpleCommands(script).flatMap(({ words, isTold }) => {
    const kind = kindOf(unwrapped(words), scripts);
    return kind === null ? [] : [{ kind, isTold }];
  });
  const told = found.filter(({ isTold }) => isTold);
  const [first] = told.length > 0 ? told : found;
  if (first === undefined) return null;
  const kinds = new Set((told.length > 0 ? told : found).map(({ kind }) => kind));
  const kind = checkKinds.find((one) => kinds.has(one)) ?? first.kind;
  return { kind, isTold: told.length > 0 };
}

/** Programs that execute the words behind them, and how many of those are their own. */
const wrappers: ReadonlyMap<string, number> = new Map([
  ...[
    "time",
    "nice",
    "nohup",
    "command",
    "exec",
    "npx",
    "bunx",
    "pnpx",
    "sudo",
    "xvfb-run",
    "env",
    "stdbuf",
  ].map((name): [string, number] => [name, 0]),
  ["timeout", 1],
  ["cross-env", 0],
]);
/** The same of two words. */
const wrappingPairs = new Set([
  "npm exec",
  "pnpm exec",
  "pnpm dlx",
  "yarn exec",
  "yarn dlx",
  "bun x",
  "uv run",
  "poetry run",
  "pipenv run",
  "pdm run",
  "rye run",
  "hatch run",
  "bundle exec",
  "mise exec",
  "nix develop",
]);
const pythonName = /^python\d*(?:\.\d+)?$/;

function unwrapped(words: readonly string[]): readonly string[] {
  const [first = "", second = "", ...rest] = words;
  const name = baseName(first);
  if (wrappers.has(name)) return unwrapped(withoutOptions(words.slice(1 + (wrappers.get(name) ?? 0))));
  if (wrappingPairs.has(`${name} ${second}`)) return unwrapped(withoutOptions(rest));
  if (pythonName.test(name) && second === "-m") return unwrapped(rest);
  return first === "" ? [] : [name, ...words.slice(1)];
}

function withoutOptions(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !word.startsWith("-") && !/^\w+=/.test(word));
  return first < 0 ? [] : words.slice(first);
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** Runners that check whatever their words are. */
const runners: Readonly<Record<Exclude<CheckKind, "check">, string>> = {
  test: "jest vitest mocha ava tap jasmine karma pytest py.test nose2 tox nox rspec phpunit pest ctest bats busted minitest playwright cypress",
  types: "tsc vue-tsc svelte-check mypy pyright basedpyright flow",
  lint: "eslint oxlint stylelint flake8 pylint rubocop golangci-lint shellcheck staticcheck phpstan psalm ktlint detekt swiftlint hadolint actionlint yamllint markdownlint markdownlint-cli2 tflint clang-tidy credo biome ruff",
  build: "webpack rollup esbuild ninja msbuild xcodebuild javac tsup",
};
const kindByRunner: ReadonlyMap<string, CheckKind> = new Map(
  Object.entries(runners).flatMap(([kind, names]) =>
    names.split(" ").map((name): [string, CheckKind] => [name, kind as CheckKind]),
  ),
);

/** Runners whose first word says what they do. */
const byWord: Readonly<Record<string, Readonly<Record<string, CheckKind>>>> = {
  go: { test: "test", vet: "lint", build: "build" },
  cargo: { test: "test", nextest: "test", check: "types", clippy: "lint", build: "build" },
  deno: { test: "test", lint: "lint", check: "types" },
  bun: { test: "test", build: "build" },
  dotnet: { test: "test", build: "build" },
  swift: { test: "test", build: "build" },
  mix: { test: "test", credo: "lint", dialyzer: "types", compile: "build" },
  mvn: { test: "test", verify: "test", install: "test", compile: "build", package: "test" },
  mvnw: { test: "test", verify: "test", install: "test", compile: "build", package: "test" },
  gradle: { test: "test", check: "test", build: "test", assemble: "build" },
  gradlew: { test: "test", check: "test", build: "test", assemble: "build" },
  sbt: { test: "test", compile: "build" },
  bazel: { test: "test", build: "build" },
  flutter: { test: "test", analyze: "lint", build: "build" },
  dart: { test: "test", analyze: "lint" },
  zig: { test: "test", build: "build" },
  stack: { test: "test", build: "build" },
  cabal: { test: "test", build: "build" },
  lein: { test: "test" },
  vite: { build: "build" },
  next: { build: "build", lint: "lint" },
  terraform: { validate: "lint" },
  rails: { test: "test" },
};

/** Programs that execute the scripts of a project by their names. */
const scriptRunners: ReadonlyMap<string, readonly string[]> = new Map([
  ["npm", ["run", "run-script"]],
  ["pnpm", ["run"]],
  ["yarn", ["run"]],
  ["bun", ["run"]],
  ["make", []],
  ["gmake", []],
  ["just", []],
  ["task", []],
  ["rake", []],
  ["composer", ["run", "run-script"]],
  ["invoke", []],
  ["deno", ["task"]],
]);
/** Their scripts are those of package.json. */
const nodeRunners = new Set(["npm", "pnpm", "yarn", "bun"]);

function kindOf([name = "", ...words]: readonly string[], scripts: ProjectScripts): CheckKind | null {
  if (words.some((word) => word === "--help" || word === "--version")) return null;
  const known = kindByRunner.get(name);
  if (known !== undefined)
    return isFixing(words) && known === "lint" && !words.includes("check") ? null : known;
  if (name === "prettier" || name === "black" || name === "isort" || name === "rustfmt")
    return words.some((word) => /^(?:-c|-l|--check(?:-only)?|--list-different)$/.test(word)) ? "lint" : null;
  if (name === "cargo" && words[0] === "fmt") return words.includes("--check") ? "lint" : null;
  if (name === "node" && words.some((word) => word === "--test" || word.startsWith("--test="))) return "test";
  if (name === "unittest") return "test";
  if (/^(?:manage\.py)$/.test(baseName(words[0] ?? "")) && words[1] === "test") return "test";
  if (name === "cmake") return words.includes("--build") ? "build" : null;
  const own = byWord[name];
  const word = words.find((one) => !one.startsWith("-") && !one.startsWith("+"));
  const byFirst = own === undefined || word === undefined ? undefined : own[lastTask(word)];
  if (byFirst !== undefined) return byFirst;
  return scriptKind(name, words, scripts) ?? fileKind(name) ?? interpretedKind(name, words);
}

/** Gradle's tasks may have a path: `:app:test`. */
function lastTask(word: string): string {
  return word.slice(word.lastIndexOf(":") + 1);
}

function isFixing(words: readonly string[]): boolean {
  return words.some((word) => word === "--fix" || word === "format" || word === "--write");
}

function scriptKind(name: string, words: readonly string[], scripts: ProjectScripts): CheckKind | null {
  const verbs = scriptRunners.get(name);
  if (verbs === undefined) return null;
  const said = words.filter((word) => !word.startsWith("-") && !word.includes("="));
  const hasVerb = verbs.includes(said[0] ?? "");
  const script = said[hasVerb ? 1 : 0];
  // A bare `make` builds what it builds by default.
  if (script === undefined) return name === "make" || name === "gmake" ? "build" : null;
  if (name === "npm" && !hasVerb && script !== "test" && script !== "t") return null;
  const named = scripts.get(nodeRunners.has(name) ? "npm" : name);
  if (named !== undefined && script !== "t" && !named.has(script)) return null;
  return script === "t" ? "test" : kindOfName(script);
}

/** Programs that execute the file that they are given. */
const interpreters = /^(?:node|bun|tsx|ts-node|python\d*(?:\.\d+)?|ruby|php|perl|bash|sh|zsh)$/;

function interpretedKind(name: string, words: readonly string[]): CheckKind | null {
  if (!interpreters.test(name)) return null;
  const file = words.find((word) => !word.startsWith("-"));
  return file === undefined ? null : fileKind(baseName(file));
}

/** A script of the repository's own, by the name of its file. */
function fileKind(name: string): CheckKind | null {
  const own = /^(.+)\.(?:sh|bash|py|js|mjs|ts|rb|pl)$/.exec(name)?.[1];
  return own === undefined ? null : kindOfName(own);
}

/** What a script does by its name; null where that says nothing. */
export function kindOfName(name: string): CheckKind | null {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  const has = (...ones: readonly string[]) => ones.some((one) => words.includes(one));
  if (has("fix", "watch", "dev", "serve", "start", "clean", "deploy", "release", "publish", "install"))
    return null;
  if (has("test", "tests", "spec", "specs", "e2e", "unit", "integration")) return "test";
  if (has("types", "type", "typecheck", "tsc", "typing")) return "types";
  if (has("lint", "lints", "linter", "eslint", "style", "fmt") && !(has("fmt") && !has("check")))
    return "lint";
  if (has("build", "compile")) return "build";
  return has("check", "checks", "verify", "validate", "ci") ? "check" : null;
}
