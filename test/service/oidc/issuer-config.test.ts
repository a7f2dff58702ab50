import { describe, expect, it } from "vitest";
import { decodeIssuers, githubIssuer } from "../../../src/service/oidc/issuer-config.ts";

const entry = {
  provider: "github",
  issuer: "https://ghes.example/_services/token",
  jwks_uri: "https://ghes.example/_services/token/.well-known/jwks",
  clone_url: "https://ghes.example/{repository}.git",
};

describe("CI_ISSUERS", () => {
  it("decodes an entry and fills in what may be left out", () => {
    expect(decodeIssuers([entry])).toEqual({
      ok: true,
      value: [{ ...entry, enabled: true, allow_events: [] }],
    });
  });

  it("accepts the default as an operator would write it", () => {
    expect(decodeIssuers([githubIssuer])).toEqual({ ok: true, value: [githubIssuer] });
  });

  it.each(["http://127.0.0.1:8080", "http://localhost", "http://[::1]:8080"])(
    "accepts %s, on loopback",
    (url) => {
      const local = { ...entry, issuer: url, jwks_uri: `${url}/jwks`, clone_url: `${url}/{repository}.git` };
      expect(decodeIssuers([local]).ok).toBe(true);
    },
  );

  it.each([
    { provider: "gitlab", max_token_seconds: 86_400 },
    { provider: "circleci", visibility: "public" },
    { provider: "buildkite", clone_url: "https://github.com/acme/{pipeline}.git" },
    { provider: "buildkite", clone_url: "https://github.com/{repository}.git" },
    { provider: "bitbucket", visibility: "private" },
  ])("accepts %j", (fields) => {
    expect(decodeIssuers([{ ...entry, ...fields }])).toMatchObject({ ok: true, value: [fields] });
  });

  it.each([
    [
      { ...entry, provider: "azure" },
      "[0].provider must be one of: github, gitlab, circleci, buildkite, bitbucket",
    ],
    [
      { ...entry, issuer: "https://vstoken.dev.azure.com/1" },
      "[0].issuer must be another provider's. Azure DevOps cannot be used",
    ],
    [
      { ...entry, issuer: "https://app.vstoken.visualstudio.com/1" },
      "[0].issuer must be another provider's. Azure DevOps cannot be used",
    ],
    [{ ...entry, clone_url: "https://ghes.example/{pipeline}" }, "[0].clone_url must contain {repository}"],
    [
      { ...entry, provider: "buildkite", clone_url: "https://x.example/{repository}/{pipeline}" },
      "[0].clone_url must contain {repository}",
    ],
    [{ ...entry, visibility: "public" }, "[0].visibility must be left out"],
    [{ ...entry, provider: "gitlab", visibility: "private" }, "[0].visibility must be left out"],
    [{ ...entry, provider: "circleci", visibility: "internal" }, "[0].visibility must be public or private"],
    [{ ...entry, max_token_seconds: 59 }, "[0].max_token_seconds must be an integer from 60 to 2592000"],
    [{ ...entry, max_token_seconds: 60.5 }, "[0].max_token_seconds must be an integer"],
    [{ ...entry, issuer: "http://ghes.example" }, "[0].issuer must be an https URL"],
    [{ ...entry, issuer: "http://127.0.0.1.evil.example" }, "[0].issuer must be an https URL"],
    [{ ...entry, issuer: "https://user:pass@ghes.example" }, "[0].issuer must be an https URL"],
    [{ ...entry, issuer: "https://ghes.example?x" }, "[0].issuer must be an issuer URL"],
    [{ ...entry, issuer: "ghes.example" }, "[0].issuer must be an https URL"],
    [{ ...entry, jwks_uri: "file:///etc/passwd" }, "[0].jwks_uri must be an https URL"],
    [{ ...entry, jwks_uri: undefined }, "[0].jwks_uri must be a URL"],
    [
      { ...entry, clone_url: "https://ghes.example/repository.git" },
      "[0].clone_url must contain {repository}",
    ],
    [{ ...entry, clone_url: "https://{repository}.example/" }, "[0].clone_url must"],
    ...[
      "https://ghes.example/{repository}.git",
      "ssh://ghes.example/{repository}.git",
      "ssh://git:pw@ghes.example/{repository}.git",
      "ssh://git@{repository}/x",
      "ssh://git@-oProxyCommand=x/{repository}",
      "ssh://git@ghes.example/x.git",
    ].map((ssh_url): [unknown, string] => [
      { ...entry, ssh_url },
      "[0].ssh_url must be like ssh://git@git.example.com/{repository}.git",
    ]),
    [{ ...entry, clone_url: "https://ghes.example/?r={repository}" }, "[0].clone_url must contain"],
    [{ ...entry, clone_url: "https://x.example/{repository}/{repository}" }, "[0].clone_url must contain"],
    [{ ...entry, clone_url: "ssh://git@ghes.example/{repository}" }, "[0].clone_url must be an https URL"],
    [{ ...entry, enabled: "yes" }, "[0].enabled must be true or false"],
    [
      { ...entry, allow_events: ["push"] },
      "[0].allow_events[0] must be one of: pull_request_target, workflow_run",
    ],
    [
      { ...entry, jwks_url: "https://ghes.example/jwks" },
      '[0].jwks_url is not a known field. Did you mean "jwks_uri"? Allowed: "allow_events", ',
    ],
    ["https://ghes.example", "[0] must be an object"],
  ])("refuses the entry %j", (wrong, message) => {
    const result = decodeIssuers([wrong]);
    if (result.ok) expect.fail("it was accepted");
    expect(result.refusal.join("\n")).toContain(message);
    expect(result.refusal.join("\n")).not.toContain("pass");
  });

  it.each([[null], [{}], ["[]"]])("refuses %j: it must be a list", (value) => {
    expect(decodeIssuers(value)).toEqual({ ok: false, refusal: ["must be a list"] });
  });

  it("refuses an empty list", () => {
    expect(decodeIssuers([])).toEqual({ ok: false, refusal: ["must name an issuer"] });
  });

  it("refuses an issuer listed twice, and names every fault at once", () => {
    expect(decodeIssuers([entry, { ...entry, enabled: false }])).toMatchObject({
      refusal: [expect.stringContaining("[1].issuer must be listed once")],
    });
    expect(
      decodeIssuers([
        { ...entry, provider: "x" },
        { ...entry, jwks_uri: "x" },
      ]),
    ).toMatchObject({
      refusal: [expect.stringContaining("[0].provider"), expect.stringContaining("[1].jwks_uri")],
    });
  });
});
