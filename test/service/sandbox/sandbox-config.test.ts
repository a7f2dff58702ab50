import { describe, expect, it } from "vitest";
import { decodeSandbox } from "../../../src/service/sandbox/sandbox-config.ts";

const DATA = "/srv/data";

function problemsOf(environment: Record<string, string>): readonly string[] {
  const decoded = decodeSandbox(environment, DATA);
  return decoded.ok ? [] : decoded.refusal;
}

describe("the settings of the sandbox", () => {
  it("have safe defaults: a sandbox if there is one, no network, nothing passed on", () => {
    const decoded = decodeSandbox({ HOME: "/home/x", PATH: "/usr/bin" }, DATA);
    expect(decoded.ok && decoded.value).toMatchObject({
      mode: "auto",
      network: "off",
      readPaths: [],
      hiddenPaths: [DATA],
      passed: {},
      container: null,
    });
  });

  it("hold for agents, which have more memory unless the operator says how much there is", () => {
    const limitsOf = (environment: Record<string, string>) => {
      const config = decodeSandbox(environment, DATA);
      if (!config.ok) throw new Error(config.refusal.join("\n"));
      const { limits, agentLimits, homesFolder } = config.value;
      expect({ ...agentLimits, memoryBytes: 0 }).toEqual({ ...limits, memoryBytes: 0 });
      expect(homesFolder).toBe(`${DATA}/homes`);
      return [limits.memoryBytes, agentLimits.memoryBytes].map((bytes) => bytes / 1024 / 1024);
    };
    expect(limitsOf({ SANDBOX_DISK_MB: "100", SANDBOX_PROCESSES: "50" })).toEqual([4096, 8192]);
    expect(limitsOf({ SANDBOX_MEMORY_MB: "1000" })).toEqual([1000, 1000]);
  });

  it("name each wrong one with what is allowed", () => {
    expect(problemsOf({ SANDBOX: "docker", SANDBOX_NETWORK: "on", SANDBOX_MEMORY_MB: "4G" })).toEqual([
      'SANDBOX must be one of auto, bubblewrap, container, kubernetes, off, got "docker".',
      'SANDBOX_NETWORK must be off or allowed, got "on".',
      'SANDBOX_MEMORY_MB must be an integer from 64 to 1048576, got "4G".',
    ]);
  });

  it("of a cluster: its own by default, a pool always, and never a server that is spoken to without TLS", () => {
    const pool = { SANDBOX: "kubernetes", SANDBOX_KUBERNETES_POOL: "pods" };
    const own = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" };
    const decoded = decodeSandbox({ ...pool, ...own }, DATA);
    expect(decoded.ok && decoded.value.kubernetes).toEqual({
      url: "https://[fd00::1]:6443",
      credentials: "/var/run/secrets/kubernetes.io/serviceaccount",
      namespace: null,
      pool: "pods",
      waitMs: 120_000,
    });
    expect(problemsOf({ SANDBOX: "kubernetes" })).toEqual([
      "SANDBOX_KUBERNETES_POOL must be set for SANDBOX kubernetes: the pool that gives pods.",
      "SANDBOX_KUBERNETES_URL must be set for SANDBOX kubernetes outside of a cluster.",
    ]);
    expect(problemsOf({ ...pool, SANDBOX_KUBERNETES_URL: "http://10.0.0.1" })).toEqual([
      "SANDBOX_KUBERNETES_URL must be an https:// URL.",
    ]);
    expect(problemsOf({ SANDBOX_KUBERNETES_POOL: "Pods" })).toHaveLength(1);
  });

  it.each([
    "/",
    "/etc/",
    "/proc/1",
    "/run/docker.sock",
    "/var",
    "/srv",
    "/srv/data/x",
    "/usr/../root",
    "tools",
  ])("do not make %s readable", (path) => {
    expect(problemsOf({ SANDBOX_READ_PATHS: `/opt/tool:${path}` })).toEqual([
      expect.stringContaining(`SANDBOX_READ_PATHS: ${JSON.stringify(path)}`),
    ]);
  });

  it.each([
    "ACTIONS_RUNTIME_URL",
    "DATABASE_URL",
    "GITHUB_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "npm_password",
    "A=B",
  ])("do not pass %s on, nor show its value", (name) => {
    const [problem, ...more] = problemsOf({ SANDBOX_ENV: `JAVA_HOME, ${name}`, [name]: "hidden-value" });
    expect(more).toEqual([]);
    expect(problem).toContain(name);
    expect(problem).not.toContain("hidden-value");
  });

  it("ask for a container's command, what it must hold, and how the container is ended", () => {
    expect(problemsOf({ SANDBOX: "container" })).toEqual([
      expect.stringContaining("SANDBOX_COMMAND must be set"),
    ]);
    expect(problemsOf({ SANDBOX_COMMAND: "docker run" })).toEqual([expect.stringContaining("JSON list")]);
    const start = ["docker", "run", "{checkout}", "{command}"];
    expect(problemsOf({ SANDBOX_COMMAND: JSON.stringify(start) })).toEqual([]);
    expect(problemsOf({ SANDBOX_COMMAND: JSON.stringify([...start, "{name}"]) })).toEqual([
      "SANDBOX_COMMAND and SANDBOX_STOP_COMMAND must both contain {name}, or neither.",
    ]);
    expect(problemsOf({ SANDBOX_COMMAND: JSON.stringify(["docker", "{checkout}", "{cmd}"]) })).toEqual([
      expect.stringContaining("{cmd} is none of"),
      "SANDBOX_COMMAND must contain {command}.",
    ]);
  });
});
