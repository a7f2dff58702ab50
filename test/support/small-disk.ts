// A disk of a few megabytes that a test can fill: a file system in memory, which only root can mount.

import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FILLING = "filling";
const MEGABYTE = 1024 * 1024;

export class SmallDisk {
  /** Where it is mounted. */
  readonly folder: string;

  /** Null where this user cannot mount one. */
  static mount(
    megabytes: number,
    owner: { uid: number; gid: number } = { uid: 0, gid: 0 },
  ): SmallDisk | null {
    if (process.platform !== "linux" || process.getuid?.() !== 0) return null;
    const folder = mkdtempSync(join(tmpdir(), "small-disk-"));
    const options = `size=${megabytes * MEGABYTE},mode=0700,uid=${owner.uid},gid=${owner.gid}`;
    const args = ["-t", "tmpfs", "-o", options, "tmpfs", folder];
    const { status } = spawnSync("mount", args);
    if (status === 0) return new SmallDisk(folder);
    rmdirSync(folder);
    return null;
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Leaves no byte free. */
  fill(): void {
    const file = openSync(join(this.folder, FILLING), "a");
    try {
      for (let size = MEGABYTE; size >= 1; size = Math.floor(size / 2)) writeAll(file, Buffer.alloc(size));
    } finally {
      closeSync(file);
    }
  }

  /** Gives back what `fill` took. */
  makeRoom(): void {
    rmSync(join(this.folder, FILLING), { force: true });
  }

  unmount(): void {
    spawnSync("umount", ["--lazy", this.folder]);
    rmdirSync(this.folder);
  }
}

function writeAll(file: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(file, bytes);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOSPC")) throw cause;
  }
}
