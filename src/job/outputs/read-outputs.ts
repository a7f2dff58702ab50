// The input "outputs": YAML, decoded to the typed outputs that a job declares. In a file of its own, which a job without the input
// does not load.
// Why: docs/decisions/146-typed-outputs.md

import { type Document, isMap, LineCounter, parseDocument, visit } from "yaml";
import type * as z from "zod/mini";
import { isObject } from "../../base/json.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import { unknownFieldsOf } from "../../base/strict-object.ts";
import { singleLine } from "../../base/untrusted-text.ts";
import { type TypedOutputs, typedOutputsSchema } from "../../contract/runs/typed-outputs.ts";

const MAX_BYTES = 16 * 1024;
const MAX_SHOWN_CHARS = 100;
const DEFAULT_MAX = 1;
/** Those without `max`: a run has one end, and asks for it once. */
const WITHOUT_MAX = "close";

/** Fields as a workflow spells them. */
const spellings = [
  ["title_prefix", "title-prefix"],
  ["close_older", "close-older"],
] as const;

/** The faults are sentences, each with what is wrong, what came and what is allowed. */
export function readOutputs(text: string): Result<TypedOutputs, readonly string[]> {
  if (Buffer.byteLength(text) > MAX_BYTES)
    return refused([`Input "outputs" must have at most ${MAX_BYTES} bytes.`]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, version: "1.2", schema: "core" });
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    const [what = ""] = error.message.split(/ at line \d+| in flow|\n/);
    return refused([
      `Input "outputs" is no valid YAML at line ${line}, column ${col}: ${singleLine(what, MAX_SHOWN_CHARS)}.`,
    ]);
  }
  let hasAlias = false;
  visit(document, {
    Alias: () => {
      hasAlias = true;
      return visit.BREAK;
    },
  });
  // They could make a short text a large value, and nobody needs them here.
  if (hasAlias) return refused(['Input "outputs" must have no YAML aliases: write the value again.']);
  const given = declaredIn(document);
  if (given === null) return refused([NO_MAP]);
  const decoded = typedOutputsSchema.safeParse(given);
  if (decoded.success) return ok(decoded.data);
  const { issues } = decoded.error;
  // A name that is not known leaves the map without a known one.
  const told = issues.length > 1 ? issues.filter(({ code }) => code !== "custom") : issues;
  return refused(told.flatMap((issue) => sentences(issue, given)));
}

const NO_MAP =
  'Input "outputs" must be a YAML map of outputs by their names, such as "labels: { allowed: [bug, docs], max: 2 }".';

/** As the contract spells it, with the default maximum. Null for what is no map. */
function declaredIn(document: Document): object | null {
  const plain: unknown = isMap(document.contents) ? document.toJS() : null;
  if (!isObject(plain)) return null;
  return Object.fromEntries(
    Object.entries(plain).map(([type, declared]) => [type, withDefaults(type, declared)]),
  );
}

function withDefaults(type: string, declared: unknown): unknown {
  // "issue:" alone: all that it needs has a default.
  const given = declared === null ? {} : declared;
  if (!isObject(given)) return declared;
  const fields = Object.entries(given).map(([name, value]) => [name.replaceAll("-", "_"), value]);
  const max = type === WITHOUT_MAX || "max" in given ? {} : { max: DEFAULT_MAX };
  return { ...Object.fromEntries(fields), ...max };
}

function sentences(issue: z.core.$ZodIssue, given: unknown): readonly string[] {
  const place = placeOf(issue.path);
  const unknown = unknownFieldsOf(issue);
  if (unknown !== null)
    return unknown.map(
      ({ name, text }) => `Input "outputs": ${placeOf([...issue.path, name])} ${asWritten(text)}.`,
    );
  if (issue.path.length === 0) return [NO_MAP];
  const came = shown(valueAt(given, issue.path));
  return [`Input "outputs": ${place} ${faultText(issue)}, got ${came}.`];
}

function faultText(issue: z.core.$ZodIssue): string {
  if (issue.message.startsWith("must ")) return issue.message;
  if (issue.code !== "invalid_type") return "must have another form";
  return issue.expected === "object" ? "must be a map" : "must be text";
}

function placeOf(path: readonly PropertyKey[]): string {
  const text = path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${String(part)}`))
    .join("");
  return asWritten(singleLine(text, MAX_SHOWN_CHARS));
}

function asWritten(text: string): string {
  return spellings.reduce((written, [field, word]) => written.replaceAll(field, word), text);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, part) : undefined),
    value,
  );
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : singleLine(JSON.stringify(value) ?? "nothing", MAX_SHOWN_CHARS);
}
