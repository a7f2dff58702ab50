// Accounts and their keys: made by the operator's command beside the running service, known to every node at once.

import { expect, it } from "vitest";
import { ApiError } from "../../src/client/client.ts";
import { expectProblem, onEveryDeployment } from "./every-deployment.ts";

type MadeKey = { readonly id: string; readonly account_id: string; readonly secret: string };

onEveryDeployment("accounts and keys", (service) => {
  const makeKey = async (...args: string[]): Promise<MadeKey> => {
    const { code, stdout, stderr } = await service().operate("keys", "create", "--json", ...args);
    expect([code, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  };
  /** What each API node answers. */
  const everywhere = (secret: string) =>
    Promise.all(service().apis.map(() => service().call("/v1/agents", { bearer: secret })));

  it("opens an account with the first credits of its plan, and a key that every node takes", async () => {
    const key = await makeKey("--plan", "registered_free");
    for (const answer of await everywhere(key.secret))
      expect([answer.status, answer.body]).toEqual([200, []]);
    const client = service().client(key.secret);
    expect(await client.credits.get({ userId: key.account_id })).toMatchObject({
      balance: 3,
      audience: "registered_free",
    });
  });

  it("has a name that its owner gives it, and the operator, and that every node says", async () => {
    const { account_id: id, secret } = await makeKey();
    const { account } = service().client(secret);
    const names = async () =>
      (await Promise.all(service().apis.map(() => account.get()))).map(({ name }) => name);
    expect(new Set(await names())).toEqual(new Set([null]));
    expect(await account.update({ body: { name: " Platform " } })).toMatchObject({ id, name: "Platform" });
    expect(new Set(await names())).toEqual(new Set(["Platform"]));
    expect((await service().operate("accounts", "name", id, "Data")).code).toBe(0);
    expect(new Set(await names())).toEqual(new Set(["Data"]));
    expect(await account.update({ body: { name: null } })).toMatchObject({ id, name: null });
  });

  it("ends a revoked key on every node, and no other of the account", async () => {
    const [kept, aiClient] = [await makeKey(), ["--ai-client", "--name", "editor"]];
    const ended = await makeKey("--account", kept.account_id, ...aiClient);
    for (const { status } of await everywhere(ended.secret)) expect(status).toBe(200);
    expect((await service().operate("keys", "revoke", ended.id)).code).toBe(0);
    for (const answer of await everywhere(ended.secret)) expectProblem(answer, [401, "unauthorized"]);
    for (const { status } of await everywhere(kept.secret)) expect(status).toBe(200);
  });

  it("answers 401 to no credential and to one that is none", async () => {
    for (const bearer of ["", "svc_sk_wrong", "nonsense"]) {
      const answer = await service().call("/v1/agents", bearer === "" ? {} : { bearer });
      expectProblem(answer, [401, "unauthorized"]);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer\b/);
    }
    const error = await service()
      .client("svc_sk_wrong")
      .agents.list()
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 401, code: "unauthorized" });
  });
});
