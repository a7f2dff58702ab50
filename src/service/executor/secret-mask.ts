// Masks known secrets in text, in their usual encodings too, also where one is split between two chunks. Pure.
// It prevents accidents. Whoever wants a secret out finds an encoding that is not here: what must not leak is kept away.

/** Shorter ones, such as the dummy key "ollama", are words that patches hold by chance. */
const MIN_SECRET_CHARS = 12;
const MASK = "***";

export class SecretMask {
  /** Longest first: one may be the beginning of another. */
  #forms: readonly string[] = [];

  constructor(secrets: Iterable<string> = []) {
    this.add(...secrets);
  }

  /** Knows the same secrets, and learns others by itself. */
  copy(): SecretMask {
    const copy = new SecretMask();
    copy.#forms = this.#forms;
    return copy;
  }

  add(...secrets: readonly string[]): void {
    const long = secrets.filter(
      (secret) => secret.length >= MIN_SECRET_CHARS && !this.#forms.includes(secret),
    );
    if (long.length === 0) return;
    const forms = new Set([...this.#forms, ...long.flatMap((secret) => [secret, ...encodingsOf(secret)])]);
    this.#forms = [...forms].toSorted((a, b) => b.length - a.length);
  }

  apply(text: string): string {
    return this.#forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
  }

  /** Whether the file's content has one of them. Each byte is looked at once, however many secrets are known. */
  isIn(content: Buffer): boolean {
    const byBeginning = new Map<number, Buffer[]>();
    const isBeginning = new Uint8Array(2 ** 16);
    for (const form of this.#forms.map((text) => Buffer.from(text))) {
      const beginning = form.readUInt16LE(0);
      isBeginning[beginning] = 1;
      byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), form]);
    }
    for (let at = 0; at + MIN_SECRET_CHARS <= content.length; at += 1) {
      const beginning = (content[at] ?? 0) + 256 * (content[at + 1] ?? 0);
      if (isBeginning[beginning] === 0) continue;
      const forms = byBeginning.get(beginning) ?? [];
      if (forms.some((form) => content.subarray(at, at + form.length).equals(form))) return true;
    }
    return false;
  }

  /** Every text in a value of JSON. */
  applyWithin<Value>(value: Value): Value {
    if (this.#forms.length === 0) return value;
    return this.#within(value) as Value;
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

  #within(value: unknown): unknown {
    if (typeof value === "string") return this.apply(value);
    if (Array.isArray(value)) return value.map((inner) => this.#within(inner));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [this.apply(name), this.#within(inner)]),
    );
  }

  /** The count of characters at the end that may be the beginning of a secret. */
  #openChars(text: string): number {
    const longest = this.#forms[0]?.length ?? 0;
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
      const end = text.slice(at);
      if (this.#forms.some((form) => form.length > end.length && form.startsWith(end))) return end.length;
    }
    return 0;
  }
}

export type MaskedStream = { add(piece: string): string; end(): string };

/** As JSON and URLs write it, in hexadecimal, and in base 64 wherever it begins. */
function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const inBase64 = [0, 1, 2].flatMap((before) => {
    // The characters at both ends also hold bits of what stands there.
    const first = Math.ceil((before * 8) / 6);
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(first, whole);
    return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    hex,
    hex.toUpperCase(),
    ...inBase64,
  ];
}
