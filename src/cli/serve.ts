// agent-service serve and work: a node of the service, until it is told to stop.

import { destination, pino, stdTimeFunctions } from "pino";
import { AddressInUseError, SandboxError, startService } from "../service/main.ts";
import { readConfig } from "../service/settings/config.ts";
import { type SettingName, serviceSettings } from "../service/settings/service-settings.ts";
import { DataFolderInUseError } from "../service/store/sqlite.ts";
import { command } from "./command.ts";
import { anyText, type Flag, valueFlag } from "./flags.ts";

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

  const log = pino(
    { level: config.value.logLevel, base: null, timestamp: stdTimeFunctions.isoTime },
    destination({ fd: 1, sync: true }),
  );
  const ending = Promise.withResolvers<number>();
  process.once("SIGINT", () => ending.resolve(0));
  process.once("SIGTERM", () => ending.resolve(0));
  try {
    const service = await startService({ config: config.value, log });
    const exitCode = await ending.promise;
    await service.stop();
    return exitCode;
  } catch (cause) {
    if (isOperatorsError(cause)) return complain(cause.message, 1);
    log.error({ err: cause }, "could not start");
    return complain("The service could not start. The log line above says why.", 1);
  }
}

/** Errors whose message is the answer. */
function isOperatorsError(cause: unknown): cause is Error {
  return (
    cause instanceof DataFolderInUseError ||
    cause instanceof AddressInUseError ||
    cause instanceof SandboxError
  );
}

function complain(message: string, exitCode: number): number {
  process.stderr.write(`${message}\n`);
  return exitCode;
}
