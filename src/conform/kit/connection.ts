// Sends requests to the deployment and keeps the answers. Waits where the service says that it is busy.

import type { Clock } from "../../base/clock.ts";
import { parseJson } from "../../base/json.ts";
import { OperatorError } from "../../base/operator-error.ts";
import type { Answer } from "./exchange.ts";

export type Ask = {
  readonly method?: string;
  readonly path: string;
  /** The credential; none where it is left out. */
  readonly bearer?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  /** True where an answer of 429 is what is asked about. */
  readonly keepsBusy?: boolean;
};

export type DeploymentConnection = {
  readonly baseUrls: readonly string[];
  /** Every answer so far, in order. */
  readonly answers: readonly Answer[];
  ask(ask: Ask): Promise<Answer>;
};

/** The deployment was not reached, or did not answer in time. */
export class NoAnswerError extends OperatorError {
  readonly code = "no_answer";

  constructor(baseUrl: string, cause: unknown) {
    super(
      `${baseUrl} does not answer (${reasonOf(cause)}). Is the service running, and is this its address?`,
      {
        cause,
      },
    );
  }
}

/** The system's name of the failure, such as ECONNREFUSED, or else what lies deepest. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.cause instanceof Error) return reasonOf(thrown.cause);
  return "code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.message;
}

const TIMEOUT_MS = 60_000;
const MAX_WAIT_SECONDS = 60;
const MAX_WAITS = 6;
/** Codes that go away by waiting: a rate, a limit of runs at a time, an overload. */
const BUSY = new Set(["rate_limited", "capacity_reached", "concurrency_reached", "overloaded"]);

/** Opens the way to a deployment. Several base URLs are nodes of one: requests go to them in turn. */
export function openConnection(options: {
  readonly baseUrls: readonly string[];
  readonly userAgent: string;
  readonly clock: Clock;
}): DeploymentConnection {
  const { baseUrls, clock, userAgent } = options;
  const answers: Answer[] = [];
  let turn = 0;
  const once = async (ask: Ask): Promise<Answer> => {
    const base = baseUrls[turn % baseUrls.length] ?? "";
    turn += 1;
    const { method = "GET", path, bearer, json, raw } = ask;
    const body = json === undefined ? (raw ?? null) : JSON.stringify(json);
    const headers = {
      "user-agent": userAgent,
      ...(json === undefined ? {} : { "content-type": "application/json" }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...ask.headers,
    };
    const { response, text } = await send(base, path, {
      method,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === null ? {} : { body }),
    });
    const answer = {
      asked: {
        method,
        path,
        headers,
        body: typeof body === "object" && body !== null ? `(${body.length} bytes)` : body,
      },
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text,
      json: parseJson(text),
    };
    answers.push(answer);
    return answer;
  };
  return {
    baseUrls,
    answers,
    ask: async (ask) => {
      for (let waits = 0; ; waits += 1) {
        const answer = await once(ask);
        const seconds = busySeconds(answer);
        if (ask.keepsBusy === true || seconds === null || waits === MAX_WAITS) return answer;
        await clock.sleep(seconds * 1_000);
      }
    },
  };
}

/** Throws a NoAnswerError. */
async function send(
  base: string,
  path: string,
  init: RequestInit,
): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(base + path, init);
    return { response, text: await response.text() };
  } catch (cause) {
    throw new NoAnswerError(base, cause);
  }
}

function busySeconds({ status, headers, json }: Answer): number | null {
  if (status !== 429 && status !== 503) return null;
  const code = typeof json === "object" && json !== null ? Reflect.get(json, "code") : undefined;
  if (!BUSY.has(String(code))) return null;
  const seconds = Number(headers["retry-after"]);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), MAX_WAIT_SECONDS) : 1;
}
