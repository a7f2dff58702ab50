// The log of an embedded service: warnings and errors go to the job's own log, the rest is dropped.

import type { Logger } from "../../base/log.ts";

/** Passes on the messages of warnings and errors, without their fields, which may hold paths and untrusted text. */
export function warningLog(say: (message: string) => void): Logger {
  const log: Logger = {
    debug: () => {},
    info: () => {},
    warn: (_fields, message) => say(message),
    error: (_fields, message) => say(message),
    child: () => log,
  };
  return log;
}
