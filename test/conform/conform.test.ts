// The command asks a whole deployment every statement, from outside: one node on SQLite, and one whose files are closed.

import { describe, expect, inject, it } from "vitest";
import { needs } from "../../src/conform/kit/statement.ts";
import { askConform, expectAllHold } from "../support/conform/ask-conform.ts";
import { DeployedService } from "../support/deployments/deployed-service.ts";
import { startDeployment } from "../support/deployments/deployments.ts";
import { askForDeployment } from "../support/deployments/deployments-setup.ts";
import { sqliteStore } from "../support/stores/stores.ts";

/** Some thousand requests, one after the other. */
const timeout = 900_000;

describe("agent-service conform", () => {
  it("asks one process on SQLite every statement, and each holds", { timeout }, async () => {
    const handle = await askForDeployment(inject("deployments"), "one process on SQLite");
    const service = await DeployedService.attach(handle);
    try {
      const asked = await askConform(service);
      expectAllHold(asked, needs.closed_files, needs.closed_workspaces);
      expect(asked.result.asked).toBeGreaterThanOrEqual(3_500);
      expect(asked.stderr).toContain("What is made is named conform-…");
    } finally {
      await service.detach();
    }
  });

  it("asks a service whose files are closed what is left, and each holds", { timeout }, async () => {
    const running = await startDeployment(sqliteStore, ["all"], { WORKSPACE_FILES: "off" });
    const service = await DeployedService.attach(running.handle);
    try {
      const asked = await askConform(service);
      expectAllHold(asked, needs.files, needs.closed_workspaces);
      const gates = asked.of("holds").filter(({ id }) => id.startsWith("gate"));
      expect(gates.length).toBeGreaterThanOrEqual(40);
    } finally {
      await service.detach();
      await running.close();
    }
  });

  it("asks a service whose sites have origins of their own about them, and each holds", {
    timeout,
  }, async () => {
    const settings = { SITE_URL: "http://{workspace}.sites.example" };
    const running = await startDeployment(sqliteStore, ["all"], settings);
    const service = await DeployedService.attach(running.handle);
    try {
      const asked = await askConform(service, ["site.", "adoption."]);
      expectAllHold(asked);
      expect(asked.result.asked).toBeGreaterThanOrEqual(30);
    } finally {
      await service.detach();
      await running.close();
    }
  });

  it("asks a service that takes no new work in workspaces what it refuses, and each holds", {
    timeout,
  }, async () => {
    const running = await startDeployment(sqliteStore, ["all"], { WORKSPACES: "off" });
    const service = await DeployedService.attach(running.handle);
    try {
      const asked = await askConform(service, ["closed-work", "site.publish", "empty"]);
      expectAllHold(asked, needs.workspaces);
      expect(asked.of("holds").filter(({ id }) => id.startsWith("closed-work")).length).toBeGreaterThan(30);
    } finally {
      await service.detach();
      await running.close();
    }
  });
});
