// Which commits a set of packs holds, from some tips down, and where their history ends: one process of git, which is
// asked for the parents of what it has just answered.

import type { Git } from "../../../base/git/git.ts";

/** What of a commit is read: its parents come first. */
const MAX_HEADER_CHARS = 64 * 1024;
const MAX_LINE_CHARS = 1024;

export type CommitWalk = {
  /** Of the repository that the packs are in. It must have no `shallow` file. */
  readonly git: Git;
  readonly tips: readonly string[];
  readonly maxCommits: number;
  readonly signal: AbortSignal;
};

export type WalkedHistory = {
  readonly commits: number;
  /** Reachable commits of whose parents one is not there, sorted. */
  readonly shallow: readonly string[];
};

export type WalkFault = { readonly fault: "tip_absent" | "not_a_commit" | "too_many" };

/** Reads history down to where parents are missing. Throws a GitError. */
export async function walkCommits(walk: CommitWalk): Promise<WalkedHistory | WalkFault> {
  const { git, tips, maxCommits, signal } = walk;
  const parents = new Map<string, readonly string[] | null>();
  const questions = new Questions();
  let fault: WalkFault | null = null;
  const ask = (sha: string) => {
    if (parents.has(sha)) return;
    // Until it is answered it counts as one that is there.
    parents.set(sha, []);
    questions.add(sha);
  };
  const answers = new Answers(({ sha, type, header }) => {
    if (type === "missing") {
      parents.set(sha, null);
      if (tips.includes(sha)) fault ??= { fault: "tip_absent" };
    } else if (type !== "commit") {
      fault ??= { fault: "not_a_commit" };
    } else {
      const named = parentsOf(header);
      parents.set(sha, named);
      for (const parent of named) ask(parent);
    }
    if (parents.size > maxCommits) fault ??= { fault: "too_many" };
    questions.answered();
    if (fault !== null) questions.end();
  });
  for (const tip of tips) ask(tip);
  await git({ args: ["cat-file", "--batch"], input: questions, onOutput: answers.take, signal });
  return fault ?? historyOf(parents, tips);
}

/** Without what is reached only through a commit where the history ends: git sees no parent of it. */
function historyOf(
  parents: ReadonlyMap<string, readonly string[] | null>,
  tips: readonly string[],
): WalkedHistory {
  const seen = new Set<string>(tips);
  const shallow: string[] = [];
  for (const sha of seen) {
    const named = parents.get(sha) ?? [];
    if (named.some((parent) => (parents.get(parent) ?? null) === null)) shallow.push(sha);
    else for (const parent of named) seen.add(parent);
  }
  return { commits: seen.size, shallow: shallow.sort() };
}

function parentsOf(header: string): readonly string[] {
  return [...header.matchAll(/^parent ([0-9a-f]{40}|[0-9a-f]{64})$/gm)].map(([, sha = ""]) => sha);
}

/** Lines for git to read, which come as answers come. Ends when nothing is unanswered. */
class Questions implements AsyncIterable<Uint8Array> {
  #lines: string[] = [];
  #unanswered = 0;
  #isOver = false;
  #wake: (() => void) | null = null;

  add(line: string): void {
    this.#lines.push(line);
    this.#unanswered += 1;
    this.#wake?.();
  }

  answered(): void {
    this.#unanswered -= 1;
    if (this.#unanswered === 0) this.end();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      if (this.#isOver) return;
      if (this.#lines.length > 0) {
        const lines = this.#lines;
        this.#lines = [];
        yield Buffer.from(`${lines.join("\n")}\n`);
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = null;
      }
    }
  }
}

type Answer = { readonly sha: string; readonly type: string; readonly header: string };

/** Reads what `git cat-file --batch` writes: a line, and the content of what is there. */
class Answers {
  readonly #onAnswer: (answer: Answer) => void;
  #line = "";
  #sha = "";
  #type = "";
  /** Null between two answers. With the line end that follows the content. */
  #left: number | null = null;
  #header = "";

  constructor(onAnswer: (answer: Answer) => void) {
    this.#onAnswer = onAnswer;
  }

  readonly take = (chunk: Buffer): void => {
    for (let at = 0; at < chunk.length; ) {
      at = this.#left === null ? this.#takeLine(chunk, at) : this.#takeContent(chunk, at, this.#left);
    }
  };

  #takeLine(chunk: Buffer, at: number): number {
    const end = chunk.indexOf("\n", at);
    this.#line += chunk.toString("latin1", at, end < 0 ? chunk.length : end);
    if (this.#line.length > MAX_LINE_CHARS)
      throw new TypeError("git cat-file wrote a line that is too long.");
    if (end < 0) return chunk.length;
    const [sha = "", type = "", size = "0"] = this.#line.split(" ");
    this.#line = "";
    if (type === "missing") this.#onAnswer({ sha, type, header: "" });
    else [this.#sha, this.#type, this.#header, this.#left] = [sha, type, "", Number(size) + 1];
    return end + 1;
  }

  #takeContent(chunk: Buffer, at: number, left: number): number {
    const end = Math.min(chunk.length, at + left);
    const room = MAX_HEADER_CHARS - this.#header.length;
    if (room > 0) this.#header += chunk.toString("latin1", at, Math.min(end, at + room));
    this.#left = left - (end - at);
    if (this.#left === 0) {
      this.#left = null;
      const [header = ""] = this.#header.split("\n\n", 1);
      this.#onAnswer({ sha: this.#sha, type: this.#type, header });
    }
    return end;
  }
}
