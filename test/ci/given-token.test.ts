import { describe, expect, it } from "vitest";
import type { Environment } from "../../src/base/environment.ts";
import { createBitbucketProvider } from "../../src/ci/bitbucket.ts";
import { createGitLabProvider } from "../../src/ci/gitlab.ts";
import type { CiProvider } from "../../src/ci/provider.ts";
import { bitbucketJob, gitlabJob, SHA, tokenFor } from "./job-variables.ts";

const AUDIENCE = "agents.example.com";

const refusal = (provider: CiProvider) => provider.mintIdToken(AUDIENCE).catch((caught: unknown) => caught);
const gitlab = (env: Environment) => createGitLabProvider({ env: { ...gitlabJob, ...env } });
const bitbucket = (env: Environment) => createBitbucketProvider({ env: { ...bitbucketJob, ...env } });

describe("a GitLab job", () => {
  it("is known by its variables", () => {
    expect(gitlab({}).job).toEqual({
      provider: "gitlab",
      repository: { id: "20", name: "my-group/my-project" },
      event: "push",
      sha: SHA,
      runId: "574",
      attempt: null,
      job: "agent",
      step: "",
    });
    expect(gitlab({ CI_PIPELINE_SOURCE: "merge_request_event" }).job.event).toBe("pull_request");
  });

  it("gives its tokens one after the other, and the last again", async () => {
    const [one, two] = [tokenFor(AUDIENCE, "1"), tokenFor([AUDIENCE], "2")];
    const provider = gitlab({ AGENT_SERVICE_ID_TOKEN: one, AGENT_SERVICE_ID_TOKEN_2: two });
    expect(provider.tokenLimit).toBe(2);
    expect(await provider.mintIdToken(AUDIENCE)).toBe(one);
    expect(await provider.mintIdToken(AUDIENCE)).toBe(two);
    expect(await provider.mintIdToken(AUDIENCE)).toBe(two);
  });

  it("reads the variable that the option names", async () => {
    const token = tokenFor(AUDIENCE);
    const env = { ...gitlabJob, MY_TOKEN: token, AGENT_SERVICE_ID_TOKEN: tokenFor("other") };
    expect(await createGitLabProvider({ env, tokenVariable: "MY_TOKEN" }).mintIdToken(AUDIENCE)).toBe(token);
  });

  it("is told which lines to add when it has no token", async () => {
    for (const env of [{}, { AGENT_SERVICE_ID_TOKEN: "" }]) {
      expect(await refusal(gitlab(env))).toMatchObject({
        code: "id_token_unavailable",
        message: `No ID token available: the variable AGENT_SERVICE_ID_TOKEN is not set. Add to this job:

  id_tokens:
    AGENT_SERVICE_ID_TOKEN:
      aud: agents.example.com
`,
      });
    }
  });

  it.each([
    ["is for another audience", tokenFor("other"), "id_token_refused"],
    ["is for ours and another", tokenFor([AUDIENCE, "other"]), "id_token_refused"],
    ["is for nobody", tokenFor(undefined), "id_token_refused"],
    ["cannot be read", "AAAA.AAAA.AAAA", "id_token_refused"],
    ["is no token", "secret value", "id_token_unavailable"],
  ])("is told what to change when its token %s, and the token is not repeated", async (_, token, code) => {
    const caught = await refusal(gitlab({ AGENT_SERVICE_ID_TOKEN: token }));
    expect(caught).toMatchObject({ code, message: expect.stringContaining(`aud: ${AUDIENCE}`) });
    expect(String(caught)).not.toContain(token);
  });

  it("of a fork's merge request sends nothing, the fork's own pipeline may", async () => {
    const env = { AGENT_SERVICE_ID_TOKEN: tokenFor(AUDIENCE), CI_PIPELINE_SOURCE: "merge_request_event" };
    const fork = gitlab({ ...env, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "999" });
    expect(await refusal(fork)).toMatchObject({ code: "fork_pull_request" });
    const own = gitlab({
      ...env,
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "20",
      CI_MERGE_REQUEST_PROJECT_ID: "7",
    });
    expect(await own.mintIdToken(AUDIENCE)).toBe(env.AGENT_SERVICE_ID_TOKEN);
  });

  it("stops at a signal", async () => {
    const signal = AbortSignal.abort(new Error("cancelled"));
    await expect(gitlab({}).mintIdToken(AUDIENCE, signal)).rejects.toThrow("cancelled");
  });
});

describe("a Bitbucket step", () => {
  it("is known by its variables", () => {
    expect(bitbucket({}).job).toEqual({
      provider: "bitbucket",
      repository: { id: "{bd715740-c970-486b-b68a-b421ec2a1f8b}", name: "acme/app" },
      event: "push",
      sha: SHA,
      runId: "{5a4d5ecd-c7d4-4dee-b0f1-2d0b2f7a7a75}",
      attempt: 2,
      job: "{759de0c6-eaee-4eaa-b7a6-c507eec759a7}",
      step: "",
    });
    expect(bitbucket({ BITBUCKET_PR_ID: "7" }).job.event).toBe("pull_request");
  });

  it("has one token", async () => {
    const token = tokenFor([AUDIENCE]);
    const provider = bitbucket({ BITBUCKET_STEP_OIDC_TOKEN: token });
    expect(provider.tokenLimit).toBe(1);
    expect([await provider.mintIdToken(AUDIENCE), await provider.mintIdToken(AUDIENCE)]).toEqual([
      token,
      token,
    ]);
  });

  it("is told which lines to add when it has none, or one for somebody else", async () => {
    expect(await refusal(bitbucket({}))).toMatchObject({
      code: "id_token_unavailable",
      message: `No ID token available: the variable BITBUCKET_STEP_OIDC_TOKEN is not set. Add to this job:

      oidc:
        audiences:
          - agents.example.com
`,
    });
    const workspaces = tokenFor("ari:cloud:bitbucket::workspace/922e118c-f34f-4226-a897-0e0afbec553d");
    expect(await refusal(bitbucket({ BITBUCKET_STEP_OIDC_TOKEN: workspaces }))).toMatchObject({
      code: "id_token_refused",
      message: expect.stringContaining("audiences:"),
    });
  });
});
