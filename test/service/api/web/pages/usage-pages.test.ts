// The pages of usage and of the ledger over HTTP: figures, pictures and tables of one account, and of nobody else's.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantCredits } from "../../../../../src/service/core/accounts/keys.ts";
import { insertEndedRun } from "../../../../support/ended-runs.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { addPerson } from "../../../../support/people.ts";
import { reportReview } from "../../../../support/reported-reviews.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { call } from "../../../../support/service-client.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

const paths = ["/usage", "/usage.csv", "/usage/ledger", "/usage/ledger.csv"];

describe("the pages of usage", () => {
  let core: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;
  let other: TestAccount;
  let cookie: string;

  beforeAll(async () => {
    core = await startFixture({ level: "core" });
    api = await openHttpApi(core);
    account = await makeAccount(core);
    other = await makeAccount(core);
    ({ cookie } = await signInTo(core.core, account.id));
    const at = (daysBefore: number) => new Date(core.clock.now() - daysBefore * 86_400_000).toISOString();
    const reviewRun = await insertEndedRun(core, account, {
      ...{ at: at(1), model: "<b>large</b>", tokens: 1_200, grossMicroUsd: 1_000_000, checks: "passed" },
      ...{ repository: "github:=1+1/hello", startedBy: "github:12" },
    });
    await insertEndedRun(core, account, {
      at: at(2),
      status: "failed",
      cause: "time_limit",
      grossMicroUsd: 8_333,
    });
    await insertEndedRun(core, account, { at: at(8), tokens: 5, grossMicroUsd: 500_000 });
    const earlier = await insertEndedRun(core, account, { at: at(9) });
    const agentId = account.agent.id;
    await reportReview(core, { agentId, runId: earlier, counts: { new: 4 } });
    await reportReview(core, {
      ...{ agentId, runId: reviewRun },
      counts: { new: 1, fixed: 3, declined: 1, withdrawn: 1 },
    });
    await insertEndedRun(core, other, { at: at(1), repository: "github:theirs/secret", grossMicroUsd: 9 });
  });

  afterAll(() => api.close());

  const get = (path: string, as = cookie) => call(api.url + path, { headers: { cookie: as } });

  it.each(paths)("at %s are for whoever is signed in, whatever their role", async (path) => {
    const answer = await call(api.url + path);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `/sign-in?to=${encodeURIComponent(path)}`,
    ]);
    const personId = await addPerson(core.core, { accountId: account.id, role: "viewer" });
    const viewer = await signInTo(core.core, account.id, personId);
    const shown = await get(path, viewer.cookie);
    expect([shown.status, shown.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
  });

  it("show the figures of a period beside those before it", async () => {
    const { text } = await get("/usage?period=7");
    expect(text).toMatch(/<dt>Runs<\/dt><dd>2<\/dd><dd>2 before<\/dd>/);
    expect(text).toMatch(/<dt>Success<\/dt><dd>50 %<\/dd><dd>100 % before<\/dd>/);
    expect(text).toMatch(/<dt>Cost, credits<\/dt><dd>121<\/dd><dd>60 before<\/dd>/);
    expect(text).toMatch(/<dt>Tokens<\/dt><dd>1.2K<\/dd>/);
    expect(text).toMatch(/<dt>Checks passed<\/dt><dd>100 %<\/dd><dd>– before<\/dd>/);
    expect(text).toMatch(/<dt>Findings fixed<\/dt><dd>60 %<\/dd><dd>– before<\/dd>/);
    expect(text).toMatch(/<h2>Reviews by repository<\/h2>[\s\S]*60 % · 3 of 5 findings/);
    const cells = [1, 2, 6, 3, 1, 1, 1, "60 %"].map((cell) => `<td class="number">${cell}</td>`).join("");
    expect(text).toContain(`<th scope="row">github:=1+1/hello</th>${cells}`);
    expect(text.match(/<th scope="col" class="number">Findings fixed<\/th>/g)).toHaveLength(3);
    expect(text).toContain("&lt;b&gt;large");
    expect(text).not.toContain("<b>large");
    expect(text).not.toContain("theirs");
    expect(text.match(/<details>/g)).toHaveLength(7);
    expect(text).not.toMatch(/<script|style="/);
  });

  it("show reviews that found nothing without a rate", async () => {
    const quiet = await makeAccount(core);
    const at = new Date(core.clock.now()).toISOString();
    const runId = await insertEndedRun(core, quiet, { at, repository: "github:octo/hello" });
    await reportReview(core, { agentId: quiet.agent.id, runId, counts: { withdrawn: 2 } });
    const { text } = await get("/usage?period=7", (await signInTo(core.core, quiet.id)).cookie);
    expect(text).toContain("These reviews have found nothing that still stands.");
    expect(text).toContain('<td class="number">0</td><td class="number">–</td>');
    expect(text).not.toContain('aria-label="Findings fixed, by repository"');
  });

  it("show one agent's, and say what will be seen where nothing is", async () => {
    const { text } = await get(`/usage?period=7&agent=${account.agent.id}`);
    expect(text).toContain(`<option value="${account.agent.id}" selected>`);
    expect(text).toContain("<dt>Runs</dt><dd>2</dd>");
    expect((await get(`/usage?period=7&agent=${other.agent.id}`)).text).not.toContain(other.agent.id);
    const month = await get("/usage?period=1999-01&agent=x");
    expect(month.text).toContain('<option value="30" selected>');
    const empty = await get("/usage", (await signInTo(core.core, (await makeAccount(core)).id)).cookie);
    const old = await get("/usage?period=7&agent=", (await signInTo(core.core, other.id)).cookie);
    expect(old.text).not.toContain("Reviews by repository");
    expect(old.text).toMatch(/<dt>Findings fixed<\/dt><dd>–<\/dd>/);
    expect(empty.text).toContain("No run ended in this period");
    expect(empty.text.slice(empty.text.indexOf("<main"))).not.toContain("<svg");
  });

  it("are files, too, of which no spreadsheet calculates anything", async () => {
    const { text, headers } = await get("/usage.csv?by=repository&period=7");
    expect(headers.get("content-disposition")).toBe('attachment; filename="usage-by-repository-7.csv"');
    expect(text).toContain(
      '"github:=1+1/hello","github:=1+1/hello",1,0,0,0,1,0,0,1200,1000000,0,1,2,6,3,1,1,1\r\n',
    );
    const byModel = (await get("/usage.csv?by=model&period=7")).text;
    expect(byModel).toContain(
      '"<b>large</b>","<b>large</b>",1,0,0,0,1,0,0,1200,1000000,0,"","","","","","",""\r\n',
    );
    expect((await get("/usage.csv?period=7")).text.split("\r\n")).toHaveLength(9);
    expect((await get("/usage.csv?by=x")).status).toBe(404);
  });

  it("show the ledger line by line, and more of it", async () => {
    for (let index = 0; index < 101; index += 1) {
      core.clock.advance(1);
      await grantCredits(core.core, { accountId: account.id, credits: 3 });
    }
    const { text } = await get("/usage/ledger");
    expect(text).toContain("<td>Granted</td>");
    const [, next = ""] = /href="(\/usage\/ledger\?before=[^"]+)"/.exec(text) ?? [];
    const earlier = await get(next);
    expect(earlier.text).toContain("Opening balance of this page</dt><dd>0 credits");
    expect((await get("/usage/ledger?before=nothing")).text).toContain("no lines before that one");
    const csv = await get("/usage/ledger.csv");
    const lines = csv.text.trimEnd().split("\r\n").slice(1);
    const changes = lines.map((line) => Number(line.split(",")[4]));
    const balance = await core.store.committed.ledger.findBalance(`account:${account.id}`);
    expect(changes.reduce((sum, change) => sum + change, 0)).toBe(balance);
    expect(Number(lines[0]?.split(",")[5])).toBe(balance);
  });
});
