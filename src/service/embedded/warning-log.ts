// The log of a service that runs inside a job: what needs somebody is said in the job's own log, the rest is dropped.

import type { Logger } from "../../base/log.ts";

/** Hands on the messages of warnings and errors, without their fields: those may name files, and hold others' words. */
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
