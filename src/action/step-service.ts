// The service that the step uses, one that somebody runs or one inside the job, and the capability that it grants.

import * as core from "@actions/core";
import type { CiProvider } from "../ci/provider.ts";
import { createJobClient, type JobClient } from "../client/job-client.ts";
import type { ExchangeResponse } from "../contract/ci/exchange.ts";
import { createCapability } from "../job/capability.ts";
import type { Inputs } from "./inputs.ts";
import { sayLine } from "./say-line.ts";
import { leaveState } from "./state.ts";
import { noteRetry, type Step } from "./step.ts";

/** Where the service is, and who says to it who this job is. */
export type StepService = {
  readonly baseUrl: string;
  readonly audience: string;
  readonly provider: CiProvider;
};

/** A service that is named is taken as it is; else one starts here. */
export async function openService(
  { env, progress }: Step,
  { inputs, github }: { inputs: Inputs; github: CiProvider },
): Promise<StepService> {
  const { service } = inputs;
  if (service.type === "remote") {
    warnOfPlainHttp(service.baseUrl);
    return { ...service, provider: github };
  }
  const { embeddedProvider, NO_MODEL_TEXT, startService } = await import("./embedded-service.ts");
  const { model } = service;
  const embedded = await startService({ env, job: github.job, model, onWarning: sayLine });
  progress.embedded = embedded;
  if (!embedded.hasModel) core.notice(NO_MODEL_TEXT);
  return { baseUrl: embedded.url, audience: "", provider: embeddedProvider(github.job, embedded) };
}

export async function takeCapability(
  step: Step,
  { inputs, service }: { inputs: Inputs; service: StepService },
): Promise<{ client: JobClient; grant: ExchangeResponse }> {
  const { interrupts, transport, progress } = step;
  const capability = createCapability({
    provider: service.provider,
    audience: service.audience,
    account: progress.embedded === null ? inputs.account : null,
    exchange: (options) => client.exchange(options),
    setSecret: core.setSecret,
    onGrant: (grant) => {
      progress.grant = grant;
      // One of a service that ends with this step is of no use to the next.
      if (progress.embedded !== null) return;
      leaveState({ capability: grant.access_token, phase: progress.run === null ? "granted" : "submitted" });
    },
  });
  const client = createJobClient({
    baseUrl: service.baseUrl,
    credential: capability,
    transport: transport.send,
    userAgent: "agent-service-action",
    onRetry: noteRetry,
  });
  return { client, grant: await capability.grant(interrupts.first) };
}

/** A name without a dot is a container beside the job; all else travels over a network. */
function warnOfPlainHttp(baseUrl: string): void {
  const { protocol, hostname } = new URL(baseUrl);
  const isNear = hostname === "[::1]" || hostname.startsWith("127.") || !hostname.includes(".");
  if (protocol === "http:" && !isNear) {
    core.warning(`"base-url" is plain http: whoever is on the way can read the job's tokens. Use https.`);
  }
}
