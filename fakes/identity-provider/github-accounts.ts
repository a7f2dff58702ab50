// What GitHub has for people, on loopback: its OAuth, who somebody is, and what they may do in a repository.

import { sendJson, startLoopbackServer } from "../code-host/server.ts";
import { CodeGrant } from "./code-grant.ts";

const ACCESS_TOKEN = "gho_0123456789abcdefghijklmnopqrstuvwxyz";

export interface GithubAccounts {
  readonly url: string;
  readonly accessToken: string;
  user: { id: number; login: string };
  /** Repositories that its person sees, by id: whether they administer it. */
  repositories: Record<string, boolean>;
  /** Paths of the API that were asked for, in order. */
  readonly requests: string[];
  close(): Promise<void>;
}

export async function startGithubAccounts(): Promise<GithubAccounts> {
  const grant = new CodeGrant();
  const requests: string[] = [];
  const server = await startLoopbackServer(async (request, response) => {
    const url = new URL(request.url ?? "/", server.url);
    if (url.pathname === "/login/oauth/authorize") return grant.authorize(url, response);
    if (url.pathname === "/login/oauth/access_token") {
      const authorized = await grant.redeem(request);
      // GitHub tells of errors with the status 200.
      if (authorized === null) return sendJson(response, 200, { error: "bad_verification_code" });
      const { scope } = authorized;
      return sendJson(response, 200, { access_token: ACCESS_TOKEN, token_type: "bearer", scope });
    }
    requests.push(url.pathname);
    if (request.headers.authorization !== `Bearer ${ACCESS_TOKEN}`) {
      return sendJson(response, 401, { message: "Bad credentials" });
    }
    if (url.pathname === "/api/v3/user") return sendJson(response, 200, { ...accounts.user, type: "User" });
    const id = url.pathname.replace("/api/v3/repositories/", "");
    const admin = accounts.repositories[id];
    if (admin === undefined) return sendJson(response, 404, { message: "Not Found" });
    return sendJson(response, 200, { id: Number(id), permissions: { admin, push: true, pull: true } });
  });
  const accounts: GithubAccounts = {
    url: server.url,
    accessToken: ACCESS_TOKEN,
    user: { id: 4711, login: "ada" },
    repositories: {},
    requests,
    close: () => server.close(),
  };
  return accounts;
}
