// Commits of a repository that the service holds, and those that a thin pack may build on.

import type { BlobStore } from "../blobs/blob-store.ts";
import type { Core } from "../core.ts";
import type { StoreReader } from "../ports/store.ts";
import type { HeldCommit, HeldPack, RepositoryKey } from "./held-pack.ts";

/** Packs that one commit is made of. Each one more is a file to link, and an index for git to search. */
const MAX_CHAIN = 12;
/** Tips that are offered to build on. */
const MAX_OFFERED = 4;
/** Packs that build on a whole one are waste, in part, once they are larger than it together, and than this. */
const WASTE_FLOOR_BYTES = 4_000_000;

/** The commit with all packs that it takes. Null where it, or one of them, is not held. */
export async function findHeldCommit(
  reader: Pick<StoreReader, "packs">,
  { repository, sha }: { repository: RepositoryKey; sha: string },
): Promise<HeldCommit | null> {
  const tip = await reader.packs.findHeld({ repository, tip: sha });
  if (tip === null) return null;
  const bases = await reader.packs.listByIds({ repository, ids: tip.bases });
  return bases.length === tip.bases.length ? { tip, packs: [tip, ...bases] } : null;
}

/** Whether the blobs of these packs are where they were put, as large as they were. Asks for each once. */
export class PackBlobs {
  readonly #blobs: Pick<BlobStore, "head">;
  readonly #asked = new Map<string, Promise<boolean>>();

  constructor(blobs: Pick<BlobStore, "head">) {
    this.#blobs = blobs;
  }

  async hasAll(packs: readonly HeldPack[]): Promise<boolean> {
    return (await Promise.all(packs.map((pack) => this.#has(pack)))).every((isThere) => isThere);
  }

  #has(pack: HeldPack): Promise<boolean> {
    let asked = this.#asked.get(pack.id);
    if (asked === undefined) {
      const files = [pack.pack, pack.index].map(
        async ({ key, bytes }) => (await this.#blobs.head(key))?.size === bytes,
      );
      asked = Promise.all(files).then((found) => found.every((isThere) => isThere));
      this.#asked.set(pack.id, asked);
    }
    return asked;
  }
}

/** Records the use of commits: nothing of them is deleted for a while. False where some of it is gone. */
export async function touchCommits(core: Core, commits: readonly HeldCommit[]): Promise<boolean> {
  const ids = [...new Set(commits.flatMap(({ packs }) => packs.map(({ id }) => id)))];
  return await core.store.transact((tx) => tx.packs.touch({ ids, now: core.clock.now() }));
}

/**
 * The newest commits that a thin pack may build on, together in few packs. None where a whole pack is due: the newest has
 * too many packs already, or too much in them that nobody needs.
 */
export async function offerBases(
  reader: Pick<StoreReader, "packs">,
  { repository, blobs }: { readonly repository: RepositoryKey; readonly blobs: PackBlobs },
): Promise<readonly HeldPack[]> {
  const offered: HeldPack[] = [];
  const chain = new Set<string>();
  for (const held of await reader.packs.listHeld({ repository, limit: MAX_OFFERED })) {
    const whole = await findHeldCommit(reader, { repository, sha: held.tip });
    // What was lost is sent again: nothing can be built on it.
    if (whole === null || !(await blobs.hasAll(whole.packs))) continue;
    const longer = new Set([...chain, held.id, ...held.bases]);
    const fits = longer.size < MAX_CHAIN && !(await isWasteful(reader, held));
    if (!fits && offered.length === 0) return [];
    if (!fits) continue;
    offered.push(held);
    for (const id of longer) chain.add(id);
  }
  return offered;
}

/** The first pack of a chain is a whole one: what has come since is larger. */
async function isWasteful(reader: Pick<StoreReader, "packs">, held: HeldPack): Promise<boolean> {
  if (held.bases.length === 0) return false;
  const packs = [held, ...(await reader.packs.listByIds({ repository: held.repository, ids: held.bases }))];
  if (packs.length !== held.bases.length + 1) return true;
  const whole = packs.filter(({ bases }) => bases.length === 0).reduce((sum, { bytes }) => sum + bytes, 0);
  const since = packs.reduce((sum, { bytes }) => sum + bytes, 0) - whole;
  return since > Math.max(whole, WASTE_FLOOR_BYTES);
}
