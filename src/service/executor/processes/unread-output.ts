// The output of a process since it was last read, within a bound: of more, the beginning is dropped. Pure.

export class UnreadOutput {
  readonly #maxChars: number;
  readonly #decoder = new TextDecoder();
  #text = "";
  #droppedChars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get isEmpty(): boolean {
    return this.#text === "";
  }

  add(piece: Buffer): void {
    this.#text += this.#decoder.decode(piece, { stream: true });
    // Twice the room before anything is dropped, so that each piece is not copied again and again.
    if (this.#text.length > 2 * this.#maxChars) this.#drop();
  }

  /** As a text that says how much is missing. What comes next is of the next read. */
  take(): string {
    this.#drop();
    const text = this.#text;
    const dropped = this.#droppedChars;
    this.#text = "";
    this.#droppedChars = 0;
    return dropped === 0 ? text : `[${dropped.toLocaleString("en-US")} characters before this cut]\n${text}`;
  }

  #drop(): void {
    const tooMany = this.#text.length - this.#maxChars;
    if (tooMany <= 0) return;
    this.#droppedChars += tooMany;
    this.#text = this.#text.slice(tooMany);
  }
}
