// What the OpenAPI document says of each refusal, once for all operations. Pure.

import type { ExampleName } from "./examples.ts";
import { answer, type HeaderName, headers, type JsonObject } from "./parts.ts";

type ProblemAnswer = {
  /** As a component, and so in generated code. */
  readonly name: string;
  readonly description: string;
  readonly headers?: readonly HeaderName[];
  readonly examples: readonly ExampleName<"Problem">[];
};

export const problemAnswers = {
  400: {
    name: "BadRequest",
    description: "The request is malformed.",
    examples: ["invalidRequest", "pullRequestUnsupported"],
  },
  401: {
    name: "Unauthorized",
    description: "The credential or token is missing, malformed, ended or refused.",
    headers: ["WWW-Authenticate"],
    examples: ["credentialUnknown", "tokenExpired", "audienceMismatch"],
  },
  402: {
    name: "PaymentRequired",
    description: "Nobody pays for the run: `reason` says why, `claim_url` how that changes.",
    examples: ["creditsEnded", "balanceEnded"],
  },
  403: {
    name: "Forbidden",
    description: "Policy forbids it, or the resource belongs to another.",
    examples: ["agentOfAnother", "ownerNeeded", "policyRefused"],
  },
  404: { name: "NotFound", description: "There is no such thing.", examples: ["notFound"] },
  409: {
    name: "Conflict",
    description: "It is being answered already, or its state does not allow it.",
    headers: ["Retry-After"],
    examples: ["runFinished", "keyInFlight", "sessionKeyInFlight"],
  },
  410: {
    name: "Gone",
    description: "It was there, and is not kept any more.",
    examples: ["eventsExpired"],
  },
  413: { name: "ContentTooLarge", description: "The body is too large.", examples: ["bodyTooLarge"] },
  415: {
    name: "UnsupportedMediaType",
    description: "The body's type is not read here.",
    examples: ["unsupportedMediaType"],
  },
  422: {
    name: "UnprocessableContent",
    description: "The idempotency key was used for a different request.",
    examples: ["keyReused"],
  },
  426: {
    name: "UpgradeRequired",
    description: "The request does not ask for a WebSocket.",
    headers: ["Upgrade"],
    examples: ["upgradeRequired"],
  },
  429: {
    name: "TooManyRequests",
    description: "Too many requests, or no capacity.",
    headers: ["Retry-After"],
    examples: ["rateLimited", "concurrencyReached"],
  },
  500: { name: "InternalError", description: "A fault of the service.", examples: ["internal"] },
  503: {
    name: "Unavailable",
    description: "It cannot be answered now.",
    headers: ["Retry-After"],
    examples: ["unavailable"],
  },
} as const satisfies Readonly<Record<number, ProblemAnswer>>;

/** References to the answers of an operation that are refusals; 500 may come from each. */
export function problems(...statuses: (keyof typeof problemAnswers)[]): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    [...statuses, 500 as const].map((status) => [
      status,
      { $ref: `#/components/responses/${problemAnswers[status].name}` },
    ]),
  );
}

/** The components that `problems` refers to. */
export function problemComponents(): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.values<ProblemAnswer>(problemAnswers).map(
      ({ name, description, headers: names = [], examples }) => [
        name,
        { ...answer(description, "Problem", ...examples), headers: headers("X-Request-Id", ...names) },
      ],
    ),
  );
}
