// The documents' texts for each status of a refusal, once for all routes. Pure.

import type { DocumentHeader } from "../headers.ts";
import type { ProblemExampleName } from "./examples.ts";

type ProblemAnswer = {
  /** As a component, and so in generated code. */
  readonly name: string;
  readonly description: string;
  readonly headers?: readonly DocumentHeader[];
  readonly examples: readonly ProblemExampleName[];
};

export const problemAnswers = {
  400: {
    name: "BadRequest",
    description: "The request is malformed: `fields` says which fields are wrong, and what is allowed.",
    examples: ["invalidRequest", "pullRequestUnsupported", "modelAccessRefused", "priceUnknown"],
  },
  401: {
    name: "Unauthorized",
    description: "The credential or token is missing, malformed, ended or refused.",
    headers: ["WWW-Authenticate"],
    examples: ["credentialUnknown", "tokenExpired", "audienceMismatch"],
  },
  402: {
    name: "PaymentRequired",
    description: "Nobody pays for it: `reason` says why, `claim_url` how that changes.",
    examples: ["creditsEnded", "balanceEnded", "claimRequired", "dayCapReached"],
  },
  403: {
    name: "Forbidden",
    description: "Policy forbids it, or the resource belongs to another.",
    headers: ["WWW-Authenticate"],
    examples: ["agentOfAnother", "ownerNeeded", "scopeNeeded", "policyRefused", "commitNotTheJobs"],
  },
  404: { name: "NotFound", description: "There is no such thing.", examples: ["notFound"] },
  409: {
    name: "Conflict",
    description: "It is being answered already, or its state does not allow it.",
    headers: ["Retry-After"],
    examples: [
      "runFinished",
      "keyInFlight",
      "sessionKeyInFlight",
      "modelAccessNone",
      "commitMissing",
      "commitUnknown",
      "commitUnreachable",
      "repositoryAccessUnavailable",
    ],
  },
  410: {
    name: "Gone",
    description: "It was there, and is not kept any more.",
    examples: ["eventsExpired"],
  },
  412: {
    name: "PreconditionFailed",
    description: "If-Match names another ETag than the one that holds: `current_etag`.",
    headers: ["ETag"],
    examples: ["preconditionFailed"],
  },
  413: {
    name: "ContentTooLarge",
    description: "The body is too large.",
    examples: ["bodyTooLarge", "uploadTooLarge"],
  },
  415: {
    name: "UnsupportedMediaType",
    description: "A body of this type is not read here.",
    examples: ["unsupportedMediaType"],
  },
  416: {
    name: "RangeNotSatisfiable",
    description: "The range is malformed, or none of it is there.",
    headers: ["Content-Range"],
    examples: ["rangeNotSatisfiable"],
  },
  422: {
    name: "UnprocessableContent",
    description:
      "The idempotency key was used for a different request, or the pack cannot be used: `reason` says why.",
    examples: ["keyReused", "packRefused"],
  },
  426: {
    name: "UpgradeRequired",
    description: "The request is not a WebSocket handshake.",
    headers: ["Upgrade"],
    examples: ["upgradeRequired"],
  },
  429: {
    name: "TooManyRequests",
    description: "Too many requests, or no capacity.",
    headers: ["Retry-After"],
    examples: ["rateLimited", "concurrencyReached"],
  },
  500: {
    name: "InternalError",
    description: "A fault of the service.",
    examples: ["internal", "contentsLost"],
  },
  503: {
    name: "Unavailable",
    description: "It cannot be answered now.",
    headers: ["Retry-After"],
    examples: ["unavailable", "storeUnavailable", "storageFull", "storageUnavailable", "overloaded"],
  },
} as const satisfies Readonly<Record<number, ProblemAnswer>>;

export type ProblemStatus = keyof typeof problemAnswers;
