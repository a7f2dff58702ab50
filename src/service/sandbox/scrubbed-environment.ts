// Builds the environment of a command: only variables that the operator names are inherited. Pure.

import { isJobCredential } from "../../contract/ci/job-credentials.ts";

/** Names that usually hold secrets. */
const secretName =
  /^(DATABASE_URL$|SSH_AUTH_SOCK$)|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_?KEY/i;
const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The fault of a variable's name, or null. */
export function faultOfName(name: string): string | null {
  if (!namePattern.test(name)) return "is not the name of a variable";
  if (secretName.test(name) || isJobCredential(name)) return "is a name that secrets go by";
  return null;
}

type EnvironmentParts = {
  readonly path: string;
  readonly home: string;
  readonly temporary: string;
  /** Variables that the operator passes through. */
  readonly passed: Readonly<Record<string, string>>;
  /** Variables that the command requests. */
  readonly added: Readonly<Record<string, string>>;
  /** Variables that name the proxy to the network. */
  readonly proxy: Readonly<Record<string, string>>;
  /** Variables that name the relay of the run's ID tokens. Their names are those of credentials: nothing else may set them. */
  readonly identity: Readonly<Record<string, string>>;
};

export function scrubbedEnvironment(parts: EnvironmentParts): Record<string, string> {
  return {
    PATH: parts.path,
    HOME: parts.home,
    TMPDIR: parts.temporary,
    USER: "agent",
    LOGNAME: "agent",
    SHELL: "/bin/sh",
    LANG: "C.UTF-8",
    TERM: "dumb",
    ...parts.passed,
    ...parts.added,
    ...parts.proxy,
    ...parts.identity,
    // Git's folder is read-only and may belong to another user: reading must work.
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
  };
}
