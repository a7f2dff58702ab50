// Masks the secrets of an agent's environment in its output, also where one is split between two chunks. Pure.

const secretName = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH/i;
const MIN_SECRET_CHARS = 6;
const MASK = "***";

export class SecretMask {
  /** Longest first: one may be the beginning of another. */
  readonly #secrets: readonly string[];

  constructor(environment: Readonly<Record<string, string>>) {
    const found = Object.entries(environment).flatMap(([name, value]) => secretsIn(name, value));
    const distinct = new Set(found.filter((secret) => secret.length >= MIN_SECRET_CHARS));
    this.#secrets = [...distinct].toSorted((a, b) => b.length - a.length);
  }

  apply(text: string): string {
    return this.#secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
  }

  /** For a stream: a possible beginning of a secret is held back until the rest has arrived. */
  stream(): MaskedStream {
    let kept = "";
    return {
      add: (piece) => {
        const text = this.apply(kept + piece);
        const at = text.length - this.#openChars(text);
        kept = text.slice(at);
        return text.slice(0, at);
      },
      end: () => {
        const rest = kept;
        kept = "";
        return rest;
      },
    };
  }

  /** How many characters at the end may be the beginning of a secret. */
  #openChars(text: string): number {
    let open = 0;
    for (const secret of this.#secrets) {
      for (let chars = Math.min(secret.length - 1, text.length); chars > open; chars -= 1) {
        if (text.endsWith(secret.slice(0, chars))) open = chars;
      }
    }
    return open;
  }
}

export type MaskedStream = { add(piece: string): string; end(): string };

/** A value whose name marks a secret; each such member of JSON; the password of a URL. */
function secretsIn(name: string, value: unknown): string[] {
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => secretsIn(key, inner));
  if (typeof value !== "string") return [];
  const parsed = parseObject(value);
  if (parsed !== null) return secretsIn(name, parsed);
  const password = URL.parse(value)?.password ?? "";
  return [...(secretName.test(name) ? [value] : []), ...(password === "" ? [] : [password])];
}

function parseObject(text: string): object | null {
  if (!/^\s*[{[]/.test(text)) return null;
  try {
    return JSON.parse(text) as object;
  } catch {
    return null;
  }
}
