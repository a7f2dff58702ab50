// Who may write, by each answer that GitHub gives of an account, from a server on loopback.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendJson, startLoopbackServer } from "../../../fakes/code-host/server.ts";
import { openTransport } from "../../../src/action/transport.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { readAccountPermission } from "../../../src/github/api/account-permission.ts";
import { githubApi } from "../../../src/github/api/github-api.ts";

type Permission = { readonly permission: string; readonly role_name?: string };

describe("an account's permission", () => {
  const transport = openTransport();
  let server: Awaited<ReturnType<typeof startLoopbackServer>>;
  let answer: Permission | null = null;
  beforeAll(async () => {
    server = await startLoopbackServer(async (request, response) => {
      if (answer === null || request.url !== "/api/v3/repos/octo/repo/collaborators/a%2Fb/permission")
        return sendJson(response, 404, { message: "Not Found" });
      sendJson(response, 200, { ...answer, user: { id: 7 } });
    });
  });
  afterAll(async () => {
    transport.close();
    await server.close();
  });

  const ask = async (given: Permission | null) => {
    answer = given;
    const api = githubApi({
      apiUrl: `${server.url}/api/v3`,
      token: "ghs_1",
      repository: "octo/repo",
      transport: transport.send,
      clock: systemClock,
      random: () => 0,
      signal: undefined,
    });
    return await readAccountPermission(api, "a/b");
  };

  it.each([
    { permission: "admin", role_name: "admin", mayWrite: true },
    { permission: "write", role_name: "maintain", mayWrite: true },
    { permission: "write", role_name: "write", mayWrite: true },
    { permission: "write", mayWrite: true },
    { permission: "read", role_name: "maintain", mayWrite: true },
    { permission: "read", role_name: "triage", mayWrite: false },
    { permission: "read", role_name: "read", mayWrite: false },
    { permission: "read", mayWrite: false },
    { permission: "read", role_name: "", mayWrite: false },
    { permission: "none", mayWrite: false },
    { permission: "", mayWrite: false },
  ])("$permission with the role $role_name writes: $mayWrite", async ({ mayWrite, ...given }) => {
    expect(await ask(given)).toEqual({ mayWrite, accountId: 7 });
  });

  it("is none where the host does not know the account", async () => {
    expect(await ask(null)).toBeNull();
  });
});
