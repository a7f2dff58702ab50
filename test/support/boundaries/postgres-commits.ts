// Which messages on a connection to PostgreSQL commit: "commit" itself, and statements that write outside of a transaction. It reads
// what goes out and what comes in. Pure.
// https://www.postgresql.org/docs/17/protocol-message-formats.html

/** The version 3.0 of the protocol, in the one message that has no type. */
const STARTUP = 0x0003_0000;
const WRITE = /^\s*(?:insert|update|delete)\b|^\s*with\b[\s\S]*\b(?:insert into|update|delete from)\b/i;

/** Whether a connection to PostgreSQL begins with these bytes. */
export function isStartup(bytes: Buffer): boolean {
  return bytes.length >= 8 && bytes.readInt32BE(4) === STARTUP;
}

type Message = { readonly type: string; readonly body: Buffer };

export class PostgresCommits {
  readonly #sent = new Messages();
  readonly #received = new Messages();
  /** By the names of prepared statements. */
  readonly #texts = new Map<string, string>();
  /** Of each time that the server will be ready, in order: whether it has committed then. The first one follows the sign-in. */
  readonly #awaited: boolean[] = [false];
  #hasStarted = false;
  #isInTransaction = false;
  #hasWritten = false;

  /** Takes what goes out. Returns how many commits it asks for. */
  send(bytes: Buffer): number {
    const after = this.#hasStarted ? bytes : bytes.subarray(bytes.readInt32BE(0));
    this.#hasStarted = true;
    return this.#sent.take(after).filter((message) => this.#asksForCommit(message)).length;
  }

  /** Takes what came in. Returns how many commits it acknowledges. */
  receive(bytes: Buffer): number {
    const ready = this.#received.take(bytes).filter(({ type }) => type === "Z");
    return this.#awaited.splice(0, ready.length).filter((isCommit) => isCommit).length;
  }

  #asksForCommit({ type, body }: Message): boolean {
    switch (type) {
      case "P": {
        const [name = "", text = ""] = body.toString().split("\0");
        this.#texts.set(name, text);
        return false;
      }
      case "B": {
        const [, name = ""] = body.toString("latin1").split("\0");
        this.#hasWritten ||= WRITE.test(this.#texts.get(name) ?? "");
        return false;
      }
      case "S": {
        const isCommit = this.#hasWritten && !this.#isInTransaction;
        this.#hasWritten = false;
        return this.#await(isCommit);
      }
      case "Q":
        return this.#asksSimply(body.toString().replace(/\0$/, ""));
      default:
        return false;
    }
  }

  #asksSimply(text: string): boolean {
    const wasInTransaction = this.#isInTransaction;
    if (/^begin\b/i.test(text)) this.#isInTransaction = true;
    if (/^(?:commit|rollback)$/i.test(text)) this.#isInTransaction = false;
    return this.#await(wasInTransaction ? /^commit$/i.test(text) : WRITE.test(text));
  }

  #await(isCommit: boolean): boolean {
    this.#awaited.push(isCommit);
    return isCommit;
  }
}

/** Bytes as messages: a type, and a length that counts itself. */
class Messages {
  #rest = Buffer.alloc(0);

  take(bytes: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const messages: Message[] = [];
    for (;;) {
      const end = this.#rest.length < 5 ? Number.POSITIVE_INFINITY : 1 + this.#rest.readInt32BE(1);
      if (this.#rest.length < end) return messages;
      const type = String.fromCharCode(this.#rest.readUInt8(0));
      messages.push({ type, body: this.#rest.subarray(5, end) });
      this.#rest = this.#rest.subarray(end);
    }
  }
}
