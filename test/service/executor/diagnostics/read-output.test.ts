// What linters print, as it was printed by the programs named, on 2026-11-23.

import { describe, expect, it } from "vitest";
import { newDiagnostics, type Said } from "../../../../src/service/executor/diagnostics/new-diagnostics.ts";
import {
  type Diagnostic,
  readAnnotations,
  readColons,
  readNode,
  readPrettier,
  readRustfmt,
  readStylish,
  readTypeScript,
  readUnformatted,
  UNFORMATTED,
} from "../../../../src/service/executor/diagnostics/read-output.ts";

const unformatted = (path: string | null): Diagnostic => ({
  path,
  line: null,
  column: null,
  severity: "warning",
  code: "format",
  message: UNFORMATTED,
});
const error = (place: Partial<Diagnostic>, message: string): Diagnostic => ({
  path: null,
  line: null,
  column: null,
  severity: "error",
  code: "",
  message,
  ...place,
});

describe("the output of a linter", () => {
  it("is read: Biome 1 and 2", () => {
    const output = [
      "::error title=lint/style/useConst,file=m.mjs,line=1,endLine=1,col=1,endColumn=4::This let declares a variable that is only assigned once.",
      "::warning title=lint/correctness/noUnusedVariables,file=/tmp/m.mjs,line=2,endLine=2,col=7,endColumn=8::This variable y is unused.",
      "::error title=format,file=m.mjs,line=1,endLine=1,col=2,endColumn=2::Formatter would have printed the following content:",
      "check ━━━━━━━━━━",
      "  × Some errors were emitted while running checks.",
    ].join("\n");
    expect(readAnnotations(output)).toEqual([
      error(
        { line: 1, column: 1, code: "lint/style/useConst" },
        "This let declares a variable that is only assigned once.",
      ),
      {
        ...error(
          { line: 2, column: 7, code: "lint/correctness/noUnusedVariables" },
          "This variable y is unused.",
        ),
        severity: "warning",
      },
      unformatted(null),
    ]);
  });

  it("is read: ESLint 10", () => {
    const output = [
      "",
      "/tmp/m.mjs",
      "  1:5  warning  'x' is never reassigned. Use 'const' instead  prefer-const",
      "  2:7  error    'y' is assigned a value but never used        no-unused-vars",
      "  4:1  error  Parsing error: Unexpected token",
      "  0:0  warning  File ignored because no matching configuration was supplied",
      "",
      "✖ 2 problems (1 error, 1 warning)",
    ].join("\n");
    expect(readStylish(output)).toEqual([
      {
        ...error(
          { line: 1, column: 5, code: "prefer-const" },
          "'x' is never reassigned. Use 'const' instead",
        ),
        severity: "warning",
      },
      error({ line: 2, column: 7, code: "no-unused-vars" }, "'y' is assigned a value but never used"),
      error({ line: 4, column: 1 }, "Parsing error: Unexpected token"),
    ]);
  });

  it("is read: TypeScript, Ruff, Flake8, Go", () => {
    expect(
      readTypeScript("src/a (1).ts(1,5): error TS2322: Type 'string' is not assignable to type 'number'.\n"),
    ).toEqual([
      error(
        { path: "src/a (1).ts", line: 1, column: 5, code: "TS2322" },
        "Type 'string' is not assignable to type 'number'.",
      ),
    ]);
    const output = [
      "c.py:1:8: F401 [*] `os` imported but unused",
      "b.py:2:7: invalid-syntax: Expected a parameter or the end of the parameter list",
      "# example.com/a",
      "vet: ./a.go:3:5: undefined: x",
      "Found 2 errors.",
      "[*] 2 fixable with the `--fix` option.",
    ].join("\n");
    expect(readColons(output)).toEqual([
      error({ path: "c.py", line: 1, column: 8, code: "F401" }, "[*] `os` imported but unused"),
      error(
        { path: "b.py", line: 2, column: 7, code: "invalid-syntax" },
        "Expected a parameter or the end of the parameter list",
      ),
      error({ path: "./a.go", line: 3, column: 5 }, "undefined: x"),
    ]);
  });

  it("is read: Prettier 3, gofmt, rustfmt", () => {
    expect(
      readPrettier("m.mjs\n[error] bad.js: SyntaxError: Unexpected token (4:1)\n[error]   2 | a\n"),
    ).toEqual([unformatted("m.mjs"), error({ line: 4, column: 1 }, "SyntaxError: Unexpected token")]);
    expect(readUnformatted("a/b.go\n./c.go:3:1: expected declaration, found x\n")).toEqual([
      unformatted("a/b.go"),
      error({ path: "./c.go", line: 3, column: 1 }, "expected declaration, found x"),
    ]);
    const broken =
      "error: this file contains an unclosed delimiter\n --> /tmp/r.rs:1:13\n  |\n1 | fn main( {}\n";
    expect(readRustfmt(`/tmp/r.rs\n${broken}`)).toEqual([
      unformatted("/tmp/r.rs"),
      error({ path: "/tmp/r.rs", line: 1, column: 13 }, "this file contains an unclosed delimiter"),
    ]);
  });

  it("is read: Node.js 24", () => {
    const output =
      "/tmp/m.mjs:3\nexport const z =\n       ^^^^^\n\nSyntaxError: Unexpected end of input\n    at wrapSafe (node:internal/x:1:2)\n\nNode.js v24\n";
    expect(readNode(output)).toEqual([error({ line: 3, column: 8 }, "SyntaxError: Unexpected end of input")]);
    expect(readNode("SyntaxError: no place")).toEqual([]);
  });
});

describe("what is new since an edit", () => {
  const said = (lines: readonly string[], ...diagnostics: readonly Diagnostic[]): Said => ({
    linter: "biome",
    diagnostics,
    lines,
  });

  it("is what no line of the same text had before, and one more of what there was", () => {
    const old = error({ line: 1, code: "r" }, "m");
    const before = said(["let a"], old);
    expect(newDiagnostics(before, said(["", "  let a"], { ...old, line: 2 }))).toEqual([]);
    expect(newDiagnostics(before, said(["let b"], old))).toHaveLength(1);
    expect(newDiagnostics(before, said(["let a", "let a"], old, { ...old, line: 2 }))).toHaveLength(1);
    expect(newDiagnostics(null, before)).toEqual([{ ...old, linter: "biome" }]);
    expect(newDiagnostics(before, said(["let a"]))).toEqual([]);
  });
});
