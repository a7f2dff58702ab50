// Wires core and executor: ports of the core to their implementations. Beside `main.ts` the only file that knows both sides.

import { hostname } from "node:os";
import type { Random } from "../../base/ids.ts";
import type { Logger } from "../../base/log.ts";
import { once } from "../../base/once.ts";
import { SEALING_KEY_BYTES, type SealingKeys, sealingKeyOf } from "../../base/sealed-text.ts";
import { toProblem } from "../api/shared/problems/to-problem.ts";
import { TokenBuckets } from "../api/shared/token-buckets.ts";
import type { GitRemotes } from "../checkouts/remotes/git-remotes.ts";
import { findWeights } from "../core/accounts/plan-weights.ts";
import { holdDeletions } from "../core/blobs/held-deletions.ts";
import type { CheckoutProvider } from "../core/checkouts/checkout.ts";
import type { Environments } from "../core/checkouts/environment.ts";
import type { TokenVerifier } from "../core/ci/token-verifier.ts";
import type { AuthorizationServers } from "../core/connections/authorization-port.ts";
import type { Core, Policy } from "../core/core.ts";
import type { EgressProvider } from "../core/egress/run-egress.ts";
import { Load } from "../core/limits/load.ts";
import type { OwnNode } from "../core/nodes/nodes.ts";
import { RefusalTally } from "../core/nodes/refusal-tally.ts";
import { noMeter } from "../core/ports/meter.ts";
import type { Store } from "../core/ports/store.ts";
import { noTracer } from "../core/ports/tracer.ts";
import { readingArchives } from "../core/runs/archives/reading-archives.ts";
import { takeReleasedRun, takeRun } from "../core/runs/progress-run.ts";
import { RunSignals } from "../core/runs/run-signals.ts";
import { SharedReads } from "../core/runs/shared-reads.ts";
import { ScheduleAlarm } from "../core/schedules/schedule-alarm.ts";
import type { Backend } from "../executor/backend.ts";
import { Executor } from "../executor/executor.ts";
import { InProcessDispatch } from "../executor/in-process-dispatch.ts";
import type { RunQueue } from "../executor/run-queue.ts";
import { SharedDispatch, type SharedDispatchOptions } from "../executor/shared-dispatch.ts";
import { tokenSigner } from "../oidc/token-signer.ts";
import { tokenVerifier } from "../oidc/verify-token.ts";
import { type EventLoopDelay, watchEventLoopDelay } from "../telemetry/event-loop-delay.ts";
import { meteredStore } from "../telemetry/metered-store.ts";
import type { PrometheusMeter } from "../telemetry/metrics.ts";
import { tracedVerifier } from "../telemetry/traced-verifier.ts";
import type { Traces } from "../telemetry/traces.ts";
import { coreHooks } from "./core-hooks.ts";
import { journalKeyIn } from "./journal-key.ts";
import { BEATS_UNTIL_STALLED, type SharedNode } from "./node.ts";
import { type BackendParts, broughtBackendOf } from "./open-backends.ts";
import { commitKeeping, type OpenedCommits } from "./open-checkouts.ts";
import { ownEgress, ownTokenRelays } from "./open-environments.ts";
import { loadReviews, ownWorkspaceRuns, workspaceKeeping } from "./open-workspaces.ts";
import { type ConnectPeers, Peers } from "./peers.ts";

const RUN_TIME_LIMIT_MS = 60 * 60 * 1000;

/** The parts that a node is given, and those that it opens before it listens. */
export type NodeParts = Omit<BackendParts, "modelAccess"> & {
  readonly backends: readonly Backend[];
  /** Verifies the tokens of jobs. Default: by the configured issuers. */
  readonly verifier?: TokenVerifier;
  readonly store: Store;
  readonly traces: Traces | null;
  /** Whether runs at work outlive this process. Default: they do. */
  readonly keepsJournals?: boolean;
};

type OpenServers = typeof import("./connections.ts").authorizationServers;

/** The parts that it opens once it listens: its address is part of the policy. */
export type OpenedParts = {
  readonly policy: Policy;
  readonly checkouts: CheckoutProvider;
  readonly kept: OpenedCommits | null;
  readonly environments: Environments;
  readonly remotes: GitRemotes | null;
  readonly meter: PrometheusMeter | null;
};

type Wiring = {
  readonly core: Core;
  readonly executor: Executor;
  readonly shared: SharedNode | null;
  readonly loopDelay: EventLoopDelay;
};

/** The core over what a node has opened, and the executor over the core. */
export function wire(parts: NodeParts, opened: OpenedParts): Wiring {
  const { config, log, clock, random, traces } = parts;
  const { policy, checkouts, kept, remotes, meter } = opened;
  const store = kept === null ? parts.store : readingArchives(parts.store, kept.blobs);
  const egress = ownEgress(config);
  const peers = new Peers();
  const loopDelay = watchEventLoopDelay();
  const shared = sharedNode(parts, {
    peers,
    take: () => takeRun(core, "oldest"),
    takeReleased: () => takeReleasedRun(core, "oldest"),
  });
  const dispatch =
    shared?.dispatch ??
    new InProcessDispatch({ clock, findWeights: (accounts) => findWeights(core, accounts) });
  const tracer = traces?.tracer ?? noTracer;
  const verifier = verifierOf(parts, policy.audience);
  const isStopping = () => core.signals.isClosed;
  const held =
    kept === null ? null : { ...kept, blobs: holdDeletions(kept.blobs, { store, clock, isStopping }) };
  const core: Core = {
    store: meter === null ? store : meteredStore(store, meter),
    verifier: traces === null ? verifier : tracedVerifier(verifier, tracer),
    dispatch,
    signals: new RunSignals({
      publish: (runId) => peers.publish("moved", runId),
      follow: (runId) => peers.follow(runId),
    }),
    scheduleAlarm: new ScheduleAlarm(),
    limits: new TokenBuckets(),
    load: new Load(config.loadLimits),
    loopDelayMs: () => loopDelay.maxMs,
    reads: new SharedReads(store.committed),
    clock,
    random,
    log,
    policy,
    secretKeys: secretKeysOf(parts),
    identity: { signer: tokenSigner, sealingKeys: config.secretKeys },
    connections: {
      servers: lateServers({ egress, policy, clock, log }),
      sealingKeys: config.secretKeys,
    },
    journalKeys: journalKeysOf(parts),
    journalledBackends: new Set(parts.backends.filter(keepsJournal).map(({ name }) => name)),
    keepsRunSecrets: config.databaseUrl !== null || config.secretKeys !== null,
    rates: config.rates,
    commits: held === null ? null : commitKeeping(parts, held),
    access: remotes === null ? null : { remotes, keys: config.secretKeys },
    workspaces:
      held === null
        ? null
        : {
            ...workspaceKeeping(config, { ...held, checkouts, describe: toProblem, clock }),
            reviews: () => loadReviews(core),
          },
    meter: meter ?? noMeter,
    tracer,
    node: ownNode(parts, { isAlone: shared === null, runIds: () => executor.runIds }),
    ...coreHooks,
  };
  const executor = executorOf(core, { parts, opened, queue: dispatch, shared, egress });
  meter?.watch({
    runsInFlight: () => executor.atWork,
    runsWaiting: () => store.committed.queue.count(),
    storageFailures: () => core.workspaces?.blobs.health?.().failures ?? 0,
    load: () => core.load.taken,
    loopDelayMs: core.loopDelayMs,
    blobsMissing: () => core.commits?.own.missing ?? 0,
  });
  return { core, executor, shared, loopDelay };
}

type OwnNodeParts = Pick<OwnNode, "isAlone"> & { readonly runIds: () => readonly string[] };

function ownNode({ config, clock, random }: NodeParts, { isAlone, runIds }: OwnNodeParts): OwnNode {
  const refusals = new RefusalTally();
  const own = {
    id: random.uuid(clock.now()),
    name: `${hostname()}, process ${process.pid}`,
    role: config.role,
    startedAt: clock.now(),
    slots: config.role === "api" ? 0 : config.maxRunningRuns,
  };
  return {
    isAlone,
    refusals,
    state: () => ({ ...own, seenAt: clock.now(), runIds: runIds(), refusals: refusals.counts }),
  };
}

/** Null on a node that is alone on its store. */
function sharedNode(
  { config, log, random, store }: NodeParts,
  { peers, ...takes }: { readonly peers: Peers } & Pick<SharedDispatchOptions, "take" | "takeReleased">,
): SharedNode | null {
  if (config.databaseUrl === null) return null;
  const countQueued = () => store.committed.queue.count();
  const countReleased = async () => (await store.committed.queue.listReleased()).length;
  return {
    peers,
    stalledMs: config.stalledSeconds * 1000,
    dispatch: new SharedDispatch({ link: peers, ...takes, countQueued, countReleased, log }),
    connect: connectTo(config.databaseUrl, { log, random }),
  };
}

type Executing = {
  readonly parts: NodeParts;
  readonly opened: OpenedParts;
  readonly queue: RunQueue;
  readonly shared: SharedNode | null;
  readonly egress: EgressProvider;
};

function executorOf(core: Core, { parts, opened, queue, shared, egress }: Executing): Executor {
  const { config, backends } = parts;
  const { checkouts, environments, kept } = opened;
  return new Executor({
    core,
    dispatch: queue,
    checkouts,
    backends,
    openBroughtBackend: broughtBackendOf(parts),
    environments,
    egress,
    tokenRelays: ownTokenRelays(config, toProblem),
    ...(config.sandbox.kubernetes === null
      ? {}
      : { places: async () => (await parts.sandbox()).places ?? null }),
    checkSandbox: {
      sandbox: parts.sandbox,
      isSandboxOff: config.sandbox.mode === "off",
      isTrusted: parts.isTrusted ?? (() => false),
    },
    ...(kept === null ? {} : { workspaces: ownWorkspaceRuns(core, config) }),
    slots: config.maxRunningRuns,
    runTimeLimitMs: RUN_TIME_LIMIT_MS,
    secrets: config.secrets,
    ...(shared === null ? {} : { heartbeatMs: shared.stalledMs / BEATS_UNTIL_STALLED }),
  });
}

/** They bring the protocol's SDK, which a service without connections never loads. */
function lateServers(parts: Parameters<OpenServers>[0]): AuthorizationServers {
  const load = once(async () => (await import("./connections.ts")).authorizationServers(parts));
  return {
    find: async (asked) => await (await load()).find(asked),
    redeem: async (code) => await (await load()).redeem(code),
    refresh: async (token) => await (await load()).refresh(token),
    revoke: async (token) => await (await load()).revoke(token),
  };
}

function keepsJournal(backend: Backend): boolean {
  return backend.needsCheckout && backend.keepsJournal === true;
}

/** Several nodes share a key; a process that is alone has one in its data folder, unless it is given one. */
function journalKeysOf({ config, random, log, keepsJournals = true }: NodeParts): SealingKeys | null {
  if (!keepsJournals) return null;
  if (config.secretKeys !== null || config.databaseUrl !== null) return config.secretKeys;
  return { current: sealingKeyOf(journalKeyIn(config.dataDir, { random, log })), previous: null };
}

/** Without a key of the operator the embedded store has the secrets of runs in memory: a key that is there too is enough. */
function secretKeysOf({ config, random }: NodeParts): SealingKeys | null {
  if (config.secretKeys !== null || config.databaseUrl !== null) return config.secretKeys;
  return { current: sealingKeyOf(random.bytes(SEALING_KEY_BYTES)), previous: null };
}

function verifierOf({ config, clock, log, traces, verifier }: NodeParts, audience: string): TokenVerifier {
  const fetches = traces === null ? {} : { fetch: traces.fetch };
  return verifier ?? tokenVerifier({ issuers: config.issuers, audience, clock, logger: log, ...fetches });
}

function connectTo(url: string, { log, random }: { log: Logger; random: Random }): ConnectPeers {
  return async (handlers) => {
    const { openPostgresLink } = await import("../store/postgres.ts");
    return await openPostgresLink({ url, ...handlers, log, random: () => random.fraction() });
  };
}
