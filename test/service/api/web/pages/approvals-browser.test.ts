// Approvals, claims and the pages of agents in a real browser: both color schemes, a telephone's width, the keyboard alone.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exchangeResponseSchema } from "../../../../../src/contract/ci/exchange.ts";
import { scheduleSchema } from "../../../../../src/contract/schedules/schedule.ts";
import { grantCredits } from "../../../../../src/service/core/accounts/keys.ts";
import { putWorkflow } from "../../../../../src/service/core/workflows/workflows.ts";
import { authorizeWrite } from "../../../../../src/service/core/write-grants/authorize-write.ts";
import type { Backend } from "../../../../../src/service/executor/backend.ts";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { plant, readSchedule } from "../../../../support/schedules.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { type Call, call } from "../../../../support/service-client.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

const asking: Backend = {
  name: "scripted",
  needsCheckout: false,
  run: async (task) => {
    if (!task.messages.some(({ content }) => content.includes("ask"))) return { stopReason: "end_turn" };
    const value = { question: "Which parser is to stay?", choices: ["The new one", "The old one"] };
    await task.emit({ type: "CUSTOM", name: "question", value });
    return { stopReason: "question" };
  },
};

describe("approvals with a browser", { tags: ["chromium"] }, () => {
  let fixture: CoreFixture;
  let api: HttpApi;
  let browser: TestBrowser;
  let mine: TestAccount;

  beforeAll(async () => {
    fixture = await startFixture({ level: "core", backend: asking, freeCredits: 0 });
    fixture.executor.start();
    api = await openHttpApi(fixture);
    browser = await openBrowser();
    mine = await makeAccount(fixture);
    await grantCredits(fixture.core, { accountId: mine.id, credits: 1_000 });
  });

  afterAll(async () => {
    await browser?.close();
    await api.close();
  });

  const send = (path: string, options: Call) => call(api.url + path, { method: "POST", ...options });
  const open = async (page: Page, path: string) => await page.goto(api.url + path);
  const at = (page: Page, path: string) => page.waitForURL(({ pathname }) => pathname === path);
  /** In this browser, without its pages. */
  const signIn = async (page: Page) => {
    const { secret } = await signInTo(fixture.core, mine.id);
    await page.context().addCookies([{ name: "session", value: secret, url: api.url }]);
  };
  const schedule = async () =>
    scheduleSchema.parse(
      (
        await send(`/v1/agents/${mine.agent.id}/schedules`, {
          bearer: mine.aiClient,
          json: { prompt: `Tidy up: ${"a long line ".repeat(30)}`, delay_seconds: 86_400 },
        })
      ).body,
    ).id;
  const workflow = async () => {
    const put = { agentId: mine.agent.id, id: null, name: "weekly", prompt: "Report what happened." };
    const written = await putWorkflow(fixture.core, put);
    if (!written.ok) throw new Error(written.refusal.reason);
    return written.value.id;
  };
  const claimPath = async (token: string) => {
    const answer = await send("/v1/ci/oidc/exchange", { json: { subject_token: token } });
    return new URL(exchangeResponseSchema.parse(answer.body).claim_url ?? "").pathname;
  };
  /** This fixture has no session socket, which the page of a run follows. */
  const faults = () => browser.faults.filter((fault) => !fault.includes("WebSocket"));
  const tabTo = async (page: Page, name: string) => {
    for (let steps = 0; steps < 60; steps += 1) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate<string>(
        "document.activeElement.labels?.[0]?.innerText ?? document.activeElement.ariaLabel ?? document.activeElement.innerText",
      );
      if (focused === name) return;
    }
    throw new Error(`The keyboard does not lead to "${name}".`);
  };

  it.each(looks)("is for everybody, in $colorScheme at $width", async (look) => {
    const page = await browser.openPage(look);
    const id = await schedule();
    for (const path of [
      `/confirm/${id}`,
      await claimPath(`${look.colorScheme}-${look.width}`),
      "/claim/nothing",
    ]) {
      await open(page, path);
      await expectAccessible(page);
    }
    await signIn(page);
    await open(page, "/");
    await expectAccessible(page);
    const run = await send(`/v1/agents/${mine.agent.id}/runs`, {
      bearer: mine.owner,
      json: { message: "ask", session_key: `${look.colorScheme}-${look.width}` },
    });
    await fixture.ended((run.body as { run_id: string }).run_id);
    await plant(fixture, { agentId: mine.agent.id, fireAt: fixture.clock.now() + 86_400_000 });
    const workflowId = await workflow();
    const executed = await send(`/v1/workflows/${workflowId}/executions`, {
      bearer: mine.aiClient,
      json: { input: "Week 11" },
    });
    const write = await authorizeWrite(fixture.core, {
      runId: "1",
      agentId: mine.agent.id,
      server: `issues-${look.width}`,
      tool: "create_issue",
      origin: "repository",
      isNamed: false,
      job: null,
      args: JSON.stringify({ title: "A title" }),
    });
    const paths = [
      "/",
      `/agent/${mine.agent.id}`,
      `/agent/${mine.agent.id}?workflow=${workflowId}`,
      `/agent/${mine.agent.id}/settings`,
      "/approvals",
      `/approve/${id}`,
      new URL((executed.body as { approve_url: string }).approve_url).pathname,
      `/approve/${write.isAllowed ? "" : write.approval?.id}`,
      "/approve/nothing",
      await claimPath(`in-${look.colorScheme}-${look.width}`),
    ];
    for (const path of paths) {
      await open(page, path);
      await expectAccessible(page);
    }
    await open(page, `/approve/${id}`);
    await page.getByRole("button", { name: "Cancel the schedule" }).click();
    await page.getByText("This is denied.").waitFor();
    await expectAccessible(page);
  });

  it("is decided with the keyboard alone: approve, run, answer", async () => {
    const page = await browser.openPage();
    await signIn(page);
    const id = await schedule();
    await open(page, `/confirm/${id}`);
    await at(page, `/approve/${id}`);
    await tabTo(page, "Confirm");
    await page.keyboard.press("Enter");
    await page.getByText("This is approved.").waitFor();
    expect((await readSchedule(fixture, id)).status).toBe("pending");

    await open(page, `/agent/${mine.agent.id}`);
    await tabTo(page, "What should the agent do?");
    await page.keyboard.type("ask from the keyboard");
    await tabTo(page, "Run");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\//);
    const runId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    await fixture.ended(runId);
    await open(page, `/agent/${mine.agent.id}`);
    await tabTo(page, "The new one");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname.includes("/runs/") && !url.pathname.includes(runId));
    expect(faults()).toEqual([]);
  });

  it("takes a claim from its link: sign in, claim, and the job accepts it", async () => {
    const page = await browser.openPage();
    const path = await claimPath("story");
    await open(page, path);
    await page.getByRole("link", { name: "Sign in to claim it" }).click();
    await at(page, "/sign-in");
    await page.getByLabel("A key of your account").fill(mine.owner);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await at(page, path);
    await page.getByRole("button", { name: "Claim for this account" }).click();
    await page.getByText(`account: ${mine.id}`).waitFor();
    await send("/v1/ci/oidc/exchange", { json: { subject_token: "accepts", account: mine.id } });
    await open(page, "/");
    await page.getByRole("link", { name: "octo/hello", exact: true }).first().click();
    await page.getByRole("navigation", { name: "Agent" }).getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "CI jobs that may run it" }).waitFor();
    await expectAccessible(page);
    await page.getByLabel("US dollars a day").fill("5");
    await page.getByRole("button", { name: "Save the policy" }).click();
    await page.waitForLoadState();
    expect(await page.getByLabel("US dollars a day").inputValue()).toBe("5");
    expect(faults()).toEqual([]);
  });
});
