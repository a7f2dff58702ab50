// Refuses a pack with objects to which its commit does not lead: nobody would miss them, and each costs what the others cost.

import { open } from "node:fs/promises";
import type { Git } from "../../../base/git/git.ts";
import { streamOutput } from "../stream-output.ts";
import { PackFaultError } from "./pack-stream.ts";

/** Of an index: its magic word, its version, and the 256 sums, of which the last is the number of objects. gitformat-pack(5). */
const NAMES_AT = 8 + 256 * 4;
const COUNT_AT = NAMES_AT - 4;
const LINES_AT_ONCE = 10_000;

type ReachedPack = {
  readonly git: Git;
  /** Of the pack. */
  readonly index: string;
  /** Of an object's name. */
  readonly nameBytes: number;
  /** Every commit that was walked, down to where the history ends. */
  readonly commits: readonly string[];
  /** The folder of the objects on which the pack builds; null where it builds on none. */
  readonly bases: string | null;
};

/** Throws a PackFaultError. Everything that an object of the pack names is there already. */
export async function refuseUnreached(pack: ReachedPack, signal: AbortSignal): Promise<void> {
  const names = await PackNames.read(pack.index, pack.nameBytes);
  const own = pack.commits.filter((commit) => names.mark(commit));
  await eachLine(
    pack.git,
    {
      args: ["rev-list", "--objects", "--no-object-names", "--no-walk=unsorted", "--stdin"],
      input: own,
      signal,
    },
    (line) => names.mark(line),
  );
  let unreached = names.unmarked();
  if (pack.bases !== null && unreached.length > 0) {
    // Git adds to a thin pack what its differences are made from.
    const held = new Set<string>();
    const env = { GIT_OBJECT_DIRECTORY: pack.bases };
    const args = ["cat-file", "--batch-check=%(objectname)"];
    await eachLine(pack.git, { args, env, input: unreached, signal }, (line) => {
      if (!line.endsWith(" missing")) held.add(line);
    });
    unreached = unreached.filter((name) => !held.has(name));
  }
  const [first] = unreached;
  if (first === undefined) return;
  const count = unreached.length.toLocaleString("en-US");
  throw new PackFaultError(
    "object_refused",
    `The commit does not lead to ${count} of the pack's objects, for one ${first}. Send only what it leads to.`,
  );
}

type Listing = {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input: readonly string[];
  readonly signal: AbortSignal;
};

async function eachLine(git: Git, { input, ...call }: Listing, take: (line: string) => void): Promise<void> {
  let rest = "";
  for await (const chunk of streamOutput(git, { ...call, input: linesOf(input) })) {
    const lines = (rest + chunk.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
}

async function* linesOf(names: readonly string[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < names.length; at += LINES_AT_ONCE) {
    yield Buffer.from(`${names.slice(at, at + LINES_AT_ONCE).join("\n")}\n`);
  }
}

/** The names of a pack's objects, sorted as its index has them: much smaller than a set of them. */
class PackNames {
  readonly #names: Buffer;
  readonly #nameBytes: number;
  readonly #isMarked: Uint8Array;

  static async read(index: string, nameBytes: number): Promise<PackNames> {
    const file = await open(index);
    try {
      const { buffer: count } = await file.read(Buffer.alloc(4), 0, 4, COUNT_AT);
      const names = Buffer.alloc(count.readUInt32BE() * nameBytes);
      await file.read(names, 0, names.length, NAMES_AT);
      return new PackNames(names, nameBytes);
    } finally {
      await file.close();
    }
  }

  private constructor(names: Buffer, nameBytes: number) {
    this.#names = names;
    this.#nameBytes = nameBytes;
    this.#isMarked = new Uint8Array(names.length / nameBytes);
  }

  /** False where it is not in the pack. */
  mark(name: string): boolean {
    const wanted = Buffer.from(name, "hex");
    let low = 0;
    let high = this.#isMarked.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const order = wanted.compare(this.#names, middle * this.#nameBytes, (middle + 1) * this.#nameBytes);
      if (order === 0) {
        this.#isMarked[middle] = 1;
        return true;
      }
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return false;
  }

  unmarked(): string[] {
    const names: string[] = [];
    for (const [place, isMarked] of this.#isMarked.entries()) {
      const at = place * this.#nameBytes;
      if (isMarked === 0) names.push(this.#names.toString("hex", at, at + this.#nameBytes));
    }
    return names;
  }
}
