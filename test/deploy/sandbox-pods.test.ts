// The manifest of SANDBOX=kubernetes: what the schemas of Kubernetes and the API of agent-sandbox allow, the rights that a worker uses, and
// what the service expects of its pods.

import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { workerRules } from "../../fakes/kubernetes/cluster.ts";
import { decodeSandbox } from "../../src/service/sandbox/sandbox-config.ts";
import { sandboxObjects } from "./manifest-settings.ts";

type Kind = new (value: unknown) => { validate(): void };
type Named = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

const NAMESPACE = "agent-pods";
const metadata = z.strictObject({ name: z.string(), namespace: z.literal(NAMESPACE) });

/** In the fields that agent-sandbox v1beta1 has, as its sources were read on 2026-11-29: it publishes no schema to npm. */
const templateSchema = z.strictObject({
  apiVersion: z.literal("extensions.agents.x-k8s.io/v1beta1"),
  kind: z.literal("SandboxTemplate"),
  metadata,
  spec: z.strictObject({
    podTemplate: z.strictObject({ spec: z.record(z.string(), z.unknown()) }),
    networkPolicy: z.strictObject({ ingress: z.array(z.unknown()), egress: z.array(z.unknown()) }),
    networkPolicyManagement: z.enum(["Managed", "Unmanaged"]),
    envVarsInjectionPolicy: z.enum(["Allowed", "Overrides", "Disallowed"]),
  }),
});
const poolSchema = z.strictObject({
  apiVersion: z.literal("extensions.agents.x-k8s.io/v1beta1"),
  kind: z.literal("SandboxWarmPool"),
  metadata,
  spec: z.strictObject({
    replicas: z.int().check(z.minimum(0)),
    sandboxTemplateRef: z.strictObject({ name: z.string() }),
    updateStrategy: z.strictObject({ type: z.enum(["OnReplenish", "Recreate"]) }),
  }),
});

async function validate(object: unknown): Promise<void> {
  const { apiVersion, kind } = object as Named;
  const kinds: Readonly<Record<string, Kind>> = await import(`kubernetes-models/${apiVersion}`);
  const Kind = kinds[kind];
  if (Kind === undefined) throw new Error(`There is no ${kind} in ${apiVersion}.`);
  new Kind(object).validate();
}

function one<Schema extends z.ZodMiniType>(kind: string, schema: Schema): z.infer<Schema> {
  return schema.parse(sandboxObjects.find((object) => (object as Named).kind === kind));
}

const isOfAgentSandbox = (object: unknown) => (object as Named).apiVersion.includes("agents.x-k8s.io");

describe("deploy/sandbox-pods.yaml", () => {
  it("is what the schemas of Kubernetes and the fields of agent-sandbox allow", async () => {
    const own = sandboxObjects.filter((object) => !isOfAgentSandbox(object));
    expect(own).toHaveLength(6);
    for (const object of own) await validate(object);
    const { podTemplate } = one("SandboxTemplate", templateSchema).spec;
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "pod" }, spec: podTemplate.spec };
    await validate(pod);
    await expect(validate({ ...pod, spec: { ...podTemplate.spec, containers: "one" } })).rejects.toThrow(
      /containers/,
    );
    expect(one("SandboxWarmPool", poolSchema).spec.replicas).toBeGreaterThan(0);
  });

  it("gives workers the rights that they use, and no other", () => {
    const rules = z.array(
      z.strictObject({
        apiGroups: z.array(z.string()),
        resources: z.array(z.string()),
        verbs: z.array(z.string()),
      }),
    );
    const role = one("Role", z.object({ metadata, rules }));
    // Every test of the sandbox has these alone.
    expect(role.rules).toEqual(workerRules);
    const binding = one(
      "RoleBinding",
      z.object({ metadata, roleRef: z.object({ name: z.string() }), subjects: z.array(z.unknown()) }),
    );
    expect(binding.roleRef.name).toBe(role.metadata.name);
    const account = sandboxObjects.find((object) => (object as Named).kind === "ServiceAccount") as Named;
    const { name, namespace } = account.metadata;
    expect(binding.subjects).toEqual([{ kind: "ServiceAccount", name, namespace }]);
  });

  it("confines its pods: nobody's user, no account, no network, no way to write but its own folders", () => {
    const container = z.object({
      workingDir: z.literal("/workspace"),
      resources: z.object({ limits: z.object({ memory: z.string(), "ephemeral-storage": z.string() }) }),
      securityContext: z.object({
        allowPrivilegeEscalation: z.literal(false),
        readOnlyRootFilesystem: z.literal(true),
        capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
      }),
      volumeMounts: z.array(z.object({ mountPath: z.string() })),
    });
    const pod = z.object({
      automountServiceAccountToken: z.literal(false),
      enableServiceLinks: z.literal(false),
      securityContext: z.object({
        runAsNonRoot: z.literal(true),
        seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
      }),
      containers: z.tuple([container]),
    });
    const { spec } = one("SandboxTemplate", templateSchema);
    expect(spec).toMatchObject({
      networkPolicyManagement: "Managed",
      networkPolicy: { ingress: [], egress: [] },
      envVarsInjectionPolicy: "Disallowed",
    });
    const { containers } = pod.parse(spec.podTemplate.spec);
    const [{ volumeMounts, resources }] = containers;
    expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual(["/workspace", "/tmp"]);
    // What the agent is told of its memory by default.
    const decoded = decodeSandbox({}, "/data");
    expect(decoded.ok && `${decoded.value.limits.memoryBytes / 1024 ** 3}Gi`).toBe(resources.limits.memory);
    const policy = one("NetworkPolicy", z.object({ spec: z.record(z.string(), z.unknown()) }));
    expect(policy.spec).toEqual({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
  });

  it("names a pool and a template that are there, as the settings that it tells of", () => {
    const { spec, metadata: pool } = one("SandboxWarmPool", poolSchema);
    expect(spec.sandboxTemplateRef.name).toBe(one("SandboxTemplate", templateSchema).metadata.name);
    const decoded = decodeSandbox(
      {
        SANDBOX: "kubernetes",
        SANDBOX_KUBERNETES_POOL: pool.name,
        SANDBOX_KUBERNETES_NAMESPACE: pool.namespace,
        KUBERNETES_SERVICE_HOST: "10.0.0.1",
      },
      "/data",
    );
    expect(decoded.ok && decoded.value.kubernetes).toMatchObject({
      pool: "agent-pods",
      namespace: NAMESPACE,
    });
  });
});
