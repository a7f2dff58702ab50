// Finds secrets in a text by their published forms, and masks them. In time linear in the text. Pure.
// Why: docs/decisions/036-the-job-scans-what-it-writes.md

import { secretForms } from "./secret-forms.ts";

/** From `start` to before `end`, in UTF-16 units. */
type FoundSecret = { readonly title: string; readonly start: number; readonly end: number };

const AWS_KEY_ID = "(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])";
const PEM_HEAD = "-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----";
const PEM_TITLE = "a private key";
const AWS_TITLE = "an AWS secret key";

/** One group a form, in their order, then two that need a look at what is around them. A form begins a word, or follows an escape. */
const ANY = new RegExp(
  `(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))(?:${[...secretForms.map(({ pattern }) => pattern), AWS_KEY_ID]
    .map((pattern) => `(${pattern})`)
    .join("|")})|(${PEM_HEAD})`,
  "g",
);
const AWS_GROUP = secretForms.length + 1;
const PEM_GROUP = secretForms.length + 2;

/** The end of a token has fewer kinds of characters than one made at random: `ghp_xxxxxxxx`. */
const MIN_KINDS = 7;
const END_CHARS = 20;
const MAX_PEM_CHARS = 16_384;
/** Stops at the next line of dashes, so that many heads are not read again and again. */
const PEM_REST = /^(?:[A-Za-z0-9+/=\s:,.()'"`]|-(?!----)|\\[nr])*-----END [A-Z0-9 ]{0,60}-----/;
const PEM_BODY = /^(?:[A-Za-z0-9+/=\s]|\\[nr])*/;
/** The distance from an AWS key id within which its secret is looked for. */
const AWS_CHARS = 300;
const AWS_SECRET = /(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;

/** In the order of the text, none inside another. */
export function findSecrets(text: string): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  const any = new RegExp(ANY);
  for (let match = any.exec(text); match !== null; match = any.exec(text)) {
    const start = match.index;
    const end = start + match[0].length;
    if (match[PEM_GROUP] !== undefined) {
      const keyEnd = pemEnd(text, end);
      if (keyEnd === null) continue;
      found.push({ title: PEM_TITLE, start, end: keyEnd });
      any.lastIndex = keyEnd;
    } else if (match[AWS_GROUP] !== undefined) {
      found.push(...awsSecrets(text, { start, end }));
    } else if (!isPlaceholder(match[0])) {
      const group = match.findIndex((value, at) => at > 0 && value !== undefined);
      found.push({ title: secretForms[group - 1]?.title ?? "a secret", start, end });
    }
  }
  return withoutOverlaps(found);
}

/** The text with each secret replaced by its title. */
export function maskSecrets(text: string): string {
  const found = findSecrets(text);
  if (found.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const { title, start, end } of found) {
    parts.push(text.slice(done, start), `‹${title}, masked›`);
    done = end;
  }
  return parts.join("") + text.slice(done);
}

/** A value of JSON with the secrets of its texts masked. */
export function maskSecretsInData(value: unknown): unknown {
  const json = JSON.stringify(value);
  if (json === undefined) return value;
  return JSON.parse(json, (_name, part) => (typeof part === "string" ? maskSecrets(part) : part));
}

/** The end of the key whose head ends at `from`; null where no key follows: code and documents name the head alone. */
function pemEnd(text: string, from: number): number | null {
  const after = text.slice(from, from + MAX_PEM_CHARS);
  if (!/[A-Za-z0-9+/]{40}/.test(after.slice(0, 300))) return null;
  const whole = PEM_REST.exec(after)?.[0];
  // Cut off, or longer than any key: all that looks like one.
  return from + (whole ?? PEM_BODY.exec(after)?.[0] ?? "").length;
}

function awsSecrets(text: string, id: { start: number; end: number }): FoundSecret[] {
  const from = Math.max(0, id.start - AWS_CHARS);
  const around = text.slice(from, id.end + AWS_CHARS);
  return (
    [...around.matchAll(AWS_SECRET)]
      .filter(([value]) => !isPlaceholder(value))
      // A path or a commit's name is no key: those have no capital, or nothing else.
      .filter(([value]) => /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value))
      .map(({ index, 0: value }) => ({
        title: AWS_TITLE,
        start: from + index,
        end: from + index + value.length,
      }))
  );
}

function isPlaceholder(value: string): boolean {
  return /EXAMPLE/i.test(value) || new Set(value.slice(-END_CHARS)).size < MIN_KINDS;
}

function withoutOverlaps(found: readonly FoundSecret[]): readonly FoundSecret[] {
  const kept: FoundSecret[] = [];
  for (const secret of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (secret.start >= (kept.at(-1)?.end ?? 0)) kept.push(secret);
  }
  return kept;
}
