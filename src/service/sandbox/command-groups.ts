// Groups of commands that are executed at the same time: each has a folder on this machine for the sockets by which one sandbox reaches
// the ports of another. It is there as long as a command of the group is in the background.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandGroup } from "../core/ports/sandbox.ts";
import type { SharedLoopback } from "./relay.ts";

type OpenGroup = { readonly folder: Promise<string>; members: number };

type Joined = {
  readonly loopback: SharedLoopback;
  /** Once the command has ended. */
  leave(): Promise<void>;
};

export class CommandGroups {
  readonly #open = new Map<string, OpenGroup>();
  #names = 0;

  /** Null where nothing of the group is in the background. */
  async join({ name, isBackground }: CommandGroup): Promise<Joined | null> {
    const known = this.#open.get(name);
    if (known === undefined && !isBackground) return null;
    const group = known ?? { folder: mkdtemp(join(tmpdir(), "agent-loopback-")), members: 0 };
    this.#open.set(name, group);
    group.members += 1;
    this.#names += 1;
    const own = isBackground ? `${this.#names}.sock` : null;
    const leave = async () => {
      group.members -= 1;
      if (group.members > 0) return;
      this.#open.delete(name);
      await group.folder.then((folder) => rm(folder, { recursive: true, force: true }));
    };
    try {
      return { loopback: { folder: await group.folder, own }, leave };
    } catch (cause) {
      this.#open.delete(name);
      throw cause;
    }
  }
}
