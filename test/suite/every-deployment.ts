// Declares tests of one resource for each deployment. They run side by side: each has an account of its own.

import { afterAll, beforeAll, describe, expect, inject } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { problemSchema } from "../../src/contract/problems/problem.ts";
import type { StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import { DeployedService } from "../support/deployments/deployed-service.ts";
import { deployments } from "../support/deployments/deployments.ts";
import { askForDeployment } from "../support/deployments/deployments-setup.ts";
import type { Answer } from "../support/service-client.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";

export const UNKNOWN = "00000000-0000-4000-8000-000000000000";

/** `tests` declares tests that get the deployment from `service()`, which is up when they run. */
export function onEveryDeployment(resource: string, tests: (service: () => DeployedService) => void): void {
  for (const { name, tags } of deployments) {
    describe.concurrent(`${resource} on ${name}`, { tags: [...tags] }, () => {
      let service: DeployedService | null = null;

      beforeAll(async () => {
        service = await DeployedService.attach(await askForDeployment(inject("deployments"), name));
      });

      afterAll(async () => {
        if (service === null) return;
        await expectSoundLedger(service);
        await service.detach();
      });

      tests(() => {
        if (service === null) throw new Error("The deployment is not up.");
        return service;
      });
    });
  }
}

/** A run's whole stream, read until it has ended. */
export async function readToEnd(client: Client, runId: string): Promise<StoredRunEvent[]> {
  const events: StoredRunEvent[] = [];
  for await (const { seq, at, event } of client.runs.follow({ runId })) events.push({ seq, at, event });
  return events;
}

/** What the agent said in a run. */
export function replyOf(events: readonly StoredRunEvent[]): string {
  return events.map(({ event }) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : "")).join("");
}

/** Waits until a run of the message "wait" is at work. */
export async function untilAtWork(client: Client, runId: string): Promise<void> {
  for await (const { event } of client.runs.follow({ runId }))
    if (event.type === "TEXT_MESSAGE_START") return;
}

/** The one shape of every refusal, its code, and the id by which an operator finds it. */
export function expectProblem(answer: Answer, [status, code]: readonly [number, string]): void {
  const problem = problemSchema.parse(answer.body);
  expect([answer.status, problem.code], answer.text).toEqual([status, code]);
  expect(problem.request_id).toBe(answer.headers.get("x-request-id"));
}
