// Errors that end a command, and the exit code and the name of each.

import { OperatorError } from "../base/operator-error.ts";
import { singleLine } from "../base/untrusted-text.ts";
import { ApiError, ClientError, ConnectionError, DecodeError } from "../client/errors.ts";
import { flagWords, olderServiceText } from "../report/older-service.ts";
import { UsageError } from "./flags.ts";

const MAX_MESSAGE_CHARS = 2_000;

/** The command could not do it: its message is the answer, and the exit code is 1. */
export class CommandError extends Error {
  readonly code = "command_failed";
}

/** Writes what went wrong to standard error. Returns the exit code: 1 it failed, 2 wrong usage. Throws what is a bug. */
export function reportFailure(cause: unknown): number {
  const text = failureText(cause);
  if (text === null) throw cause;
  process.stderr.write(`${text}\n`);
  return cause instanceof UsageError ? 2 : 1;
}

/** What went wrong, for whoever called the command. Null of what is a bug. */
export function failureText(cause: unknown): string | null {
  if (cause instanceof UsageError || cause instanceof CommandError || cause instanceof OperatorError)
    return cause.message;
  if (cause instanceof ApiError) return apiErrorText(cause);
  if (cause instanceof ConnectionError) return connectionText(cause);
  if (cause instanceof DecodeError) return foreignText(cause);
  if (cause instanceof ClientError) return singleLine(cause.message, MAX_MESSAGE_CHARS);
  return null;
}

function apiErrorText(error: ApiError): string {
  const lines = [
    `The service refused (${error.status} ${error.code}): ${singleLine(error.message, MAX_MESSAGE_CHARS)}`,
  ];
  if (error.expected !== undefined) lines.push(`  expected ${singleLine(error.expected, MAX_MESSAGE_CHARS)}`);
  if (error.got !== undefined) lines.push(`  got      ${singleLine(error.got, MAX_MESSAGE_CHARS)}`);
  const advice = olderServiceText(error.fields, flagWords) ?? adviceFor(error);
  if (advice !== null) lines.push(advice);
  lines.push(`  request ${singleLine(error.requestId, 100)}`);
  return lines.join("\n");
}

function connectionText(error: ConnectionError): string {
  const reason = reasonBelow(error);
  const why = reason === null ? "" : ` (${singleLine(reason, MAX_MESSAGE_CHARS)})`;
  return `${singleLine(error.message, MAX_MESSAGE_CHARS)}${why}\nIs the service running, and is AGENT_SERVICE_URL (or --url) where it is?`;
}

function foreignText(error: DecodeError): string {
  return `${singleLine(error.message, MAX_MESSAGE_CHARS)}\nIs AGENT_SERVICE_URL (or --url) the address of the service itself?`;
}

/** The system's name of the failure, as ECONNREFUSED or ENOTFOUND, or else what lies deepest below what is thrown. */
function reasonBelow(error: Error): string | null {
  let reason: string | null = null;
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string") return cause.code;
    reason = cause.message === "" ? reason : cause.message;
  }
  return reason;
}

function adviceFor(error: ApiError): string | null {
  if (error.status === 401) {
    return 'Give AGENT_SERVICE_KEY a key that is in use: "agent-service keys create" makes one beside the service.';
  }
  if (error.code === "precondition_failed" && error.currentEtag !== null) {
    const etag = singleLine(error.currentEtag, 100);
    return `What is there has the ETag ${etag}. Look at it first: "--if-match ${etag}" changes it, as long as it is the same.`;
  }
  if (error.code === "insufficient_credits") {
    return 'Whoever operates the service gives credits with "agent-service credits grant" or "agent-service plans set".';
  }
  return null;
}
