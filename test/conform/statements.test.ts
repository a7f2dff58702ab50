// The list of statements, without a deployment.

import { describe, expect, it } from "vitest";
import { selectStatements, statements } from "../../src/conform/conform.ts";
import { runCommand } from "../support/run/run-command.ts";

describe("the statements", () => {
  it("have each an id and a sentence of its own, and a section of the specification", () => {
    expect(new Set(statements.map(({ id }) => id)).size).toBe(statements.length);
    expect(new Set(statements.map(({ says }) => says)).size).toBe(statements.length);
    expect(statements.filter(({ says }) => !/^\S.*\.$/.test(says))).toEqual([]);
    expect(statements.filter(({ section }) => !/^[2-9](\.\d)?( rule \d+)?$/.test(section))).toEqual([]);
  });

  it("are selected by the beginning of an id, or by a section with its rules", () => {
    const credentials = selectStatements(["no-credential/"]);
    expect(credentials.length).toBeGreaterThan(50);
    expect(credentials.every(({ id }) => id.startsWith("no-credential/"))).toBe(true);
    const ofFive = statements.filter(({ section }) => section.split(" ", 1)[0] === "5");
    expect(new Set(ofFive.map(({ section }) => section)).size).toBeGreaterThan(3);
    expect(selectStatements(["5"])).toEqual(ofFive);
  });
});

describe("agent-service conform", () => {
  it("prints the statements and asks nothing", async () => {
    const { code, stdout } = await runCommand(["conform", "--list", "--only", "no-credential/"], {});
    expect(code).toBe(0);
    expect(stdout).toContain(
      "GET /v1/agents answers 401 without a credential.  [no-credential/GET /v1/agents]",
    );
  });

  it.each<[string[], Record<string, string>, string]>([
    [["conform"], {}, "AGENT_SERVICE_URL (or --url)"],
    [["conform", "ftp://a.example"], {}, "<url> must be the service's address"],
    [["conform", "http://127.0.0.1:1"], {}, "AGENT_SERVICE_KEY"],
    [["conform", "--list", "--only", "nonsense"], {}, 'No statement has the section or the id "nonsense"'],
    [
      ["conform", "http://127.0.0.1:1"],
      { AGENT_SERVICE_OTHER_KEY: "x y" },
      "AGENT_SERVICE_OTHER_KEY must be a key",
    ],
  ])("says what is wrong with %j", async (args, env, message) => {
    const key: Record<string, string> =
      message === "AGENT_SERVICE_KEY" ? {} : { AGENT_SERVICE_KEY: "svc_sk_of_nobody" };
    const { code, stderr } = await runCommand(args, { ...key, ...env });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
