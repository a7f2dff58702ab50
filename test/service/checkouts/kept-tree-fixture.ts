// What the tests of kept trees do: write files, keep a tree, and pass it on to another checkout.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Checkout, KeptTree } from "../../../src/service/core/checkouts/checkout.ts";

/** What is kept; throws where nothing differs. */
export async function keep(checkout: Checkout, since: string | null = null): Promise<KeptTree> {
  const kept = await checkout.keepTree(since);
  if (kept === null) throw new Error("Nothing was kept.");
  return kept;
}

/** Brings back in `second` what `first` holds. Checks that both have the same changes. */
export async function passOn(first: Checkout, second: Checkout): Promise<void> {
  await second.bringBack(await keep(first));
  expect(await second.workingChanges()).toEqual(await first.workingChanges());
  expect(await second.files()).toEqual(await first.files());
}

export async function write(
  checkout: Checkout,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(checkout.root, path, ".."), { recursive: true });
    await writeFile(join(checkout.root, path), content);
  }
}
