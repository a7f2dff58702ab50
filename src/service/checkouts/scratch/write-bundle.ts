// Writes a commit and all that it leads to as a file that `git clone` reads.

import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { strictOption } from "../../../base/git/hardening.ts";
import type { Bundle, BundleRequest } from "../../core/checkouts/git-scratch.ts";
import { PackWriter } from "./pack-writer.ts";
import type { ScratchWork } from "./scratch-repository.ts";

export async function writeBundle(work: ScratchWork, request: BundleRequest): Promise<Bundle> {
  const { git, folder, limits, signal, keep } = work;
  const { tip, ref, objects } = request;
  const pack = join(folder.git, "objects", "pack", "pack-given");
  const path = join(folder.path, "bundle");
  const writer = await PackWriter.open({ ...limits, path: `${pack}.pack`, compression: 6 });
  try {
    for await (const object of objects) {
      signal.throwIfAborted();
      await writer.add(object);
    }
    await writer.finish(null);
  } finally {
    await writer.close();
  }
  // Each object is checked, and that all which it names is there.
  await git({ args: ["index-pack", strictOption, "-o", `${pack}.idx`, `${pack}.pack`], signal });
  await git({ args: ["update-ref", "--no-deref", ref, tip], signal });
  // Without a HEAD a clone checks nothing out.
  await git({ args: ["symbolic-ref", "HEAD", ref], signal });
  await git({
    args: ["bundle", "create", "--quiet", "-", "HEAD", ref],
    outputFile: path,
    maxOutputBytes: limits.maxBytes,
    signal,
  });
  const { size: bytes } = await stat(path);
  await rm(folder.git, { recursive: true, force: true });
  return { bytes, read: () => createReadStream(path), close: keep() };
}
