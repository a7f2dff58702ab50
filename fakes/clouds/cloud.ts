// What every cloud here is to the house that plays it: its hosts, its answers, and what an administrator and a test see of it.

import type { IncomingHttpHeaders } from "node:http";
import type { CloudName } from "../../src/contract/models/clouds.ts";

export type CloudRequest = {
  readonly method: string;
  readonly host: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type CloudAnswer =
  | { readonly type: "json"; readonly status: number; readonly body: unknown }
  | { readonly type: "text"; readonly status: number; readonly contentType: string; readonly body: string }
  /** The scripted model answers, as if it had been asked this. */
  | { readonly type: "model"; readonly path: string; readonly body: string };

/** One exchange, with all its steps so far. */
export type CloudExchange = {
  readonly cloud: CloudName;
  readonly status: number;
  /** The code of a refusal. */
  readonly reason: string | null;
  readonly idToken: string;
  readonly accessToken: string | null;
  readonly expiresAtMs: number | null;
  /** The path and the fields of the request. */
  readonly asked: Readonly<Record<string, string>>;
  /** What else of this exchange nobody else may see. */
  readonly secrets: readonly string[];
};

export type CloudIssuer = { readonly url: string; readonly jwksUri: string };

/** What the cloud gives a process that is executed there, for the time that it says. Each name is a secret. */
export type LentCredentials = { readonly expiresAtMs: number } & (
  | { readonly accessToken: string }
  | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken: string }
);

export interface CloudFake {
  readonly name: CloudName;
  readonly hosts: readonly string[];
  readonly exchanges: readonly CloudExchange[];
  /** Calls of models that were refused, by the code of the refusal. */
  readonly refusedCalls: readonly { readonly host: string; readonly why: string }[];
  answer(request: CloudRequest): Promise<CloudAnswer>;
  /** Credentials of what is executed in the cloud, which may ask its models. */
  lend(lifeSeconds: number): LentCredentials;
}

/** The subjects of jobs of the repositories that tests have. */
export const subjects = [
  "repo:octo-org/octo-repo:ref:refs/heads/main",
  "repo:octo/project:ref:refs/heads/main",
];

export function json(status: number, body: unknown): CloudAnswer {
  return { type: "json", status, body };
}

export function formOf({ headers, body }: CloudRequest): Readonly<Record<string, string>> | null {
  const [type] = String(headers["content-type"] ?? "").split(";");
  return type === "application/x-www-form-urlencoded" ? Object.fromEntries(new URLSearchParams(body)) : null;
}

export function jsonOf({ headers, body }: CloudRequest): Readonly<Record<string, unknown>> | null {
  const [type] = String(headers["content-type"] ?? "").split(";");
  if (type !== "application/json") return null;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

export function bearerOf({ headers }: CloudRequest): string {
  return /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
}

/** Keys beside a token: what a careless client leaves there. */
export function keysBeside({ headers }: CloudRequest): string[] {
  return ["x-api-key", "api-key", "x-goog-api-key"].filter((name) => headers[name] !== undefined);
}
