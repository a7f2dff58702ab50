// node test/support/measure-laid-out-copy.ts: how long it takes until the 5,000 files of a copy are in a run's folder, beside `git
// checkout` of the same tree, in turn, on every store that there is.

import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "../../bench/statistics.ts";
import { copyFolders } from "../../src/service/checkouts/copies/copy-folders.ts";
import { layOut, stateOfCopy } from "../../src/service/core/workspaces/runs/lay-out-copy.ts";
import { CoreFixture } from "./fixtures/core-fixture.ts";
import { postgresStore, sqliteStore } from "./stores/stores.ts";
import { TestWorkspace } from "./workspaces.ts";

const FILES = 5_000;
const ROUNDS = 7;
const MAX_FILE_BYTES = 100_000_000;

const files = Object.fromEntries(
  Array.from({ length: FILES }, (_, at) => [
    `folder-${Math.floor(at / 100)}/part-${Math.floor(at / 10) % 10}/file-${at}.txt`,
    `line of ${at}\n`.repeat(150),
  ]),
);

const stores = process.env.TEST_DATABASE_URL === undefined ? [sqliteStore] : [sqliteStore, postgresStore];
for (const store of stores) {
  const fixture = await CoreFixture.start({ store });
  const folder = await mkdtemp(join(tmpdir(), "agent-service-layout-"));
  try {
    const workspace = await TestWorkspace.make(fixture.core);
    const copyId = await workspace.makeCopy();
    await workspace.commit(copyId, files);
    const ours: number[] = [];
    const gits: number[] = [];
    const folders = copyFolders({
      folder: join(folder, "runs"),
      environment: process.env,
      maxObjects: 100_000,
    });
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedAt = performance.now();
      const copy = await workspace.copy(copyId);
      const { commitOid: headSha, made } = await stateOfCopy(fixture.core, copy);
      const laidOut = layOut(fixture.core, { workspaceId: copy.workspaceId, headSha, made });
      const source = { ...laidOut, runId: `run-${round}`, copyId, maxFileBytes: MAX_FILE_BYTES };
      const opened = await folders.open(source, new AbortController().signal);
      ours.push(performance.now() - startedAt);
      if (!opened.ok) throw new Error(opened.refusal.detail);
      const { checkout } = opened.value;
      const work = join(folder, `git-${round}`);
      const git = (...args: string[]) => execFileSync("git", args, { stdio: "ignore" });
      git("clone", "--quiet", "--no-checkout", "--local", checkout.gitFolder ?? "", work);
      const gitStartedAt = performance.now();
      git("-C", work, "checkout", "--quiet", laidOut.headSha);
      gits.push(performance.now() - gitStartedAt);
      await checkout.close();
      await rm(work, { recursive: true });
    }
    const [our, git] = [median(ours), median(gits)];
    const ratio = (our / git).toFixed(2);
    process.stdout.write(
      `${store.name}: ${FILES} files in a run's folder ${our.toFixed(0)} ms, git checkout ${git.toFixed(0)} ms: ${ratio} ×\n`,
    );
  } finally {
    await fixture.close();
    await rm(folder, { recursive: true, force: true });
  }
}
