// A GitHub App: its installations, the tokens that they give, and private clones with such a token. Tokens of the App itself are
// verified with its real key.
// https://docs.github.com/en/rest/apps/apps, https://docs.github.com/en/rest/apps/installations

import { generateKeyPairSync, type KeyPairKeyObjectResult, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { jwtVerify } from "jose";
import { makeGitHttp, parseGitRequest } from "./git-http.ts";
import { sendJson } from "./server.ts";

const MOST_SECONDS = 600;
const BACKDATED_SECONDS = 60;
/** Made once a process: it takes as much processor time as many a test. */
let keyPair: KeyPairKeyObjectResult | null = null;

export type AppRepository = { readonly name: string; readonly id: string; readonly path: string };
export type AppTokenRecord = {
  readonly token: string;
  readonly repositoryIds: readonly number[];
  isRevoked: boolean;
};

type HostCall = { readonly url: URL; readonly body: Buffer; readonly bearer: string | null };

export class CodeHostApp {
  readonly id = "Iv23liFakeApp";
  /** PKCS #1, as GitHub hands it out. */
  readonly privateKey: string;
  /** Every installation token that was made. */
  readonly tokens: AppTokenRecord[] = [];
  readonly #publicKey;
  readonly #now: () => number;
  readonly #repositories = new Map<string, AppRepository>();
  /** What owners have granted. */
  permissions: Readonly<Record<string, string>> = { contents: "read", metadata: "read" };

  constructor(now: () => number = Date.now) {
    keyPair ??= generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pair = keyPair;
    this.privateKey = pair.privateKey.export({ type: "pkcs1", format: "pem" }).toString();
    this.#publicKey = pair.publicKey;
    this.#now = now;
  }

  /** Puts it on a repository, which is then there for its tokens alone. */
  install(repository: AppRepository): void {
    this.#repositories.set(repository.name, repository);
  }

  uninstall(name: string): void {
    this.#repositories.delete(name);
  }

  /** Answers what is the App's, and returns true; returns false, untouched, for any other. */
  async handle(request: IncomingMessage, response: ServerResponse, call: HostCall): Promise<boolean> {
    const { pathname } = call.url;
    if (parseGitRequest(request) !== null) return await this.#clone(request, response, call);
    const installed = /^\/api\/v3\/repos\/([^/]+\/[^/]+)\/installation$/.exec(pathname)?.[1];
    const isForToken = /^\/api\/v3\/app\/installations\/(\d+)\/access_tokens$/.exec(pathname)?.[1];
    if (installed !== undefined) {
      if (await this.#isApps(response, call.bearer)) this.#sendInstallation(response, installed);
    } else if (isForToken !== undefined) {
      if (await this.#isApps(response, call.bearer))
        this.#makeToken(response, { installation: isForToken, ...call });
    } else if (pathname === "/api/v3/installation/token" && request.method === "DELETE") {
      const known = this.#live(call.bearer);
      if (known !== undefined) known.isRevoked = true;
      response.writeHead(known === undefined ? 401 : 204).end();
    } else return false;
    return true;
  }

  async #isApps(response: ServerResponse, bearer: string | null): Promise<boolean> {
    const currentDate = new Date(this.#now());
    const options = { algorithms: ["RS256"], issuer: this.id, currentDate, requiredClaims: ["iat", "exp"] };
    const verified = await jwtVerify(bearer ?? "", this.#publicKey, options).catch(() => null);
    const { exp = 0, iat = 0 } = verified?.payload ?? {};
    const seconds = currentDate.getTime() / 1000;
    const isGood = verified !== null && exp - seconds <= MOST_SECONDS && iat <= seconds + BACKDATED_SECONDS;
    if (!isGood) sendJson(response, 401, { message: "A JSON web token could not be decoded", status: "401" });
    return isGood;
  }

  #sendInstallation(response: ServerResponse, name: string): void {
    const found = this.#repositories.get(decodeURIComponent(name));
    if (found === undefined) sendJson(response, 404, { message: "Not Found", status: "404" });
    else
      sendJson(response, 200, { id: 100_000 + Number(found.id), app_id: 1, permissions: this.permissions });
  }

  #makeToken(
    response: ServerResponse,
    { installation, body }: HostCall & { readonly installation: string },
  ): void {
    const asked = JSON.parse(body.toString() || "{}") as {
      repository_ids?: number[];
      permissions?: Record<string, string>;
    };
    const { repository_ids: repositoryIds = [], permissions = this.permissions } = asked;
    const installed = [...this.#repositories.values()].map(({ id }) => Number(id));
    const isGranted = Object.entries(permissions).every(([name, level]) => this.permissions[name] === level);
    const isOf = repositoryIds.every((id) => installed.includes(id) && installation === String(100_000 + id));
    if (!isGranted || !isOf || repositoryIds.length === 0) {
      const message = "There is at least one repository that does not exist";
      sendJson(response, 422, { message, status: "422" });
      return;
    }
    const token = `ghs_${randomUUID().replaceAll("-", "")}`;
    this.tokens.push({ token, repositoryIds, isRevoked: false });
    const expires_at = new Date(this.#now() + 3_600_000).toISOString();
    sendJson(response, 201, { token, expires_at, permissions, repository_selection: "selected" });
  }

  async #clone(request: IncomingMessage, response: ServerResponse, call: HostCall): Promise<boolean> {
    const found = this.#repositories.get(parseGitRequest(request)?.repository ?? "");
    if (found === undefined) return false;
    const isAllowed = this.#live(call.bearer)?.repositoryIds.includes(Number(found.id)) === true;
    if (!isAllowed) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="GitHub"' }).end("Repository not found.\n");
      return true;
    }
    const git = makeGitHttp({ repositories: new Map([[found.name, found.path]]) });
    return await git.handle(request, response, call.body);
  }

  #live(bearer: string | null): AppTokenRecord | undefined {
    return this.tokens.find(({ token, isRevoked }) => token === bearer && !isRevoked);
  }
}
