// The time to the end of a run's first command that does nothing, by its sandbox: bubblewrap, and pods of the fake cluster, whose machine is
// this one; and of a setup in a pod, executed and brought back from what an equal one left. What a real cluster adds (its API server, its scheduler, its runtime) is in none of these figures.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { FakeCluster } from "../fakes/kubernetes/cluster.ts";
import type { Sandbox, SandboxCommand } from "../src/service/core/ports/sandbox.ts";
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
  /** A setup that makes files and waits for nothing, in a pod that waited. */
  readonly setupMs: number;
  /** What it left, packed. */
  readonly packMs: number;
  readonly packBytes: number;
  /** The same files brought back into a new pod that waited, in the place of the setup. */
  readonly cachedMs: number;
};

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
/** Files of the checkout. */
export const CHECKOUT_FILES = 500;
/** Files that the setup makes, of 4 KB each. */
export const SETUP_FILES = 5_000;
/** By three processes: a process a file takes longer than the files, and on some machines minutes. */
const SETUP = `mkdir -p node_modules && head -c ${SETUP_FILES * 3_000} /dev/urandom | base64 --wrap=4000 | split --lines=1 --suffix-length=4 - node_modules/file-`;
/** A setup takes a while. */
const SETUP_ROUNDS = 4;

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
    const setUp = join(folder, "set-up");
    await promisify(execFile)("git", ["init", "-q", setUp]);
    await writeFile(join(setUp, ".gitignore"), "node_modules/\n");
    const setups = await measureSetups({ sandbox: ofWarm, cluster: warm, root: setUp });
    // The first round of each is not counted.
    const of = (name: string) => median(times[name]?.slice(1) ?? []);
    return {
      bareMs: of("bare"),
      bubblewrapMs: of("bubblewrap"),
      warmMs: of("warm"),
      coldMs: of("cold"),
      nextMs: of("next"),
      ...setups,
    };
  } finally {
    await Promise.all([warm.close(), cold.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

type SetupTimes = Pick<SandboxTimes, "setupMs" | "packMs" | "packBytes" | "cachedMs">;

async function measureSetups({
  sandbox,
  cluster,
  root,
}: {
  readonly sandbox: Sandbox;
  readonly cluster: FakeCluster;
  readonly root: string;
}): Promise<SetupTimes> {
  const { signal } = new AbortController();
  const times = { setup: [] as number[], pack: [] as number[], cached: [] as number[] };
  let packBytes = 0;
  const inPod = async (work: () => Promise<void>) => {
    const leave = sandbox.places?.enter({ runId: "setup", root, onLost: () => {} });
    await work();
    await leave?.();
    await cluster.settled();
  };
  const archiveOf = async () => {
    const opened = await sandbox.archive?.({ root, gitFolder: null, isTrusted: false }, signal);
    if (opened?.ok !== true) throw new Error("There is no pod for the setup.");
    return opened.value;
  };
  for (let round = 0; round <= SETUP_ROUNDS; round += 1) {
    let pack: Buffer[] = [];
    const sink = {
      begin: () => {
        pack = [];
      },
      take: async (bytes: Buffer) => void pack.push(Buffer.from(bytes)),
    };
    await inPod(async () => {
      times.setup.push(await timed(() => execute(sandbox, root, { shell: SETUP })));
      const archive = await archiveOf();
      times.pack.push(await timed(() => archive.pack(sink, { maxBytes: Number.MAX_SAFE_INTEGER, signal })));
    });
    packBytes = pack.reduce((sum, { length }) => sum + length, 0);
    await inPod(async () => {
      const bringBack = async () => {
        const archive = await archiveOf();
        const read = async function* () {
          yield* pack;
        };
        if (!(await archive.unpack({ bytes: packBytes, read }, signal))) throw new Error("It was not taken.");
      };
      times.cached.push(await timed(bringBack));
    });
  }
  const of = (all: readonly number[]) => median(all.slice(1));
  return { setupMs: of(times.setup), packMs: of(times.pack), packBytes, cachedMs: of(times.cached) };
}

async function execute(
  sandbox: Sandbox,
  root: string,
  what: SandboxCommand["execute"] = { argv: ["true"] },
): Promise<void> {
  const ended = await sandbox.run(
    { root, gitFolder: null, isTrusted: false },
    {
      execute: what,
      cwd: "",
      env: {},
      egressSocket: null,
      timeoutMs: 60_000,
      maxOutputBytes: 1_000,
      signal: new AbortController().signal,
    },
  );
  if (ended.ok && ended.value.exitCode === 0) return;
  throw new Error(`The command has failed: ${JSON.stringify(ended)}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
