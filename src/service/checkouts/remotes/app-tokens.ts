// Installation tokens of the operator's GitHub App: one for each fetch, of one repository, that reads its contents and nothing else.
// GitHub's REST API, version 2022-11-28, looked up on 2026-11-26: https://docs.github.com/en/rest/apps/apps and
// https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app

import type { KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import * as z from "zod/mini";
import type { Clock } from "../../../base/clock.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { RemoteRefusal, RemoteRepository } from "../../core/repository-access/remotes.ts";

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;
/** GitHub's advice against clocks that differ, and half of what it allows. */
const BACKDATED_SECONDS = 60;
const VALID_SECONDS = 300;

export type GithubApp = {
  /** Its client id, or the older number. */
  readonly id: string;
  /** An RSA key. */
  readonly key: KeyObject;
};

/** In memory alone, until it is revoked. */
type AppToken = { readonly token: string; revoke(): Promise<void> };

type AppTokensOptions = { readonly app: GithubApp; readonly clock: Clock };

const installationSchema = z.object({ id: z.int() });
const tokenSchema = z.object({ token: z.string().check(z.regex(/^[\w.-]{8,1024}$/)) });

export class AppTokens {
  readonly #options: AppTokensOptions;

  constructor(options: AppTokensOptions) {
    this.#options = options;
  }

  /** Rejects with the signal's reason. */
  async make(
    repository: RemoteRepository,
    { api, signal }: { readonly api: string; readonly signal: AbortSignal },
  ): Promise<Result<AppToken, RemoteRefusal>> {
    const repositoryId = Number(repository.id);
    const bearer = await this.#jwt();
    const ask = (call: Call) => askFor(`${api}${call.path}`, { ...call, bearer, signal });
    const found = await ask({ path: `/repos/${repository.name}/installation`, method: "GET", status: 200 });
    if (!found.ok) return refused(refusalOf(found.refusal, "installation"));
    const installation = installationSchema.safeParse(found.value);
    if (!installation.success || !Number.isSafeInteger(repositoryId)) return refused(NOT_GITHUB);
    const path = `/app/installations/${installation.data.id}/access_tokens`;
    // By its id: a name may be another repository's by now.
    const body = { repository_ids: [repositoryId], permissions: { contents: "read" } };
    const made = await ask({ path, method: "POST", status: 201, body });
    if (!made.ok) return refused(refusalOf(made.refusal, "token"));
    const answer = tokenSchema.safeParse(made.value);
    if (!answer.success) return refused(NOT_GITHUB);
    const { token } = answer.data;
    const revoke = async () => {
      const end = {
        method: "DELETE",
        status: 204,
        bearer: token,
        signal: new AbortController().signal,
      } as const;
      // GitHub ends it within the hour where this fails.
      await askFor(`${api}/installation/token`, end).catch(() => {});
    };
    return ok({ token, revoke });
  }

  async #jwt(): Promise<string> {
    const { app, clock } = this.#options;
    const now = Math.floor(clock.now() / 1000);
    return await new SignJWT()
      .setProtectedHeader({ alg: "RS256", typ: "JWT" })
      .setIssuer(app.id)
      .setIssuedAt(now - BACKDATED_SECONDS)
      .setExpirationTime(now + VALID_SECONDS)
      .sign(app.key);
  }
}

/** Of the host that a clone URL names. */
export function githubApiOf(cloneUrl: string): string {
  const { protocol, host, origin } = new URL(cloneUrl);
  if (host === "github.com" || host.endsWith(".ghe.com")) return `${protocol}//api.${host}`;
  return `${origin}/api/v3`;
}

type Call = {
  readonly path: string;
  readonly method: "GET" | "POST";
  readonly status: number;
  readonly body?: unknown;
};
type Asked = Omit<Call, "path" | "method"> & {
  readonly method: Call["method"] | "DELETE";
  readonly bearer: string;
  readonly signal: AbortSignal;
};

/** The decoded answer; a refusal is another status than the wanted one, null for no answer. */
async function askFor(
  url: string,
  { method, status, body, bearer, signal }: Asked,
): Promise<Result<unknown, number | null>> {
  try {
    const response = await fetch(url, {
      method,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      headers: {
        authorization: `Bearer ${bearer}`,
        accept: "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
        "user-agent": "agent-service",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status !== status) {
      await response.body?.cancel();
      return refused(response.status);
    }
    return ok(status === 204 ? null : JSON.parse(await readCapped(response)));
  } catch {
    signal.throwIfAborted();
    return refused(null);
  }
}

async function readCapped(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early cancels the body.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new RangeError("The answer of the code host is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const NOT_GITHUB: RemoteRefusal = {
  detail: "the code host does not answer as GitHub's API does; tell the service's operator",
  isPassing: false,
};

function refusalOf(status: number | null, asked: "installation" | "token"): RemoteRefusal {
  if (status === null || status === 429 || status >= 500)
    return { detail: "the code host's API could not be reached; try again later", isPassing: true };
  const lasting = (detail: string) => ({ detail, isPassing: false });
  if (status === 401)
    return lasting(
      "the code host does not accept the App's key; tell the service's operator, who compares GITHUB_APP_ID and the key",
    );
  if (status >= 300 && status < 400)
    return lasting("the repository was renamed; run the agent once from CI, which tells its new name");
  if (asked === "installation" && status === 404)
    return lasting("the service's GitHub App is not installed on the repository; install it there");
  return lasting(
    "the App's installation may not read this repository; let it read the contents of the repository, and accept its permissions",
  );
}
