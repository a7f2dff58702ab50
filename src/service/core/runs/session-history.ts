// The history of a session: the messages of its earlier runs, and what the agent answered.

import { asRunEvent, RESUMED_EVENT } from "../../../contract/runs/run-event.ts";
import type { Message } from "../../../contract/runs/run-requests.ts";
import type { StoreReader } from "../ports/store.ts";
import type { RunRecord } from "./run-record.ts";

const EVENTS_A_READ = 500;
const RUNS_A_READ = 50;

/**
 * The messages of a session before a run: of each earlier run that has ended its input and its answer, oldest first.
 * Whole runs only, the latest ones, at most about `maxChars` characters.
 */
export async function readHistory(
  store: StoreReader,
  query: { run: RunRecord; maxChars: number },
): Promise<readonly Message[]> {
  const { run, maxChars } = query;
  const turns: (readonly Message[])[] = [];
  let chars = 0;
  for await (const earlier of earlierRuns(store, run)) {
    const turn = await readTurn(store, earlier);
    chars += turn.reduce((sum, { content }) => sum + content.length, 0);
    if (chars > maxChars) break;
    turns.push(turn);
  }
  return turns.reverse().flat();
}

/** The agent's messages in a run. Empty where it wrote none, or they are not kept any more. */
export async function readReplies(store: StoreReader, runId: string): Promise<readonly string[]> {
  const said = await readSaid(store, runId);
  return said.filter(({ role }) => role === "assistant").map(({ content }) => content);
}

/** What the agent said in a run, and what it was told where somebody continued it. */
async function readSaid(store: StoreReader, runId: string): Promise<readonly Message[]> {
  const said = new Map<string, Message>();
  for (let after = 0; ; ) {
    const page = await store.events.list({ runId, after, limit: EVENTS_A_READ });
    for (const { json, seq } of page) {
      const event = asRunEvent(JSON.parse(json));
      // An answer that was cut off and is written anew may have the same id.
      if (event?.type === "TEXT_MESSAGE_START") said.delete(event.messageId);
      if (event?.type === "TEXT_MESSAGE_CONTENT") {
        const content = (said.get(event.messageId)?.content ?? "") + event.delta;
        said.set(event.messageId, { role: "assistant", content });
      }
      if (event?.type === "CUSTOM" && event.name === RESUMED_EVENT && event.value.message !== undefined)
        said.set(`told ${seq}`, { role: "user", content: event.value.message });
      after = seq;
    }
    if (page.length < EVENTS_A_READ) return [...said.values()];
  }
}

/** The latest first. */
export async function* earlierRuns(store: StoreReader, run: RunRecord): AsyncGenerator<RunRecord, void> {
  for (let before = run.id; ; ) {
    const page = await store.runs.listOfSessionBefore({
      sessionId: run.sessionId,
      before,
      limit: RUNS_A_READ,
    });
    for (const earlier of page) {
      if (earlier.endedAt !== null) yield earlier;
      before = earlier.id;
    }
    if (page.length < RUNS_A_READ) return;
  }
}

/** Images are shown once: a later request that shows them brings them again. */
function withoutData(message: Message): Message {
  if (message.parts === undefined) return message;
  return { ...message, parts: message.parts.map(({ data: _data, ...part }) => part) };
}

async function readTurn(store: StoreReader, run: RunRecord): Promise<readonly Message[]> {
  const input = await store.runs.findInput(run.id);
  if (input === null) return [];
  const said = await readSaid(store, run.id);
  return [...input.messages.map(withoutData), ...said.filter(({ content }) => content !== "")];
}
