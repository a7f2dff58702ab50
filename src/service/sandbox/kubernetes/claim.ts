// Claims of sandboxes: objects of kubernetes-sigs/agent-sandbox, each of which gets one pod of the operator's warm pool. Looked up on
// 2026-11-29: https://github.com/kubernetes-sigs/agent-sandbox/tree/main/extensions/api/v1beta1 and its docs/api.md.

import type { Clock } from "../../../base/clock.ts";
import { isObject } from "../../../base/json.ts";
import { type ClusterClient, ClusterError } from "./cluster-client.ts";
import { type ClusterObject, followObject, readObject } from "./follow-object.ts";

const EXTENSIONS = "extensions.agents.x-k8s.io";
const AGENTS = "agents.x-k8s.io";
const VERSION = "v1beta1";
/** Which pod a sandbox has, where it is not of the same name. */
const POD_NAME = "agents.x-k8s.io/pod-name";
/** Nothing that scales the cluster takes a pod away while a run has it. */
const SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict";
const MAX_NAME_CHARS = 63;
const RETRY_MS = 2_000;
const POD_POLL_MS = 250;
/** For what is asked after a run, or beside it. */
const LATE_MS = 10_000;

export type Claims = {
  readonly client: ClusterClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly pool: string;
  /** How long a claim waits for a pod. */
  readonly waitMs: number;
};

export type ClaimedPod = {
  readonly claim: string;
  /** Of the claim: another one of its name is another worker's. */
  readonly uid: string;
  readonly pod: string;
  readonly podUid: string;
};

/** No pod was to be had. The message is for the run's readers: what, why, what to do. */
export class NoPodError extends Error {
  override readonly name = "NoPodError";
}

export type PodState = { readonly isThere: true } | { readonly isThere: false; readonly why: string };

/** The name of a claim by that of a run, in letters that Kubernetes allows. */
export function claimName(runId: string, suffix = ""): string {
  const plain = `run-${runId}`.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-");
  return `${plain.slice(0, MAX_NAME_CHARS - suffix.length)}${suffix}`.replace(/-+$/, "");
}

/** The object that is created. Neither variables nor volumes: each would make a new pod, and a claim is no place for a secret. */
export function claimObject({
  name,
  namespace,
  pool,
  endsAt,
}: {
  readonly name: string;
  readonly namespace: string;
  readonly pool: string;
  readonly endsAt: number;
}): ClusterObject {
  return {
    apiVersion: `${EXTENSIONS}/${VERSION}`,
    kind: "SandboxClaim",
    metadata: { name, namespace, labels: { "app.kubernetes.io/managed-by": "agent-service" } },
    spec: {
      warmPoolRef: { name: pool },
      // A worker that dies leaves it: its pod goes all the same.
      lifecycle: { shutdownTime: rfc3339(endsAt), shutdownPolicy: "Delete" },
      additionalPodMetadata: { annotations: { [SAFE_TO_EVICT]: "false" } },
    },
  };
}

/**
 * Claims a pod and waits until it is ready. A claim of the same name is an earlier worker's of the same run, which has lost it: it is
 * deleted first. Rejects with a `NoPodError`, or with the signal's reason.
 */
export async function claimPod(
  claims: Claims,
  { name, endsAt, signal }: { readonly name: string; readonly endsAt: number; readonly signal: AbortSignal },
): Promise<ClaimedPod> {
  const { client, clock, namespace, pool, waitMs } = claims;
  const collection = claimsOf(namespace);
  const late = new AbortController();
  const timer = clock.sleep(waitMs, AbortSignal.any([signal, late.signal])).then(
    () => late.abort(LATE),
    () => {},
  );
  const waiting = AbortSignal.any([signal, late.signal]);
  let why = "it is not ready";
  let isClaimed = false;
  try {
    await createClaim(claims, {
      name,
      body: claimObject({ name, namespace, pool, endsAt }),
      signal: waiting,
      tell: (text) => {
        why = text;
      },
    });
    isClaimed = true;
    const followed = { client, clock, collection, name, signal: waiting };
    const claim = await followObject(followed, (object) => {
      if (object === null) throw new NoPodError("The claim of the run's pod was deleted by somebody else.");
      const { isReady, text, sandbox } = readinessOf(object);
      why = text;
      return isReady && sandbox !== null ? { sandbox, uid: uidOf(object) } : undefined;
    });
    const pod = await podNameOf(claims, claim.sandbox, waiting);
    return { claim: name, uid: claim.uid, pod, podUid: await runningPod(claims, pod, waiting) };
  } catch (cause) {
    if (isClaimed) await deleteClaim(claims, { claim: name, uid: null });
    signal.throwIfAborted();
    if (cause === LATE) {
      const text = `No pod of the pool ${pool} was ready within ${Math.round(waitMs / 1000)} s: ${why}.`;
      throw new NoPodError(`${text} Tell the operator of this service.`);
    }
    if (cause instanceof ClusterError)
      throw new NoPodError(`No pod could be had for the run. ${cause.message}`, { cause });
    throw cause;
  } finally {
    late.abort(LATE);
    await timer;
  }
}

const LATE = Symbol("late");

type Creation = {
  readonly name: string;
  readonly body: ClusterObject;
  readonly signal: AbortSignal;
  /** Why it is not there yet. */
  readonly tell: (why: string) => void;
};

/** Goes on while the server is away, or the namespace has no more room. */
async function createClaim(claims: Claims, { name, body, signal, tell }: Creation): Promise<void> {
  const { client, clock, namespace } = claims;
  const collection = claimsOf(namespace);
  for (;;) {
    try {
      await client.request({ method: "POST", path: collection, body, signal });
      return;
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof ClusterError)) throw cause;
      const isFull = cause.status === 403 && cause.message.includes("exceeded quota");
      if (cause.status === 409) {
        tell("a pod of an earlier worker of the run is still ending");
        await deleteClaim(claims, { claim: name, uid: null });
        const followed = { client, clock, collection, name, signal };
        await followObject(followed, (object) => (object === null ? true : undefined));
        continue;
      }
      if (!isFull && !cause.isAway) throw cause;
      tell(isFull ? "the quota of the namespace is used up" : cause.message.replace(/\.$/, ""));
    }
    await clock.sleep(RETRY_MS, signal);
  }
}

/** With `uid`, only the very claim that has it. Never rejects: what stays ends at its time. */
export async function deleteClaim(
  { client, namespace }: Pick<Claims, "client" | "namespace">,
  { claim, uid }: { readonly claim: string; readonly uid: string | null },
): Promise<void> {
  const path = `${claimsOf(namespace)}/${claim}`;
  const body = {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: "Background",
    ...(uid === null ? {} : { preconditions: { uid } }),
  };
  await client
    .request({ method: "DELETE", path, body, signal: AbortSignal.timeout(LATE_MS) })
    .catch((cause: unknown) => {
      if (!(cause instanceof ClusterError) && !isTimeout(cause)) throw cause;
    });
}

/** Whether the pod is the one that was claimed, and goes on. Rejects with a `ClusterError` where the server does not say. */
export async function podState(
  { client, namespace }: Pick<Claims, "client" | "namespace">,
  { pod, podUid }: ClaimedPod,
  signal: AbortSignal,
): Promise<PodState> {
  const object = await readObject({ client, collection: podsOf(namespace), name: pod, signal });
  if (object === null || uidOf(object) !== podUid) return { isThere: false, why: "it was deleted" };
  const { metadata, status } = object;
  const { reason, message } = isObject(status) ? status : {};
  const phase = phaseOf(object);
  const said = [reason, message].filter((one) => typeof one === "string" && one !== "").join(": ");
  if (phase === "Failed" || phase === "Succeeded")
    return { isThere: false, why: said === "" ? "it has ended" : said };
  if (isObject(metadata) && metadata.deletionTimestamp !== undefined)
    return { isThere: false, why: said === "" ? "it is being deleted" : said };
  return { isThere: true };
}

/** The images of its first container, as the kubelet resolved them. Rejects with a `ClusterError`. */
export async function podImages(
  { client, namespace }: Pick<Claims, "client" | "namespace">,
  { pod }: ClaimedPod,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const object = await readObject({ client, collection: podsOf(namespace), name: pod, signal });
  const { containerStatuses } = isObject(object?.status) ? object.status : {};
  const [first] = Array.isArray(containerStatuses) ? containerStatuses : [];
  const { image, imageID } = isObject(first) ? first : {};
  return [image, imageID].filter((one) => typeof one === "string");
}

async function podNameOf(
  { client, namespace }: Claims,
  sandbox: string,
  signal: AbortSignal,
): Promise<string> {
  const collection = `/apis/${AGENTS}/${VERSION}/namespaces/${namespace}/sandboxes`;
  const object = await readObject({ client, collection, name: sandbox, signal });
  const metadata = object?.metadata;
  const annotations = isObject(metadata) && isObject(metadata.annotations) ? metadata.annotations : {};
  const named = annotations[POD_NAME];
  return typeof named === "string" && named !== "" ? named : sandbox;
}

/** Its uid. A service account need not watch pods: one that is ready is read once. */
async function runningPod(
  { client, clock, namespace }: Claims,
  pod: string,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    const object = await readObject({ client, collection: podsOf(namespace), name: pod, signal }).catch(
      (cause: unknown) => {
        if (cause instanceof ClusterError && cause.isAway) return null;
        throw cause;
      },
    );
    if (object !== null && phaseOf(object) === "Running") return uidOf(object);
    await clock.sleep(POD_POLL_MS, signal);
  }
}

function readinessOf({ status, metadata }: ClusterObject): {
  readonly isReady: boolean;
  readonly text: string;
  readonly sandbox: string | null;
} {
  const { conditions, sandbox } = isObject(status) ? status : {};
  const ready = (Array.isArray(conditions) ? conditions : []).find(
    (one): one is ClusterObject => isObject(one) && one.type === "Ready",
  );
  const name = isObject(sandbox) && typeof sandbox.name === "string" ? sandbox.name : "";
  const isEnding = isObject(metadata) && metadata.deletionTimestamp !== undefined;
  const said = [ready?.reason, ready?.message].filter((one) => typeof one === "string" && one !== "");
  return {
    isReady: ready?.status === "True" && !isEnding,
    text: said.length === 0 ? "no controller has answered the claim" : said.join(": ").replace(/\.$/, ""),
    sandbox: name === "" ? null : name,
  };
}

export function claimsOf(namespace: string): string {
  return `/apis/${EXTENSIONS}/${VERSION}/namespaces/${namespace}/sandboxclaims`;
}

function podsOf(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}

function uidOf({ metadata }: ClusterObject): string {
  return isObject(metadata) && typeof metadata.uid === "string" ? metadata.uid : "";
}

function phaseOf({ status }: ClusterObject): string {
  return isObject(status) && typeof status.phase === "string" ? status.phase : "";
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "TimeoutError";
}

/** Without milliseconds, as Kubernetes writes times. */
function rfc3339(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
