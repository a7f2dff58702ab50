// What the manifests of this repository start, read from the manifests themselves: no setting of theirs is written here again.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod/mini";

const root = join(import.meta.dirname, "../..");

export const kubernetesObjects: readonly unknown[] = parseAllDocuments(
  readFileSync(join(root, "deploy/kubernetes.yaml"), "utf8"),
).map((one) => one.toJS());

export const sandboxObjects: readonly unknown[] = parseAllDocuments(
  readFileSync(join(root, "deploy/sandbox-pods.yaml"), "utf8"),
).map((one) => one.toJS());

export const kedaObjects: readonly unknown[] = parseAllDocuments(
  readFileSync(join(root, "deploy/keda.yaml"), "utf8"),
).map((one) => one.toJS());

export const composeFile: unknown = parse(readFileSync(join(root, "compose.yaml"), "utf8"));

const secretRef = z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) });
const deploymentSchema = z.object({
  kind: z.literal("Deployment"),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    replicas: z.int(),
    template: z.object({
      spec: z.object({
        containers: z.tuple([
          z.object({
            args: z.array(z.string()),
            envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }) })),
            env: z.array(
              z.object({
                name: z.string(),
                value: z.optional(z.string()),
                valueFrom: z.optional(secretRef),
              }),
            ),
          }),
        ]),
      }),
    }),
  }),
});
const configMapSchema = z.object({
  kind: z.literal("ConfigMap"),
  metadata: z.object({ name: z.string() }),
  data: z.record(z.string(), z.string()),
});

export type ManifestNode = {
  readonly name: string;
  readonly replicas: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

/** The nodes of the Kubernetes manifest. `secrets` are the values of the secret that its first lines say how to make. */
export function manifestNodes(secrets: Readonly<Record<string, string>>): readonly ManifestNode[] {
  const maps = kubernetesObjects.flatMap((one) => configMapSchema.safeParse(one).data ?? []);
  return kubernetesObjects.flatMap((one) => {
    const deployment = deploymentSchema.safeParse(one).data;
    if (deployment === undefined) return [];
    const [{ args, envFrom, env: own }] = deployment.spec.template.spec.containers;
    const env: Record<string, string> = {};
    for (const { configMapRef } of envFrom)
      Object.assign(env, maps.find(({ metadata }) => metadata.name === configMapRef.name)?.data);
    for (const { name, value, valueFrom } of own) {
      const secret = valueFrom === undefined ? value : secrets[valueFrom.secretKeyRef.key];
      if (secret === undefined) throw new Error(`${name} is in no secret.`);
      env[name] = secret;
    }
    return [{ name: deployment.metadata.name, replicas: deployment.spec.replicas, args, env }];
  });
}

/** Without what KEDA 2.21 does not know. */
const scaledObjectSchema = z.strictObject({
  apiVersion: z.literal("keda.sh/v1alpha1"),
  kind: z.literal("ScaledObject"),
  metadata: z.strictObject({ name: z.string() }),
  spec: z.strictObject({
    scaleTargetRef: z.strictObject({ name: z.string() }),
    minReplicaCount: z.int(),
    maxReplicaCount: z.int(),
    pollingInterval: z.int(),
    fallback: z.strictObject({
      failureThreshold: z.int(),
      replicas: z.int(),
      behavior: z.enum(["static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower"]),
    }),
    advanced: z.strictObject({ horizontalPodAutoscalerConfig: z.strictObject({ behavior: z.unknown() }) }),
    triggers: z.tuple([
      z.strictObject({
        type: z.literal("postgresql"),
        // The only kind for which there is a fallback.
        metricType: z.literal("AverageValue"),
        authenticationRef: z.strictObject({ name: z.string() }),
        metadata: z.strictObject({ query: z.string(), targetQueryValue: z.string() }),
      }),
    ]),
  }),
});
const triggerAuthenticationSchema = z.strictObject({
  apiVersion: z.literal("keda.sh/v1alpha1"),
  kind: z.literal("TriggerAuthentication"),
  metadata: z.strictObject({ name: z.string() }),
  spec: z.strictObject({
    secretTargetRef: z.tuple([
      z.strictObject({ parameter: z.literal("connection"), name: z.string(), key: z.string() }),
    ]),
  }),
});

/** The objects of deploy/keda.yaml. */
export const scaling: z.infer<typeof scaledObjectSchema> = scaledObjectSchema.parse(kedaObjects[1]);
export const scalingAccess: z.infer<typeof triggerAuthenticationSchema> = triggerAuthenticationSchema.parse(
  kedaObjects[0],
);
