// Executes commands in pods of a cluster: one for each run, claimed from the operator's warm pool. Loaded only with SANDBOX=kubernetes.
// Why: docs/decisions/177-commands-in-pods.md

import { basename, dirname } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { Random } from "../../../base/ids.ts";
import type { Logger } from "../../../base/log.ts";
import { ok, refused } from "../../../base/result.ts";
import type { Sandbox, SandboxedCheckout, SandboxedRun, SandboxPlaces } from "../../core/ports/sandbox.ts";
import type { KubernetesConfig } from "../kubernetes-config.ts";
import { prepareCommand } from "../prepare-command.ts";
import type { SandboxConfig } from "../sandbox-config.ts";
import { SandboxError } from "../sandbox-error.ts";
import { type Claims, claimName, NoPodError } from "./claim.ts";
import { ClusterClient, ClusterError } from "./cluster-client.ts";
import { RunPod, type RunPodParts } from "./run-pod.ts";

/** As the template of the pool has to have it. */
const FOLDER = "/workspace";
/** Longer than the service lets a run take. */
const RUN_LIMIT_MS = 65 * 60_000;
/** The time for which the server may be away until a pod counts as lost. */
const AWAY_MS = 60_000;
const PING_MS = 10_000;
/** After a pod was not to be had, the next command is refused at once for this time. */
const REFUSED_MS = 60_000;

const NO_PROGRAMS =
  "Programs that go on beside commands are not started in pods: use a server that is reached by https, or bubblewrap.";

type KubernetesParts = {
  readonly config: SandboxConfig;
  readonly cluster: KubernetesConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Default 60 s. */
  readonly awayMs?: number;
  /** Default 10 s. */
  readonly pingMs?: number;
};

/** A checkout, and the runs that work in it: a child in the files of its parent has its parent's pod. */
type Known = { readonly name: string; readonly runs: Set<SandboxedRun> };

export type KubernetesSandbox = Sandbox & { readonly places: SandboxPlaces };

/** Rejects with a `SandboxError` where the cluster does not let claims be made. */
export async function kubernetesSandbox(parts: KubernetesParts): Promise<KubernetesSandbox> {
  const { config, cluster, clock, random, log, awayMs = AWAY_MS, pingMs = PING_MS } = parts;
  const client = new ClusterClient(cluster);
  const claims = await openClaims(parts, client);
  const podParts: RunPodParts = {
    claims: async () => claims,
    config,
    awayMs,
    pingMs,
    runLimitMs: RUN_LIMIT_MS,
    clock,
    log,
  };
  const known = new Map<string, Known>();
  const pods = new Map<string, RunPod>();
  const names = new Set<string>();
  let refusal: { readonly until: number; readonly detail: string } | null = null;

  const nameOf = (runId: string): string => {
    let name = claimName(runId);
    for (let next = 2; names.has(name); next += 1) name = claimName(runId, `-${next}`);
    names.add(name);
    return name;
  };
  const leave = async (run: SandboxedRun) => {
    const { root } = run;
    const of = known.get(root);
    if (of?.runs.delete(run) !== true || of.runs.size > 0) return;
    const pod = pods.get(root);
    pods.delete(root);
    known.delete(root);
    await pod?.close();
    names.delete(of.name);
  };
  const podOf = (checkout: SandboxedCheckout): RunPod | null => {
    const { root } = checkout;
    const of = known.get(root);
    if (of === undefined) return null;
    const onLost = (why: string) => {
      for (const run of of.runs) run.onLost(why);
    };
    const made = pods.get(root) ?? new RunPod(podParts, { name: of.name, checkout, onLost });
    pods.set(root, made);
    return made;
  };

  return {
    kind: "kubernetes",
    places: {
      enter(run) {
        const of = known.get(run.root) ?? { name: nameOf(run.runId), runs: new Set<SandboxedRun>() };
        of.runs.add(run);
        known.set(run.root, of);
        return () => leave(run);
      },
    },
    async facts() {
      const { timeoutMs, memoryBytes, diskBytes } = config.limits;
      return {
        tree: `${FOLDER}/tree`,
        home: `${FOLDER}/home`,
        hasNetwork: config.network === "allowed",
        hasJobsCaches: false,
        timeoutMs,
        memoryBytes,
        diskBytes,
        tools: [],
      };
    },
    async run(checkout, command) {
      const folder = await prepareCommand(checkout, command);
      if (!folder.ok) return folder;
      const { within } = folder.value;
      if (refusal !== null && clock.monotonic() < refusal.until)
        return refused({ reason: "shell_refused", detail: refusal.detail });
      // What is of no run has a pod of its own.
      const own = podOf(checkout);
      const name = own === null ? nameOf(Buffer.from(random.bytes(8)).toString("hex")) : "";
      const pod =
        own ??
        new RunPod(podParts, {
          name,
          checkout,
          onLost: () => {},
        });
      try {
        const result = await pod.run({ command, within, keepsHome: checkout.home !== undefined });
        refusal = null;
        return ok(result);
      } catch (cause) {
        if (!(cause instanceof NoPodError)) throw cause;
        log.warn({ err: cause, checkout: basename(dirname(checkout.root)) }, "no pod could be had for a run");
        refusal = { until: clock.monotonic() + REFUSED_MS, detail: cause.message };
        return refused({ reason: "shell_refused", detail: cause.message });
      } finally {
        if (own === null) {
          await pod.close();
          names.delete(name);
        }
      }
    },
    async start() {
      return refused({ reason: "shell_refused", detail: NO_PROGRAMS });
    },
  };
}

/** The namespace is known at the start: a pod without a service account cannot claim anything. */
async function openClaims({ cluster, clock }: KubernetesParts, client: ClusterClient): Promise<Claims> {
  try {
    const namespace = await client.namespace();
    const { pool, waitMs } = cluster;
    return { client, clock, namespace, pool, waitMs };
  } catch (cause) {
    if (!(cause instanceof ClusterError)) throw cause;
    throw new SandboxError("sandbox_not_started", `SANDBOX is kubernetes: ${cause.message}`, { cause });
  }
}
