// A scripted model for runs that are cut off and taken up: turn N of a story writes `turn-N.txt`, and every so many turns makes a
// note by an MCP server. What it answers follows from the history that it is sent alone: a repeated request gets the same answer.

import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../../fakes/model-server/request.ts";
import { everyTime } from "../../../fakes/model-server/script.ts";
import { call, type Part, type Step, say, stall, wait } from "../../../fakes/model-server/turn.ts";

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
  /** Who sent the request. */
  readonly apiKey: string | null;
  /** The results of the last tools, and what was said after them. */
  readonly told: string;
};

export function messageOf({ name, run, turns, noteEvery }: Story): string {
  return `Play story/${name}/${run}/${turns}/${noteEvery}/ to its end.`;
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
  #server: ModelServer | null = null;

  static async start(): Promise<StoryModel> {
    const model = new StoryModel();
    model.#server = await startModelServer({
      script: everyTime((request) => model.#answer(request)),
      models: [STORY_MODEL],
      conversation: () => "all",
      keepsRequests: false,
    });
    return model;
  }

  get baseUrl(): string {
    if (this.#server === null) throw new Error("The model was not started.");
    return this.#server.baseUrl;
  }

  /** The requests of one run, in the order of arrival. */
  askedOf({ run }: Pick<Story, "run">): readonly AskedTurn[] {
    return this.#asked.get(run) ?? [];
  }

  /** Holds the next request for this turn; the ones after it are not held. The last words are turn `turns + 1`. */
  hold(story: Story, { turn, place }: { readonly turn: number; readonly place: HoldPlace }): Hold {
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
    const turn = 1 + request.toolResults.filter(({ tool }) => tool === "write_file").length;
    const asked = this.#asked.get(story.run) ?? [];
    this.#asked.set(story.run, asked);
    asked.push({ turn, apiKey: request.apiKey, told: toldIn(request) });
    const key = `${story.run} ${turn}`;
    const held = this.#holds.get(key);
    this.#holds.delete(key);
    held?.reach();
    const [opening, ...rest] = partsOf(story, turn);
    switch (held?.place) {
      case undefined:
        return [opening, ...rest];
      case "unanswered":
        return stall(held.until, [opening, ...rest]);
      case "within":
        return [opening, wait(held.until), ...rest];
    }
  }
}

function storyIn({ firstUserMessage }: ModelRequest): Story | null {
  const found = /story\/([\w-]+)\/([\w-]+)\/(\d+)\/(\d+)\//.exec(firstUserMessage);
  if (found === null) return null;
  const [, name = "", run = "", turns, noteEvery] = found;
  return { name, run, turns: Number(turns), noteEvery: Number(noteEvery) };
}

function partsOf(story: Story, turn: number): [Part, ...Part[]] {
  const opening = openingOf(story, turn);
  if (turn > story.turns) return [say(`${opening} It is the end.`)];
  const file = call("write_file", {
    path: `turn-${turn}.txt`,
    content: `${opening}\n${"A line of it.\n".repeat(turn)}`,
  });
  const hasNote = story.noteEvery > 0 && turn % story.noteEvery === 0;
  return [say(opening), file, ...(hasNote ? [call(NOTE_TOOL, { word: noteOf(story, turn) })] : [])];
}

/** All that follows the last answer in the history. */
function toldIn({ messages }: ModelRequest): string {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return JSON.stringify(messages.slice(last + 1));
}
