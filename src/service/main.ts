// Wires every part of the service, and does nothing else. Only the embedded service imports this file.

import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import { type Clock, systemClock } from "../base/clock.ts";
import { type Random, systemRandom } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import { SEALING_KEY_BYTES, type SealingKeys, sealingKeyOf } from "../base/sealed-text.ts";
import type { AnyFace } from "./api/http/any-face.ts";
import { createApp } from "./api/http/app.ts";
import { HttpListener } from "./api/http/listener.ts";
import { createMetricsApp } from "./api/http/metrics-app.ts";
import { createProbeApp } from "./api/http/probe-app.ts";
import { toProblem } from "./api/shared/problems/to-problem.ts";
import { TokenBuckets } from "./api/shared/token-buckets.ts";
import { SocketApi } from "./api/socket/socket-api.ts";
import { checkGit } from "./checkouts/check-git.ts";
import { holdDeletions } from "./core/blobs/held-deletions.ts";
import type { Core, FreeFor, Policy } from "./core/core.ts";
import { Load } from "./core/limits/load.ts";
import type { CheckoutProvider } from "./core/ports/checkout.ts";
import type { Environments } from "./core/ports/environment.ts";
import { noMeter } from "./core/ports/meter.ts";
import type { Remotes } from "./core/ports/remotes.ts";
import type { Sandbox } from "./core/ports/sandbox.ts";
import type { Store } from "./core/ports/store.ts";
import type { TokenVerifier } from "./core/ports/token-verifier.ts";
import { noTracer } from "./core/ports/tracer.ts";
import { resealAccesses } from "./core/repository-access/open-access.ts";
import { takeRun } from "./core/runs/progress-run.ts";
import { RunSignals } from "./core/runs/run-signals.ts";
import { SharedReads } from "./core/runs/shared-reads.ts";
import { RunSubmitter } from "./core/runs/submit-run.ts";
import { ScheduleAlarm } from "./core/schedules/schedule-alarm.ts";
import type { Backend } from "./executor/backend.ts";
import { noopBackend } from "./executor/backends/noop.ts";
import { offlineBackend } from "./executor/backends/offline/offline.ts";
import { Executor } from "./executor/executor.ts";
import { InProcessDispatch } from "./executor/in-process-dispatch.ts";
import { SharedDispatch } from "./executor/shared-dispatch.ts";
import { logFirstSteps } from "./first-steps.ts";
import { BEATS_UNTIL_STALLED, ServiceNode, type SharedNode } from "./node.ts";
import { tokenVerifier } from "./oidc/verify-token.ts";
import { type BackendParts, broughtBackendOf, openAgentsOf, sandboxOf } from "./open-backends.ts";
import {
  commitKeeping,
  type OpenedCommits,
  openCommits,
  ownCheckouts,
  ownRemotes,
  sharedFolderText,
} from "./open-checkouts.ts";
import { environmentsOf, ownEgress } from "./open-environments.ts";
import { openStore } from "./open-store.ts";
import { ownWorkspaceRuns, workspaceKeeping } from "./open-workspaces.ts";
import { type ConnectPeers, Peers } from "./peers.ts";
import { policyOf } from "./policy-of.ts";
import { recordRunningAddress } from "./running-address.ts";
import { sweepHomes } from "./sandbox/agent-homes.ts";
import type { Config } from "./settings/config.ts";
import { executesText, noModelText } from "./settings/executes-text.ts";
import { prepareDataFolder } from "./store/data-folder.ts";
import { openPostgresLink } from "./store/postgres-link.ts";
import { watchEventLoopDelay } from "./telemetry/event-loop-delay.ts";
import { meteredStore } from "./telemetry/metered-store.ts";
import type { PrometheusMeter } from "./telemetry/metrics.ts";
import { tracedVerifier } from "./telemetry/traced-verifier.ts";
import type { Traces } from "./telemetry/traces.ts";

const RUN_TIME_LIMIT_MS = 60 * 60 * 1000;

export type Service = {
  /** Where it listens, without a trailing slash. */
  readonly url: string;
  /** Where its metrics are, without a trailing slash. Null where the settings give them no port. */
  readonly metricsUrl: string | null;
  /**
   * Stops gracefully: no new connections, waiting polls answered, runs at work given `drainSeconds` and then ended as
   * interrupted, store closed. Safe to repeat.
   */
  stop(): Promise<void>;
};

export type ServiceOptions = Pick<BackendParts, "modelAccess" | "isTrusted"> & {
  readonly config: Config;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  /** What executes runs. Default: the service's own backends. */
  readonly backends?: readonly Backend[];
  /** Verifies the tokens of jobs. Default: by the configured issuers. */
  readonly verifier?: TokenVerifier;
  /** Where runs get their repositories. Default: clones. */
  readonly checkouts?: CheckoutProvider;
  /** What it serves beside the API. Default: nothing. */
  readonly faces?: readonly AnyFace[];
  /** Whose runs the free credits pay for. Default: public repositories. */
  readonly freeFor?: FreeFor;
  /** Whether runs of an agent without an owner have no network. Default: true. */
  readonly egressNeedsOwner?: boolean;
  /** Aborts once the start is no longer wanted. It then rejects. */
  readonly signal?: AbortSignal;
};

/**
 * Starts the whole service. Rejects, with nothing left open, when a part cannot start: with an OperatorError where its
 * message is all that the operator needs.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, clock = systemClock, random = systemRandom } = options;
  z.config(english());

  // A node that only answers requests executes nothing and keeps nothing.
  if (config.role !== "api") prepareDataFolder(config.dataDir);
  const sandbox = sandboxOf({ config, log, clock, random });
  const agents =
    options.backends === undefined ? await openAgentsOf({ ...options, clock, random, sandbox }) : [];
  const backends = options.backends ?? [offlineBackend, noopBackend, ...agents];
  if (config.role !== "api" && options.checkouts === undefined) await checkGit(config.gitEnvironment);
  const store = await openStore(options);
  let traces: Traces | null = null;
  try {
    traces = await openTracesOf(options);
    return await serve({
      ...options,
      log: traces?.log ?? log,
      clock,
      random,
      backends,
      sandbox,
      store,
      traces,
    });
  } catch (cause) {
    await store.close().catch(() => {});
    await traces?.close().catch(() => {});
    throw cause;
  }
}

/** Loaded only where an operator asks for traces. */
async function openTracesOf(options: ServiceOptions): Promise<Traces | null> {
  const { config, log, clock = systemClock, random = systemRandom } = options;
  if (config.traces === null) return null;
  const { openTraces } = await import("./telemetry/traces.ts");
  return openTraces({ config: config.traces, log, instanceId: random.uuid(clock.now()) });
}

type Parts = Required<Pick<ServiceOptions, "config" | "log" | "clock" | "random" | "backends">> &
  Pick<
    ServiceOptions,
    "verifier" | "checkouts" | "faces" | "freeFor" | "egressNeedsOwner" | "isTrusted" | "signal"
  > & {
    readonly sandbox: () => Promise<Sandbox>;
    readonly store: Store;
    readonly traces: Traces | null;
  };

type Wiring = { readonly core: Core; readonly executor: Executor; readonly shared: SharedNode | null };

async function serve(parts: Parts): Promise<Service> {
  const http = new HttpListener();
  const metrics = await openMetrics(parts.config);
  try {
    return await serveOn({ http, metrics }, parts);
  } catch (cause) {
    for (const listener of [http, metrics?.listener]) {
      listener?.stop();
      listener?.closeConnections();
    }
    throw cause;
  }
}

type Metrics = {
  readonly meter: PrometheusMeter;
  readonly listener: HttpListener;
  readonly port: number;
};

async function openMetrics({ metricsPort: port }: Config): Promise<Metrics | null> {
  if (port === null) return null;
  // Loaded only where it is asked for: it is a tenth of the time to start.
  const { prometheusMeter } = await import("./telemetry/metrics.ts");
  return { meter: prometheusMeter(), listener: new HttpListener(), port };
}

type Listeners = { readonly http: HttpListener; readonly metrics: Metrics | null };

async function serveOn({ http, metrics }: Listeners, parts: Parts): Promise<Service> {
  const { config, log, store, traces, signal, faces = [] } = parts;
  signal?.throwIfAborted();
  // The address is known once the node listens, and the default audience is its host.
  const url = await http.listen(config);
  const metricsUrl =
    metrics === null
      ? null
      : await metrics.listener.listen({ host: config.host, port: metrics.port, setting: "METRICS_PORT" });
  const policy = policyOf(parts, url);
  const kept = parts.checkouts === undefined ? await openCommits(parts) : null;
  const remotes = parts.checkouts === undefined ? ownRemotes(config, parts.clock) : null;
  const checkouts = parts.checkouts ?? ownCheckouts(config, { packs: kept, remotes });
  const environments = environmentsOf(parts);
  const meter = metrics?.meter ?? null;
  const { core, executor, shared } = wire(parts, { policy, checkouts, environments, kept, remotes, meter });
  const submitter = new RunSubmitter(core);
  const node = new ServiceNode({
    core,
    executor,
    shared,
    submitter,
    describe: (refusal) => toProblem(refusal).message,
    sweepMachine: config.role === "api" ? null : () => sweepMachine(config, [checkouts, kept, environments]),
    keptMs: policy.keptMs,
  });
  await remotes?.sweep({ isAlone: config.role !== "api", now: parts.clock.now() });
  const hasAccount = await startNode(node, parts);
  await resealAccesses(core);
  const sockets = new SocketApi(core, submitter, config);
  const isWorker = config.role === "worker";
  http.serve({
    app: isWorker ? createProbeApp(core) : createApp(core, submitter, { ...config, faces }),
    sockets: isWorker ? null : sockets,
  });
  metrics?.listener.serve({ app: createMetricsApp(metrics.meter.exposition), sockets: null });
  const runningAddress = recordRunningAddress(config.dataDir, {
    url: policy.baseUrl,
    pagesUrl: policy.webUrl,
  });
  const issuers = config.issuers.map(({ issuer }) => issuer);
  const executes = executesText(config);
  const measured = metricsUrl === null ? {} : { metrics: `${metricsUrl}/metrics` };
  log.info({ url, audience: policy.audience, issuers, executes, ...measured }, "ready");
  const sharedFolder = sharedFolderText(config);
  if (sharedFolder !== null) log.info({ folder: sharedFolder.folder }, sharedFolder.text);
  const noModel = noModelText(config);
  if (noModel !== null) log.info({}, noModel);
  // Nobody waits for it: with a bucket it takes a while.
  const looking = core.commits?.own.look();
  await logFirstSteps(core, { config, hasAccount, hasPages: faces.length > 0 && !isWorker });

  const stopOnce = async () => {
    const socketsClosed = sockets.close();
    await node.stop();
    const { closed } = http.stop();
    await node.drain(config.drainSeconds * 1000);
    http.closeConnections();
    await socketsClosed;
    await closed;
    await looking;
    await node.close();
    await store.close();
    await traces?.close();
    metrics?.listener.stop();
    metrics?.listener.closeConnections();
    runningAddress.remove();
    log.info({}, "stopped");
  };
  let stopping: Promise<void> | null = null;
  return {
    url,
    metricsUrl,
    stop: () => {
      stopping ??= stopOnce();
      return stopping;
    },
  };
}

/** Returns whether there is an account. Rejects with the node stopped. */
async function startNode(node: ServiceNode, { store, signal }: Parts): Promise<boolean> {
  try {
    await node.start();
    const accounts = await store.committed.accounts.count();
    signal?.throwIfAborted();
    return accounts > 0;
  } catch (cause) {
    const left = [() => node.stop(), () => node.drain(0), () => node.close()];
    for (const leave of left) await leave().catch(() => {});
    throw cause;
  }
}

function wire(
  parts: Parts,
  {
    policy,
    checkouts,
    kept,
    environments,
    remotes,
    meter,
  }: {
    readonly policy: Policy;
    readonly checkouts: CheckoutProvider;
    readonly kept: OpenedCommits | null;
    readonly environments: Environments;
    readonly remotes: Remotes | null;
    readonly meter: PrometheusMeter | null;
  },
): Wiring {
  const { config, log, clock, random, backends, store, traces } = parts;
  const peers = new Peers();
  const loopDelay = watchEventLoopDelay();
  const stalledMs = config.stalledSeconds * 1000;
  const shared =
    config.databaseUrl === null
      ? null
      : {
          peers,
          stalledMs,
          dispatch: new SharedDispatch({
            link: peers,
            take: () => takeRun(core, "oldest"),
            countQueued: () => store.committed.queue.count(),
            log,
          }),
          connect: connectTo(config.databaseUrl, { log, random }),
        };
  const dispatch = shared?.dispatch ?? new InProcessDispatch();
  const tracer = traces?.tracer ?? noTracer;
  const verifier = verifierOf(parts, policy.audience);
  const isStopping = () => core.signals.isClosed;
  const held =
    kept === null ? null : { ...kept, blobs: holdDeletions(kept.blobs, { store, clock, isStopping }) };
  const core: Core = {
    store: meter === null ? store : meteredStore(store, meter),
    verifier: traces === null ? verifier : tracedVerifier(verifier, tracer),
    dispatch,
    signals: new RunSignals({ publish: (runId) => peers.publish("moved", runId) }),
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
    rates: config.rates,
    commits: held === null ? null : commitKeeping(parts, held),
    access: remotes === null ? null : { remotes, keys: config.secretKeys },
    workspaces:
      held === null
        ? null
        : workspaceKeeping(config, { ...held, checkouts, describe: toProblem, core: () => core }),
    meter: meter ?? noMeter,
    tracer,
  };
  const executor = new Executor({
    core,
    dispatch,
    checkouts,
    backends,
    openBroughtBackend: broughtBackendOf(parts),
    environments,
    egress: ownEgress(config),
    ...(kept === null ? {} : { workspaces: ownWorkspaceRuns(core, config) }),
    slots: config.maxRunningRuns,
    runTimeLimitMs: RUN_TIME_LIMIT_MS,
    secrets: config.secrets,
    ...(shared === null ? {} : { heartbeatMs: stalledMs / BEATS_UNTIL_STALLED }),
  });
  meter?.watch({
    runsInFlight: () => executor.atWork,
    runsWaiting: () => store.committed.queue.count(),
    storageFailures: () => core.workspaces?.blobs.health?.().failures ?? 0,
    load: () => core.load.taken,
    loopDelayMs: core.loopDelayMs,
    blobsMissing: () => core.commits?.own.missing ?? 0,
  });
  return { core, executor, shared };
}

/** The embedded store has the secrets of runs in memory: a key that is there too is enough. */
function secretKeysOf({ config, random }: Parts): SealingKeys | null {
  if (config.secretKeys !== null || config.databaseUrl !== null) return config.secretKeys;
  return { current: sealingKeyOf(random.bytes(SEALING_KEY_BYTES)), previous: null };
}

function verifierOf({ config, clock, log, traces, verifier }: Parts, audience: string): TokenVerifier {
  const fetches = traces === null ? {} : { fetch: traces.fetch };
  return verifier ?? tokenVerifier({ issuers: config.issuers, audience, clock, logger: log, ...fetches });
}

function connectTo(url: string, { log, random }: { log: Logger; random: Random }): ConnectPeers {
  return (handlers) => openPostgresLink({ url, ...handlers, log, random: () => random.fraction() });
}

async function sweepMachine(
  { sandbox }: Config,
  swept: readonly ({ readonly sweep: () => Promise<void> } | null)[],
): Promise<void> {
  await sweepHomes(sandbox.homesFolder);
  for (const one of swept) await one?.sweep();
}
