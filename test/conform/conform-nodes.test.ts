// The command asks two API nodes with two workers on one PostgreSQL every statement, the nodes in turn.

import { describe, expect, inject, it } from "vitest";
import { needs } from "../../src/conform/kit/statement.ts";
import { askConform, expectAllHold } from "../support/conform/ask-conform.ts";
import { DeployedService } from "../support/deployments/deployed-service.ts";
import { deployments } from "../support/deployments/deployments.ts";
import { askForDeployment } from "../support/deployments/deployments-setup.ts";

const several = deployments.filter(({ name }) => name.startsWith("two API nodes"));

describe.each(several)("agent-service conform, of $name", ({ name, tags }) => {
  describe("asks", { tags: [...tags] }, () => {
    it("every statement, and each holds", { timeout: 900_000 }, async () => {
      const service = await DeployedService.attach(await askForDeployment(inject("deployments"), name));
      try {
        const asked = await askConform(service);
        expectAllHold(asked, needs.closed_files, needs.closed_workspaces);
        expect(asked.result.asked).toBeGreaterThanOrEqual(3_500);
      } finally {
        await service.detach();
      }
    });
  });
});
