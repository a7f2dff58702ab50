// What the command says where there is nothing to compare: no service, another address, keys that are refused.

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { DeployedService } from "../support/deployments/deployed-service.ts";
import { askForDeployment } from "../support/deployments/deployments-setup.ts";
import { runCommand } from "../support/run/run-command.ts";

const NOBODYS = `svc_sk_${"A".repeat(49)}`;

describe("agent-service conform", () => {
  let service: DeployedService;
  let ownerKey: string;

  beforeAll(async () => {
    service = await DeployedService.attach(
      await askForDeployment(inject("deployments"), "one process on SQLite"),
    );
    ({ ownerKey } = await service.account());
  });

  afterAll(async () => {
    await service.detach();
  });

  it("says that nothing answers, without a stack", async () => {
    const { code, stdout, stderr } = await runCommand(["conform", "http://127.0.0.1:1"], {
      AGENT_SERVICE_KEY: ownerKey,
    });
    expect(code).toBe(1);
    expect(stderr).toContain("http://127.0.0.1:1 does not answer (");
    expect(stderr).not.toContain("    at ");
    expect(stdout).toBe("");
  });

  it("says that the address is not the service's own", async () => {
    const { code, stdout, stderr } = await runCommand(["conform", `${service.url()}/docs`], {
      AGENT_SERVICE_KEY: ownerKey,
    });
    expect(code).toBe(1);
    expect(stderr).toContain("/docs is not the service's address: GET /v1/agents is answered 404.");
    expect(stdout).toBe("");
  });

  it.each([
    ["AGENT_SERVICE_KEY", NOBODYS],
    ["AGENT_SERVICE_OTHER_KEY", NOBODYS],
    ["AGENT_SERVICE_AI_KEY", NOBODYS.replace("_sk_", "_at_")],
    ["AGENT_SERVICE_EMPTY_KEY", NOBODYS],
    ["AGENT_SERVICE_CAPPED_KEY", NOBODYS],
  ])("names %s where the service refuses it, and asks nothing", async (setting, key) => {
    const env = { AGENT_SERVICE_KEY: ownerKey, [setting]: key };
    const { code, stdout, stderr } = await runCommand(["conform", service.url()], env);
    expect(code).toBe(1);
    expect(stderr).toContain(`refuses the key of ${setting} (401).`);
    expect(stderr + stdout).not.toContain(key);
    expect(stdout).toBe("");
  });

  it.each([
    ["AGENT_SERVICE_OTHER_KEY", "must be a key of another account"],
    ["AGENT_SERVICE_AI_KEY", "must be a key of an AI client, svc_at_…"],
  ])("does not take the owner's key as %s", async (setting, message) => {
    const env = { AGENT_SERVICE_KEY: ownerKey, [setting]: ownerKey };
    const { code, stderr } = await runCommand(["conform", service.url()], env);
    expect(code).toBe(2);
    expect(stderr).toContain(`${setting} ${message}`);
  });
});
