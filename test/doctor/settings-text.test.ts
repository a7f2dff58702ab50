// What the doctor has people copy into the job's own configuration, by CI provider.

import { describe, expect, it } from "vitest";
import { providerDefinitions } from "../../src/ci/providers.ts";
import { ciProviderNames } from "../../src/contract/ci/providers.ts";
import { audienceFix, issuerEntry, variableText } from "../../src/doctor/settings-text.ts";

it("has an audience written where the provider's tokens are asked for", async () => {
  const fixes = [...ciProviderNames, null].flatMap((provider) =>
    (["action", "command"] as const).map((face) => {
      const { text, code } = audienceFix("agents.example.com", { face, provider });
      return `${provider ?? "no provider"}, ${face}: ${text}\n${code}\n`;
    }),
  );
  await expect(fixes.join("\n")).toMatchFileSnapshot("./golden/audience-fixes.txt");
});

describe.each(ciProviderNames)("an issuer's entry for a job of %s", (provider) => {
  const { server } = providerDefinitions[provider].variables;
  const entry = (env: Readonly<Record<string, string>>) =>
    issuerEntry("https://issuer.example", { env, provider });

  it("needs the server's address, which the job knows by a variable of its provider", () => {
    expect(entry({})).toBeNull();
    if (server === null) return;
    expect(entry({ [server]: "" })).toBeNull();
    const text = entry({ [server]: "https://host.example" }) ?? expect.unreachable();
    const [, json] = /^CI_ISSUERS='(.*)'$/.exec(text) ?? expect.unreachable();
    expect(JSON.parse(json ?? "")).toEqual([
      {
        provider,
        issuer: "https://issuer.example",
        jwks_uri: expect.stringMatching(/^https:\/\/issuer\.example\/\S+$/),
        clone_url: "https://host.example/{repository}.git",
      },
    ]);
  });
});

it.each([
  ["GitHub", { GITHUB_ACTIONS: "true" }, "env:\n  NAME: value"],
  ["GitLab", { GITLAB_CI: "true" }, "variables:\n  NAME: value"],
  ["a shell", {}, "export NAME=value"],
])("has a variable set as %s has it", (_name, env, text) => {
  expect(variableText(env, "NAME", "value")).toBe(text);
});
