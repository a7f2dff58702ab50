// The policy of the core by the operator's settings.

import type { FreeFor, Policy } from "../core/core.ts";
import { type Config, defaultModelOf } from "../settings/config.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

type PolicyParts = {
  readonly config: Config;
  readonly egressNeedsOwner?: boolean;
  readonly freeFor?: FreeFor;
};

/** Without a base URL of the operator's it is where the node listens. */
export function policyOf(
  { config, egressNeedsOwner = true, freeFor = "public_repositories" }: PolicyParts,
  listeningAt: string,
): Policy {
  const baseUrl = config.baseUrl ?? listeningAt;
  return {
    baseUrl,
    webUrl: config.webUrl ?? baseUrl,
    audience: config.audience ?? new URL(baseUrl).host,
    freeCredits: config.freeCredits,
    freeFor,
    refundsPerDay: config.refundsPerDay,
    ratePerMinute: config.ratePerMinute,
    addressRatePerMinute: config.addressRatePerMinute,
    capabilityMs: config.capabilitySeconds * 1000,
    keptMs: config.retentionDays * DAY_MS,
    archiveMs: config.archiveDays === 0 ? null : config.archiveDays * DAY_MS,
    journalMs: config.journalDays * DAY_MS,
    egress: {
      entries: config.egress.cap,
      registries: config.egress.registries,
      needsOwner: egressNeedsOwner,
    },
    backend: config.backend,
    signIn: config.signIn,
    operators: config.operators,
    // A service inside of a job has its access from there.
    takesModelAccess: freeFor !== "everyone",
    needsWriteGrants: freeFor !== "everyone",
    coderWire: config.acp === null ? null : { backend: config.backend, wire: config.acp.model?.wire ?? null },
    defaultModel: defaultModelOf(config),
    maxCostMicroUsd: config.maxCostMicroUsd,
    registersClients: config.registersClients,
    readsClientDocuments: config.readsClientDocuments,
    maxQueuedRuns: config.maxQueuedRuns,
  };
}
