// Every way to run the service that one suite of tests passes unchanged: processes of their own with the machine's
// clock, on a store of their own. Each is started once for all files of the suite, by the first that asks.

import type { JsonWebKey } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NeedName } from "../../../scripts/test-needs.ts";
import { decodeRates } from "../../../src/service/settings/rates-file.ts";
import type { Role } from "../../../src/service/settings/service-settings.ts";
import { AUDIENCE } from "../fixtures/nodes-fixture.ts";
import { startFixture } from "../fixtures/start-fixture.ts";
import { ratesDocument } from "../rates-document.ts";
import { startS3Server } from "../s3-server.ts";
import { type StoreKind, storeKinds } from "../stores/stores.ts";

/** Free runs of a repository's owner. */
export const FREE_CREDITS = 2;
const RATES_DOCUMENT = suiteRates();

/** What the deployments charge and allow: the free plan has 3 credits, 2 agents and 1 run at a time. */
export const deployedRates = (() => {
  const decoded = decodeRates(RATES_DOCUMENT);
  if (!decoded.ok) throw new Error(decoded.refusal.join("\n"));
  return decoded.value;
})();

/** All that a test needs to use a deployment, as JSON: tests and set-up are different processes. */
export type DeploymentHandle = {
  readonly nodes: readonly { readonly url: string; readonly role: Role }[];
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly ratesFile: string;
  readonly audience: string;
  /** The code host's issuer, with the key that signs. */
  readonly issuer: {
    readonly url: string;
    readonly kid: string;
    readonly alg: string;
    readonly privateKey: JsonWebKey;
  };
};

export type RunningDeployment = { readonly handle: DeploymentHandle; close(): Promise<void> };

export type Deployment = {
  readonly name: string;
  /** What tests on it need. */
  readonly tags: readonly NeedName[];
  start(): Promise<RunningDeployment>;
};

export const deployments: readonly Deployment[] = storeKinds.flatMap((kind) => {
  const { tags } = kind;
  const one = {
    name: `one process on ${kind.name}`,
    tags,
    start: () => startDeployment(kind, ["all"]),
  };
  const several = {
    name: `two API nodes and two workers on ${kind.name} with an S3 server`,
    tags,
    start: () => startDeployment(kind, ["api", "api", "worker", "worker"]),
  };
  return kind.name === "SQLite" ? [one] : [one, several];
});

/** Starts one of its own, with these settings beside the common ones. */
export async function startDeployment(
  kind: StoreKind,
  roles: readonly Role[],
  more: Readonly<Record<string, string>> = {},
): Promise<RunningDeployment> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-rates-"));
  const ratesFile = join(folder, "rates.json");
  await writeFile(ratesFile, JSON.stringify(RATES_DOCUMENT));
  const place = await kind.make({ isEmpty: true });
  // One process has its folder; nodes share a bucket.
  const s3 = roles.length > 1 ? await startS3Server() : null;
  const settings = { RATES_FILE: ratesFile, CI_FREE_CREDITS: String(FREE_CREDITS), ...s3?.settings, ...more };
  const nodes = await startFixture({ level: "nodes", place, roles, settings });
  const { url, key } = nodes.codeHost.issuer;
  const privateKey = key.privateKey.export({ format: "jwk" });
  return {
    handle: {
      nodes: nodes.all.map((node) => ({ url: node.url, role: node.role })),
      ...place.settings,
      ratesFile,
      audience: AUDIENCE,
      issuer: { url, kid: key.kid, alg: key.alg, privateKey },
    },
    close: async () => {
      await nodes.close();
      await s3?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function suiteRates() {
  const document = ratesDocument();
  const { registered_free, subscribed } = document.plans;
  return {
    ...document,
    plans: {
      registered_free: { ...registered_free, first_credits: 3, max_agents: 2, max_concurrent_runs: 1 },
      subscribed: { ...subscribed, first_credits: 10_000 },
    },
  };
}
