// An MCP server by https whose tool `note.down` changes something: it counts the calls by their word, and may hold one.

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { answersMcp } from "../../../fakes/mcp-server/fake-mcp.ts";
import { selfSigned } from "../../../fakes/self-signed.ts";
import type { Hold } from "./played-story.ts";

type SetHold = Hold & { readonly until: Promise<void>; reach(): void };

export class NoteServer {
  readonly #server: Server;
  readonly #certificatePath: string;
  readonly #counts = new Map<string, number>();
  readonly #holds = new Map<string, SetHold>();

  /** Its certificate is a file in this folder. */
  static async start(folder: string): Promise<NoteServer> {
    const identity = selfSigned(["localhost"]);
    const certificatePath = join(folder, "notes.pem");
    await writeFile(certificatePath, identity.cert);
    const notes = new NoteServer(identity, certificatePath);
    await once(notes.#server.listen(0, "127.0.0.1"), "listening");
    return notes;
  }

  private constructor(identity: { readonly key: string; readonly cert: string }, certificatePath: string) {
    this.#certificatePath = certificatePath;
    const noteDown = async (word: string) => await this.#note(word);
    this.#server = createServer(identity, answersMcp([], { noteDown }));
  }

  /** What a run has to ask for of the network. */
  get egress(): string {
    return `localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Make it a service's server of every run. */
  get settings(): Readonly<Record<string, string>> {
    const { egress } = this;
    return {
      // Named by its whole name, so that it may be called.
      MCP_SERVERS: JSON.stringify({ notes: { url: `https://${egress}/mcp`, tools: ["note.down"] } }),
      EGRESS: egress,
      EGRESS_PRIVATE_HOSTS: "localhost=127.0.0.0/8",
      NODE_EXTRA_CA_CERTS: this.#certificatePath,
    };
  }

  /** How often the tool was called with this word. */
  countOf(word: string): number {
    return this.#counts.get(word) ?? 0;
  }

  /** The words that it was called with more than once. */
  get repeated(): readonly string[] {
    return [...this.#counts].flatMap(([word, count]) => (count > 1 ? [word] : []));
  }

  /** Holds the next call with this word before it is answered. */
  hold(word: string): Hold {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const hold = {
      until: released.promise,
      reached: reached.promise,
      reach: reached.resolve,
      release: released.resolve,
    };
    this.#holds.set(word, hold);
    return hold;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #note(word: string): Promise<void> {
    this.#counts.set(word, this.countOf(word) + 1);
    const held = this.#holds.get(word);
    this.#holds.delete(word);
    held?.reach();
    await held?.until;
  }
}
