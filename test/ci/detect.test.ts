import { describe, expect, it } from "vitest";
import { createProvider, detectProvider, isInCi } from "../../src/ci/detect.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";
import { bitbucketJob, buildkiteJob, circleciJob, gitlabJob } from "./job-variables.ts";

const jobs = {
  github: { GITHUB_ACTIONS: "true" },
  gitlab: gitlabJob,
  circleci: circleciJob,
  buildkite: buildkiteJob,
  bitbucket: bitbucketJob,
};

describe("detectProvider", () => {
  it.each(Object.entries(jobs))("knows a job of %s", (name, env) => {
    expect(detectProvider({ ...env, CI: "true" })).toBe(name);
    const provider = createProvider({
      env,
      clock: instantClock(),
      random: () => 0,
      transport: async () => ({ status: 500, headers: () => undefined, body: "" }),
    });
    expect(provider.job.provider).toBe(name);
  });

  it.each([{}, { CI: "true" }, { GITHUB_ACTIONS: "false" }, { BITBUCKET_BUILD_NUMBER: "7" }])(
    "lists the supported ones for %j",
    (env) => {
      expect(() => detectProvider(env)).toThrow(
        "This is no CI job that can prove its identity. Supported are GitHub Actions, GitLab CI, CircleCI, Buildkite and Bitbucket Pipelines.",
      );
    },
  );

  it("says why Azure DevOps is none", () => {
    expect(() => detectProvider({ TF_BUILD: "True" })).toThrow("Azure DevOps cannot be used");
  });

  it("does not choose between two", () => {
    expect(() => detectProvider({ ...gitlabJob, ...buildkiteJob })).toThrow(
      "This job has the variables of GitLab CI and Buildkite at once.",
    );
  });
});

describe("isInCi", () => {
  it.each([
    { CI: "true" },
    { CI: "1" },
    { TF_BUILD: "True" },
    { JENKINS_URL: "https://ci.example" },
    circleciJob,
  ])("is so with %j", (env) => expect(isInCi(env)).toBe(true));
  it.each([{}, { CI: "" }, { CI: "false" }, { CI: "0" }])("is not so with %j", (env) => {
    expect(isInCi(env)).toBe(false);
  });
});
