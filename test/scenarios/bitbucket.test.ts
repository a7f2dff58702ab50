// `agent-service run` in a step of Bitbucket Pipelines: one token, and a report by the proxy that signs for the step.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type CodeInsights, startCodeInsights } from "../support/code-insights.ts";
import { CiFixture } from "../support/fixtures/ci-fixture.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";

const slug = { BITBUCKET_WORKSPACE: "acme", BITBUCKET_REPO_SLUG: "app" };

describe("a Bitbucket step", () => {
  let fixture: CiFixture;
  let insights: CodeInsights | null = null;
  beforeAll(async () => {
    const backend = scriptedBackend((task) => say(task, "All is well.\n"));
    fixture = await CiFixture.open({ provider: "bitbucket", backend });
  });
  afterEach(async () => {
    await insights?.close();
    insights = null;
  });
  afterAll(async () => await fixture.close());

  it("runs an agent, and reports to Code Insights", async () => {
    insights = await startCodeInsights();
    const job = await fixture.run({ env: slug });
    expect(job).toMatchObject({ code: 0, stderr: "" });
    const exchange = job.requests.find(({ route }) => route === "exchange");
    expect(JSON.parse(exchange?.body ?? "").sha).toBe("a".repeat(40));
    const [report, ...more] = insights.reports;
    expect(more).toEqual([]);
    expect(report).toMatchObject({
      method: "PUT",
      host: "api.bitbucket.org",
      url: `http://api.bitbucket.org/2.0/repositories/acme/app/commit/${"a".repeat(40)}/reports/agent-service-759de0c6-eaee-4eaa-b7a6-c507eec759a7`,
    });
    expect(report?.body).toMatchObject({
      title: "Agent: Answered",
      details: "All is well.\n",
      report_type: "TEST",
      result: "PASSED",
      link: JSON.parse(job.files["result.json"] ?? "").run_url,
    });
  });

  it("says that there is no report where the proxy refuses, and ends as the run did", async () => {
    insights = await startCodeInsights({ status: 403 });
    const job = await fixture.run({ env: { ...slug, BITBUCKET_PIPELINE_UUID: "{second}" } });
    expect(job.code).toBe(0);
    expect(job.stderr).toBe(
      "The page of this CI could not be written: Bitbucket answered 403 to a Code Insights report\n",
    );
  });

  it("names the lines to add when it has no token", async () => {
    insights = await startCodeInsights();
    const job = await fixture.run({ hasToken: false, env: slug });
    expect(job.code).toBe(1);
    expect(job.stderr).toContain(`\n      oidc:\n        audiences:\n          - ${fixture.audience}\n`);
    expect(insights.reports[0]?.body).toMatchObject({ result: "FAILED" });
  });

  it("names the lines to change when its token is for two audiences", async () => {
    insights = await startCodeInsights();
    const token = fixture.mint({ aud: [fixture.audience, "other.example"] });
    const job = await fixture.run({ env: { ...slug, BITBUCKET_STEP_OIDC_TOKEN: token } });
    expect(job.code).toBe(1);
    expect(job.stderr).toContain(`is not made for "${fixture.audience}" alone. Change in this job:`);
    expect(job.stdout + job.stderr).not.toContain(token);
  });
});
