// agent-service serve and work: a node of the service, until it is told to stop.

import type { Logger } from "../base/log.ts";
import { OperatorError } from "../base/operator-error.ts";
import { singleLine } from "../base/untrusted-text.ts";
import { faces } from "../service/faces/faces.ts";
import { type Service, type ServiceOptions, startService } from "../service/main.ts";
import { readConfig } from "../service/settings/config.ts";
import { type SettingName, serviceSettings } from "../service/settings/service-settings.ts";
import { command } from "./command.ts";
import { anyText, type Flag, valueFlag } from "./flags.ts";
import { openServiceLog } from "./service-log.ts";

/** They override their setting, which decodes their text. */
function settingFlag(name: SettingName, takes: string): Flag<string | null> {
  const { description, shownDefault, fallback } = serviceSettings[name];
  const usual = shownDefault ?? String(fallback);
  return valueFlag({ kind: anyText, fallback: null, takes, description, shownDefault: `${name}, ${usual}` });
}

const flags = {
  port: settingFlag("PORT", "<n>"),
  host: settingFlag("HOST", "<address>"),
  "data-dir": settingFlag("DATA_DIR", "<folder>"),
  "base-url": settingFlag("BASE_URL", "<url>"),
};

type ServeFlags = { readonly [Name in keyof typeof flags]: string | null };

const settingOf: Readonly<Record<keyof typeof flags, SettingName>> = {
  port: "PORT",
  host: "HOST",
  "data-dir": "DATA_DIR",
  "base-url": "BASE_URL",
};

export const serve = command({
  summary: "Run the service until SIGINT or SIGTERM.",
  flags,
  examples: ["serve", "serve --base-url https://agents.example.com --data-dir /var/lib/agent-service"],
  run: async (given) => await serveUntilStopped(given.flags, {}),
});

export const work = command({
  summary: "Execute runs until SIGINT or SIGTERM, beside other nodes that share DATABASE_URL.",
  notes: ["Answers nothing but health probes, on a free port unless one is set."],
  flags,
  examples: ["work --base-url https://agents.example.com --data-dir /var/lib/agent-worker"],
  run: async (given) => await serveUntilStopped(given.flags, { ROLE: "worker" }),
});

/** The time that a node has beyond DRAIN_SECONDS to stop, before it ends itself. */
const STOP_MARGIN_MS = 10_000;
/** The time that a start has to close what it has opened, when it is told to stop or has failed. */
const START_STOP_MS = 3_000;
const MAX_REASON_CHARS = 500;

/** Resolves to the exit code: 0 stopped, 1 could not start, 2 wrong setting. */
async function serveUntilStopped(
  given: ServeFlags,
  fixed: Partial<Record<SettingName, string>>,
): Promise<number> {
  const overrides = Object.fromEntries(
    Object.entries(settingOf).flatMap(([flag, setting]) => {
      const value = given[flag as keyof typeof settingOf];
      return value === null ? [] : [[setting, value]];
    }),
  );
  const config = readConfig({ ...overrides, ...fixed });
  if (!config.ok) return complain(config.refusal.join("\n"), 2);
  const { logLevel, drainSeconds } = config.value;
  const { log, closeLog } = openServiceLog(logLevel);
  const stop = firstStopSignal();
  try {
    const service = await startUnlessStopped({ config: config.value, log, faces, signal: stop });
    if (service === null) return 0;
    await aborted(stop);
    endLater(drainSeconds * 1000 + STOP_MARGIN_MS, () => {
      log.error({}, "the service did not stop within its grace period and is killed");
    });
    await service.stop();
    return 0;
  } catch (cause) {
    endLater(START_STOP_MS, () => {});
    return complain(startFailure(cause, log), 1);
  } finally {
    await closeLog();
  }
}

/** Null: it was told to stop before it had started. */
async function startUnlessStopped(
  options: ServiceOptions & { readonly signal: AbortSignal },
): Promise<Service | null> {
  const { signal } = options;
  const starting = startService(options);
  const isStarted = await Promise.race([starting.then(() => true), aborted(signal).then(() => false)]);
  if (isStarted) return await starting;
  endLater(START_STOP_MS, () => {});
  // What a start that fails now has to say, nobody asked for.
  await starting.then(
    (service) => service.stop(),
    () => {},
  );
  return null;
}

/** Aborts at the first SIGINT or SIGTERM. A second one ends the process at once, as the system does. */
function firstStopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    controller.abort();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return controller.signal;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * Kills this process after `ms`, unless it has ended by then. It is the last resort: `process.exit` itself waits for the
 * system's calls, which may never return.
 */
function endLater(ms: number, tell: () => void): void {
  setTimeout(() => {
    tell();
    process.kill(process.pid, "SIGKILL");
  }, ms).unref();
}

/** One sentence for whoever started it. */
function startFailure(cause: unknown, log: Logger): string {
  if (cause instanceof OperatorError) return cause.message;
  log.error({ err: cause }, "could not start");
  const why = cause instanceof Error ? singleLine(cause.message, MAX_REASON_CHARS) : "unknown cause";
  return `The service could not start: ${why.replace(/\.$/, "")}. The log line above says more.`;
}

function complain(message: string, exitCode: number): number {
  // Nobody may read it any more.
  process.stderr.on("error", () => {});
  process.stderr.write(`${message}\n`);
  return exitCode;
}
