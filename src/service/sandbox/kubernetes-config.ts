// The settings of SANDBOX=kubernetes. Pure.

import { isIPv6 } from "node:net";
import { isAbsolute } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { httpUrl, integer, matching } from "../../base/settings/kinds.ts";
import { described, kind, type ValuesOf } from "../../base/settings/setting.ts";

/** Where Kubernetes puts a pod's service account. */
const CREDENTIALS = "/var/run/secrets/kubernetes.io/serviceaccount";

export type KubernetesConfig = {
  /** Of the API server. */
  readonly url: string;
  readonly credentials: string;
  /** Null: that of the service's own pod. */
  readonly namespace: string | null;
  readonly pool: string;
  readonly waitMs: number;
};

const objectName = matching("the name of an object of Kubernetes", /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
const folder = kind("an absolute path", (path) => (isAbsolute(path) ? path : undefined));

/** By the names of their environment variables, in the order of the documentation. */
export const kubernetesSettings = {
  SANDBOX_KUBERNETES_POOL: described({
    kind: objectName,
    fallback: null,
    description:
      "With `SANDBOX=kubernetes`: the `SandboxWarmPool` of agent-sandbox from which each run gets a pod.",
    shownDefault: "none",
  }),
  SANDBOX_KUBERNETES_NAMESPACE: described({
    kind: objectName,
    fallback: null,
    description: "The namespace of that pool, in which claims are made.",
    shownDefault: "that of the service's pod",
  }),
  SANDBOX_KUBERNETES_URL: described({
    kind: httpUrl,
    fallback: null,
    description: "The API server of the cluster.",
    shownDefault: "that of the cluster that the service is in",
  }),
  SANDBOX_KUBERNETES_CREDENTIALS: described({
    kind: folder,
    fallback: CREDENTIALS,
    description: "The folder with `token` (read anew for each request), `ca.crt` and `namespace`.",
  }),
  SANDBOX_KUBERNETES_WAIT_SECONDS: described({
    kind: integer({ min: 1, max: 3_600 }),
    fallback: 120,
    description: "How long a run's first command waits for a pod. Then commands are refused, and say why.",
  }),
};

/** Null with another sandbox. Adds what is wrong to `problems`. */
export function readKubernetes(
  values: ValuesOf<typeof kubernetesSettings>,
  { isChosen, environment, problems }: { isChosen: boolean; environment: Environment; problems: string[] },
): KubernetesConfig | null {
  if (!isChosen) return null;
  const { SANDBOX_KUBERNETES_POOL: pool, SANDBOX_KUBERNETES_NAMESPACE: namespace } = values;
  const url = values.SANDBOX_KUBERNETES_URL ?? ownCluster(environment);
  if (pool === null)
    problems.push("SANDBOX_KUBERNETES_POOL must be set for SANDBOX kubernetes: the pool that gives pods.");
  if (url === null)
    problems.push("SANDBOX_KUBERNETES_URL must be set for SANDBOX kubernetes outside of a cluster.");
  // The token goes there.
  else if (!url.startsWith("https://")) problems.push("SANDBOX_KUBERNETES_URL must be an https:// URL.");
  if (pool === null || url === null) return null;
  return {
    url,
    credentials: values.SANDBOX_KUBERNETES_CREDENTIALS,
    namespace,
    pool,
    waitMs: values.SANDBOX_KUBERNETES_WAIT_SECONDS * 1000,
  };
}

/** As Kubernetes tells every pod. */
function ownCluster(environment: Environment): string | null {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = environment;
  if (host === undefined || host === "") return null;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
