// Keeps the beginning and the end of a command's output, within a bound. Pure.

export class BoundedOutput {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  #head: Buffer[] = [];
  #headLength = 0;
  #tail: Buffer[] = [];
  #tailLength = 0;
  #isSkipped = false;
  /** All that was written, kept or not. */
  total = 0;

  constructor(maxBytes: number) {
    this.#headBytes = Math.ceil(maxBytes / 2);
    this.#tailBytes = Math.floor(maxBytes / 2);
  }

  add(chunk: Buffer): void {
    this.total += chunk.length;
    const room = this.#headBytes - this.#headLength;
    const first = chunk.subarray(0, room);
    if (first.length > 0) {
      this.#head.push(first);
      this.#headLength += first.length;
    }
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    // Twice the room before anything is moved, so that each byte is copied once instead of at every chunk.
    if (this.#tailLength > 2 * this.#tailBytes + 65_536) this.#trimTail();
  }

  /** Counts bytes that nobody has sent. What is kept as the end is what comes after. */
  skip(bytes: number): void {
    if (bytes === 0) return;
    this.total += bytes;
    this.#tail = [];
    this.#tailLength = 0;
    this.#isSkipped = true;
  }

  get truncated(): boolean {
    return this.#isSkipped || this.total > this.#headBytes + this.#tailBytes;
  }

  /** As UTF-8; a character that was split by the cut is left out. */
  text(): string {
    this.#trimTail();
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (!this.truncated) return Buffer.concat([head, tail]).toString("utf8");
    const whole = head.subarray(0, endOfWholeCharacters(head));
    const after = tail.subarray(startOfCharacter(tail));
    const cut = (this.total - whole.length - after.length).toLocaleString("en-US");
    return `${whole.toString("utf8")}\n[${cut} bytes cut]\n${after.toString("utf8")}`;
  }

  #trimTail(): void {
    const all = Buffer.concat(this.#tail);
    const kept = Buffer.from(
      this.#tailBytes === 0 ? all.subarray(all.length) : all.subarray(-this.#tailBytes),
    );
    this.#tail = [kept];
    this.#tailLength = kept.length;
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function startOfCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < 3 && isContinuation(bytes[at])) at += 1;
  return at;
}

function endOfWholeCharacters(bytes: Buffer): number {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead -= 1;
  const byte = bytes[lead] ?? 0;
  const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
  return lead + size > bytes.length ? Math.max(lead, 0) : bytes.length;
}
