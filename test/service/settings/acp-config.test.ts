import { describe, expect, it } from "vitest";
import { readAcpConfig } from "../../../src/service/settings/acp-config.ts";

type Environment = Readonly<Record<string, string>>;

const COMMAND = { ACP_COMMAND: '["opencode", "acp"]' };

function read(environment: Environment, backend = "acp") {
  const problems: string[] = [];
  return { config: readAcpConfig(environment, { backend, needsKey: true, problems }), problems };
}

describe("the settings of an ACP agent", () => {
  it("are not read for another backend", () => {
    expect(read({ ACP_COMMAND: "nonsense" }, "model")).toEqual({ config: null, problems: [] });
  });

  it("need a command", () => {
    expect(read({ ACP_COMMAND: " " })).toEqual({
      config: null,
      problems: [
        'ACP_COMMAND must be set for BACKEND acp: a JSON list, such as ["opencode", "acp"]. Or set ACP_AGENT and MODEL.',
      ],
    });
  });

  it("have defaults that let it change its checkout and nothing else", () => {
    const { config, problems } = read(COMMAND);
    expect(problems).toEqual([]);
    expect(config).toEqual({
      title: "opencode",
      agent: null,
      chosenModel: null,
      command: ["opencode", "acp"],
      path: "/usr/local/bin:/usr/bin:/bin",
      environment: {},
      secrets: [],
      identity: null,
      model: null,
      authMethod: null,
      mode: null,
      homeFiles: {},
      asksForFiles: true,
      answersWithErrors: false,
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
      startTimeoutMs: 180_000,
      idleTimeoutMs: 600_000,
      stopGraceMs: 5_000,
      keepEveryMs: 30_000,
    });
  });

  it("are all taken", () => {
    const { config, problems } = read({
      ...COMMAND,
      PATH: "/opt/agents/bin",
      ACP_ENV: '{"KEY": "agents-own-secret", "AGENT_CONFIG": {"share": "disabled"}, "EMPTY": ""}',
      ACP_SECRETS: "allowed",
      ACP_AUTH_METHOD: "gemini-api-key",
      ACP_MODE: "default",
      ACP_PERMISSIONS: '{"execute": "allow", "edit": "reject"}',
      ACP_START_SECONDS: "1",
      ACP_IDLE_SECONDS: "2",
      ACP_STOP_SECONDS: "3",
      ACP_KEEP_SECONDS: "4",
    });
    expect(problems).toEqual([]);
    expect(config).toMatchObject({
      path: "/opt/agents/bin",
      secrets: ["agents-own-secret"],
      environment: { KEY: "agents-own-secret", AGENT_CONFIG: '{"share":"disabled"}', EMPTY: "" },
      authMethod: "gemini-api-key",
      mode: "default",
      homeFiles: {},
      asksForFiles: true,
      permissions: { execute: "allow", edit: "reject", read: "allow", other: "reject" },
      startTimeoutMs: 1_000,
      idleTimeoutMs: 2_000,
      stopGraceMs: 3_000,
      keepEveryMs: 4_000,
    });
    expect(read({ ...COMMAND, ACP_PERMISSIONS: "reject" }).config?.permissions).toBe("reject");
  });

  it("give a key to the service alone, which reaches the model for the agent", () => {
    const key = "sk-ant-api03-0123456789";
    const env = {
      ACP_ENV: '{"MY_KEY": "{model_key}", "MY_URL": "{model_url}/v1", "MAX_TOKENS": "32000000"}',
    };
    const modelOf = (given: Environment) => {
      const { config, problems } = read({ ...COMMAND, ...env, ...given });
      return config?.model ?? problems;
    };
    expect(modelOf({ MODEL_PROVIDER: "anthropic", MODEL_API_KEY: key })).toEqual({
      wire: "anthropic",
      baseUrl: "https://api.anthropic.com/v1",
      apiKey: key,
    });
    expect(modelOf({ MODEL_BASE_URL: "https://generativelanguage.googleapis.com/v1beta/" })).toEqual({
      wire: "gemini",
      baseUrl: "https://generativelanguage.googleapis.com/v1beta",
      apiKey: null,
    });
    // A server of the local network that needs no key.
    expect(modelOf({ MODEL_BASE_URL: "http://10.0.0.5:8000/v1" })).toMatchObject({
      wire: "openai-compatible",
    });
    expect(modelOf({ MODEL_BASE_URL: "http://127.0.0.1:8000/v1", MODEL_API_KEY: key })).toMatchObject({
      apiKey: key,
    });
    expect(modelOf({ MODEL_BASE_URL: "http://10.0.0.5:8000/v1", MODEL_API_KEY: key })).toEqual([
      "MODEL_BASE_URL must begin with https:// where MODEL_API_KEY is set, or lead to loopback.",
    ]);
    expect(modelOf({ MODEL_API_KEY: key })).toEqual([
      "MODEL_PROVIDER or MODEL_BASE_URL must be set: they say where the agent's model is.",
      "MODEL_PROVIDER or MODEL_BASE_URL must be set where {model_url} or {model_key} is used: they say where the agent's model is.",
    ]);
    expect(modelOf({ MODEL_API_KEY: key, MODEL_PROVIDER: "openai-compatible" })).toContain(
      "MODEL_BASE_URL must be set for MODEL_PROVIDER openai-compatible: the address of its API, such as https://api.openai.com/v1.",
    );
  });

  it("refuse a secret that whatever the agent executes could read, and name where it stands", () => {
    const refused = (place: string) =>
      `${place} holds a secret, which whatever the agent executes could read. Set MODEL_API_KEY and MODEL_PROVIDER ` +
      'instead and put "{model_key}" there, and "{model_url}" for the address; or set ACP_SECRETS=allowed.';
    const config = {
      provider: { own: { options: { apiKey: "opaque-and-long", baseURL: "https://a.example" } } },
    };
    const { problems } = read({
      ACP_COMMAND: JSON.stringify(["codex-acp", "-c", 'key="sk-proj-0123456789"']),
      ACP_ENV: JSON.stringify({
        ANTHROPIC_API_KEY: "0123456789",
        OPENCODE_CONFIG_CONTENT: config,
        GATEWAY: "https://user:pass@gateway.example/v1",
        WHATEVER: "sk-ant-api03-0123456789",
      }),
    });
    expect(problems).toEqual([
      refused("ACP_ENV.OPENCODE_CONFIG_CONTENT.provider.own.options.apiKey"),
      refused("ACP_ENV.GATEWAY"),
      refused("ACP_ENV.WHATEVER"),
      refused("ACP_COMMAND[2]"),
    ]);
    const named = { env_key: "MODEL_API_KEY", apiKey: "{model_key}", sshKey: "/etc/key" };
    const placeholders = { ACP_ENV: JSON.stringify({ CONFIG: named, MAX_TOKENS: "32000000" }) };
    expect(read({ ...COMMAND, ...placeholders, MODEL_PROVIDER: "anthropic" }).problems).toEqual([]);
  });

  const notJson = (allowed: string) => ` must be ${allowed}, got text that is not JSON.`;
  const commandText = 'a JSON list of strings, such as ["opencode", "acp"]';
  const policyText =
    "allow, reject, or a JSON object of those by read, edit, delete, move, search, execute, think, fetch, other";
  const nameText = "must be the name of a variable, not HOME.";
  const valueText = "must be a string, or an object that is passed as JSON.";

  it.each([
    ["ACP_COMMAND", "opencode acp", notJson(commandText)],
    ["ACP_COMMAND", "{}", ` must be ${commandText}.`],
    ["ACP_COMMAND", "[]", "[0] must name a program."],
    ["ACP_COMMAND", '[""]', "[0] must name a program."],
    ["ACP_COMMAND", '["a", 1]', "[1] must be a string."],
    ["ACP_COMMAND", '["a\\u0000"]', "[0] must not contain a NUL character."],
    ["ACP_ENV", "KEY=secret", notJson("a JSON object of environment variables")],
    ["ACP_ENV", '["secret"]', " must be a JSON object of environment variables."],
    ["ACP_ENV", '{"HOME": "/root"}', `.HOME ${nameText}`],
    ["ACP_ENV", '{"A B": "secret"}', `.A B ${nameText}`],
    ["ACP_ENV", '{"A": 1}', `.A ${valueText}`],
    ["ACP_ENV", '{"A": ["secret"]}', `.A ${valueText}`],
    ["ACP_ENV", '{"A": "secret\\u0000"}', `.A ${valueText}`],
    [
      "ACP_AUTH_METHOD",
      "an api key",
      ' must be one word, the agent\'s own id of a login method, got "an api key".',
    ],
    ["ACP_SECRETS", "yes", ' must be refused or allowed, got "yes".'],
    ["ACP_PERMISSIONS", "ask", notJson(policyText)],
    ["ACP_PERMISSIONS", '"allow"', ` must be ${policyText}.`],
    ["ACP_PERMISSIONS", '{"shell": "allow"}', ".shell is not a known field."],
    ["ACP_PERMISSIONS", '{"edit": "maybe"}', ".edit must be allow or reject."],
    ["ACP_START_SECONDS", "0", ' must be an integer from 1 to 21600, got "0".'],
    ["ACP_IDLE_SECONDS", "1m", ' must be an integer from 1 to 21600, got "1m".'],
    ["ACP_STOP_SECONDS", "21601", ' must be an integer from 1 to 21600, got "21601".'],
  ])("are named when wrong: %s=%s", (name, value, problem) => {
    expect(read({ ...COMMAND, [name]: value }).problems).toEqual([`${name}${problem}`]);
  });

  const chosen = { MODEL: "m-1", MODEL_API_KEY: "sk-own-0123456789" };

  it.each([
    ["claude", "anthropic", "https://api.anthropic.com/v1", ["claude-agent-acp"]],
    ["codex", "openai-compatible", "https://api.openai.com/v1", ["codex-acp"]],
    [
      "gemini",
      "gemini",
      "https://generativelanguage.googleapis.com/v1beta",
      ["gemini", "--acp", "--model", "m-1"],
    ],
  ])("fill in how %s is started and pointed to its model", (agent, wire, baseUrl, command) => {
    const { config, problems } = read({ ...chosen, ACP_AGENT: agent });
    expect(problems).toEqual([]);
    expect(config).toMatchObject({
      agent,
      command,
      chosenModel: "m-1",
      model: { wire, baseUrl, apiKey: chosen.MODEL_API_KEY },
    });
    expect(JSON.stringify([config?.command, config?.environment])).toContain("m-1");
    expect(JSON.stringify([config?.command, config?.environment])).not.toContain(chosen.MODEL_API_KEY);
  });

  it("let Gemini start the MCP server of a run, and give it no variables of a repository's .env", () => {
    const { config } = read({ ...chosen, ACP_AGENT: "gemini" });
    expect(config?.environment).toMatchObject({ GEMINI_CLI_TRUST_WORKSPACE: "true" });
    expect(JSON.parse(config?.homeFiles[".gemini/settings.json"] ?? "")).toEqual({
      advanced: { ignoreLocalEnv: true },
    });
  });

  it("point opencode to a model of any protocol", () => {
    const at = (environment: Environment) => {
      const { config } = read({ ...chosen, ACP_AGENT: "opencode", ...environment });
      const { provider } = JSON.parse(config?.environment.OPENCODE_CONFIG_CONTENT ?? "{}");
      return [config?.model?.wire, provider?.own.npm, provider?.own.options.baseURL];
    };
    expect(at({ MODEL_BASE_URL: "https://models.example/v1" })).toEqual([
      "openai-compatible",
      "@ai-sdk/openai-compatible",
      "{model_url}",
    ]);
    expect(at({ MODEL_PROVIDER: "anthropic" })).toEqual(["anthropic", "@ai-sdk/anthropic", "{model_url}/v1"]);
    expect(at({ MODEL_PROVIDER: "gemini" })).toEqual(["gemini", "@ai-sdk/google", "{model_url}/v1beta"]);
  });

  it("point Copilot to GitHub's models by a token alone, and to others by their provider", () => {
    const token = { ACP_AGENT: "copilot", MODEL_API_KEY: "ghs_0123456789abcdef" };
    const { config, problems } = read(token);
    expect(problems).toEqual([]);
    expect(config).toMatchObject({
      chosenModel: null,
      model: {
        wire: "copilot",
        baseUrl: "https://api.githubcopilot.com",
        apiKey: token.MODEL_API_KEY,
      },
      homeFiles: {},
      asksForFiles: false,
      answersWithErrors: true,
    });
    expect(config?.environment).not.toHaveProperty("COPILOT_MODEL");
    expect(config?.environment).not.toHaveProperty("COPILOT_OFFLINE");
    expect(read({ ...token, MODEL: "gpt-5.4" }).config).toMatchObject({
      chosenModel: "gpt-5.4",
      environment: { COPILOT_MODEL: "gpt-5.4" },
      model: { wire: "copilot" },
    });
    const at = (provider: Environment) => read({ ...token, MODEL: "m-1", ...provider }).config;
    expect(at({ MODEL_PROVIDER: "anthropic" })).toMatchObject({
      model: { wire: "anthropic", baseUrl: "https://api.anthropic.com/v1" },
      environment: { COPILOT_OFFLINE: "true", COPILOT_PROVIDER_TYPE: "anthropic", COPILOT_MODEL: "m-1" },
    });
    expect(at({ MODEL_BASE_URL: "https://models.example/v1" })).toMatchObject({
      model: { wire: "openai-compatible", baseUrl: "https://models.example/v1" },
      environment: { COPILOT_PROVIDER_TYPE: "openai", COPILOT_PROVIDER_API_KEY: "{model_key}" },
    });
    expect(read({ ACP_AGENT: "copilot" }).problems).toEqual([
      "MODEL_API_KEY must be set for ACP_AGENT copilot: a token of GitHub that may ask GitHub Copilot CLI's models. Or set MODEL_PROVIDER to another provider.",
    ]);
    expect(read({ ...token, MODEL_PROVIDER: "openai-compatible", MODEL: "m-1" }).problems).toEqual([
      "MODEL_BASE_URL must be set for MODEL_PROVIDER openai-compatible: the address of its API, such as https://api.openai.com/v1.",
    ]);
    expect(read({ ...token, MODEL_PROVIDER: "openai" }).problems).toEqual([
      "MODEL must be set for ACP_AGENT copilot: the model, as its API calls it.",
    ]);
  });

  it.each([
    ["https://api.business.githubcopilot.com/", "https://api.business.githubcopilot.com"],
    ["https://copilot-api.octo.ghe.com", "https://copilot-api.octo.ghe.com"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["https://githubcopilot.com.example", null],
    ["https://api-githubcopilot.com", null],
    ["http://api.githubcopilot.com", null],
    ["https://models.example", null],
  ])("send a token of GitHub to GitHub alone: %s", (url, baseUrl) => {
    const { config, problems } = read({
      ACP_AGENT: "copilot",
      MODEL_API_KEY: "ghs_0123456789abcdef",
      COPILOT_API_URL: url,
    });
    expect(config?.model?.baseUrl ?? null).toBe(baseUrl);
    expect(problems).toEqual(
      baseUrl === null
        ? [expect.stringMatching(/^COPILOT_API_URL must be an address of GitHub Copilot/)]
        : [],
    );
  });

  it("let ACP_ENV and the others win over what is filled in", () => {
    const own = { ACP_ENV: '{"ANTHROPIC_MODEL": "m-2"}', ACP_MODE: "plan" };
    const { config } = read({ ...chosen, ACP_AGENT: "claude", ...own });
    expect(config).toMatchObject({ environment: { ANTHROPIC_MODEL: "m-2" }, mode: "plan" });
  });

  it("tell what a named agent needs", () => {
    expect(read({ ACP_AGENT: "claude", MODEL_API_KEY: "sk-1" }).problems).toEqual([
      "MODEL must be set for ACP_AGENT claude: the model, as its API calls it.",
    ]);
    expect(read({ ...chosen, ...COMMAND, ACP_AGENT: "claude" }).problems).toEqual([
      "ACP_AGENT and ACP_COMMAND exclude each other: set one of them.",
    ]);
    expect(read({ ...chosen, ACP_AGENT: "codex", MODEL_PROVIDER: "anthropic" }).problems).toEqual([
      "ACP_AGENT codex needs a model of another protocol: Codex speaks openai-compatible, not anthropic.",
    ]);
    expect(read({ ...chosen, ACP_AGENT: "opencode" }).problems).toEqual([
      "MODEL_PROVIDER or MODEL_BASE_URL must be set: they say where the agent's model is.",
    ]);
  });
});
