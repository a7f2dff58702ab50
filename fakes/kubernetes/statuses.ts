// What the fake cluster answers beside objects of its own: conditions, statuses, and pods and sandboxes as a worker reads them.

import type { FakePod } from "./pods.ts";

export function condition(status: "True" | "False", reason: string, message: string): object {
  return { type: "Ready", status, reason, message, lastTransitionTime: new Date().toISOString() };
}

export type StatusObject = { readonly code: number; readonly message: string };

export function statusObject(given: {
  code: number;
  reason: string;
  message: string;
  status?: string;
}): StatusObject {
  return { ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" }, ...given };
}

export function podObject(
  { name, uid, phase, status }: FakePod,
  { namespace, imageId }: { readonly namespace: string; readonly imageId: string },
): object {
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name, namespace, uid, resourceVersion: "1" },
    status: {
      phase,
      containerStatuses: [{ name: "commands", image: "agent-pods:1", imageID: imageId }],
      ...status,
    },
  };
}

export function sandboxObject({ name, uid }: FakePod, namespace: string): object {
  const annotations = { "agents.x-k8s.io/pod-name": name };
  const metadata = { name, namespace, uid, resourceVersion: "1", annotations };
  return { kind: "Sandbox", apiVersion: "agents.x-k8s.io/v1beta1", metadata };
}

/** As the kubelet tells how a program ended: of a signal as a shell does. */
export function exitStatus({ code, fault }: { code?: number | null; fault?: string }): object {
  if (fault !== undefined)
    return statusObject({ code: 500, reason: "InternalError", message: `failed to exec: ${fault}` });
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    reason: "NonZeroExitCode",
    message: "command terminated with non-zero exit code",
    details: { causes: [{ reason: "ExitCode", message: `${code ?? 137}` }] },
  };
}
