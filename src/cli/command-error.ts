// What a command ends with when it cannot do what it was asked, and what each failure is called on the way out.

import { ApiError, ClientError } from "../client/errors.ts";
import { singleLine } from "../render/untrusted-text.ts";
import { UsageError } from "./flags.ts";

const MAX_MESSAGE_CHARS = 2_000;

/** The command could not do it: its message is the answer, and the exit code is 1. */
export class CommandError extends Error {
  readonly code = "command_failed";
}

/** Writes what went wrong to standard error. Returns the exit code: 1 it failed, 2 wrong usage. Throws what is a bug. */
export function reportFailure(cause: unknown): number {
  if (cause instanceof UsageError) return complain(`${cause.message}\nSee agent-service --help.`, 2);
  if (cause instanceof CommandError) return complain(cause.message, 1);
  if (cause instanceof ApiError) return complain(apiErrorText(cause), 1);
  if (cause instanceof ClientError) return complain(singleLine(cause.message, MAX_MESSAGE_CHARS), 1);
  throw cause;
}

function apiErrorText(error: ApiError): string {
  const lines = [
    `The service refused (${error.status} ${error.code}): ${singleLine(error.message, MAX_MESSAGE_CHARS)}`,
  ];
  if (error.expected !== undefined) lines.push(`  expected ${singleLine(error.expected, MAX_MESSAGE_CHARS)}`);
  if (error.got !== undefined) lines.push(`  got      ${singleLine(error.got, MAX_MESSAGE_CHARS)}`);
  const advice = adviceFor(error);
  if (advice !== null) lines.push(advice);
  lines.push(`  request ${singleLine(error.requestId, 100)}`);
  return lines.join("\n");
}

function adviceFor(error: ApiError): string | null {
  if (error.status === 401) {
    return 'Give AGENT_SERVICE_KEY a key that is in use: "agent-service keys create" makes one beside the service.';
  }
  if (error.code === "insufficient_credits") {
    return 'Whoever operates the service gives credits with "agent-service credits grant".';
  }
  return null;
}

function complain(message: string, exitCode: number): number {
  process.stderr.write(`${message}\n`);
  return exitCode;
}
