// The operator's pages, over HTTP, on each store: who gets in and who does not, what each shows, and what is done with its filters.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../../../fakes/records.ts";
import { operatorApp } from "../../../../../src/service/api/web/operator/operator-app.ts";
import { auditRefusedSignIn } from "../../../../../src/service/core/accounts/audit-account.ts";
import { grantCredits } from "../../../../../src/service/core/accounts/keys.ts";
import { accountWallet } from "../../../../../src/service/core/money/ledger.ts";
import { makeOperatorLink, removeOperator } from "../../../../../src/service/core/operators/operators.ts";
import { publishedKeys } from "../../../../../src/service/core/run-identity/identity-keys.ts";
import type { RunRecord } from "../../../../../src/service/core/runs/run-record.ts";
import { makeSignInLink } from "../../../../../src/service/core/sign-in/sign-in-links.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { accountIds, agentIds, insertOperatorRecords, runIds } from "../../../../support/operator-records.ts";
import { makeOperator, signInOperator } from "../../../../support/operators.ts";
import { faultyTables, tablesOf } from "../../../../support/page-tables.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { type Answer, call } from "../../../../support/service-client.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

const OWN = { "sec-fetch-site": "same-origin" };
/** Those at which somebody signs in. */
const OPEN = /^\/operator\/(?:sign-in|link)/;

function paths(method: "GET" | "POST"): readonly string[] {
  // Its parts are read when a page is asked for.
  const { routes } = operatorApp({} as Parameters<typeof operatorApp>[0]);
  const own = routes.filter((one) => one.method === method && !/[*]/.test(one.path));
  return [...new Set(own.map(({ path }) => path))];
}

onEveryStore((store) => {
  describe("the operator's pages", () => {
    let core: CoreFixture;
    let api: HttpApi;
    let account: TestAccount;

    beforeAll(async () => {
      core = await startFixture({ level: "core", store, policy: { webUrl: "http://localhost" } });
      api = await openHttpApi(core);
      await core.executor.drain(0);
      account = await makeAccount(core);
    });

    afterAll(() => api.close());

    const get = (path: string, cookie = "") => call(api.url + path, { headers: { cookie } });
    const post = (path: string, headers: Readonly<Record<string, string>> = OWN, form = {}) =>
      call(api.url + path, { method: "POST", form, headers });
    /** With an id that is there in the place of each parameter. */
    const filled = (path: string) => path.replace(":accountId", account.id).replace(/:\w+/, "x");
    const audited = async () => {
      const query = { accountId: null, repositoryName: null, before: null, limit: 200 };
      const found = await core.store.committed.audit.list({ ...query, action: "operator_sign_in" });
      return found.map(({ outcome, method }) => [outcome, method]);
    };
    const textOf = ({ text }: Answer) =>
      text
        .replace(/<head>.*?<\/head>/s, "")
        .replace(/<[^>]*>/g, " ")
        .replace(/\s+/g, " ");

    it("are not there until somebody was made an operator: each is 404, and says how", async () => {
      expect(paths("GET").length).toBeGreaterThan(9);
      for (const path of [...paths("GET"), "/operator/", "/operator/nothing"]) {
        const answer = await get(filled(path), (await signInTo(core.core, account.id)).cookie);
        expect([path, answer.status]).toEqual([path, 404]);
        expect(answer.text).toContain("agent-service operators link");
      }
      for (const path of paths("POST")) {
        const { status, headers } = await post(filled(path));
        expect([path, status, headers.get("set-cookie")]).toEqual([path, 404, null]);
      }
    });

    it("have a page for a link that is made on the machine, which uses nothing up, and for no other link", async () => {
      const { token } = await makeOperatorLink(core.core);
      for (let looks = 0; looks < 3; looks += 1) {
        const answer = await get(`/operator/link/${token}`);
        expect([answer.status, answer.headers.get("set-cookie")]).toEqual([200, null]);
        expect(answer.text).toContain("Become an operator");
      }
      const ofAccount = await makeSignInLink(core.core, account.id);
      expect((await get(`/operator/link/${ofAccount?.token}`)).status).toBe(404);
      expect((await get(`/sign-in/link/${token}`)).status).toBe(410);
      expect((await post(`/sign-in/link/${token}`)).status).toBe(410);
      core.clock.advance(15 * 60_000);
      expect((await get(`/operator/link/${token}`)).status).toBe(404);
      expect((await post(`/operator/link/${token}/options`)).status).toBe(404);
    });

    it("lead whoever is no operator to sign in, whatever they are in an account", async () => {
      await makeOperator(core.core);
      const { cookie, secret } = await signInTo(core.core, account.id);
      const closed = paths("GET").filter((path) => !OPEN.test(path));
      expect(closed.length).toBeGreaterThan(7);
      for (const path of [...closed, "/operator/nothing"]) {
        const to = filled(path);
        const expected = `/operator/sign-in?to=${encodeURIComponent(to)}`;
        for (const held of ["", cookie, `operator=${secret}`, `session=${secret}; operator=${secret}`]) {
          const answer = await get(to, held);
          expect([path, answer.status, answer.headers.get("location")]).toEqual([path, 303, expected]);
        }
        const bearer = await call(api.url + to, { bearer: account.owner });
        expect([path, bearer.status]).toEqual([path, 303]);
      }
      expect((await get("/operator/runs?state=failed")).headers.get("location")).toBe(
        `/operator/sign-in?to=${encodeURIComponent("/operator/runs?state=failed")}`,
      );
    });

    it("open for an operator alone, without scripts, and are kept by nobody", async () => {
      const { cookie } = await signInOperator(core.core);
      for (const path of paths("GET").filter((one) => !OPEN.test(one))) {
        const answer = await get(filled(path), cookie);
        expect([path, answer.status]).toEqual([path, 200]);
        expect(answer.headers.get("cache-control")).toBe("private, no-store");
        expect(answer.headers.get("content-security-policy")).toContain("script-src 'none'");
        expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      }
      expect((await get("/operator/nothing", cookie)).status).toBe(404);
      expect((await get("/operator/accounts/nobody", cookie)).status).toBe(404);
      expect((await get("/operator/sign-in?to=/operator/runs", cookie)).headers.get("location")).toBe(
        "/operator/runs",
      );
    });

    it("give no way into an account: neither its pages nor the API know an operator", async () => {
      const { cookie, secret } = await signInOperator(core.core);
      for (const held of [cookie, `session=${secret}`, `${cookie}; session=${secret}`]) {
        const home = await get("/usage/ledger", held);
        expect([home.status, home.headers.get("location")]).toEqual([
          303,
          expect.stringMatching(/^\/sign-in\?/),
        ]);
        expect((await get(`/agent/${account.agent.id}/runs`, held)).status).not.toBe(200);
        expect((await get("/v1/agents", held)).status).toBe(401);
      }
      for (const path of ["/v1/agents", `/v1/users/${account.id}/credits`])
        expect((await call(api.url + path, { bearer: secret })).status).toBe(401);
      const mcp = await call(`${api.url}/mcp`, { method: "POST", bearer: secret, json: {} });
      expect(mcp.status).toBe(401);
    });

    it("never lead elsewhere than to themselves", async () => {
      const { cookie } = await signInOperator(core.core);
      for (const to of [
        "//evil.example",
        "https://evil.example/operator",
        "/\\evil.example",
        "/",
        "/settings/keys",
      ]) {
        const led = await get(`/operator/sign-in?to=${encodeURIComponent(to)}`, cookie);
        expect([to, led.headers.get("location")]).toEqual([to, "/operator"]);
        const shown = await get(`/operator/sign-in?to=${encodeURIComponent(to)}`);
        expect(shown.text).toContain('name="to" value="/operator"');
      }
      expect((await get("/operator/sign-in?to=/operator.evil", cookie)).headers.get("location")).toBe(
        "/operator",
      );
    });

    it("take forms of their own pages alone", async () => {
      const { cookie } = await signInOperator(core.core);
      const foreign: readonly Readonly<Record<string, string>>[] = [
        {},
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site", origin: "http://service.example" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "none" },
      ];
      for (const headers of foreign)
        for (const path of paths("POST")) {
          const answer = await post(filled(path), { ...headers, cookie });
          expect([path, headers, answer.status]).toEqual([path, headers, 403]);
        }
      expect((await get("/operator", cookie)).status).toBe(200);
      expect((await post("/operator/sign-out", { origin: "http://service.example", cookie })).status).toBe(
        303,
      );
      expect((await get("/operator", cookie)).status).toBe(303);
    });

    it("forget the cookie at a sign-out, and its session with it", async () => {
      const { cookie } = await signInOperator(core.core);
      const answer = await post("/operator/sign-out", { ...OWN, cookie });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/operator/sign-in"]);
      expect(answer.headers.get("set-cookie")).toMatch(/^operator=; Max-Age=0; Path=\/operator/);
      expect((await get("/operator", cookie)).status).toBe(303);
      // Whoever is not signed in may do so, too.
      expect((await post("/operator/sign-out")).status).toBe(303);
    });

    it("show the keys that vouch for runs, for clouds that cannot read them", async () => {
      const { cookie } = await signInOperator(core.core);
      const { text } = await get("/operator/settings", cookie);
      const shown = /<textarea id="jwks"[^>]*>([^<]+)</.exec(text)?.[1]?.replaceAll("&quot;", '"') ?? "";
      const published = (await publishedKeys(core.core)) ?? [];
      expect(JSON.parse(shown)).toEqual({ keys: published.map((key) => JSON.parse(key)) });
      expect(text).toContain(`<code>${core.core.policy.baseUrl}/id</code>`);
      expect(text).toContain("Clouds cannot read the keys");
    });

    it("close at once for who was removed", async () => {
      const { cookie, operator } = await signInOperator(core.core);
      expect((await get("/operator", cookie)).status).toBe(200);
      await removeOperator(core.core, operator.id);
      expect((await get("/operator", cookie)).status).toBe(303);
      expect((await get("/operator/settings", cookie)).status).toBe(303);
    });

    it("lead on to where one was going after a refused passkey, and never elsewhere", async () => {
      core.clock.advance(60_000);
      await signInOperator(core.core);
      for (const [to, kept] of [
        ["/operator/audit", "/operator/audit"],
        ["https://evil.example/operator", "/operator"],
      ] as const) {
        const { status, text } = await post("/operator/sign-in/passkey", OWN, { response: "{}", to });
        expect([status, /name="to" value="([^"]*)"/.exec(text)?.[1]]).toEqual([403, kept]);
      }
      core.clock.advance(60_000);
    });

    it("take no answer without a challenge of this browser, and ten attempts a minute", async () => {
      core.clock.advance(60_000);
      const before = (await audited()).length;
      const asked = await post("/operator/sign-in/passkey/options");
      expect([asked.status, asked.body]).toEqual([200, expect.objectContaining({ rpId: "localhost" })]);
      const attempt = (asked.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
      expect(attempt).toMatch(/^attempt-operator-passkey=/);
      // One of an account's sign-in is of no use here, and the other way round.
      const ofAccount = await post("/sign-in/passkey/options");
      const theirs = ((ofAccount.headers.get("set-cookie") ?? "").split(";")[0] ?? "").replace(
        "attempt-passkey",
        "attempt-operator-passkey",
      );
      for (const cookie of ["", theirs]) {
        const answer = await post("/operator/sign-in/passkey", { ...OWN, cookie }, { response: "{}" });
        expect([answer.status, answer.text]).toEqual([
          403,
          expect.stringContaining("not begun in this browser"),
        ]);
      }
      const wrong = await post("/operator/sign-in/passkey", { ...OWN, cookie: attempt }, { response: "{}" });
      expect([wrong.status, wrong.text]).toEqual([403, expect.stringContaining("no operator")]);
      const statuses: number[] = [];
      for (let tries = 0; tries < 9; tries += 1)
        statuses.push((await post("/operator/sign-in/passkey", OWN, { response: "{}" })).status);
      expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 403, 429, 429]);
      const left = await audited();
      expect(left.length - before).toBe(10);
      expect(left.slice(0, 10).every(([outcome, method]) => outcome !== "ok" && method === "passkey")).toBe(
        true,
      );
      const { token } = await makeOperatorLink(core.core);
      const registration = await post(`/operator/link/${token}`, OWN, { response: "{}", name: "x" });
      expect([registration.status, registration.headers.get("retry-after")]).toEqual([
        429,
        expect.any(String),
      ]);
      core.clock.advance(60_000);
      const begun = await post(`/operator/link/${token}/options`);
      const cookie = (begun.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
      const other = await makeOperatorLink(core.core);
      const moved = await post(
        `/operator/link/${other.token}`,
        { ...OWN, cookie },
        { response: "{}", name: "x" },
      );
      expect([moved.status, moved.text]).toEqual([422, expect.stringContaining("not begun in this browser")]);
    });

    it("show accounts with what they have, and one with a ledger that sums to its balance", async () => {
      const { cookie } = await signInOperator(core.core);
      await grantCredits(core.core, { accountId: account.id, credits: 30 });
      await grantCredits(core.core, { accountId: account.id, credits: 12 });
      const id = core.core.random.uuid(core.clock.now());
      const now = core.clock.now();
      const run = makeRun({ id, agentId: account.agent.id, sessionId: id, submittedAt: now });
      await core.store.transact((tx) => tx.runs.insert(run, makeRunInput()));
      const grant = { server: "tracker", grantedAt: now };
      await core.store.transact((tx) => tx.writeGrants.put(account.agent.id, grant));
      const row = new RegExp(`<tr><td><a href="/operator/accounts/${account.id}">.*?</tr>`, "s").exec(
        (await get("/operator/accounts", cookie)).text,
      );
      const cells = [...(row?.[0] ?? "").matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) => cell);
      expect(cells.slice(2, 7)).toEqual(["free", "142", "1", "1", "1"]);
      const page = await get(`/operator/accounts/${account.id}`, cookie);
      const changes = [...page.text.matchAll(/<span class="good">\+([\d.,]+)<\/span>/g)].map(([, sum]) =>
        Number(sum),
      );
      const text = textOf(page);
      const balance = Number(/Balance ([\d.]+) credits/.exec(text)?.[1]);
      expect(Math.floor(balance)).toBe(142);
      expect(changes.reduce((sum, change) => sum + change, 0)).toBeCloseTo(balance, 6);
      expect(changes).toHaveLength(3);
      expect(text).toContain("Opening balance of this page 0 credits");
      expect(text).toContain("0 viewer, 0 member, 0 admin, 1 owner");
      expect(text).toContain(`tracker, since ${new Date(now).toISOString().slice(0, 10)}`);
    });

    it("show runs of every account by each filter, page by page, and lead to no run", async () => {
      const { cookie } = await signInOperator(core.core);
      await insertOperatorRecords(core.store, core.clock.now());
      const shown = async (query: string) =>
        [
          ...(await get(`/operator/runs${query}`, cookie)).text.matchAll(/<tr><td><code title="([^"]+)">/g),
        ].map(([, id]) => id);
      expect(await shown(`?account=${accountIds[1]}`)).toEqual([runIds.failed]);
      expect(await shown("?repository=octo%2Fother")).toEqual([runIds.ofUnclaimed]);
      expect(await shown("?state=failed")).toEqual([runIds.failed]);
      expect(await shown("?state=failed&origin=schedule")).toEqual([]);
      expect(await shown(`?node=nobody`)).toEqual([]);
      expect(await shown("?state=no&origin=background&account=%00")).toEqual(await shown(""));
      const insert = async (change: Partial<RunRecord>) => {
        const id = core.core.random.uuid(core.clock.now());
        const run = makeRun({ id, agentId: agentIds.claimed, sessionId: id, origin: "schedule", ...change });
        await core.store.transact((tx) => tx.runs.insert(run, makeRunInput()));
        core.clock.advance(1);
        return id;
      };
      const made: string[] = [];
      for (let count = 0; count < 51; count += 1) made.unshift(await insert({}));
      const first = await get("/operator/runs?origin=schedule", cookie);
      const next = /<a class="end" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
      expect(await shown("?origin=schedule")).toEqual(made.slice(0, 50));
      expect(await shown(next.replace("/operator/runs", ""))).toEqual(made.slice(50));
      expect(first.text).not.toContain("/agent/");
    });

    it("show who waits for a worker, those with the fewest runs at work first", async () => {
      const { cookie } = await signInOperator(core.core);
      const queued = { status: "queued", startedAt: null, heartbeatAt: null } as const;
      const insert = async (billingAccount: string, change: Partial<RunRecord>) => {
        const submittedAt = core.clock.now();
        const id = core.core.random.uuid(submittedAt);
        const of = { id, agentId: account.agent.id, sessionId: id, submittedAt, billingAccount };
        await core.store.transact((tx) => tx.runs.insert(makeRun({ ...of, ...change }), makeRunInput()));
        core.clock.advance(1_000);
      };
      const before = await core.store.committed.queue.count();
      const [first, second] = [accountWallet(accountIds[0]), accountWallet(accountIds[1])];
      const free = "free:https://issuer.example:42:2026-11";
      await insert(first, { status: "running" });
      await insert(first, queued);
      await insert(second, queued);
      await insert(first, queued);
      await insert(free, queued);
      await insert(accountWallet(account.id), { status: "running" });
      const page = await get("/operator/queue", cookie);
      const rows = [
        ...page.text.matchAll(
          /<tr><td>(.*?)<\/td><td class="number">(\d+)<\/td><td class="number">(\d+)<\/td>\s*<td class="number">(\d+)<\/td><td>(.*?)<\/td>/gs,
        ),
      ].map(([, name = "", ...rest]) => [/accounts\/([^"]+)/.exec(name)?.[1] ?? name, ...rest]);
      const ours = new Set<unknown>([...accountIds, account.id, `<code>${free}</code>`]);
      expect(rows.filter(([name]) => ours.has(name))).toEqual([
        [accountIds[1], "1", "0", "1", "4.0 s"],
        [`<code>${free}</code>`, "1", "0", "1", "2.0 s"],
        [accountIds[0], "2", "1", "1", "5.0 s"],
      ]);
      expect(textOf(page)).toContain(`Wait for a worker ${before + 4}`);
    });

    it("show the queue, what has ended today, and nodes with what each executes", async () => {
      const { cookie } = await signInOperator(core.core);
      const now = core.clock.now();
      const id = core.core.random.uuid(now);
      const parked = {
        reason: "question",
        since: now,
        until: now + 1_000,
        usage: { roles: {}, advisor: null },
        workedMs: 0,
      } as const;
      const run = makeRun({
        ...{ id, agentId: account.agent.id, sessionId: id, status: "running", stopReason: "question" },
        ...{ startedAt: now, heartbeatAt: now, parked },
      });
      const before = await get("/operator", cookie);
      await core.store.transact((tx) => tx.runs.insert(run, makeRunInput()));
      const after = await get("/operator", cookie);
      const waiting = (answer: Answer) => Number(/Wait for somebody (\d+)/.exec(textOf(answer))?.[1]);
      expect(waiting(after) - waiting(before)).toBe(1);
      expect(textOf(after)).toMatch(/Wait for a worker \d+ Longest wait \d/);
      expect(textOf(after)).toContain("fixture, process 1 answers and executes");
      expect(textOf(after)).toContain("0 of 2 nothing");
      expect(textOf(after)).toMatch(/Failed today 1 .*time limit 1/);
    });

    it("show refusals by reason, with the entries that they are made of", async () => {
      const { cookie } = await signInOperator(core.core);
      for (let times = 0; times < 3; times += 1)
        await auditRefusedSignIn(core.core, {
          reason: "key_refused",
          method: "key",
          requestId: `request-${times}`,
        });
      expect((await call(`${api.url}/v1/agents`, { bearer: "svc_sk_wrong" })).status).toBe(401);
      const page = await get("/operator/refusals?days=1", cookie);
      expect(textOf(page)).toMatch(/sign in key refused 3/);
      expect(textOf(page)).toMatch(/credential malformed \d+/);
      const entries = await get("/operator/audit?action=sign_in&outcome=key_refused", cookie);
      expect([...entries.text.matchAll(/<tr><td><time/g)]).toHaveLength(3);
      core.clock.advance(86_400_000);
      const later = await signInOperator(core.core);
      expect(textOf(await get("/operator/refusals?days=1", later.cookie))).not.toContain("key refused");
      expect(textOf(await get("/operator/refusals?days=7", later.cookie))).toMatch(/sign in key refused 3/);
    });

    it("show repositories, also those that nobody has claimed", async () => {
      const { cookie } = await signInOperator(core.core);
      const all = textOf(await get("/operator/repositories", cookie));
      expect(all).toContain("octo/hello");
      expect(all).toMatch(/octo\/other github private nobody/);
      const unclaimed = textOf(await get("/operator/repositories?of=unclaimed", cookie));
      expect([unclaimed.includes("octo/other"), unclaimed.includes("octo/hello")]).toEqual([true, false]);
      const theirs = textOf(await get(`/operator/repositories?account=${accountIds[1]}`, cookie));
      expect([theirs.includes("octo/other"), theirs.includes("octo/hello")]).toEqual([false, true]);
    });
  });
});

it("name the columns of their tables, and fill them", async () => {
  const core = await startFixture({
    level: "core",
    freeCredits: 100,
    policy: { webUrl: "http://localhost" },
  });
  const api = await openHttpApi(core);
  try {
    await core.executor.drain(0);
    await core.submit();
    await insertOperatorRecords(core.store, core.clock.now());
    await call(`${api.url}/v1/agents`, { bearer: "svc_sk_wrong" });
    const { cookie } = await signInOperator(core.core);
    const heads: Record<string, readonly string[]> = {};
    for (const path of paths("GET")) {
      const page = path.replace(":accountId", accountIds[0]).replace(/:\w+/, "x");
      const { text } = await call(api.url + page, { headers: { cookie } });
      expect(faultyTables(text), path).toEqual([]);
      const names = tablesOf(text).map(({ head }) => head.join(", "));
      if (names.length > 0) heads[path] = names;
    }
    expect(heads).toEqual({
      "/operator": ["Node, Does, Seen, Since, Runs, Executes", "Day, Action, Reason, Count", "Cause, Count"],
      "/operator/accounts": [
        "Account, Name, Plan, Balance, People, Agents, Runs today, Opened, First signed in",
      ],
      "/operator/accounts/:accountId": [
        "When, What, Run, Amount, Change, Balance",
        "Agent, Works on, Backend, Write grants, Since, Retired",
      ],
      "/operator/audit": ["When, Action, Outcome, Account, Who, By, Repository, Request"],
      "/operator/queue": ["Account, Wait, At work, Weight, Oldest waits for"],
      "/operator/refusals": ["Day, Action, Reason, Count", "Reason, Count"],
      "/operator/repositories": ["Repository, Provider, Visibility, Account, Since"],
      "/operator/runs": ["Run, State, Repository, Account, Origin, Node, Submitted, Took, Credits"],
      "/operator/settings": ["Operator, Signs in by, Added, Last used"],
    });
  } finally {
    await api.close();
  }
});

it("have a cookie over https that no page of an account gets, and take it by its whole name alone", async () => {
  const core = await startFixture({ level: "core", policy: { webUrl: "https://service.example" } });
  const api = await openHttpApi(core);
  try {
    const { secret } = await signInOperator(core.core);
    const get = (cookie: string) => call(`${api.url}/operator`, { headers: { cookie } });
    expect((await get(`__Secure-operator=${secret}`)).status).toBe(200);
    for (const name of ["operator", "__Host-operator", "__Host-session", "session"])
      expect([name, (await get(`${name}=${secret}`)).status]).toEqual([name, 303]);
    const out = await call(`${api.url}/operator/sign-out`, {
      method: "POST",
      headers: { ...OWN, cookie: `__Secure-operator=${secret}` },
    });
    expect(out.headers.get("set-cookie")).toMatch(/^__Secure-operator=; Max-Age=0; Path=\/operator; Secure/);
    expect((await get(`__Secure-operator=${secret}`)).status).toBe(303);
  } finally {
    await api.close();
  }
});
