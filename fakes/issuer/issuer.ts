// An OIDC issuer on loopback with real keys: discovery, a key set, signed tokens, and every way to fail at it.

import type { IncomingMessage, ServerResponse } from "node:http";
import { type Faults, makeFaults } from "../code-host/fault.ts";
import { sendJson, startLoopbackServer } from "../code-host/server.ts";
import { type Claims, githubClaims } from "./claims.ts";
import { type IssuerKey, type IssuerKeyOptions, makeIssuerKey, signCompact } from "./key.ts";

const JWKS_PATH = "/.well-known/jwks";
const DISCOVERY_PATH = "/.well-known/openid-configuration";

export type IssuerOptions = {
  /** Milliseconds since the epoch, for `iat`, `nbf` and `exp`. The machine's clock unless told. */
  readonly now?: () => number;
  /** The first key: made by these options, or one made before, which saves the time of making it. */
  readonly key?: IssuerKeyOptions | IssuerKey;
};

export type SignOptions = {
  readonly kid?: string;
  /** What the header says. The signature follows the key. */
  readonly alg?: string;
  /** More header parameters; `undefined` removes one. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** One of the issuer's keys, another issuer's, or null for no signature. The current key unless told. */
  readonly key?: IssuerKey | null;
  /** Signs by HMAC with these bytes in place of a key. */
  readonly secret?: Buffer;
};

export interface TestIssuer {
  readonly url: string;
  readonly jwksUri: string;
  /** The key that signs now. */
  readonly key: IssuerKey;
  /** Every request, in order: "GET /.well-known/jwks". */
  readonly requests: readonly string[];
  /** How often the key set was asked for. */
  readonly jwksRequests: number;
  /** Faults of the key set. */
  readonly faults: Faults;
  /** Signs claims, or the exact text of a payload. */
  sign(claims: Claims | string, options?: SignOptions): string;
  /** The claims of a GitHub Actions job, complete, a fresh `jti` each time. */
  githubClaims(overrides?: Claims): Record<string, unknown>;
  /** Publishes one more key. It does not sign unless named. */
  addKey(options?: IssuerKeyOptions): Promise<IssuerKey>;
  /** Replaces every published key by a new one, which signs from now on. */
  rotate(options?: IssuerKeyOptions): Promise<IssuerKey>;
  /** Publishes exactly these entries, valid or not. */
  publish(jwks: readonly unknown[]): void;
  close(): Promise<void>;
}

export async function startIssuer(options: IssuerOptions = {}): Promise<TestIssuer> {
  const now = options.now ?? Date.now;
  const requests: string[] = [];
  const faults = makeFaults();
  let current = await firstKey(options.key ?? {});
  let published: readonly unknown[] = [current.jwk];

  const server = await startLoopbackServer(async (request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.method} ${request.url}`);
    if (request.url === DISCOVERY_PATH) return sendJson(response, 200, discovery(server.url));
    if (request.url !== JWKS_PATH) return sendJson(response, 404, { message: "Not Found" });
    if (await faults.answered(response)) return;
    sendJson(response, 200, { keys: published });
  });

  return {
    url: server.url,
    jwksUri: server.url + JWKS_PATH,
    get key() {
      return current;
    },
    requests,
    get jwksRequests() {
      return requests.filter((line) => line === `GET ${JWKS_PATH}`).length;
    },
    faults,
    sign: (claims, sign = {}) => {
      const key = sign.key === undefined ? current : sign.key;
      const header = {
        typ: "JWT",
        alg: sign.alg ?? key?.alg ?? "none",
        kid: sign.kid ?? key?.kid,
        ...sign.header,
      };
      return signCompact({ header, payload: claims, key: sign.secret ?? key?.privateKey ?? null });
    },
    githubClaims: (overrides = {}) => githubClaims({ issuer: server.url, nowMs: now(), overrides }),
    addKey: async (keyOptions) => {
      const key = await makeIssuerKey(keyOptions);
      published = [...published, key.jwk];
      return key;
    },
    rotate: async (keyOptions) => {
      current = await makeIssuerKey(keyOptions);
      published = [current.jwk];
      return current;
    },
    publish: (jwks) => {
      published = jwks;
    },
    close: server.close,
  };
}

async function firstKey(key: IssuerKeyOptions | IssuerKey): Promise<IssuerKey> {
  return "privateKey" in key ? key : makeIssuerKey(key);
}

function discovery(issuer: string) {
  return {
    issuer,
    jwks_uri: issuer + JWKS_PATH,
    subject_types_supported: ["public", "pairwise"],
    response_types_supported: ["id_token"],
    id_token_signing_alg_values_supported: ["RS256"],
    scopes_supported: ["openid"],
  };
}
