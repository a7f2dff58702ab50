import { describe, expect, it } from "vitest";
import { readAcpConfig } from "../../../src/service/settings/acp-config.ts";

type Environment = Readonly<Record<string, string>>;

const COMMAND = { ACP_COMMAND: '["opencode", "acp"]' };

function read(environment: Environment) {
  const problems: string[] = [];
  return { config: readAcpConfig(environment, problems), problems };
}

describe("the settings of an ACP agent", () => {
  it("are none where no command is named", () => {
    expect(read({ ACP_COMMAND: " " })).toEqual({ config: null, problems: [] });
  });

  it("have defaults that let it change its checkout and nothing else", () => {
    const { config, problems } = read(COMMAND);
    expect(problems).toEqual([]);
    expect(config).toEqual({
      command: ["opencode", "acp"],
      path: "/usr/local/bin:/usr/bin:/bin",
      environment: {},
      authMethod: null,
      permissions: {
        read: "allow",
        edit: "allow",
        delete: "allow",
        move: "allow",
        search: "allow",
        think: "allow",
        execute: "reject",
        fetch: "reject",
        other: "reject",
      },
      startTimeoutMs: 60_000,
      idleTimeoutMs: 600_000,
      stopGraceMs: 5_000,
    });
  });

  it("are all taken", () => {
    const { config, problems } = read({
      ...COMMAND,
      PATH: "/opt/agents/bin",
      ACP_ENV: '{"KEY": "secret", "AGENT_CONFIG": {"share": "disabled"}, "EMPTY": ""}',
      ACP_AUTH_METHOD: "gemini-api-key",
      ACP_PERMISSIONS: '{"execute": "allow", "edit": "reject"}',
      ACP_START_SECONDS: "1",
      ACP_IDLE_SECONDS: "2",
      ACP_STOP_SECONDS: "3",
    });
    expect(problems).toEqual([]);
    expect(config).toMatchObject({
      path: "/opt/agents/bin",
      environment: { KEY: "secret", AGENT_CONFIG: '{"share":"disabled"}', EMPTY: "" },
      authMethod: "gemini-api-key",
      permissions: { execute: "allow", edit: "reject", read: "allow", other: "reject" },
      startTimeoutMs: 1_000,
      idleTimeoutMs: 2_000,
      stopGraceMs: 3_000,
    });
    expect(read({ ...COMMAND, ACP_PERMISSIONS: "reject" }).config?.permissions).toBe("reject");
  });

  const commandText = 'must be a JSON list of texts, such as ["opencode", "acp"], got ';
  const environmentText =
    "must be a JSON object of variables without HOME; a value is a text, or an object that is given as JSON, got something else.";
  const policyText =
    "must be allow, reject, or a JSON object of those by read, edit, delete, move, search, execute, think, fetch, other, got ";

  it.each([
    ["ACP_COMMAND", "opencode acp", `${commandText}"opencode acp".`],
    ["ACP_COMMAND", "[]", `${commandText}"[]".`],
    ["ACP_COMMAND", '[""]', `${commandText}"[""]".`],
    ["ACP_COMMAND", '["a", 1]', `${commandText}"["a", 1]".`],
    ["ACP_COMMAND", '["a\\u0000"]', `${commandText}"["a\\u0000"]".`],
    ["ACP_ENV", "KEY=secret", environmentText],
    ["ACP_ENV", '["secret"]', environmentText],
    ["ACP_ENV", '{"HOME": "/root"}', environmentText],
    ["ACP_ENV", '{"A B": "secret"}', environmentText],
    ["ACP_ENV", '{"A": 1}', environmentText],
    ["ACP_ENV", '{"A": ["secret"]}', environmentText],
    [
      "ACP_AUTH_METHOD",
      "an api key",
      'must be one word, as the agent calls its way to log in, got "an api key".',
    ],
    ["ACP_PERMISSIONS", "ask", `${policyText}"ask".`],
    ["ACP_PERMISSIONS", '{"shell": "allow"}', `${policyText}"{"shell": "allow"}".`],
    ["ACP_PERMISSIONS", '{"edit": "maybe"}', `${policyText}"{"edit": "maybe"}".`],
    ["ACP_START_SECONDS", "0", 'must be a whole number from 1 to 21600, got "0".'],
    ["ACP_IDLE_SECONDS", "1m", 'must be a whole number from 1 to 21600, got "1m".'],
    ["ACP_STOP_SECONDS", "21601", 'must be a whole number from 1 to 21600, got "21601".'],
  ])("are named when wrong: %s=%s", (name, value, problem) => {
    expect(read({ ...COMMAND, [name]: value }).problems).toEqual([`${name} ${problem}`]);
  });
});
