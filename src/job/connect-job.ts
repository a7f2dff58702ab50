// The client of a service, with the capability of this job: exchanged on demand, renewed when it ends.

import type { RetryNotice } from "../base/backoff.ts";
import { createJobClient, type JobClient } from "../client/job-client.ts";
import type { Transport } from "../client/transport.ts";
import type { ExchangeResponse } from "../contract/ci/exchange.ts";
import { createCapability, type JobCapability } from "./capability.ts";
import { untilFirstAnswer } from "./first-answer.ts";
import type { JobService } from "./job-types.ts";
import type { JobWords } from "./job-words.ts";

type ConnectOptions = {
  readonly service: JobService;
  /** A capability that an earlier step was given. */
  readonly token?: string;
  readonly transport: Transport;
  readonly userAgent: string;
  readonly words: JobWords;
  readonly setSecret: (secret: string) => void;
  /** Called for each capability, the first one too. */
  readonly onGrant?: (grant: ExchangeResponse) => void;
  readonly onRetry?: (notice: RetryNotice) => void;
};

/** Sends nothing until a method is called. */
export function connectJob(options: ConnectOptions): { client: JobClient; grant: JobCapability["grant"] } {
  const { service, words, onGrant = () => {}, ...shared } = options;
  const capability = createCapability({
    ...shared,
    onGrant,
    provider: service.tokens,
    ...(service.type === "remote"
      ? { audience: service.audience, account: service.account, sha: service.sha }
      : { audience: EMBEDDED_AUDIENCE, account: null }),
    exchange: (exchange) => client.ci.exchange(exchange),
  });
  const transport = untilFirstAnswer(shared.transport, words);
  const client = createJobClient({ ...shared, transport, baseUrl: service.baseUrl, credential: capability });
  return { client, grant: capability.grant };
}

/** A service inside the job mints the job's tokens itself. */
const EMBEDDED_AUDIENCE = "";
