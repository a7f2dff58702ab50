// A client of the session WebSocket that keeps every frame, each checked against the contract.

import { WebSocket } from "ws";
import { type ServerFrame, serverFrameSchema } from "../../../../src/contract/sessions/socket.ts";

export type EventFrame = Extract<ServerFrame, { type: "event" }>;
type FrameOf<Type extends ServerFrame["type"]> = Extract<ServerFrame, { type: Type }>;

export type SocketOptions = {
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export class SocketClient {
  readonly frames: ServerFrame[] = [];
  /** The close that ended it. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly socket: WebSocket;
  #watchers: (() => void)[] = [];
  #isClosed = false;

  /** Resolves once it is open; rejects with the status where the upgrade is refused. */
  static async open(baseUrl: string, options: SocketOptions = {}): Promise<SocketClient> {
    const client = new SocketClient(openSocket(baseUrl, options));
    await new Promise<void>((resolve, reject) => {
      client.socket.once("open", () => resolve());
      client.socket.once("error", reject);
    });
    return client;
  }

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once("close", (code, reason) => {
        this.#isClosed = true;
        resolve({ code, reason: reason.toString() });
        this.#look();
      });
    });
    socket.on("message", (data) => {
      this.frames.push(serverFrameSchema.parse(JSON.parse(data.toString())));
      this.#look();
    });
    socket.on("error", () => {});
  }

  send(frame: unknown): void {
    this.socket.send(JSON.stringify(frame));
  }

  ofType<Type extends ServerFrame["type"]>(type: Type): FrameOf<Type>[] {
    return this.frames.filter((frame): frame is FrameOf<Type> => frame.type === type);
  }

  events(subscription: string): EventFrame[] {
    return this.ofType("event").filter((frame) => frame.subscription === subscription);
  }

  /** The first frame of the type that is so, now or later. */
  async when<Type extends ServerFrame["type"]>(
    type: Type,
    isSo: (frame: FrameOf<Type>) => boolean = () => true,
  ): Promise<FrameOf<Type>> {
    for (;;) {
      const found = this.ofType(type).find(isSo);
      if (found !== undefined) return found;
      if (this.#isClosed) throw new Error(`The socket closed without such a frame "${type}".`);
      await new Promise<void>((resolve) => {
        this.#watchers.push(resolve);
      });
    }
  }

  async close(): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }

  #look(): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const wake of watchers) wake();
  }
}

/** The status and body of an upgrade that is refused. */
export async function refusedUpgrade(
  baseUrl: string,
  options: SocketOptions = {},
): Promise<{ status: number; body: unknown }> {
  const socket = openSocket(baseUrl, options);
  socket.on("error", () => {});
  return await new Promise((resolve, reject) => {
    socket.once("open", () => reject(new Error("The upgrade was not refused.")));
    socket.once("unexpected-response", (_request, response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.once("end", () => {
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
        socket.terminate();
      });
    });
  });
}

function openSocket(baseUrl: string, { bearer, headers }: SocketOptions): WebSocket {
  return new WebSocket(`${baseUrl.replace("http", "ws")}/v1/ws`, {
    headers: { ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }), ...headers },
  });
}
