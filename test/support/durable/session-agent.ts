// An agent of ACP whose sessions are files in its home, as a process of its own: `node session-agent.ts`. What it does follows from
// the errand in its first prompt: a part, a call that acts outside and is held, another part. What it is asked goes to a file of the
// errand in the folder ACP_HEARD. It speaks the protocol by itself, so that it starts fast.

import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

/** What its process does that goes on with a session. */
const ways = [
  /** Announces it, and does it. */
  "resumes",
  "loads",
  /** Tells the session again after it has answered. */
  "loads late",
  /** Announces both, and refuses both. */
  "refuses",
  /** Answers, and has forgotten everything. */
  "forgets",
  /** Goes on with a session of another id. */
  "swaps",
  /** Loads it, and fails in its next prompt: Gemini CLI's model refuses what it makes of its session. */
  "loads and fails",
  /** Says nothing more. */
  "falls silent",
  "exits",
  /** Works in the folder that its session began in, whatever folder it is told: opencode does so. */
  "stays in its folder",
  /** Announces nothing. */
  "knows no sessions",
] as const;
export type Way = (typeof ways)[number];

export type Errand = {
  /** Unique in the folder of what is heard. */
  readonly run: string;
  readonly way: Way;
  /** Random bytes in its home. */
  readonly homeBytes: number;
};

export type Heard = { readonly what: string; readonly value: unknown };

/** A credential that it writes into its home. */
export const HOME_CREDENTIAL = "credential-of-the-agents-home";
export const CONTINUED = "goes on in a new process";
export const BEGUN_AGAIN = "You have worked on this before";
const MARK = "ERRAND ";
const PLACE = { cwd: process.cwd(), home: process.env.HOME };

export function messageOf(errand: Errand): string {
  return `Do the errand.\n${MARK}${JSON.stringify(errand)}`;
}

export function releasePath(folder: string, { run }: Pick<Errand, "run">): string {
  return join(folder, `${run}.release`);
}

export function heardBy(folder: string, { run }: Pick<Errand, "run">): readonly Heard[] {
  const path = join(folder, `${run}.heard`);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Heard);
}

type Session = {
  readonly id: string;
  readonly errand: Errand;
  readonly cwd: string;
  readonly said: readonly string[];
};
type Asked = { readonly id?: unknown; readonly method?: string; readonly params?: unknown };

class SessionAgent {
  readonly #folder = process.env.ACP_HEARD ?? "";
  readonly #home = join(process.env.HOME ?? "", ".session-agent");
  /** Of the process before; null in a fresh home. */
  #session: Session | null = this.#read();

  async answer({ method, params }: Asked): Promise<unknown> {
    const errand = this.#session?.errand ?? null;
    const way = errand?.way ?? null;
    if (errand !== null)
      this.#note(errand, method ?? "", method === "initialize" ? { files: this.#files(), ...PLACE } : params);
    switch (method) {
      case "initialize":
        return { protocolVersion: 1, agentCapabilities: capabilitiesOf(way) };
      case "session/new":
        return { sessionId: `session-${process.pid}` };
      case "session/resume":
        if (way === "exits") process.exit(3);
        if (way === "refuses") throw new Error("There is no such session.");
        return way === "swaps" ? { sessionId: "session-of-another" } : {};
      case "session/load":
        if (way === "refuses") throw new Error("There is no such session.");
        if (way === "loads" || way === "loads and fails") this.#tellAgain();
        if (way === "loads late") setTimeout(() => this.#tellAgain(), 100);
        return null;
      case "session/prompt":
        return await this.#work(params as { sessionId: string; prompt: readonly { text: string }[] });
      default:
        return {};
    }
  }

  async #work({ sessionId, prompt }: { sessionId: string; prompt: readonly { text: string }[] }) {
    const text = prompt[0]?.text ?? "";
    const known = this.#session;
    const errand = known?.errand ?? errandIn(text);
    if (errand === null) throw new Error("The prompt has no errand.");
    if (known === null) this.#note(errand, "session/prompt", { prompt: [{ text }] });
    if (known?.errand.way === "loads and fails") throw new Error("The model refused the history.");
    if (known?.errand.way === "falls silent") return { stopReason: "end_turn" };
    const isFirst = !text.includes(CONTINUED) && !text.includes(BEGUN_AGAIN);
    if (isFirst) await this.#begin(sessionId, errand);
    this.#say(sessionId, `Part two of ${errand.run}.`);
    const folder = errand.way === "stays in its folder" ? (known?.cwd ?? PLACE.cwd) : PLACE.cwd;
    writeFileSync(join(folder, "two.txt"), "Two.\n");
    await this.#askModel(errand);
    return { stopReason: "end_turn" };
  }

  async #begin(sessionId: string, errand: Errand): Promise<void> {
    this.#note(errand, "began", PLACE);
    const said = `Part one of ${errand.run}.`;
    const session: Session = { id: sessionId, errand, cwd: PLACE.cwd, said: [said] };
    mkdirSync(this.#home, { recursive: true });
    writeFileSync(join(this.#home, "session.json"), JSON.stringify(session));
    writeFileSync(join(this.#home, "auth.json"), HOME_CREDENTIAL);
    writeFileSync(join(this.#home, "history.txt"), `It was called with ${process.env.AGENT_MODEL_KEY}.`);
    if (errand.homeBytes > 0) writeFileSync(join(this.#home, "bulk"), randomBytes(errand.homeBytes));
    this.#say(sessionId, said);
    writeFileSync("one.txt", "One.\n");
    await this.#askModel(errand);
    const call = { toolCallId: "deploy", title: "deploy", kind: "execute" };
    const rawInput = { command: `deploy ${errand.run}` };
    tell(sessionId, { sessionUpdate: "tool_call", ...call, status: "in_progress", rawInput });
    this.#note(errand, "deployed", null);
    while (!existsSync(releasePath(this.#folder, errand))) await sleep(50);
    tell(sessionId, { sessionUpdate: "tool_call_update", toolCallId: "deploy", status: "completed" });
  }

  async #askModel({ run }: Errand): Promise<void> {
    const body = {
      model: process.env.AGENT_MODEL,
      max_tokens: 50,
      messages: [{ role: "user", content: `Play story/agent/${run}/0/0/ to its end.` }],
    };
    const answer = await fetch(`${process.env.AGENT_MODEL_URL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${process.env.AGENT_MODEL_KEY}` },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`The model answered ${answer.status}: ${await answer.text()}`);
    await answer.text();
  }

  #tellAgain(): void {
    const { id = "", said = [] } = this.#session ?? {};
    for (const text of said) this.#say(id, text);
  }

  #say(sessionId: string, text: string): void {
    tell(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  #note({ run }: Errand, what: string, value: unknown): void {
    appendFileSync(join(this.#folder, `${run}.heard`), `${JSON.stringify({ what, value })}\n`);
  }

  #files(): readonly string[] {
    return readdirSync(this.#home).toSorted();
  }

  #read(): Session | null {
    const path = join(this.#home, "session.json");
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Session) : null;
  }
}

function capabilitiesOf(way: Way | null): object {
  const resume = { sessionCapabilities: { resume: {} } };
  switch (way) {
    case null:
    case "knows no sessions":
      return {};
    case "loads":
    case "loads late":
    case "loads and fails":
    case "forgets":
      return { loadSession: true };
    case "refuses":
      return { ...resume, loadSession: true };
    default:
      return resume;
  }
}

function errandIn(text: string): Errand | null {
  const line = text.split("\n").find((one) => one.startsWith(MARK));
  return line === undefined ? null : (JSON.parse(line.slice(MARK.length)) as Errand);
}

function tell(sessionId: string, update: object): void {
  send({ method: "session/update", params: { sessionId, update } });
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const agent = new SessionAgent();
  const lines = createInterface({ input: process.stdin });
  lines.on("close", () => process.exit());
  lines.on("line", (line) => {
    const asked = JSON.parse(line) as Asked;
    agent.answer(asked).then(
      (result) => asked.id !== undefined && send({ id: asked.id, result }),
      (cause: Error) => send({ id: asked.id, error: { code: -32603, message: cause.message } }),
    );
  });
}
