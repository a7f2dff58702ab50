// The linters, formatters and compilers that are executed after an edit: their files, the signs that the repository uses them,
// their commands, their output. Looked up on 2026-11-23.

import {
  type ReadOutput,
  readAnnotations,
  readColons,
  readNode,
  readPrettier,
  readRustfmt,
  readStylish,
  readTypeScript,
  readUnformatted,
} from "./read-output.ts";

export type Marker = {
  readonly file: string;
  /** The text that the file must hold. Default: that it is there is enough. */
  readonly contains?: string;
};

export type Linter = {
  readonly name: string;
  /** In `node_modules/.bin`, else in PATH. */
  readonly program: string;
  /** Of the files' names. */
  readonly ends: readonly string[];
  /** One of them in the file's folder or above says that the repository uses it. Null: no file is needed. */
  readonly markers: readonly Marker[] | null;
  /** `path` is relative to the folder of the marker, where it is executed, and begins with "./". */
  readonly args: (path: string) => readonly string[];
  readonly read: ReadOutput;
  /** It is executed on a whole project, and says the same whichever of its files was changed. */
  readonly isOfProject?: true;
  /** It finds errors of syntax alone: executed only where nothing else reads the file. */
  readonly isForSyntax?: true;
  /** It may take a new file for another language of the same name: only what an edit of an old one adds is told. */
  readonly isUnsureOfNew?: true;
};

const scripts = [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"];
const named = (base: string, ends: readonly string[]): readonly Marker[] =>
  ends.map((end) => ({ file: `${base}${end}` }));

const pythonSyntax = [
  "import sys",
  "path = sys.argv[1]",
  "try:",
  '    compile(open(path, "rb").read(), path, "exec", dont_inherit=True)',
  "except SyntaxError as error:",
  '    print(f"{path}:{error.lineno}:{error.offset}: SyntaxError: {error.msg}")',
  "    sys.exit(1)",
].join("\n");

export const linters: readonly Linter[] = [
  {
    name: "biome",
    program: "biome",
    ends: [...scripts, ".json", ".jsonc", ".css"],
    markers: named("biome", [".json", ".jsonc"]),
    args: (path) => ["check", "--reporter=github", "--no-errors-on-unmatched", "--colors=off", path],
    read: readAnnotations,
  },
  {
    name: "eslint",
    program: "eslint",
    ends: [...scripts, ".vue", ".svelte"],
    markers: [
      ...named("eslint.config", [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"]),
      ...named(".eslintrc", ["", ".js", ".cjs", ".json", ".yml", ".yaml"]),
    ],
    args: (path) => ["--no-color", "--format", "stylish", path],
    read: readStylish,
  },
  {
    name: "prettier",
    program: "prettier",
    ends: [
      ...scripts,
      ".json",
      ".css",
      ".scss",
      ".less",
      ".html",
      ".vue",
      ".md",
      ".yml",
      ".yaml",
      ".graphql",
    ],
    markers: [
      ...named(".prettierrc", [
        "",
        ".json",
        ".json5",
        ".yml",
        ".yaml",
        ".toml",
        ".js",
        ".cjs",
        ".mjs",
        ".ts",
      ]),
      ...named("prettier.config", [".js", ".cjs", ".mjs", ".ts"]),
    ],
    args: (path) => ["--no-color", "--list-different", "--ignore-unknown", path],
    read: readPrettier,
  },
  {
    name: "tsc",
    program: "tsc",
    ends: [".ts", ".mts", ".cts", ".tsx"],
    markers: [{ file: "tsconfig.json" }],
    // Nothing is written: a project that is built step by step writes its state otherwise.
    args: () => [
      "--noEmit",
      "--pretty",
      "false",
      "--composite",
      "false",
      "--incremental",
      "false",
      "-p",
      ".",
    ],
    read: readTypeScript,
    isOfProject: true,
  },
  {
    name: "node --check",
    program: "node",
    ends: [".js", ".mjs", ".cjs"],
    markers: null,
    args: (path) => ["--check", path],
    read: readNode,
    isForSyntax: true,
    // JSX is in files of this name, too.
    isUnsureOfNew: true,
  },
  {
    name: "ruff",
    program: "ruff",
    ends: [".py", ".pyi"],
    markers: [
      { file: "ruff.toml" },
      { file: ".ruff.toml" },
      { file: "pyproject.toml", contains: "[tool.ruff" },
    ],
    args: (path) => ["check", "--no-cache", "--force-exclude", "--output-format", "concise", path],
    read: readColons,
  },
  {
    name: "flake8",
    program: "flake8",
    ends: [".py"],
    markers: [
      { file: ".flake8" },
      { file: "setup.cfg", contains: "[flake8" },
      { file: "tox.ini", contains: "[flake8" },
    ],
    args: (path) => ["--color", "never", path],
    read: readColons,
  },
  {
    name: "python",
    program: "python3",
    ends: [".py"],
    markers: null,
    // -I: no module of the repository is imported.
    args: (path) => ["-I", "-c", pythonSyntax, path],
    read: readColons,
    isForSyntax: true,
  },
  {
    name: "gofmt",
    program: "gofmt",
    ends: [".go"],
    markers: [{ file: "go.mod" }],
    args: (path) => ["-l", "-e", path],
    read: readUnformatted,
  },
  {
    name: "go vet",
    program: "go",
    ends: [".go"],
    markers: [{ file: "go.mod" }],
    args: (path) => ["vet", path.slice(0, Math.max(1, path.lastIndexOf("/")))],
    read: readColons,
    isOfProject: true,
  },
  {
    name: "rustfmt",
    program: "rustfmt",
    ends: [".rs"],
    markers: [{ file: "Cargo.toml" }],
    args: (path) => ["--check", "-l", "--color", "never", "--edition", "2021", path],
    read: readRustfmt,
  },
];
