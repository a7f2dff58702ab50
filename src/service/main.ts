// Wires every part of the service. Nobody in the service imports this file.

import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import { type Clock, systemClock } from "../base/clock.ts";
import { type Random, systemRandom } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import { createApp } from "./api/http/app.ts";
import { createProbeApp } from "./api/http/probe-app.ts";
import { toProblem } from "./api/shared/problems/to-problem.ts";
import { TokenBuckets } from "./api/shared/token-buckets.ts";
import { isSocketRequest, SocketApi } from "./api/socket/socket-door.ts";
import { gitCheckouts } from "./checkouts/git-checkouts.ts";
import { renewDueAccounts } from "./core/accounts/subscriptions.ts";
import type { Core, FreeFor, Policy } from "./core/core.ts";
import type { CheckoutProvider } from "./core/ports/checkout.ts";
import { noMeter } from "./core/ports/meter.ts";
import type { NodeLink, NodeSignal } from "./core/ports/node-link.ts";
import type { Store } from "./core/ports/store.ts";
import type { TokenVerifier } from "./core/ports/token-verifier.ts";
import { noTracer } from "./core/ports/tracer.ts";
import { RunExpiry } from "./core/runs/expire-runs.ts";
import { takeRun } from "./core/runs/progress-run.ts";
import { recoverRuns } from "./core/runs/recover-runs.ts";
import { RunSignals } from "./core/runs/run-signals.ts";
import { StalledRuns } from "./core/runs/stalled-runs.ts";
import { RunSubmitter } from "./core/runs/submit-run.ts";
import { ScheduleAlarm } from "./core/schedules/schedule-alarm.ts";
import type { Backend, BareTask, RepositoryTask } from "./executor/backend.ts";
import { noopBackend } from "./executor/backends/noop.ts";
import { offlineBackend } from "./executor/backends/offline/offline.ts";
import { Executor } from "./executor/executor.ts";
import { InProcessDispatch } from "./executor/in-process-dispatch.ts";
import { SharedDispatch } from "./executor/shared-dispatch.ts";
import { tokenVerifier } from "./oidc/verify-token.ts";
import { sweepHomes } from "./sandbox/agent-homes.ts";
import { findSandbox } from "./sandbox/find-sandbox.ts";
import { Scheduler } from "./scheduler.ts";
import type { Config } from "./settings/config.ts";
import { openPostgresStore } from "./store/postgres.ts";
import { openPostgresLink } from "./store/postgres-link.ts";
import { holdDataFolder, openSqliteStore } from "./store/sqlite.ts";
import { meteredStore } from "./telemetry/metered-store.ts";
import { tracedVerifier } from "./telemetry/traced-verifier.ts";
import type { Traces } from "./telemetry/traces.ts";

export { SandboxError } from "./sandbox/sandbox-error.ts";

const EXPIRY_SWEEP_MS = 10 * 60 * 1000;
/** How long the trail of exchanges is kept: 90 days. */
const AUDIT_MS = 90 * 24 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How often a node renews subscriptions that nobody looks at. */
const RENEWAL_SWEEP_MS = 60_000;
/** How often a node looks at the queue, in case a signal was lost. */
const QUEUE_POLL_MS = 1_000;
/** Heartbeats of a run, and looks at them, within the time after which it has stalled. */
const BEATS = 6;
const RUN_TIME_LIMIT_MS = 60 * 60 * 1000;
const CLONE_LIMITS = {
  maxBytes: 2_000_000_000,
  maxCheckoutBytes: 4_000_000_000,
  cloneTimeoutMs: 10 * 60 * 1000,
  historyDepth: 50,
};

export type Service = {
  /** Where it listens, without a trailing slash. */
  readonly url: string;
  /**
   * Stops gracefully: no new connections, waiting polls answered, runs at work given `drainSeconds` and then ended as
   * interrupted, store closed. Safe to repeat.
   */
  stop(): Promise<void>;
};

export type ServiceOptions = {
  readonly config: Config;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  /** What runs can be carried out by. The service's own, unless told. */
  readonly backends?: readonly Backend[];
  /** Who says who a job is. The issuers of the configuration, unless told. */
  readonly verifier?: TokenVerifier;
  /** Where runs get their repositories. Clones, unless told. */
  readonly checkouts?: CheckoutProvider;
  /** Public repositories, unless told. */
  readonly freeFor?: FreeFor;
  /** Whether whoever wrote what a run works on may execute commands on this machine anyway. Nobody, unless told. */
  readonly isTrusted?: (task: RepositoryTask | BareTask) => boolean;
};

/** Starts the whole service. Rejects, with nothing left open, when a part cannot start. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, clock = systemClock, random = systemRandom } = options;
  z.config(english());

  const backends = options.backends ?? [offlineBackend, noopBackend, ...(await openAgentsOf(options))];
  const store = await openStore(config);
  const traces = await openTracesOf(options);
  try {
    return await serve({ ...options, log: traces?.log ?? log, clock, random, backends, store, traces });
  } catch (cause) {
    await store.close();
    await traces?.close();
    throw cause;
  }
}

/** Loaded only where a model or another agent is configured, on a node that carries runs out. */
async function openAgentsOf(options: ServiceOptions): Promise<Backend[]> {
  const { config, log, clock = systemClock, random = systemRandom, isTrusted = () => false } = options;
  const { acp, model, rates, role } = config;
  if ((acp === null && model === null) || role === "api") return [];
  const sandbox = await findSandbox(config.sandbox, log, { clock, random });
  if (acp !== null) {
    const { openAcp } = await import("./acp.ts");
    return [await openAcp({ config: acp, sandbox: config.sandbox, kind: sandbox.kind, clock })];
  }
  if (model === null) return [];
  const { openModel } = await import("./model.ts");
  const isSandboxOff = config.sandbox.mode === "off";
  return [openModel({ config: model, rates, clock, random, sandbox, isSandboxOff, isTrusted })];
}

/** Loaded only where an operator asks for traces. */
async function openTracesOf(options: ServiceOptions): Promise<Traces | null> {
  const { config, log, clock = systemClock, random = systemRandom } = options;
  if (config.traces === null) return null;
  const { openTraces } = await import("./telemetry/traces.ts");
  return openTraces({ config: config.traces, log, instanceId: random.uuid(clock.now()) });
}

async function openStore(config: Config): Promise<Store> {
  if (config.databaseUrl === null) return await openSqliteStore({ folder: config.dataDir });
  // The checkouts of this node lie there. One that only answers has none.
  const hold = config.role === "api" ? null : holdDataFolder(config.dataDir);
  try {
    const store = await openPostgresStore({ url: config.databaseUrl });
    return { ...store, close: () => store.close().finally(() => hold?.release()) };
  } catch (cause) {
    hold?.release();
    throw cause;
  }
}

type Parts = Required<Pick<ServiceOptions, "config" | "log" | "clock" | "random" | "backends">> &
  Pick<ServiceOptions, "verifier" | "checkouts" | "freeFor"> & {
    readonly store: Store;
    readonly traces: Traces | null;
  };

async function serve(parts: Parts): Promise<Service> {
  const { config, log, clock, random, backends, store, traces } = parts;
  // The address is known once we listen, and the audience may hang on it: until then every answer is "not yet".
  let answer: (
    ...request: Parameters<ReturnType<typeof createApp>["fetch"]>
  ) => Response | Promise<Response> = () =>
    new Response(null, { status: 503, headers: { "Retry-After": "1" } });
  const server = createAdaptorServer({
    fetch: (request, env) => answer(request, env),
    serverOptions: {
      shouldUpgradeCallback: (request) => server.listenerCount("upgrade") > 0 && isSocketRequest(request),
    },
  });
  const address = await listen(server, config);
  const url = addressUrl(config.host, address);

  const isShared = config.databaseUrl !== null;
  const stalledMs = config.stalledSeconds * 1000;
  let link: NodeLink | null = null;
  const tell = (signal: NodeSignal, runId: string) => link?.tell(signal, runId);
  const signals = new RunSignals({ publish: (runId) => tell("moved", runId) });
  const shared = new SharedDispatch({
    link: { tell },
    take: () => takeRun(core, "oldest"),
    countQueued: () => store.committed.queue.count(),
    log,
  });
  const local = new InProcessDispatch();
  const dispatch = isShared ? shared : local;
  const policy = policyOf(parts, config.baseUrl ?? url);
  const tracer = traces?.tracer ?? noTracer;
  const verifier =
    parts.verifier ??
    tokenVerifier({
      issuers: config.issuers,
      audience: policy.audience,
      clock,
      logger: log,
      ...(traces === null ? {} : { fetch: traces.fetch }),
    });
  // Loaded only where it is asked for: it is a tenth of the time to start.
  const meter = config.metrics === "on" ? (await import("./telemetry/metrics.ts")).prometheusMeter() : null;
  const core: Core = {
    store: meter === null ? store : meteredStore(store, meter),
    verifier: traces === null ? verifier : tracedVerifier(verifier, tracer),
    dispatch,
    signals,
    scheduleAlarm: new ScheduleAlarm(),
    limits: new TokenBuckets(),
    clock,
    random,
    log,
    policy,
    rates: config.rates,
    meter: meter ?? noMeter,
    tracer,
  };
  const checkouts =
    parts.checkouts ??
    gitCheckouts({
      folder: join(config.dataDir, "checkouts"),
      limits: CLONE_LIMITS,
      environment: config.gitEnvironment,
    });
  const executor = new Executor({
    core,
    dispatch,
    checkouts,
    backends,
    slots: config.maxRunningRuns,
    runTimeLimitMs: RUN_TIME_LIMIT_MS,
    ...(isShared ? { heartbeatMs: stalledMs / BEATS } : {}),
  });
  meter?.watch({ runsInFlight: () => executor.atWork, runsWaiting: () => store.committed.queue.count() });

  const watches: NodeJS.Timeout[] = [];
  if (config.databaseUrl === null) {
    const recovered = await recoverRuns(core);
    if (recovered.requeued + recovered.ended > 0) log.info(recovered, "recovered runs");
  } else {
    link = await openPostgresLink({
      url: config.databaseUrl,
      onSignal: (signal, runId) => hear({ signals, shared }, { signal, runId }),
      onReconnect: () => {
        signals.wakeAll();
        shared.offer();
      },
      log,
      random: () => random.fraction(),
    });
    const stalled = new StalledRuns(core, { stalledMs, elapsedMs: () => performance.now() });
    watches.push(setInterval(() => void shared.look(), QUEUE_POLL_MS));
    watches.push(setInterval(() => void stalled.look(), stalledMs / BEATS));
    await Promise.all([shared.look(), stalled.look()]);
  }
  if (config.role !== "api") {
    // Whoever outlived the last service may still write into a checkout.
    await sweepHomes(config.sandbox.homesFolder);
    await checkouts.sweep();
    executor.start();
  }
  const scheduler = new Scheduler({
    core,
    submitter: new RunSubmitter(core),
    describe: (refusal) => toProblem(refusal).message,
  });
  scheduler.start();
  const sockets = new SocketApi(core, config);
  if (config.role !== "worker") server.on("upgrade", sockets.onUpgrade);
  answer = (config.role === "worker" ? createProbeApp(core) : createApp(core, config)).fetch;
  const runExpiry = new RunExpiry(core, { keptMs: config.retentionDays * DAY_MS });
  watches.push(setInterval(() => void renewSubscriptions(core), RENEWAL_SWEEP_MS));
  const sweep = setInterval(() => {
    const now = clock.now();
    store
      .transact((tx) => tx.expiry.deleteExpired({ now, auditedBefore: now - AUDIT_MS }))
      .catch((cause: unknown) => log.warn({ err: cause }, "expiry sweep failed"));
    void runExpiry.sweep();
  }, EXPIRY_SWEEP_MS);
  sweep.unref();
  log.info({ url, audience: policy.audience, issuers: config.issuers.map(({ issuer }) => issuer) }, "ready");
  if ((await store.committed.accounts.count()) === 0) log.info({}, firstKeyText(config));

  const stopOnce = async () => {
    clearInterval(sweep);
    for (const watch of watches) clearInterval(watch);
    const socketsClosed = sockets.close();
    core.signals.close();
    await Promise.all([scheduler.stop(), runExpiry.stop()]);
    const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
    await executor.drain(config.drainSeconds * 1000);
    if ("closeAllConnections" in server) server.closeAllConnections();
    await socketsClosed;
    await isClosed;
    await link?.close();
    await store.close();
    await traces?.close();
    log.info({}, "stopped");
  };
  let stopping: Promise<void> | null = null;
  return {
    url,
    stop: () => {
      stopping ??= stopOnce();
      return stopping;
    },
  };
}

async function renewSubscriptions(core: Core): Promise<void> {
  await renewDueAccounts(core).catch((cause: unknown) => {
    core.log.warn({ err: cause }, "subscriptions could not be renewed");
  });
}

/** The way in for an operator whose store holds no account. A database's address may hold a password: it is not shown. */
function firstKeyText({ databaseUrl, dataDir }: Config): string {
  const command = "agent-service keys create";
  return databaseUrl === null
    ? `There is no account yet. Make one, and its first key, with: ${command} --data-dir ${JSON.stringify(dataDir)}`
    : `There is no account yet. Make one, and its first key, with the same DATABASE_URL and: ${command}`;
}

function hear(
  parts: { signals: RunSignals; shared: SharedDispatch },
  { signal, runId }: { signal: NodeSignal; runId: string },
): void {
  switch (signal) {
    case "moved":
      parts.signals.wake(runId);
      return;
    case "queued":
      parts.shared.offer();
      return;
    case "nudged":
      parts.shared.hearNudge(runId);
      return;
  }
}

function policyOf({ config, freeFor = "public_repositories" }: Parts, baseUrl: string): Policy {
  return {
    baseUrl,
    webUrl: config.webUrl ?? baseUrl,
    audience: config.audience ?? new URL(baseUrl).host,
    freeCredits: config.freeCredits,
    freeFor,
    ratePerMinute: config.ratePerMinute,
    addressRatePerMinute: config.addressRatePerMinute,
    capabilityMs: config.capabilitySeconds * 1000,
    backend: config.backend,
    maxQueuedRuns: config.maxQueuedRuns,
  };
}

async function listen(server: ReturnType<typeof createAdaptorServer>, config: Config): Promise<AddressInfo> {
  return await new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      reject(
        cause.code === "EADDRINUSE"
          ? new AddressInUseError(
              `Port ${config.port} on ${config.host} is taken. Choose another with --port or PORT (0 takes a free one).`,
              { cause },
            )
          : cause,
      );
    });
    server.listen({ port: config.port, host: config.host, backlog: 4096 }, () => {
      const address = server.address();
      if (address === null || typeof address === "string")
        reject(new Error("The server has no TCP address."));
      else resolve(address);
    });
  });
}

/** Another process listens there. */
export class AddressInUseError extends Error {
  readonly code = "address_in_use";
}

function addressUrl(host: string, address: AddressInfo): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}
