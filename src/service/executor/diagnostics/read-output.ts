// Reads the output of linters, each in its own form, into diagnostics. The text is a repository's: nothing of it is trusted.
// Pure.

type Severity = "error" | "warning";

export type Diagnostic = {
  /** As the linter printed it; null: the file that it was asked about. */
  readonly path: string | null;
  /** From 1; null: the whole file. */
  readonly line: number | null;
  readonly column: number | null;
  readonly severity: Severity;
  /** Of the rule; "" where there is none. */
  readonly code: string;
  readonly message: string;
};

export type ReadOutput = (output: string) => readonly Diagnostic[];

const MAX_LINES = 5_000;
const MAX_LINE_CHARS = 1_000;

export const UNFORMATTED = "not formatted as the formatter would";

/** Annotations of GitHub Actions, as Biome prints them: `::error title=…,file=…,line=…,col=…::message`. */
export const readAnnotations: ReadOutput = (output) =>
  linesOf(output).flatMap((line) => {
    const [, severity, list = "", message = ""] = /^::(error|warning) ([^:]*)::(.*)$/.exec(line) ?? [];
    if (severity === undefined) return [];
    const fields = new Map(
      list.split(",").map((field): [string, string] => {
        const [name = "", value = ""] = field.split("=", 2);
        return [name, value];
      }),
    );
    const code = fields.get("title") ?? "";
    if (code === "format") return [unformatted(null)];
    const place = { line: numberIn(fields.get("line")), column: numberIn(fields.get("col")) };
    return [{ path: null, ...place, severity: severityOf(severity), code, message }];
  });

/** ESLint's "stylish": `  1:5  error  message  rule`. */
export const readStylish: ReadOutput = (output) =>
  linesOf(output).flatMap((line) => {
    const [, at, column, severity, rest = ""] =
      /^ {1,20}(\d{1,9}):(\d{1,9}) {1,20}(error|warning) {1,20}(\S.*)$/.exec(line) ?? [];
    // Line 0: about the file as such, that it is ignored for one.
    if (severity === undefined || at === "0") return [];
    const parts = rest.trimEnd().split(/ {2,40}/);
    const code = parts.length > 1 ? (parts.pop() ?? "") : "";
    const place = { line: numberIn(at), column: numberIn(column) };
    return [{ path: null, ...place, severity: severityOf(severity), code, message: parts.join(" ") }];
  });

/** `a.ts(1,5): error TS2322: message`. */
export const readTypeScript: ReadOutput = (output) =>
  linesOf(output).flatMap((line) => {
    const start = /\((\d{1,9}),(\d{1,9})\): (error|warning) (TS\d{1,6}): /.exec(line);
    if (start === null || start.index === 0) return [];
    const [all, at, column, severity = "", code = ""] = start;
    const place = { line: numberIn(at), column: numberIn(column) };
    const message = line.slice(start.index + all.length);
    return [{ path: line.slice(0, start.index), ...place, severity: severityOf(severity), code, message }];
  });

/** `a.py:1:8: F401 message`, as compilers print it. */
export const readColons: ReadOutput = (output) => linesOf(output).flatMap((line) => colonLine(line));

function colonLine(line: string): Diagnostic[] {
  const text = line.startsWith("vet: ") ? line.slice("vet: ".length) : line;
  const place = /:(\d{1,9})(?::(\d{1,9}))?: /.exec(text);
  if (place === null || place.index === 0 || /\s/.test(text[0] ?? " ")) return [];
  const rest = text.slice(place.index + place[0].length);
  const [, code = ""] = /^([A-Z]{1,5}\d{1,5}|invalid-syntax:) /.exec(rest) ?? [];
  return [
    {
      path: text.slice(0, place.index),
      line: numberIn(place[1]),
      column: numberIn(place[2]),
      severity: "error",
      code: code.replace(/:$/, ""),
      message: rest.slice(code.length).trim(),
    },
  ];
}

/** A path on each line: files that are not formatted. Compilers' lines are errors of syntax. */
export const readUnformatted: ReadOutput = (output) =>
  linesOf(output).flatMap((line) => {
    if (line === "" || /^\s/.test(line)) return [];
    const errors = colonLine(line);
    if (errors.length > 0) return errors;
    return line.includes(": ") || line.startsWith("[") ? [] : [unformatted(line)];
  });

/** Prettier's list, and `[error] a.js: SyntaxError: message (4:1)`. */
export const readPrettier: ReadOutput = (output) =>
  linesOf(output).flatMap((line) => {
    if (!line.startsWith("[error] ")) return readUnformatted(line);
    const [, message, at, column] = /: (SyntaxError: .*) \((\d{1,9}):(\d{1,9})\)$/.exec(line) ?? [];
    if (message === undefined) return [];
    const place = { line: numberIn(at), column: numberIn(column) };
    return [{ path: null, ...place, severity: "error", code: "", message }];
  });

/** rustfmt's list, and an error with its place on the line behind it: ` --> a.rs:1:13`. */
export const readRustfmt: ReadOutput = (output) => {
  const lines = linesOf(output);
  return lines.flatMap((line, at) => {
    if (!line.startsWith("error: ")) return line.endsWith(".rs") ? [unformatted(line)] : [];
    const place = /^ {1,20}--> (.*):(\d{1,9}):(\d{1,9})$/.exec(lines[at + 1] ?? "");
    if (place === null) return [];
    const [, path = "", row, column] = place;
    const message = line.slice("error: ".length);
    return [{ path, line: numberIn(row), column: numberIn(column), severity: "error", code: "", message }];
  });
};

/** The output of `node --check`: the place, the line, a mark below it, the error. */
export const readNode: ReadOutput = (output) => {
  const lines = linesOf(output);
  const error = lines.findIndex((line) => line.startsWith("SyntaxError: "));
  const place = lines.findLastIndex((line, at) => at < error && /\.[cm]?js:\d{1,9}$/.test(line));
  if (error < 0 || place < 0) return [];
  const marked = lines.slice(place + 1, error).find((line) => /^ {0,1000}\^/.test(line));
  const column = marked === undefined ? null : marked.indexOf("^") + 1;
  const line = numberIn(/:(\d{1,9})$/.exec(lines[place] ?? "")?.[1]);
  return [{ path: null, line, column, severity: "error", code: "", message: lines[error] ?? "" }];
};

function unformatted(path: string | null): Diagnostic {
  return { path, line: null, column: null, severity: "warning", code: "format", message: UNFORMATTED };
}

function linesOf(output: string): readonly string[] {
  return output
    .split("\n", MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE_CHARS))
    .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

function numberIn(text: string | undefined): number | null {
  return text === undefined || !/^\d{1,9}$/.test(text) ? null : Number(text);
}

function severityOf(text: string): Severity {
  return text === "warning" ? "warning" : "error";
}
