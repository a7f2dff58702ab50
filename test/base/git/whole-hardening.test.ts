// The protection of git, whole and as a golden file: a line that is lost opens what a repository may try.

import { expect, it } from "vitest";
import {
  gitEnvironment,
  gitOptions,
  overridingAttributes,
  strictOption,
} from "../../../src/base/git/hardening.ts";

const INHERITED =
  "PATH SYSTEMROOT http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY SSL_CERT_FILE SSL_CERT_DIR GIT_SSL_CAINFO GIT_SSL_CAPATH";
/** What others of a job's variables would have git do. */
const REFUSED =
  "HTTP_PROXY GIT_DIR GIT_WORK_TREE GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_PROXY_COMMAND GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_TRACE GIT_SSL_NO_VERIFY HOME XDG_CONFIG_HOME LD_PRELOAD SSH_AUTH_SOCK GITHUB_TOKEN";

it("passes on where programs, network and certificates are, and nothing else", () => {
  const names = [...INHERITED.split(" "), ...REFUSED.split(" ")];
  const environment = Object.fromEntries(names.map((name) => [name, `outer ${name}`]));
  const passed = gitEnvironment({ environment, home: "/empty", gitFolder: "/git", treeFolder: null });
  const kept = Object.keys(passed).filter((name) => passed[name]?.startsWith("outer "));
  expect(kept).toEqual(INHERITED.split(" "));
});

it("is this", async () => {
  const hardening = { environment: {}, home: "/empty", gitFolder: "/git", treeFolder: "/tree" };
  const variables = gitEnvironment({ ...hardening, maxAllocation: "512m" });
  const text = [
    ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    "",
    ...gitOptions(["extra=1"]).join(" ").split(" -c "),
    "",
    strictOption,
    overridingAttributes,
  ];
  await expect(text.join("\n")).toMatchFileSnapshot("./golden/hardening.txt");
});
