// The values in a file of credentials that must not be shown: of `.env`, `.npmrc`, `.netrc`, git's configuration, JSON and keys.
// Names decide: what a file says of a port or a registry is no secret, and masking it would spoil patches. Pure.

const SECRET_NAME =
  /token|secret|passw|passphrase|credential|private|api_?-?key|access_?-?key|client_?-?key|auth|extraheader|signature/i;
/** Of a line without white space around it. */
const ASSIGNMENT = /^(?:export\s+)?["']?([^\s"'=]*[^\s"'=:])["']?\s*[:=](.*)$/;
const KEY_LINE = /^[A-Za-z0-9+/]{40,}={0,2}$/;
const MAX_VALUES = 500;
const MAX_DEPTH = 20;

export function credentialValues(text: string): readonly string[] {
  const values = new Set<string>();
  const take = (value: string) => {
    for (const part of partsOf(value)) if (part !== "") values.add(part);
  };
  for (const line of text.split(/\r?\n/)) {
    const [, name = "", value = ""] = ASSIGNMENT.exec(line.trim()) ?? [];
    if (SECRET_NAME.test(name)) take(withoutComma(value));
    if (KEY_LINE.test(line)) take(line);
    for (const [, word = ""] of line.matchAll(/\b(?:password|account)\s+(\S+)/g)) take(word);
    // `//user:password@host`, `//token@host`
    for (const [, user = "", password] of line.matchAll(/\/\/([^\s/:@"']+)(?::([^\s/@"']+))?@/g))
      take(password ?? user);
  }
  takeFromJson(text, take);
  return [...values].slice(0, MAX_VALUES);
}

/** As it stands, without quotes, the word behind a scheme, and what base 64 of a user and a password holds. */
function partsOf(value: string): readonly string[] {
  const plain = value.replace(/^(["'])(.*)\1$/, "$2");
  const word = plain.split(/\s+/).at(-1) ?? "";
  const decoded = Buffer.from(word, "base64").toString("utf8");
  const at = decoded.indexOf(":");
  const isText = /^[\x20-\x7e]*$/.test(decoded);
  return [plain, word, ...(at >= 0 && isText ? [decoded.slice(at + 1)] : [])];
}

/** As JSON ends a line. */
function withoutComma(value: string): string {
  const text = value.trim();
  return text.endsWith(",") ? text.slice(0, -1).trim() : text;
}

function takeFromJson(text: string, take: (value: string) => void): void {
  if (!text.trimStart().startsWith("{")) return;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return;
  }
  const within = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner !== "string") within(inner, depth + 1);
      else if (SECRET_NAME.test(name)) inner.split("\n").forEach(take);
    }
  };
  within(data, 0);
}
