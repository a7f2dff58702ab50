// The fault of an ACP agent that failed, and the sentence about it for the run's reader.

import { assertNever } from "../../../../base/assert-never.ts";
import type { ProcessExit } from "../../../../base/piped-process.ts";
import type { CodingAgentWire } from "../../../../contract/models/protocols.ts";
import type { PassedLimit } from "../../../core/ports/agent-start.ts";
import { BackendFailure } from "../../backend.ts";
import type { SecretMask } from "../../secret-mask.ts";

const MAX_SAID_CHARS = 300;
/** Colours and the like. */
const terminalCodes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, "g");

export type AgentFault =
  | ProcessExit
  /** There is no place for it to work in. */
  | { readonly type: "no_place"; readonly why: string }
  | { readonly type: "ended" }
  /** It exceeded a limit of its sandbox and was ended with all its processes. */
  | { readonly type: "limit_passed"; readonly passed: PassedLimit }
  /** In a place of its own, since its files were last brought here. */
  | { readonly type: "changed_too_much" }
  | { readonly type: "line_too_long"; readonly maxBytes: number }
  | { readonly type: "not_a_message"; readonly text: string }
  | { readonly type: "start_timed_out"; readonly afterMs: number }
  | { readonly type: "idle"; readonly afterMs: number }
  | { readonly type: "other_version"; readonly version: number }
  | { readonly type: "login_needed"; readonly methods: readonly string[] }
  /** It answered a request with an error. */
  | { readonly type: "error"; readonly method: string; readonly message: string }
  | { readonly type: "malformed"; readonly method: string }
  /** It ended its turn with the error of its model for an answer. */
  | { readonly type: "model_failed"; readonly said: string }
  | { readonly type: "silent" }
  /** It does not go on with the session of an earlier process. */
  | { readonly type: "not_taken_up" }
  /** Its reply does not match the output schema, even the second time. */
  | { readonly type: "misfit"; readonly faults: string }
  | { readonly type: "cancelled" }
  | { readonly type: "unknown_stop"; readonly stopReason: string };

/** The last answer of the agent's model, where it is an error. */
type RefusedRequest = { readonly wire: CodingAgentWire; readonly status: number };

type FaultContext = {
  readonly refused: RefusedRequest | null;
  /** The name of the agent. */
  readonly title: string;
  readonly mask: SecretMask;
  /** The last line of its standard error. */
  readonly complaint: string;
  /** Whether its reader has text of it. */
  readonly hasAnswered: boolean;
};

/** Ends of an agent's process or of its stream, which what it executes can bring about: what it answered before is charged. */
const ownEnds: ReadonlySet<AgentFault["type"]> = new Set([
  "exited",
  "ended",
  "cut",
  "limit_passed",
  "changed_too_much",
  "line_too_long",
  "not_a_message",
  "malformed",
  "idle",
  "cancelled",
  "unknown_stop",
]);

/** Before the agent has read anything of the run: its program or its login is missing. */
const operatorsFaults: ReadonlySet<AgentFault["type"]> = new Set([
  "not_started",
  "no_place",
  "other_version",
  "login_needed",
]);

/** The error of its model that an agent has for its last words. Null: they are none. */
export function faultSaid(lastWords: string): AgentFault | null {
  const beginning = "Error: ";
  return lastWords.startsWith(beginning)
    ? { type: "model_failed", said: lastWords.slice(beginning.length) }
    : null;
}

export function failureOf(fault: AgentFault, context: FaultContext): BackendFailure {
  const { title, mask, complaint, hasAnswered, refused } = context;
  const described = describe(fault);
  const isModels = fault.type === "error" || fault.type === "model_failed";
  const advice = isModels && refused !== null ? adviceOn(refused) : null;
  const isRetryable = described.isRetryable && advice === null;
  const what = [described.what, ...(advice === null ? [] : [advice])].join(" ");
  const said = oneLine(mask.apply(complaint));
  const ending = said === "" ? "" : ` Its last line of errors: ${JSON.stringify(said)}.`;
  const message = `The agent ${JSON.stringify(title)} ${mask.apply(what)}${ending}`;
  const reason = operatorsFaults.has(fault.type) ? "misconfigured" : "agent_failed";
  if (fault.type === "misfit")
    return new BackendFailure(message, { reason, isRetryable, chargedFor: "output_schema" });
  const isCharged = hasAnswered && ownEnds.has(fault.type);
  return new BackendFailure(message, {
    reason,
    isRetryable,
    ...(isCharged ? { chargedFor: "answered" } : {}),
  });
}

/** Null where another try may do. */
function adviceOn({ wire, status }: RefusedRequest): string | null {
  if (status !== 401 && status !== 403) return null;
  if (wire !== "copilot") return `Its model's API refused the key (${status}).`;
  return (
    `GitHub Copilot refused the token (${status}). Add "permissions: copilot-requests: write" to the job, in a repository of an ` +
    'organization whose policy is "Allow use of Copilot CLI billed to the organization".'
  );
}

function describe(fault: AgentFault): { readonly what: string; readonly isRetryable: boolean } {
  const final = (what: string) => ({ what, isRetryable: false });
  const passing = (what: string) => ({ what, isRetryable: true });
  switch (fault.type) {
    case "not_started":
      return final(`could not be started (${fault.code}). Its operator must install it, or set ACP_COMMAND.`);
    case "exited": {
      const how = fault.signal === null ? `exit code ${fault.exitCode}` : `signal ${fault.signal}`;
      return passing(`ended before it had answered, with ${how}. Run it again.`);
    }
    case "cut":
      return passing("lost the connection to its place again and again. Run it again.");
    case "no_place":
      return passing(`could not be started: ${fault.why}`);
    case "ended":
      return passing("closed its output before it had answered. Run it again.");
    case "limit_passed":
      return final(
        `was ended: ${limitText(fault.passed)}. Ask for less in one run, or its operator may raise it.`,
      );
    case "changed_too_much":
      return final(
        "has changed more than its sandbox may hold (SANDBOX_DISK_MB). Ask for less in one run, or its operator may raise it.",
      );
    case "line_too_long":
      return final(`wrote a line of more than ${fault.maxBytes} bytes. Ask for less in one run.`);
    case "not_a_message":
      return final(
        `wrote ${JSON.stringify(oneLine(fault.text))} where ACP wants JSON-RPC. Is ACP_COMMAND its ACP mode?`,
      );
    case "start_timed_out":
      return passing(`did not open a session within ${fault.afterMs / 1000} s. Run it again.`);
    case "idle":
      return passing(`said nothing for ${fault.afterMs / 1000} s. Run it again, or ask for less.`);
    case "other_version":
      return final(
        `speaks version ${fault.version} of ACP, this service speaks 1. Its operator must update one.`,
      );
    case "login_needed": {
      const ways =
        fault.methods.length === 0 ? "" : ` It knows ${fault.methods.join(", ")} (ACP_AUTH_METHOD).`;
      return final(`wants a login. Its operator must put its key into ACP_ENV.${ways}`);
    }
    case "error":
      return passing(`answered ${fault.method} with an error: ${JSON.stringify(oneLine(fault.message))}.`);
    case "malformed":
      return final(`answered ${fault.method} with something that is not of ACP's form.`);
    case "model_failed":
      return passing(`got no answer of its model: ${JSON.stringify(oneLine(fault.said))}.`);
    case "silent":
      return passing("ended its turn without a word or a deed. Run it again.");
    case "not_taken_up":
      return passing("did not go on with its earlier session. Run it again.");
    case "misfit":
      return passing(
        `gave a reply that does not fit output_schema, even after a second try: ${fault.faults}.`,
      );
    case "cancelled":
      return passing("cancelled its turn, though nobody asked it to. Run it again.");
    case "unknown_stop":
      return final(
        `ended its turn for a reason that ACP does not know: ${JSON.stringify(oneLine(fault.stopReason))}.`,
      );
  }
}

function limitText({ limit, allowed, setting }: PassedLimit): string {
  switch (limit) {
    case "memory":
      return `with what it started, it used more than ${allowed} MB of memory (${setting})`;
    case "processes":
      return `it started more than ${allowed} processes and threads (${setting})`;
    case "disk":
      return `its checkout or its home grew beyond ${allowed} MB (${setting}), or it took the last of the disk`;
    default:
      return assertNever(limit);
  }
}

function oneLine(text: string): string {
  const line = text
    .replace(terminalCodes, "")
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return line.length > MAX_SAID_CHARS ? `${line.slice(0, MAX_SAID_CHARS)}…` : line;
}
