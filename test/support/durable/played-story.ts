// A scripted model for runs that are cut off and taken up: turn N of a story writes `turn-N.txt`, and every so many turns makes a
// note by an MCP server. What it answers follows from the history that it is sent alone: a repeated request gets the same answer.

import { setTimeout } from "node:timers/promises";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import type { Refusing } from "../../../fakes/model-server/refusals.ts";
import type { ModelRequest } from "../../../fakes/model-server/request.ts";
import { everyTime } from "../../../fakes/model-server/script.ts";
import { answer, call, type Part, type Step, say, stall, wait } from "../../../fakes/model-server/turn.ts";
import { SUMMARY_REQUEST } from "../../../src/service/executor/backends/model/compaction.ts";

export const STORY_MODEL = "story-model";
/** As the model is offered it. */
export const NOTE_TOOL = "mcp__notes__note_down";

export type Story = {
  /** The contents of its files follow from it. */
  readonly name: string;
  /** No other run of the same model has it. */
  readonly run: string;
  readonly turns: number;
  /** Each so many turns one also makes a note. 0: none does. */
  readonly noteEvery: number;
  /** Of each file, beside what it has anyway: many fill the model's window. Default: 0. */
  readonly moreLines?: number;
  /** The turn in which it also hands a story of its own on to a child run. Default: 0, none. */
  readonly delegatesIn?: number;
  /**
   * The turn in which it also hands a story of its own to a worker of its workspace; it waits for that one in the next turn, and proposes
   * its work in the one after. Default: 0, none.
   */
  readonly managesIn?: number;
};

/** Where a request is held: no byte of its answer is sent, or the first words of it are. */
export type HoldPlace = "unanswered" | "within";

export type Hold = {
  /** Resolves when the request is there. */
  readonly reached: Promise<void>;
  release(): void;
};

type SetHold = Hold & { readonly place: HoldPlace; readonly until: Promise<void>; reach(): void };

export type AskedTurn = {
  readonly turn: number;
  /** Whether it was asked for a summary of the conversation before that turn. */
  readonly isSummary: boolean;
  /** Who sent the request. */
  readonly apiKey: string | null;
  /** The results of the last tools, and what was said after them. */
  readonly told: string;
};

export function messageOf(story: Story): string {
  const { name, run, turns, noteEvery, moreLines = 0, delegatesIn = 0, managesIn = 0 } = story;
  return `Play story/${name}/${run}/${turns}/${noteEvery}/${moreLines}/${delegatesIn}/${managesIn}/ to its end.`;
}

/** The story of its child, or of its worker. */
export function childOf({ name, run }: Story): Story {
  return { name: `${name}-child`, run: `${run}-child`, turns: 1, noteEvery: 0 };
}

/** What the model begins each turn with. */
export function openingOf({ name }: Story, turn: number): string {
  return `Turn ${turn} of ${name}.`;
}

export function noteOf({ run }: Story, turn: number): string {
  return `${run}-${turn}`;
}

/** Of a run that nothing disturbs: one a turn, and one for the last words. */
export function idealRequests({ turns }: Story): number {
  return turns + 1;
}

export class StoryModel {
  readonly #asked = new Map<string, AskedTurn[]>();
  readonly #holds = new Map<string, SetHold>();
  #refuse: Refusing = () => null;
  #server: ModelServer | null = null;
  readonly #paceMs: readonly number[];
  #paced = 0;

  /** `paceMs`: how long the answers take, one after the other. Unless told, they take no time. */
  static async start(paceMs: readonly number[] = []): Promise<StoryModel> {
    const model = new StoryModel(paceMs);
    model.#server = await startModelServer({
      script: everyTime((request) => model.#answer(request)),
      models: [STORY_MODEL],
      refuse: (request) => model.#refuse(request),
      conversation: () => "all",
      keepsRequests: false,
    });
    return model;
  }

  private constructor(paceMs: readonly number[]) {
    this.#paceMs = paceMs;
  }

  get baseUrl(): string {
    if (this.#server === null) throw new Error("The model was not started.");
    return this.#server.baseUrl;
  }

  /** Requests that it refuses from now on: they are none of those that are asked. */
  refuses(refuse: Refusing): void {
    this.#refuse = refuse;
  }

  /** The requests of one run, in the order of arrival. */
  askedOf({ run }: Pick<Story, "run">): readonly AskedTurn[] {
    return this.#asked.get(run) ?? [];
  }

  /**
   * Holds the next request for this turn, or for a summary; the ones after it are not held. The last words are turn `turns + 1`.
   */
  hold(
    story: Story,
    { turn, place }: { readonly turn: number | "summary"; readonly place: HoldPlace },
  ): Hold {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const hold = {
      place,
      until: released.promise,
      reached: reached.promise,
      reach: reached.resolve,
      release: released.resolve,
    };
    this.#holds.set(`${story.run} ${turn}`, hold);
    return hold;
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  #answer(request: ModelRequest): Step | undefined {
    const story = storyIn(request);
    if (story === null) return undefined;
    const turn = 1 + turnsIn(request);
    const isSummary = request.lastUserMessage === SUMMARY_REQUEST;
    const asked = this.#asked.get(story.run) ?? [];
    this.#asked.set(story.run, asked);
    asked.push({ turn, isSummary, apiKey: request.apiKey, told: toldIn(request) });
    const key = `${story.run} ${isSummary ? "summary" : turn}`;
    const held = this.#holds.get(key);
    this.#holds.delete(key);
    held?.reach();
    const [opening, ...rest] = isSummary ? [say(doneUntil(turn - 1))] : partsOf(story, turn, toldIn(request));
    const told = (parts: readonly Part[]) =>
      (story.moreLines ?? 0) > 0 ? answer(parts, { usage: { input: tokensIn(request) } }) : parts;
    switch (held?.place) {
      case undefined:
        return told([opening, ...this.#pause(), ...rest]);
      case "unanswered":
        return stall(held.until, told([opening, ...rest]));
      case "within":
        return told([opening, wait(held.until), ...rest]);
    }
  }

  /** After the first words of an answer. */
  #pause(): readonly Part[] {
    const paceMs = this.#paceMs[this.#paced % this.#paceMs.length];
    this.#paced += 1;
    return paceMs === undefined ? [] : [wait(setTimeout(paceMs))];
  }
}

function storyIn({ firstUserMessage }: ModelRequest): Story | null {
  const found = /story\/([\w-]+)\/([\w-]+)\/(\d+)\/(\d+)\/(?:(\d+)\/)?(?:(\d+)\/)?(?:(\d+)\/)?/.exec(
    firstUserMessage,
  );
  if (found === null) return null;
  const [, name = "", run = "", turns, noteEvery, moreLines, delegatesIn, managesIn] = found;
  return {
    name,
    run,
    turns: Number(turns),
    noteEvery: Number(noteEvery),
    moreLines: Number(moreLines ?? 0),
    delegatesIn: Number(delegatesIn ?? 0),
    managesIn: Number(managesIn ?? 0),
  };
}

/** The turns that are done: by what the history holds of them, or by its summary. */
function turnsIn({ messages, toolResults }: ModelRequest): number {
  const written = toolResults.filter(({ tool }) => tool === "write_file").length;
  const summarised = messages.flatMap((message) =>
    message.role === "user" ? [Number(/Turns until (\d+) are done\./.exec(message.text)?.[1] ?? 0)] : [],
  );
  const last = Math.max(0, ...summarised);
  if (last === 0) return written;
  const names = messages.flatMap((message) =>
    message.role === "assistant" ? message.calls.map(({ input }) => fileTurn(input)) : [],
  );
  return Math.max(last, ...names);
}

function fileTurn(input: unknown): number {
  return Number(/turn-(\d+)\.txt/.exec(JSON.stringify(input))?.[1] ?? 0);
}

function doneUntil(turn: number): string {
  return `Turns until ${turn} are done.`;
}

/** About as a model counts them. */
function tokensIn({ body }: ModelRequest): number {
  return Math.ceil(JSON.stringify(body).length / 4);
}

function partsOf(story: Story, turn: number, told: string): [Part, ...Part[]] {
  const opening = openingOf(story, turn);
  if (turn > story.turns) return [say(`${opening} It is the end.`)];
  const file = call("write_file", {
    path: `turn-${turn}.txt`,
    content: `${opening}\n${"A line of it.\n".repeat(turn + (story.moreLines ?? 0))}`,
  });
  const hasNote = story.noteEvery > 0 && turn % story.noteEvery === 0;
  const note = hasNote ? [call(NOTE_TOOL, { word: noteOf(story, turn) })] : [];
  const delegated = turn === story.delegatesIn ? [call("delegate", { task: messageOf(childOf(story)) })] : [];
  return [say(opening), file, ...note, ...delegated, ...managed(story, turn, told)];
}

/** `told`: the results of the turn before, which name the worker, and then the revision of its work. */
function managed(story: Story, turn: number, told: string): readonly Part[] {
  const { managesIn = 0 } = story;
  if (managesIn === 0) return [];
  const named = (what: RegExp) => what.exec(told)?.[1] ?? "";
  switch (turn) {
    case managesIn:
      return [call("start_worker", { task: messageOf(childOf(story)) })];
    case managesIn + 1:
      return [call("await_workers", { worker_ids: [named(/Worker ([\w-]{36}) works/)] })];
    case managesIn + 2: {
      const revision_ids = [named(/its work is revision ([\w-]{36})/)];
      return [call("create_changeset", { revision_ids, title: "The work of a worker", summary: "" })];
    }
    default:
      return [];
  }
}

/** All that follows the last answer in the history. */
function toldIn({ messages }: ModelRequest): string {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return JSON.stringify(messages.slice(last + 1));
}
