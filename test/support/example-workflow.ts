// Reads the workflows under examples/. Not a YAML parser: it knows the regular shape that they have, keeps every scalar
// as the text that a runner gets, and refuses a line that it does not expect.

import { readFileSync } from "node:fs";

export type Yaml = string | readonly Yaml[] | { readonly [key: string]: Yaml };
export type YamlMap = { readonly [key: string]: Yaml };

export type ExampleStep = {
  /** Null for a step that nobody refers to. */
  readonly id: string | null;
  readonly if: string | null;
  readonly uses: string | null;
  readonly run: string | null;
  /** What the file names; null for the runner's own. */
  readonly shell: string | null;
  readonly with: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
};

export type ExampleJob = {
  readonly if: string | null;
  readonly needs: readonly string[];
  readonly permissions: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
  readonly timeoutMinutes: number;
  readonly steps: readonly ExampleStep[];
};

export type ExampleWorkflow = {
  readonly name: string;
  readonly on: Yaml;
  readonly permissions: Readonly<Record<string, string>>;
  readonly concurrency: Readonly<Record<string, string>> | null;
  readonly jobs: Readonly<Record<string, ExampleJob>>;
};

/** `file` is a name under examples/. Throws for a key or a line that this reader does not know. */
export function readExample(file: string): ExampleWorkflow {
  return readWorkflow(readFileSync(new URL(`../../examples/${file}`, import.meta.url), "utf8"), file);
}

/** As `readExample`, of a text. */
export function readWorkflow(text: string, file: string): ExampleWorkflow {
  const workflow = mapOf(parseYaml(text), file);
  knowsOnly(workflow, ["name", "on", "permissions", "concurrency", "jobs"], file);
  const { name, on = "", permissions, concurrency } = workflow;
  return {
    name: textOf(name, "name"),
    on,
    permissions: textsOf(permissions, "permissions"),
    concurrency: concurrency === undefined ? null : textsOf(concurrency, "concurrency"),
    jobs: Object.fromEntries(
      Object.entries(mapOf(workflow.jobs, "jobs")).map(([key, job]) => [key, jobOf(mapOf(job, key), key)]),
    ),
  };
}

const JOB_KEYS = ["if", "needs", "runs-on", "timeout-minutes", "permissions", "outputs", "steps"];
const STEP_KEYS = ["id", "if", "uses", "run", "shell", "with", "env"];

function jobOf(job: YamlMap, key: string): ExampleJob {
  knowsOnly(job, JOB_KEYS, key);
  const { needs = [], steps = [] } = job;
  if (typeof steps === "string" || !Array.isArray(steps))
    throw new Error(`Job "${key}" has no list of steps.`);
  return {
    if: optionalText(job.if, "if"),
    needs: Array.isArray(needs) ? needs.map((need) => textOf(need, "needs")) : [textOf(needs, "needs")],
    permissions: textsOf(job.permissions, "permissions"),
    outputs: job.outputs === undefined ? {} : textsOf(job.outputs, "outputs"),
    timeoutMinutes: Number(textOf(job["timeout-minutes"], "timeout-minutes")),
    steps: steps.map((step) => stepOf(mapOf(step, `a step of ${key}`))),
  };
}

function stepOf(step: YamlMap): ExampleStep {
  knowsOnly(step, STEP_KEYS, "a step");
  return {
    id: optionalText(step.id, "id"),
    if: optionalText(step.if, "if"),
    uses: optionalText(step.uses, "uses"),
    run: optionalText(step.run, "run"),
    shell: optionalText(step.shell, "shell"),
    with: step.with === undefined ? {} : textsOf(step.with, "with"),
    env: step.env === undefined ? {} : textsOf(step.env, "env"),
  };
}

function knowsOnly(map: YamlMap, known: readonly string[], where: string): void {
  const strange = Object.keys(map).filter((key) => !known.includes(key));
  if (strange.length > 0) throw new Error(`${where} has keys that this reader does not know: ${strange}.`);
}

function mapOf(value: Yaml | undefined, what: string): YamlMap {
  if (typeof value === "object" && !Array.isArray(value)) return value as YamlMap;
  throw new Error(`"${what}" is no mapping.`);
}

function textsOf(value: Yaml | undefined, what: string): Record<string, string> {
  const entries = Object.entries(mapOf(value, what));
  return Object.fromEntries(entries.map(([key, text]) => [key, textOf(text, `${what}.${key}`)]));
}

function textOf(value: Yaml | undefined, what: string): string {
  if (typeof value === "string") return value;
  throw new Error(`"${what}" is no text.`);
}

function optionalText(value: Yaml | undefined, what: string): string | null {
  return value === undefined ? null : textOf(value, what);
}

type Line = { readonly at: number; readonly column: number; readonly text: string };

/** The part of YAML that the examples are written in. Throws with the number of a line that is not of it. */
export function parseYaml(text: string): Yaml {
  const reader = new Reader(text.split("\n"));
  const value = reader.block(0);
  reader.expectEnd();
  return value;
}

class Reader {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  expectEnd(): void {
    const line = this.#peek();
    if (line !== null) throw unknown(line);
  }

  /** The mapping or the list whose lines begin at this column. */
  block(column: number): Yaml {
    const first = this.#peek();
    if (first === null || first.column !== column) throw new Error(`Nothing is at column ${column}.`);
    return first.text.startsWith("- ") ? this.#list(column) : this.#map(column, {});
  }

  #list(column: number): Yaml[] {
    const items: Yaml[] = [];
    for (
      let line = this.#peek();
      line?.column === column && line.text.startsWith("- ");
      line = this.#peek()
    ) {
      const inner = { ...line, column: column + 2, text: line.text.slice(2) };
      items.push(keyOf(inner) === null ? this.#scalar(this.#take(inner)) : this.#map(column + 2, {}, inner));
    }
    return items;
  }

  #map(column: number, map: Record<string, Yaml>, first?: Line): YamlMap {
    for (let line = first ?? this.#peek(); line?.column === column; line = this.#peek()) {
      const found = keyOf(line);
      if (found === null || found.key in map) throw unknown(line);
      this.#take(line);
      map[found.key] = this.#value({ ...line, text: found.rest });
    }
    const next = this.#peek();
    if (next !== null && next.column > column) throw unknown(next);
    return map;
  }

  #value(line: Line): Yaml {
    const { text, column } = line;
    if (text === "|") return `${this.#deeper(column).join("\n")}\n`;
    if (text === ">-") return this.#deeper(column).join(" ");
    if (text !== "") return this.#scalar(line);
    const next = this.#peek();
    if (next !== null && next.column === column + 2) return this.block(column + 2);
    return "";
  }

  #scalar(line: Line): Yaml {
    const { text } = line;
    if (text === "{}") return {};
    const quoted = /^("(?:[^"\\]|\\.)*")(?: +#.*)?$/.exec(text)?.[1];
    if (quoted !== undefined) return JSON.parse(quoted) as string;
    const list = /^\[(.*)\]$/.exec(text)?.[1];
    if (list !== undefined) {
      return list.split(", ").map((item) => this.#scalar({ ...line, text: item }));
    }
    const [, fields] = /^\{ (.+) \}$/.exec(text) ?? [];
    if (fields !== undefined) {
      const found = fields.split(", ").map((field) => keyOf({ ...line, text: field }));
      if (found.some((one) => one === null)) throw unknown(line);
      return Object.fromEntries(
        found.flatMap((one) => (one === null ? [] : [[one.key, this.#scalar({ ...line, text: one.rest })]])),
      );
    }
    const plain = text.replace(/ +#.*$/, "");
    if (/^["'&*!|>%@`[\]{},#]/.test(plain) || /: |:$/.test(plain.replaceAll(/\$\{\{.*?\}\}/g, "")))
      throw unknown(line);
    return plain;
  }

  /** The lines of a block scalar, without what they are indented by. */
  #deeper(column: number): string[] {
    const lines: string[] = [];
    for (let text = this.#lines[this.#at]; text !== undefined; text = this.#lines[this.#at]) {
      if (text.trim() !== "" && columnOf(text) <= column) break;
      lines.push(text);
      this.#at += 1;
    }
    while (lines.at(-1)?.trim() === "") lines.pop();
    const indent = columnOf(lines[0] ?? "");
    return lines.map((text) => text.slice(indent));
  }

  #take(line: Line): Line {
    this.#at = line.at + 1;
    return line;
  }

  /** The next line that says something. */
  #peek(): Line | null {
    for (; this.#at < this.#lines.length; this.#at += 1) {
      const text = this.#lines[this.#at] ?? "";
      if (text.trim() === "" || text.trim().startsWith("#")) continue;
      if (text.includes("\t")) throw new Error(`Line ${this.#at + 1} has a tab.`);
      return { at: this.#at, column: columnOf(text), text: text.trim() };
    }
    return null;
  }
}

function keyOf({ text }: Line): { key: string; rest: string } | null {
  const [, key, rest = ""] = /^([\w-]+):(?: +(.*))?$/.exec(text) ?? [];
  return key === undefined ? null : { key, rest };
}

function columnOf(text: string): number {
  return text.length - text.trimStart().length;
}

function unknown({ at, text }: Line): Error {
  return new Error(`Line ${at + 1} has a shape that this reader does not know: ${text}`);
}
