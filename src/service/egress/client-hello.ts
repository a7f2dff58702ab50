// Reads the server's name in the first message of a TLS client (RFC 8446, 4.1.2; RFC 6066, 3). Pure. Strict: what does not
// add up to the byte is refused, because a server might read it otherwise.

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
const MAX_RECORD_BYTES = 16_384;
/** Keys of post-quantum algorithms take some 2 KB, a ticket as much. */
const MAX_HELLO_BYTES = 16_384;

/** `name` is as it is sent; null where there is none. */
type ClientHello =
  | { readonly state: "incomplete" }
  | { readonly state: "malformed" }
  | { readonly state: "complete"; readonly name: string | null };

const incomplete: ClientHello = { state: "incomplete" };
const malformed: ClientHello = { state: "malformed" };

/** `sent` is all that the client has sent so far. More than `MAX_HELLO_BYTES` without an end are malformed. */
export function readClientHello(sent: Buffer): ClientHello {
  const hello = readRecords(sent.subarray(0, MAX_HELLO_BYTES));
  return hello.state === "incomplete" && sent.length > MAX_HELLO_BYTES ? malformed : hello;
}

function readRecords(bytes: Buffer): ClientHello {
  const parts: Buffer[] = [];
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const header = bytes.subarray(at, at + 5);
    // As early as it can be told: a client of another protocol waits for an answer.
    if (header[0] !== HANDSHAKE || (header[1] ?? 3) !== 3 || (header[2] ?? 0) > 4) return malformed;
    if (header.length < 5) return incomplete;
    const size = header.readUInt16BE(3);
    if (size === 0 || size > MAX_RECORD_BYTES) return malformed;
    const part = bytes.subarray(at + 5, at + 5 + size);
    parts.push(part);
    length += part.length;
    const message = readMessage(Buffer.concat(parts, length));
    if (message.state !== "incomplete") return message;
    if (part.length < size) return incomplete;
    at += 5 + size;
  }
  return incomplete;
}

function readMessage(handshake: Buffer): ClientHello {
  if (handshake.length > 0 && handshake[0] !== CLIENT_HELLO) return malformed;
  if (handshake.length < 4) return incomplete;
  const size = handshake.readUIntBE(1, 3);
  if (size > MAX_HELLO_BYTES) return malformed;
  if (handshake.length < 4 + size) return incomplete;
  // Nothing follows in the record that ends the message.
  if (handshake.length > 4 + size) return malformed;
  try {
    return { state: "complete", name: nameIn(new Fields(handshake.subarray(4))) };
  } catch (cause) {
    if (cause instanceof RangeError) return malformed;
    throw cause;
  }
}

function nameIn(hello: Fields): string | null {
  hello.skip(2 + 32);
  hello.sized(1);
  hello.sized(2);
  hello.sized(1);
  if (hello.isAtEnd) return null;
  const extensions = hello.sized(2);
  hello.end();
  let name: string | null = null;
  while (!extensions.isAtEnd) {
    const type = extensions.number(2);
    const content = extensions.sized(2);
    if (type !== SERVER_NAME) continue;
    // Which one of two a server reads, nobody knows.
    if (name !== null) throw new RangeError("two server names");
    name = hostIn(content);
  }
  return name;
}

function hostIn(content: Fields): string {
  const names = content.sized(2);
  content.end();
  if (names.number(1) !== HOST_NAME) throw new RangeError("no host name");
  const name = names.sized(2);
  names.end();
  return name.rest().toString("latin1");
}

/** Reads fields one after the other. Throws a RangeError where they do not fit. */
class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  number(bytes: 1 | 2): number {
    const value = this.#bytes.readUIntBE(this.#at, bytes);
    this.#at += bytes;
    return value;
  }

  skip(bytes: number): void {
    if (this.#at + bytes > this.#bytes.length) throw new RangeError("too short");
    this.#at += bytes;
  }

  /** A field that is preceded by its length. */
  sized(lengthBytes: 1 | 2): Fields {
    const length = this.number(lengthBytes);
    const from = this.#at;
    this.skip(length);
    return new Fields(this.#bytes.subarray(from, this.#at));
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  end(): void {
    if (!this.isAtEnd) throw new RangeError("too long");
  }
}
