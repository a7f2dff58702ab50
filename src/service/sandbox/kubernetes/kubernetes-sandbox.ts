// Executes commands in pods of a cluster: one for each run, claimed from the operator's warm pool. Loaded only with SANDBOX=kubernetes.
// Why: docs/decisions/177-commands-in-pods.md

import { basename, dirname } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { Random } from "../../../base/ids.ts";
import type { Logger } from "../../../base/log.ts";
import { ok, refused } from "../../../base/result.ts";
import { type AgentPlaces, NoPlaceError } from "../../core/ports/agent-start.ts";
import type { Sandbox, SandboxedCheckout, SandboxedRun, SandboxPlaces } from "../../core/ports/sandbox.ts";
import type { KubernetesConfig } from "../kubernetes-config.ts";
import { prepareCommand } from "../prepare-command.ts";
import type { SandboxConfig } from "../sandbox-config.ts";
import { SandboxError } from "../sandbox-error.ts";
import { AGENT_HOME } from "./agent-in-pod.ts";
import { type Claims, claimName, claimsOf, NoPodError } from "./claim.ts";
import { ClusterClient, ClusterError } from "./cluster-client.ts";
import { readObject } from "./follow-object.ts";
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
/** What the server is given to answer at the start. */
const START_MS = 5_000;

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

export type KubernetesSandbox = Sandbox & { readonly places: SandboxPlaces; readonly agents: AgentPlaces };

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
  const randomName = () => Buffer.from(random.bytes(8)).toString("hex");
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
    agents: {
      tree: `${FOLDER}/tree`,
      home: `${FOLDER}/${AGENT_HOME}`,
      isProxied: config.network === "off",
      async start(agent) {
        const { checkout: root, gitFolder, covered } = agent;
        const pod = podOf({ root, gitFolder, covered, isTrusted: false });
        if (pod === null) throw new TypeError("A coding agent works in the place of a run.");
        try {
          return await pod.startAgent(agent);
        } catch (cause) {
          if (!(cause instanceof NoPodError)) throw cause;
          log.warn({ err: cause }, "no pod could be had for the coding agent of a run");
          throw new NoPlaceError(cause.message, { cause });
        }
      },
    },
    async archive(checkout, signal) {
      const pod = podOf(checkout);
      if (pod === null)
        return refused({
          reason: "shell_refused",
          detail: "What is of no run has a pod that does not stay.",
        });
      try {
        return ok(await pod.archive(signal));
      } catch (cause) {
        if (!(cause instanceof NoPodError)) throw cause;
        return refused({ reason: "shell_refused", detail: cause.message });
      }
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
      const name = own === null ? nameOf(randomName()) : "";
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
    async start({ checkout, isTreeShown }, program) {
      // Commands of a pod see the environments of all that is executed there: a program that may have secrets has its own.
      const shared = isTreeShown ? podOf(checkout) : null;
      const [run] = known.get(checkout.root)?.runs ?? [];
      const name = shared === null ? nameOf(run?.runId ?? randomName()) : "";
      const pod = shared ?? new RunPod(podParts, { name, checkout, onLost: () => {} });
      const clean = async () => {
        if (shared !== null) return;
        await pod.close();
        names.delete(name);
      };
      try {
        return ok(await pod.start(program, { isTreeShown, clean }));
      } catch (cause) {
        if (!(cause instanceof NoPodError)) throw cause;
        log.warn({ err: cause }, "no pod could be had for a program of a run");
        return refused({ reason: "shell_refused", detail: cause.message });
      }
    },
  };
}

/** A service account that cannot claim anything is told of at the start; a server that is away may be there for the first run. */
async function openClaims({ cluster, clock, log }: KubernetesParts, client: ClusterClient): Promise<Claims> {
  const { pool, waitMs } = cluster;
  try {
    const namespace = await client.namespace();
    await tryClaims(client, { namespace, log });
    return { client, clock, namespace, pool, waitMs };
  } catch (cause) {
    if (!(cause instanceof ClusterError)) throw cause;
    const text = `SANDBOX is kubernetes: ${[cause.message, ...hintOf(cause)].join(" ")}`;
    throw new SandboxError("sandbox_not_started", text, { cause });
  }
}

/** Asks for a claim that does not exist. Rejects where it may not be asked for, or claims are not known. */
async function tryClaims(
  client: ClusterClient,
  { namespace, log }: { readonly namespace: string; readonly log: Logger },
): Promise<void> {
  const name = "agent-service-starts";
  const signal = AbortSignal.timeout(START_MS);
  try {
    await readObject({ client, collection: claimsOf(namespace), name, signal, missing: isOfKnownKind });
  } catch (cause) {
    const isAway = signal.aborted || (cause instanceof ClusterError && cause.isAway);
    if (!isAway) throw cause;
    log.warn(
      { err: cause },
      "The API server of Kubernetes does not answer: no run gets a pod until it does.",
    );
  }
}

function hintOf({ status }: ClusterError): readonly string[] {
  if (status === 404)
    return ["Install agent-sandbox with its extensions, and set SANDBOX_KUBERNETES_NAMESPACE to its pool's."];
  return status === 403 ? ["deploy/sandbox-pods.yaml has the rights that its service account needs."] : [];
}

/** Where agent-sandbox is not installed, the server does not know the kind, and names no object. */
function isOfKnownKind({ message }: ClusterError): boolean {
  return message.includes("sandboxclaims");
}
