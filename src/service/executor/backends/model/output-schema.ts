// Checks a reply against the caller's JSON Schema, which is untrusted: every check has a time limit.

import { runInNewContext } from "node:vm";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { withoutJsonFence } from "../../../../base/json-fence.ts";
import { VALIDATE_FINDINGS } from "../../../../contract/runs/review-output.ts";
import { BackendFailure } from "../../backend.ts";

const MAX_SCHEMA_CHARS = 32_768;
const MAX_PATTERN_CHARS = 512;
const MAX_FAULTS = 10;
const MAX_VALUES_CHARS = 300;
/** Enough for any schema, pattern and reply that is not made to be slow. */
const CHECK_MS = 250;

type OutputCheck =
  | { readonly ok: true; readonly value: JsonValue }
  /** For the model and for the run's reader: which place, and what is wrong there. */
  | { readonly ok: false; readonly faults: string };

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type OutputForm = {
  /** The schema as JSON. */
  readonly text: string;
  /** Whether the findings of a reply are to be confirmed before they count. */
  readonly validatesFindings: boolean;
  check(reply: string): OutputCheck;
};

/** Compiles the schema. Throws a `BackendFailure` where it is none, is too large, or reaches beyond itself. */
export function outputForm(given: Readonly<Record<string, unknown>>): OutputForm {
  const { $schema: _, [VALIDATE_FINDINGS]: validates, ...schema } = given;
  const text = JSON.stringify(schema);
  if (text.length > MAX_SCHEMA_CHARS) {
    throw refusedSchema(`it has ${text.length} characters, at most ${MAX_SCHEMA_CHARS} are taken`);
  }
  const validate = compile(schema);
  return { text, validatesFindings: validates === true, check: (reply) => check(validate, reply) };
}

function compile(schema: Readonly<Record<string, unknown>>): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false });
  // Compiles JSON Schema's own schema, which takes longest on a busy machine. The time limit is for the caller's.
  ajv.validateSchema({});
  try {
    guard(schema);
    return withinTime(() => ajv.compile(schema));
  } catch (cause) {
    if (cause instanceof BackendFailure) throw cause;
    throw refusedSchema(isTimeout(cause) ? "it takes too long to compile" : messageOf(cause));
  }
}

function check(validate: ValidateFunction, reply: string): OutputCheck {
  let value: JsonValue;
  try {
    value = JSON.parse(withoutJsonFence(reply));
  } catch (cause) {
    return { ok: false, faults: `the reply is not JSON: ${messageOf(cause)}` };
  }
  try {
    if (withinTime(() => validate(value))) return { ok: true, value };
  } catch (cause) {
    if (!isTimeout(cause) && !(cause instanceof RangeError)) throw cause;
    const why = "it takes too long to check a reply against it. Simplify its patterns and references";
    throw refusedSchema(why, { chargedFor: "output_schema" });
  }
  return { ok: false, faults: listFaults(validate.errors ?? []) };
}

/** Refuses parts of a schema: references to other documents, and overlong patterns. */
function guard(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const isReference = key === "$ref" || key === "$dynamicRef" || key === "$recursiveRef";
    if (isReference && typeof inner === "string" && !inner.startsWith("#")) {
      throw refusedSchema(`${key} "${inner.slice(0, 100)}" points outside of it; only "#…" is taken`);
    }
    // An async schema would answer with a promise, which is always truthy.
    if (key === "$async") throw refusedSchema("$async is not taken");
    if (key === "pattern" && typeof inner === "string" && inner.length > MAX_PATTERN_CHARS) {
      throw refusedSchema(`a pattern has ${inner.length} characters, at most ${MAX_PATTERN_CHARS} are taken`);
    }
    guard(inner);
  }
}

/** The script's time limit also ends slow patterns and exponential references. */
function withinTime<Value>(work: () => Value): Value {
  return runInNewContext("work()", { work }, { timeout: CHECK_MS });
}

/** The error belongs to the script's own realm, so `instanceof` does not work. */
function isTimeout(cause: unknown): boolean {
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return false;
  return cause.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

function listFaults(errors: readonly ErrorObject[]): string {
  const lines = errors.map(({ instancePath, message = "does not fit", params }) => {
    const extra =
      "additionalProperty" in params
        ? ` ("${String(params.additionalProperty).slice(0, 100)}")`
        : "allowedValues" in params
          ? `: ${String(params.allowedValues).slice(0, MAX_VALUES_CHARS)}`
          : "";
    return `${instancePath === "" ? "the root" : instancePath.slice(0, 200)} ${message}${extra}`;
  });
  const shown = [...new Set(lines)].slice(0, MAX_FAULTS).map((line) => line.slice(0, 400));
  return shown.join("; ");
}

/** `chargedFor`: the model has answered. */
function refusedSchema(why: string, charge: { readonly chargedFor?: "output_schema" } = {}): BackendFailure {
  const message = `The output_schema of this run cannot be used: ${why}.`;
  return new BackendFailure(message, { reason: "model_failed", isRetryable: false, ...charge });
}

function messageOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, " ").slice(0, 300);
}
