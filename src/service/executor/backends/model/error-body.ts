// Error texts in the body of an API's answer, whatever shape it has: an object, an array of one, a string, a page. Pure.

import { parseJson } from "../../../../base/json.ts";

const MAX_BODY_CHARS = 64 * 1024;
const MAX_DEPTH = 10;
const MAX_TEXTS = 20;

export type ErrorBody = {
  /** The words for people. Empty where there are none. */
  readonly message: string;
  /** Words and codes, all of them, to be matched. */
  readonly text: string;
  /** The wait that the body names. */
  readonly retryAfterMs?: number | undefined;
};

/** The fields that hold words for people, the best first. */
const messageFields = ["message", "detail", "error_description", "msg", "title", "error", "raw"] as const;
/** `quotaId` is in the violations of google.rpc.QuotaFailure. */
const codeFields = ["code", "type", "status", "reason", "kind", "quotaId"] as const;
/** Fields that hold one of these. */
const holders = [
  "error",
  "errors",
  "detail",
  "details",
  "violations",
  "response",
  "metadata",
  "data",
  "raw",
] as const;

/** Reads a body as it came, or what a library made of one. */
export function readErrorBody(body: unknown): ErrorBody {
  const found = new Found();
  found.take(body, 0);
  const message = found.messages[0] ?? "";
  const text = [...found.messages, ...found.codes].join(" ");
  return {
    message: [message, ...found.causes(message)].join(" "),
    text,
    retryAfterMs: found.retryAfterMs ?? waitIn(text),
  };
}

class Found {
  readonly messages: string[] = [];
  readonly codes: string[] = [];
  retryAfterMs: number | undefined;
  readonly #raw: string[] = [];

  /** Texts that a gateway quotes of the API behind it, where it says more than the gateway does. */
  causes(message: string): readonly string[] {
    return this.#raw.filter((text) => text !== message).slice(0, 1);
  }

  take(value: unknown, depth: number, isRaw = false): void {
    if (depth > MAX_DEPTH || this.messages.length >= MAX_TEXTS) return;
    if (typeof value === "string") this.#takeText(value, depth, isRaw);
    else if (Array.isArray(value)) {
      for (const each of value.slice(0, MAX_TEXTS)) this.take(each, depth + 1, isRaw);
    } else if (typeof value === "object" && value !== null) this.#takeFields(fieldsOf(value), depth, isRaw);
  }

  #takeText(value: string, depth: number, isRaw: boolean): void {
    const text = value.slice(0, MAX_BODY_CHARS).trim();
    if (text === "") return;
    const parsed = /^(?:[[{"]|null$)/.test(text) ? parseJson(text) : undefined;
    if (parsed !== undefined) {
      this.take(parsed, depth + 1, isRaw);
      return;
    }
    const words = /^<(?:!doctype|html|head|body)/i.test(text) ? titleOf(text) : text;
    this.messages.push(words);
    if (isRaw) this.#raw.push(words);
  }

  #takeFields(fields: Readonly<Record<string, unknown>>, depth: number, isRaw: boolean): void {
    for (const name of messageFields) {
      const value = fields[name];
      if (typeof value === "string") this.take(value, depth + 1, isRaw || name === "raw");
    }
    for (const name of codeFields) {
      const value = fields[name];
      if (typeof value === "string" || typeof value === "number")
        this.codes.push(String(value).slice(0, 200));
    }
    // google.rpc.RetryInfo.
    if (typeof fields.retryDelay === "string") this.retryAfterMs ??= durationOf(fields.retryDelay);
    for (const name of holders) {
      const value = fields[name];
      if (typeof value === "object" && value !== null) this.take(value, depth + 1, isRaw || name === "raw");
    }
  }
}

function fieldsOf(value: object): Readonly<Record<string, unknown>> {
  return value as Readonly<Record<string, unknown>>;
}

function titleOf(page: string): string {
  const title = /<title>([^<]{1,300})</i.exec(page)?.[1]?.trim();
  return title === undefined || title === "" ? "a page in place of an answer" : title;
}

/** `Please retry in 34.07s.`, `Please try again in 6m0s`, `… in 20ms`. */
function waitIn(text: string): number | undefined {
  return durationOf(
    /(?:retry|try again) (?:in|after) ((?:\d{1,6}(?:\.\d{1,12})?(?:ms|h|m|s)){1,3})/i.exec(text)?.[1],
  );
}

/** Milliseconds of a text like `1h2m3.5s`. */
function durationOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const parts = [...text.slice(0, 60).matchAll(/(\d{1,6}(?:\.\d{1,12})?)(ms|h|m|s)/gi)];
  if (parts.length === 0) return undefined;
  const sum = parts.reduce(
    (ms, [, count, unit = ""]) => ms + Number(count) * (unitMs[unit.toLowerCase()] ?? 0),
    0,
  );
  return Math.ceil(sum);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
