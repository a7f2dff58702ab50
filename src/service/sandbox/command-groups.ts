// Groups of commands that are executed at the same time: each has a folder on this machine for the sockets by which one sandbox reaches
// the ports of another. The folder is removed when the last command or program of the group has ended.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxCommandGroup } from "../core/ports/sandbox.ts";
import type { SharedLoopback } from "./relay.ts";

type OpenGroup = { readonly folder: Promise<string>; members: number; inBackground: number };

type Joined = {
  readonly loopback: SharedLoopback;
  /** Once the command has ended. */
  leave(): Promise<void>;
};

export class CommandGroups {
  readonly #open = new Map<string, OpenGroup>();
  #names = 0;

  /** Null where nothing of the group is in the background. */
  async join({ name, isBackground }: SandboxCommandGroup): Promise<Joined | null> {
    const inBackground = this.#open.get(name)?.inBackground ?? 0;
    return isBackground || inBackground > 0 ? await this.#enter({ name, isBackground }) : null;
  }

  /** For a program that goes on: it finds what listens later. Other commands find none of its ports. */
  async follow(name: string): Promise<Joined> {
    return await this.#enter({ name, isBackground: false });
  }

  async #enter({ name, isBackground }: SandboxCommandGroup): Promise<Joined> {
    const folder = () => mkdtemp(join(tmpdir(), "agent-loopback-"));
    const group = this.#open.get(name) ?? { folder: folder(), members: 0, inBackground: 0 };
    this.#open.set(name, group);
    group.members += 1;
    if (isBackground) group.inBackground += 1;
    this.#names += 1;
    const own = isBackground ? `${this.#names}.sock` : null;
    const leave = async () => {
      group.members -= 1;
      if (isBackground) group.inBackground -= 1;
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
