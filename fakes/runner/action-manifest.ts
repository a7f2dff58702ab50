// Reads the inputs of our own action.yml. Not a YAML parser: it refuses every line that it does not expect.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const PROJECT = join(import.meta.dirname, "../..");

export type ManifestField = {
  readonly description: string;
  readonly default: string | undefined;
  readonly required: boolean;
};

/** Every input with the value that it has when a workflow does not give it. `folder`: of another version of the Action. */
export function readActionInputs(
  context: { githubToken: string; matrix: string },
  folder: string = PROJECT,
): Record<string, string> {
  const values = Object.entries(readManifestSection("inputs", folder)).map(([name, field]) => [
    name,
    evaluate(field.default ?? "", context),
  ]);
  return Object.fromEntries(values);
}

/** The entries of `inputs:` or `outputs:`, in the file's order. */
export function readManifestSection(
  section: "inputs" | "outputs",
  folder: string = PROJECT,
): Record<string, ManifestField> {
  const lines = readFileSync(join(folder, "action.yml"), "utf8").split("\n");
  const start = lines.indexOf(`${section}:`);
  if (start < 0) throw new Error(`action.yml has no ${section}.`);
  const fields: Record<string, { description: string; default: string | undefined; required: boolean }> = {};
  let current: { description: string; default: string | undefined; required: boolean } | null = null;
  for (const line of lines.slice(start + 1)) {
    if (line === "") continue;
    if (/^\S/.test(line)) break;
    const name = /^ {2}([a-z-]+):$/.exec(line)?.[1];
    const [, key, value] = /^ {4}(description|default|required): (.+)$/.exec(line) ?? [];
    if (name !== undefined) {
      current = { description: "", default: undefined, required: false };
      fields[name] = current;
    } else if (current === null || key === undefined || value === undefined) {
      throw new Error(`action.yml has a line that this reader does not know: ${line}`);
    } else if (key === "required") {
      current.required = value === "true";
    } else {
      current[key === "default" ? "default" : "description"] = scalar(value);
    }
  }
  return fields;
}

function scalar(text: string): string {
  if (text.startsWith('"')) return JSON.parse(text);
  if (/: | #/.test(text) || /^['&*!|>%@`[{]/.test(text)) {
    throw new Error(`action.yml has a plain value that is not plain: ${text}`);
  }
  return text;
}

function evaluate(value: string, context: { githubToken: string; matrix: string }): string {
  switch (value) {
    case "$" + "{{ github.token }}":
      return context.githubToken;
    case "$" + "{{ toJSON(matrix) }}":
      return context.matrix;
    default:
      if (value.includes("$" + "{{")) throw new Error(`This runner does not know the expression ${value}.`);
      return value;
  }
}
