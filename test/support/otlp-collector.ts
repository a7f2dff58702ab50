// A collector of OpenTelemetry's on a real socket: takes spans over HTTP as protobuf, and keeps all that was sent.
// The fields are those of opentelemetry/proto/trace/v1/trace.proto.

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

export type CollectedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: "internal" | "server" | "client" | "other" | "consumer";
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly hasFailed: boolean;
  /** What the span says of the service. */
  readonly resource: Readonly<Record<string, string | number>>;
};

export type OtlpRequest = { readonly path: string; readonly headers: IncomingHttpHeaders };

const kinds = ["other", "internal", "server", "client", "other", "consumer"] as const;
const STATUS_ERROR = 2;

export class OtlpCollector {
  readonly url: string;
  readonly spans: CollectedSpan[] = [];
  readonly requests: OtlpRequest[] = [];
  /** Each body as it is after decompression: what is sought in it is text. */
  readonly bodies: Buffer[] = [];
  readonly #close: () => Promise<void>;
  #heard = Promise.withResolvers<void>();

  static async start(): Promise<OtlpCollector> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks);
        const { url: path = "", headers } = request;
        collector.#take({ path, headers }, headers["content-encoding"] === "gzip" ? gunzipSync(body) : body);
        response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    const collector = new OtlpCollector(`http://127.0.0.1:${port}`, close);
    return collector;
  }

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  /** The first span that is as the test wants it, once it is here. */
  async span(isIt: (span: CollectedSpan) => boolean): Promise<CollectedSpan> {
    for (;;) {
      const heard = this.#heard.promise;
      const found = this.spans.find(isIt);
      if (found !== undefined) return found;
      await heard;
    }
  }

  /** Every byte that was sent, headers aside. */
  text(): string {
    return Buffer.concat(this.bodies).toString("latin1");
  }

  async close(): Promise<void> {
    await this.#close();
  }

  #take(request: OtlpRequest, body: Buffer): void {
    this.requests.push(request);
    this.bodies.push(body);
    for (const resourceSpans of fieldsOf(body).messages(1)) {
      const resource = resourceSpans.messages(1).map((message) => message.attributes(1))[0] ?? {};
      for (const scope of resourceSpans.messages(2)) {
        this.spans.push(...scope.messages(2).map((span) => toSpan(span, resource)));
      }
    }
    this.#heard.resolve();
    this.#heard = Promise.withResolvers();
  }
}

function toSpan(span: Fields, resource: CollectedSpan["resource"]): CollectedSpan {
  return {
    traceId: span.bytes(1).toString("hex"),
    spanId: span.bytes(2).toString("hex"),
    parentId: span.bytes(4).toString("hex"),
    name: span.bytes(5).toString(),
    kind: kinds[span.number(6)] ?? "other",
    attributes: span.attributes(9),
    hasFailed: span.messages(15).some((status) => status.number(3) === STATUS_ERROR),
    resource,
  };
}

type Field = { readonly id: number; readonly value: number | Buffer };

/** The fields of one protobuf message. */
class Fields {
  readonly #fields: readonly Field[];

  constructor(fields: readonly Field[]) {
    this.#fields = fields;
  }

  bytes(id: number): Buffer {
    const found = this.#fields.find((field) => field.id === id)?.value;
    return Buffer.isBuffer(found) ? found : Buffer.alloc(0);
  }

  number(id: number): number {
    const found = this.#fields.find((field) => field.id === id)?.value;
    return typeof found === "number" ? found : 0;
  }

  messages(id: number): Fields[] {
    return this.#fields.flatMap((field) =>
      field.id === id && Buffer.isBuffer(field.value) ? [fieldsOf(field.value)] : [],
    );
  }

  /** KeyValues whose values are text or whole numbers. */
  attributes(id: number): Record<string, string | number> {
    const entries = this.messages(id).map((pair): [string, string | number] => {
      const [value = new Fields([])] = pair.messages(2);
      const text = value.bytes(1).toString();
      return [pair.bytes(1).toString(), text === "" ? value.number(3) : text];
    });
    return Object.fromEntries(entries);
  }
}

function fieldsOf(message: Buffer): Fields {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(value);
    }
  };
  const take = (bytes: number) => {
    at += bytes;
    return message.subarray(at - bytes, at);
  };
  while (at < message.length) {
    const tag = varint();
    const id = tag >> 3;
    const wire = tag & 7;
    if (wire === 0) fields.push({ id, value: varint() });
    else if (wire === 1) fields.push({ id, value: take(8) });
    else if (wire === 2) fields.push({ id, value: take(varint()) });
    else if (wire === 5) fields.push({ id, value: take(4) });
    else throw new Error(`Wire type ${wire} is none of protobuf's.`);
  }
  return new Fields(fields);
}
