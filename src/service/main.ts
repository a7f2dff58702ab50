// Wires every part of the service. Nobody in the service imports this file.

import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import { type Clock, systemClock } from "../base/clock.ts";
import { type Random, systemRandom } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import type { Config } from "./config.ts";
import type { Core, Policy } from "./core/core.ts";
import type { Store } from "./core/ports/store.ts";
import { RateLimits } from "./core/rate-limits.ts";
import { recoverRuns } from "./core/recover-runs.ts";
import { RunSignals } from "./core/run-signals.ts";
import type { Backend } from "./executor/backend.ts";
import { noopBackend } from "./executor/backends/noop.ts";
import { offlineBackend } from "./executor/backends/offline/offline.ts";
import { Executor } from "./executor/executor.ts";
import { InProcessDispatch } from "./executor/in-process-dispatch.ts";
import { createApp } from "./http/app.ts";
import { tokenVerifier } from "./oidc/verify-token.ts";
import { openPostgresStore } from "./store/postgres.ts";
import { openSqliteStore } from "./store/sqlite.ts";
import { gitWorkspaces } from "./workspace/git-workspaces.ts";

const EXPIRY_SWEEP_MS = 10 * 60 * 1000;
/** How long the trail of exchanges is kept: 90 days. */
const AUDIT_MS = 90 * 24 * 60 * 60 * 1000;
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
  /** Called when the service can no longer go on, such as when it lost its hold on the database. */
  readonly onFatal: (cause: Error) => void;
};

/** Starts the whole service. Rejects, with nothing left open, when a part cannot start. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, clock = systemClock, random = systemRandom } = options;
  const { backends = [offlineBackend, noopBackend] } = options;
  z.config(english());

  const store = await openStore(options);
  try {
    return await serve({ config, log, clock, random, backends, store });
  } catch (cause) {
    await store.close();
    throw cause;
  }
}

async function openStore({ config, onFatal }: ServiceOptions): Promise<Store> {
  if (config.databaseUrl === null) return await openSqliteStore({ folder: config.dataDir });
  return await openPostgresStore({ url: config.databaseUrl, onLost: onFatal });
}

async function serve(parts: {
  config: Config;
  log: Logger;
  clock: Clock;
  random: Random;
  backends: readonly Backend[];
  store: Store;
}): Promise<Service> {
  const { config, log, clock, random, backends, store } = parts;
  // The address is known once we listen, and the audience may hang on it: until then every answer is "not yet".
  let answer: (
    ...request: Parameters<ReturnType<typeof createApp>["fetch"]>
  ) => Response | Promise<Response> = () =>
    new Response(null, { status: 503, headers: { "Retry-After": "1" } });
  const server = createAdaptorServer({ fetch: (request, env) => answer(request, env) });
  const address = await listen(server, config);
  const url = addressUrl(config.host, address);

  const dispatch = new InProcessDispatch();
  const policy = policyOf(config, config.baseUrl ?? url);
  const verifier = tokenVerifier({ issuers: config.issuers, audience: policy.audience, clock, logger: log });
  const core: Core = {
    store,
    verifier,
    dispatch,
    signals: new RunSignals(),
    limits: new RateLimits(),
    clock,
    random,
    log,
    policy,
  };
  const workspaces = gitWorkspaces({
    folder: join(config.dataDir, "workspaces"),
    limits: CLONE_LIMITS,
    environment: config.gitEnvironment,
  });
  const executor = new Executor({
    core,
    dispatch,
    workspaces,
    backends,
    slots: config.maxRunningRuns,
    runTimeLimitMs: RUN_TIME_LIMIT_MS,
  });

  await workspaces.sweep();
  const recovered = await recoverRuns(core);
  if (recovered.requeued + recovered.ended > 0) log.info(recovered, "recovered runs");
  executor.start();
  answer = createApp(core, config).fetch;
  const sweep = setInterval(() => {
    const now = clock.now();
    store
      .transact((tx) => tx.deleteExpired({ now, auditedBefore: now - AUDIT_MS }))
      .catch((cause: unknown) => log.warn({ err: cause }, "expiry sweep failed"));
  }, EXPIRY_SWEEP_MS);
  sweep.unref();
  log.info({ url, audience: policy.audience, issuers: config.issuers.map(({ issuer }) => issuer) }, "ready");

  const stopOnce = async () => {
    clearInterval(sweep);
    core.signals.close();
    const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
    await executor.drain(config.drainSeconds * 1000);
    if ("closeAllConnections" in server) server.closeAllConnections();
    await isClosed;
    await store.close();
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

function policyOf(config: Config, baseUrl: string): Policy {
  return {
    baseUrl,
    webUrl: config.webUrl ?? baseUrl,
    audience: config.audience ?? new URL(baseUrl).host,
    freeCredits: config.freeCredits,
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
