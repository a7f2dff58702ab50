// A checkout of a made repository in which one file changes again and again, kept each time as a run's journal keeps it.

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { opened } from "../../scripts/opened.ts";
import { gitCheckout } from "../../src/service/checkouts/git-checkout.ts";
import { makeRunFolder } from "../../src/service/checkouts/run-folder.ts";
import { gitOf } from "../../src/service/checkouts/run-git.ts";
import type { KeptTree } from "../../src/service/core/checkouts/checkout.ts";
import type { MadeRepository } from "../made-repositories.ts";
import { median, quantile } from "../statistics.ts";

const STARTS = 30;
const execute = promisify(execFile);

export type ChangedCheckout = {
  readonly files: number;
  /** Writes 2 KB into a file, and keeps the tree. */
  changeAndKeep(): Promise<KeptTree>;
  /** Of a process of git that reads no repository, from its start to its end. */
  gitStart(): Promise<{ readonly medianMs: number; readonly p90Ms: number }>;
  remove(): Promise<void>;
};

export async function openChangedCheckout(repository: MadeRepository): Promise<ChangedCheckout> {
  const place = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const remove = opened(() => rm(place, { recursive: true, force: true }));
  const folder = await makeRunFolder(place, "run-1");
  await rm(folder.git, { recursive: true, force: true });
  await execute("git", ["clone", "-q", "--bare", repository.path, folder.git]);
  const environment = process.env;
  const { signal } = new AbortController();
  const git = gitOf({ folder: place, environment }, folder);
  const runGit = (...args: string[]) => git({ args, signal });
  const sha = (await runGit("rev-parse", "main")).stdout.toString("latin1").trim();
  await runGit("reset", "--hard", "--quiet", sha);
  const source = { sha, ref: "refs/heads/main", event: "push" as const, baseRef: null };
  const checkout = gitCheckout({ git, folder, source, isTrusted: true, unsearched: [], signal });
  let change = 0;
  return {
    files: repository.files,
    changeAndKeep: async () => {
      change += 1;
      const text = Array.from({ length: 60 }, (_, line) => `export const value${line} = ${change * line};`);
      await writeFile(join(folder.tree, "src", "module-7.js"), text.join("\n"));
      const kept = await checkout.keepTree(null);
      if (kept === null) throw new Error("A change was not kept.");
      return kept;
    },
    gitStart: async () => {
      const took: number[] = [];
      for (let start = 0; start < STARTS; start += 1) {
        const startedAt = performance.now();
        await runGit("version");
        took.push(performance.now() - startedAt);
      }
      return { medianMs: median(took), p90Ms: quantile(took, 0.9) };
    },
    remove,
  };
}
