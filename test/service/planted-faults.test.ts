// Kills at boundaries find what they are there for: each fault is planted into the modules under a service, none into its code.

import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { folderOfBlobs } from "../support/boundaries/blob-places.ts";
import { BoundaryService } from "../support/boundaries/boundary-service.ts";
import { CommitSource } from "../support/boundaries/commit-source.ts";
import { playRounds } from "../support/boundaries/play-rounds.ts";
import { sqliteStore } from "../support/stores/stores.ts";

const preload = fileURLToPath(new URL("../support/boundaries/planted-faults.ts", import.meta.url));

const planted = [
  {
    fault: "a commit follows its acknowledgement",
    name: "a deletion",
    found: /^Wrong after it was killed after the acknowledgement at \d+: before commit$/,
  },
  {
    fault: "a blob gets its name after its row",
    name: "the write of a large file",
    found: /^Wrong after it was killed (?:before|after) the acknowledgement at \d+: /,
  },
  {
    fault: "a blob gets its contents after its row",
    name: "the write of a large file",
    found: /^Wrong after it was killed (?:before|after) the acknowledgement at \d+: /,
  },
  {
    fault: "a blob gets its row when it is kept",
    name: "the write of a large file",
    found: /^blobs that no row names/,
  },
  {
    fault: "a blob is deleted after its row",
    name: "the erasure of a workspace",
    found: /^blobs that no row names/,
  },
];

describe("kills at boundaries", { tags: ["long"] }, () => {
  it.each(planted)("find that $fault", { timeout: 300_000 }, async ({ fault, name, found }) => {
    const source = await CommitSource.open();
    const settings = { ...source.settings, PLANTED_FAULT: fault };
    const service = await BoundaryService.start({
      store: sqliteStore,
      blobs: folderOfBlobs,
      settings,
      preload,
    });
    try {
      const choose = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
      await expect(playRounds({ service, source, name, choose })).rejects.toThrow(found);
    } finally {
      await service.close();
      await source.close();
    }
  });
});
