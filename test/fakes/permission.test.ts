import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingPermission } from "../../fakes/code-host/permission.ts";
import type { ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";

describe("a job's token", () => {
  it.each([
    ["POST", "/issues/7/comments", { issues: "write" }, null],
    ["POST", "/issues/7/comments", { "pull-requests": "write" }, null],
    ["POST", "/issues/7/comments", { issues: "read" }, "issues=write; pull_requests=write"],
    ["GET", "/issues/7", { contents: "write" }, "issues=read; pull_requests=read"],
    ["GET", "/pulls", { "pull-requests": "read" }, null],
    ["POST", "/pulls", { contents: "write" }, "pull_requests=write"],
    ["POST", "/pulls/7/reviews", { "pull-requests": "read" }, "pull_requests=write"],
    ["GET", "/contents/README.md", { contents: "write" }, null],
    ["GET", "/contents/README.md", { "id-token": "write" }, "contents=read"],
    ["POST", "/git/refs", { contents: "read" }, "contents=write"],
    ["GET", "/collaborators/octocat/permission", {}, null],
  ])("asks for %s %s with %j: lacks %s", (method, path, permissions, missing) => {
    expect(missingPermission(permissions, { method, path })).toBe(missing);
  });

  describe("at the code host", () => {
    let fixture: ScenarioFixture;
    beforeAll(async () => {
      fixture = await startFixture({ level: "scenario" });
    });
    afterAll(async () => await fixture.close());

    it("is refused what its workflow does not grant, by the API and by git", async () => {
      const poor = await fixture.job({ permissions: { contents: "read" } });
      const rich = await fixture.job({ permissions: { contents: "write", issues: "write" } });
      const comment = async ({ githubToken, env }: typeof poor) =>
        await fetch(`${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues/7/comments`, {
          method: "POST",
          headers: { authorization: `Bearer ${githubToken}` },
          body: JSON.stringify({ body: "Hello" }),
        });
      const refused = await comment(poor);
      expect(refused.status).toBe(403);
      expect(refused.headers.get("x-accepted-github-permissions")).toBe("issues=write; pull_requests=write");
      expect((await comment(rich)).status).toBe(201);

      const push = async ({ githubToken, env }: typeof poor) => {
        const url = `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}.git`;
        const header = `http.extraHeader=Authorization: Bearer ${githubToken}`;
        const args = ["-c", header, "push", "--quiet", url, "refs/heads/main:refs/heads/other"];
        await promisify(execFile)("git", args, { cwd: fixture.repository.path });
      };
      await expect(push(poor)).rejects.toThrow("403");
      await push(rich);
      expect(fixture.repository.git(["rev-parse", "refs/heads/other"])).toMatch(/^[0-9a-f]{40}$/);
    });
  });
});
