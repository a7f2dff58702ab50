// Where an operator's routes are. Pure.

import { type Endpoint, everybody } from "../route.ts";

const health = async () => (await import("./health.ts")).healthSchema;
const probe = { method: "GET", callers: everybody, repeat: "safe" } as const;

export const operationEndpoints = {
  health: { ...probe, path: "/healthz", answer: health },
  readiness: { ...probe, path: "/readyz", answer: health },
} as const satisfies Readonly<Record<string, Endpoint>>;
