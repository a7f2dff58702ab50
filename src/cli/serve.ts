// agent-service serve: runs the service until it is told to stop.

import { destination, pino, stdTimeFunctions } from "pino";
import { AddressInUseError, SandboxError, startService } from "../service/main.ts";
import { readConfig } from "../service/settings/config.ts";
import type { SettingName } from "../service/settings/service-settings.ts";
import { DataFolderInUseError } from "../service/store/sqlite.ts";
import { readFlags, takeArguments } from "./flags.ts";
import { helpText } from "./help.ts";

const flags = {
  port: { type: "string" },
  host: { type: "string" },
  "data-dir": { type: "string" },
  "base-url": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const settingOf: Record<Exclude<keyof typeof flags, "help">, SettingName> = {
  port: "PORT",
  host: "HOST",
  "data-dir": "DATA_DIR",
  "base-url": "BASE_URL",
};

export type ServeOptions = {
  /** What it was called as. */
  readonly command?: string;
  readonly fixed?: Partial<Record<SettingName, string>>;
};

/**
 * Serves until SIGINT or SIGTERM. Resolves to the exit code: 0 stopped, 1 could not start, 2 wrong setting. Throws
 * UsageError.
 */
export async function serve(
  args: readonly string[],
  { command = "serve", fixed = {} }: ServeOptions = {},
): Promise<number> {
  const { values: given, positionals } = readFlags(args, flags);
  takeArguments(command, positionals);
  if (given.help === true) {
    process.stdout.write(helpText);
    return 0;
  }
  const overrides = Object.fromEntries(
    Object.entries(settingOf).flatMap(([flag, setting]) => {
      const value = given[flag as keyof typeof settingOf];
      return value === undefined ? [] : [[setting, value]];
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
