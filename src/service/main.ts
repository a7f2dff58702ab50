// Starts a node of the service from its parts, and stops it. Only the command and the embedded service import this file.

import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import { type Clock, systemClock } from "../base/clock.ts";
import { type Random, systemRandom } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import type { AnyFace } from "./api/http/any-face.ts";
import { createApp } from "./api/http/app.ts";
import { HttpListener } from "./api/http/listener.ts";
import { createMetricsApp } from "./api/http/metrics-app.ts";
import { createProbeApp } from "./api/http/probe-app.ts";
import { toProblem } from "./api/shared/problems/to-problem.ts";
import { SocketApi } from "./api/socket/socket-api.ts";
import { checkGit } from "./checkouts/check-git.ts";
import type { CheckoutProvider } from "./core/checkouts/checkout.ts";
import type { TokenVerifier } from "./core/ci/token-verifier.ts";
import { resealConnections } from "./core/connections/sealed-secrets.ts";
import type { Core, FreeFor } from "./core/core.ts";
import { resealAccesses } from "./core/repository-access/open-access.ts";
import { RunSubmitter } from "./core/runs/submit-run.ts";
import type { Backend } from "./executor/backend.ts";
import { noopBackend } from "./executor/backends/noop.ts";
import { offlineBackend } from "./executor/backends/offline/offline.ts";
import { sweepHomes } from "./sandbox/agent-homes.ts";
import type { Config } from "./settings/config.ts";
import { prepareDataFolder } from "./store/data-folder.ts";
import type { Traces } from "./telemetry/traces.ts";
import { firstStepsText, logReady } from "./wiring/first-steps.ts";
import { ServiceNode } from "./wiring/node.ts";
import { type BackendParts, openAgentsOf, sandboxOf } from "./wiring/open-backends.ts";
import { openCommits, ownCheckouts, ownRemotes } from "./wiring/open-checkouts.ts";
import { environmentsOf } from "./wiring/open-environments.ts";
import { openStore } from "./wiring/open-store.ts";
import { type OpenedMetrics, openMetrics, openTracesOf } from "./wiring/open-telemetry.ts";
import { policyOf } from "./wiring/policy-of.ts";
import { recordRunningAddress } from "./wiring/running-address.ts";
import { type NodeParts, type OpenedParts, wire } from "./wiring/wire.ts";

export type Service = {
  /** The address at which it listens, without a trailing slash. */
  readonly url: string;
  /** The address of its metrics, without a trailing slash. Null where the settings give them no port. */
  readonly metricsUrl: string | null;
  /**
   * Stops gracefully: no new connections, waiting polls answered, runs at work given `drainSeconds` and then given
   * back, or ended as interrupted, store closed. Safe to repeat.
   */
  stop(): Promise<void>;
};

export type ServiceOptions = Pick<BackendParts, "modelAccess" | "mintIdToken" | "isTrusted"> & {
  readonly config: Config;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  /** The backends that execute runs. Default: the service's own backends. */
  readonly backends?: readonly Backend[];
  /** Verifies the tokens of jobs. Default: by the configured issuers. */
  readonly verifier?: TokenVerifier;
  /** The source of repositories for runs. Default: clones. */
  readonly checkouts?: CheckoutProvider;
  /** Faces that it serves beside the API. Default: nothing. */
  readonly faces?: readonly AnyFace[];
  /** Whose runs the free credits pay for. Default: public repositories. */
  readonly freeFor?: FreeFor;
  /** Whether runs of an agent without an owner have no network. Default: true. */
  readonly egressNeedsOwner?: boolean;
  /** Whether runs at work outlive this process, and go on in the next one. Default: they do. */
  readonly keepsJournals?: boolean;
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
  // Other processes try the sandbox and git: the store is opened meanwhile.
  const agents =
    options.backends === undefined
      ? openAgentsOf({ ...options, clock, random, sandbox })
      : Promise.resolve([]);
  const needsGit = config.role !== "api" && options.checkouts === undefined;
  const git = needsGit ? checkGit(config.gitEnvironment) : Promise.resolve();
  for (const later of [agents, git]) later.catch(() => {});
  const store = await openStore(options);
  let traces: Traces | null = null;
  try {
    traces = await openTracesOf({ config, log, clock, random });
    const backends = options.backends ?? [offlineBackend, noopBackend, ...(await agents)];
    await git;
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

type Parts = NodeParts &
  Pick<ServiceOptions, "checkouts" | "faces" | "freeFor" | "egressNeedsOwner" | "signal">;

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

type Listeners = { readonly http: HttpListener; readonly metrics: OpenedMetrics | null };

async function serveOn(listeners: Listeners, parts: Parts): Promise<Service> {
  const { config, store, signal, faces = [] } = parts;
  signal?.throwIfAborted();
  // The address is known once the node listens, and the default audience is its host.
  const { url, metricsUrl } = await listen(listeners, config);
  const opened = await openParts(parts, { url, meter: listeners.metrics?.meter ?? null });
  const { core, executor, shared, loopDelay } = wire(parts, opened);
  const submitter = new RunSubmitter(core);
  const node = new ServiceNode({
    core,
    executor,
    shared,
    submitter,
    describe: (refusal) => toProblem(refusal).message,
    sweepMachine: config.role === "api" ? null : () => sweepMachine(config, opened),
    keptMs: opened.policy.keptMs,
    loopDelay,
  });
  const hasPages = faces.length > 0 && config.role !== "worker";
  const { firstSteps } = await startNode(node, { core, parts, remotes: opened.remotes, hasPages });
  const sockets = answer(listeners, { core, submitter, config, faces });
  const { baseUrl, webUrl } = opened.policy;
  const runningAddress = recordRunningAddress(config.dataDir, { url: baseUrl, pagesUrl: webUrl });
  logReady(parts, { url, baseUrl, metricsUrl, audience: opened.policy.audience });
  // Nobody waits for it: with a bucket it takes a while.
  const looking = core.commits?.own.look();
  if (firstSteps !== null) core.log.info({}, firstSteps);

  const stopOnce = async () => {
    const { http, metrics } = listeners;
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
    await parts.traces?.close();
    metrics?.listener.stop();
    metrics?.listener.closeConnections();
    runningAddress.remove();
    parts.log.info({}, "stopped");
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

async function listen(
  { http, metrics }: Listeners,
  config: Config,
): Promise<Pick<Service, "url" | "metricsUrl">> {
  const url = await http.listen(config);
  if (metrics === null) return { url, metricsUrl: null };
  const { listener, port } = metrics;
  return { url, metricsUrl: await listener.listen({ host: config.host, port, setting: "METRICS_PORT" }) };
}

async function openParts(
  parts: Parts,
  { url, meter }: { readonly url: string } & Pick<OpenedParts, "meter">,
): Promise<OpenedParts> {
  const { config, clock } = parts;
  const kept = parts.checkouts === undefined ? await openCommits(parts) : null;
  const remotes = parts.checkouts === undefined ? ownRemotes(config, clock) : null;
  return {
    policy: policyOf(parts, url),
    checkouts: parts.checkouts ?? ownCheckouts(config, { packs: kept, remotes }),
    environments: environmentsOf(parts),
    kept,
    remotes,
    meter,
  };
}

type Answering = {
  readonly core: Core;
  readonly submitter: RunSubmitter;
  readonly config: Config;
  readonly faces: readonly AnyFace[];
};

/** A worker answers probes alone. */
function answer({ http, metrics }: Listeners, { core, submitter, config, faces }: Answering): SocketApi {
  const sockets = new SocketApi(core, submitter, config);
  const isWorker = config.role === "worker";
  http.serve({
    app: isWorker ? createProbeApp(core) : createApp(core, submitter, { ...config, faces }),
    sockets: isWorker ? null : sockets,
  });
  metrics?.listener.serve({ app: createMetricsApp(metrics.meter.exposition), sockets: null });
  return sockets;
}

type Starting = {
  readonly core: Core;
  readonly parts: Parts;
  readonly remotes: OpenedParts["remotes"];
  readonly hasPages: boolean;
};

/** All of a start that can fail once the node is made: when it rejects, the node has been left. */
async function startNode(
  node: ServiceNode,
  { core, parts: { config, clock, signal }, remotes, hasPages }: Starting,
): Promise<{ readonly firstSteps: string | null }> {
  try {
    await remotes?.sweep({ isAlone: config.role !== "api", now: clock.now() });
    await node.start();
    await resealAccesses(core);
    await resealConnections(core);
    const firstSteps = await firstStepsText(core, { config, hasPages });
    signal?.throwIfAborted();
    return { firstSteps };
  } catch (cause) {
    const left = [() => node.stop(), () => node.drain(0), () => node.close()];
    for (const leave of left) await leave().catch(() => {});
    throw cause;
  }
}

async function sweepMachine(
  { sandbox }: Config,
  { checkouts, kept, environments }: OpenedParts,
): Promise<void> {
  await sweepHomes(sandbox.homesFolder);
  for (const one of [checkouts, kept, environments]) await one?.sweep();
}
