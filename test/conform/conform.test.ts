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
      expectAllHold(asked, needs.closed_files);
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
      expectAllHold(asked, needs.files);
      const gates = asked.of("holds").filter(({ id }) => id.startsWith("gate"));
      expect(gates.length).toBeGreaterThanOrEqual(40);
    } finally {
      await service.detach();
      await running.close();
    }
  });
});
