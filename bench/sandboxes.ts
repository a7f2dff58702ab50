// The time to the end of a run's first command that does nothing, by its sandbox: bubblewrap, and pods of the fake cluster, whose machine is
// this one. What a real cluster adds (its API server, its scheduler, its runtime) is in none of these figures.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { FakeCluster } from "../fakes/kubernetes/cluster.ts";
import type { Sandbox } from "../src/service/core/ports/sandbox.ts";
import { findSandbox } from "../src/service/sandbox/find-sandbox.ts";
import { decodeSandbox } from "../src/service/sandbox/sandbox-config.ts";
import { median } from "./statistics.ts";

/** Medians in milliseconds. */
export type SandboxTimes = {
  readonly bareMs: number;
  readonly bubblewrapMs: number;
  /** A pod waits for the run. */
  readonly warmMs: number;
  /** It is made for the run. */
  readonly coldMs: number;
  /** The second command of a run, in the pod that it has. */
  readonly nextMs: number;
};

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
/** Files of the checkout. */
export const CHECKOUT_FILES = 500;

export async function measureSandboxes({ rounds }: { readonly rounds: number }): Promise<SandboxTimes> {
  const folder = await mkdtemp(join(tmpdir(), "bench-sandboxes-"));
  const warm = await FakeCluster.start({ pods: "bubblewrap", warm: 1 });
  const cold = await FakeCluster.start({ pods: "bubblewrap", warm: 0 });
  try {
    const root = join(folder, "tree");
    await mkdir(root);
    for (let file = 0; file < CHECKOUT_FILES; file += 1)
      await writeFile(join(root, `file-${file}.txt`), "x".repeat(2_000));
    const open = async (environment: Readonly<Record<string, string>>) => {
      const config = decodeSandbox({ PATH: process.env.PATH ?? "", ...environment }, folder);
      if (!config.ok) throw new Error(config.refusal.join("\n"));
      return await findSandbox(config.value, silent);
    };
    const bubblewrap = await open({ SANDBOX: "bubblewrap" });
    const [ofWarm, ofCold] = [await open(warm.environment), await open(cold.environment)];
    const times = { bare: [], bubblewrap: [], warm: [], cold: [], next: [] } as Record<string, number[]>;
    for (let round = 0; round <= rounds; round += 1) {
      const inPod = async (sandbox: Sandbox, cluster: FakeCluster) => {
        const leave = sandbox.places?.enter({ runId: `${round}`, root, onLost: () => {} });
        const first = await timed(() => execute(sandbox, root));
        const next = await timed(() => execute(sandbox, root));
        await leave?.();
        await cluster.settled();
        return { first, next };
      };
      times.bare?.push(await timed(() => promisify(execFile)("sh", ["-c", "true"])));
      times.bubblewrap?.push(await timed(() => execute(bubblewrap, root)));
      const pod = await inPod(ofWarm, warm);
      times.warm?.push(pod.first);
      times.next?.push(pod.next);
      times.cold?.push((await inPod(ofCold, cold)).first);
    }
    // The first round of each is not counted.
    const of = (name: string) => median(times[name]?.slice(1) ?? []);
    return {
      bareMs: of("bare"),
      bubblewrapMs: of("bubblewrap"),
      warmMs: of("warm"),
      coldMs: of("cold"),
      nextMs: of("next"),
    };
  } finally {
    await Promise.all([warm.close(), cold.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function execute(sandbox: Sandbox, root: string): Promise<void> {
  const ended = await sandbox.run(
    { root, gitFolder: null, isTrusted: false },
    {
      execute: { argv: ["true"] },
      cwd: "",
      env: {},
      egressSocket: null,
      timeoutMs: 60_000,
      maxOutputBytes: 1_000,
      signal: new AbortController().signal,
    },
  );
  if (!ended.ok || ended.value.exitCode !== 0) throw new Error("The command did not succeed.");
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
