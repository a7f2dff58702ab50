// Connections that break while a run is followed: no event is skipped, none comes twice.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  eventsOf,
  replyOf,
  routesOf,
  type ScenarioFixture,
  type StepResult,
} from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";

/** Says one line for each poll that has come, so that the answers to polls have something in them. */
const LINES = ["one", "two", "three", "four"];

describe("when the connection breaks during a run", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      for (const line of LINES) {
        await say(task, `line ${line}\n`);
        await fixture.proxy.arrival("poll");
      }
    });
    fixture = await startFixture({ level: "scenario", backend });
  });
  afterEach(() => fixture.proxy.heal());
  afterAll(async () => await fixture.close());

  const expectWhole = async (step: StepResult) => {
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    const stored = await fixture.storedEvents(step.outputs["run-id"] ?? "");
    expect(await eventsOf(step)).toEqual(stored);
    expect(stored.length).toBeGreaterThan(3 * LINES.length);
    expect(step.log.split("\n").filter((line) => line.startsWith("line "))).toEqual(
      LINES.map((line) => `line ${line}`),
    );
    expect(await replyOf(step)).toBe("line four\n");
    expect(routesOf(step).filter((route) => route !== "poll")).toEqual([
      "exchange",
      "submit",
      "page",
      "report",
    ]);
  };

  /** The cursor of each poll. */
  const cursors = (step: StepResult) =>
    step.requests
      .filter(({ route }) => route === "poll")
      .map(({ path }) => Number(new URLSearchParams(path.split("?")[1]).get("after")));

  const cursorsAround = (step: StepResult, fault: string) => {
    const polls = step.requests.filter(({ route }) => route === "poll");
    const at = polls.findIndex((poll) => poll.fault === fault);
    return cursors(step).slice(at, at + 2);
  };

  it("asks again from the same cursor after a reset", async () => {
    fixture.proxy.next("poll", { type: "none" });
    fixture.proxy.next("poll", { type: "reset" });
    const step = await fixture.main(await fixture.job());
    await expectWhole(step);
    const [broken, repeated] = cursorsAround(step, "reset");
    expect(broken).toBeGreaterThan(0);
    expect(repeated).toBe(broken);
    expect(step.log).toMatch(
      /^Attempt 1 failed: No answer to GET 127\.0\.0\.1:\d+\/v1\/ci\/runs\/\S+: ECONNRESET\. Trying again in 0\.\d s\.$/m,
    );
  });

  it("asks again from the same cursor after an answer that was cut off", async () => {
    fixture.proxy.next("poll", { type: "none" });
    fixture.proxy.next("poll", { type: "halved" });
    const step = await fixture.main(await fixture.job());
    await expectWhole(step);
    const [broken, repeated] = cursorsAround(step, "halved");
    expect(broken).toBeGreaterThan(0);
    expect(repeated).toBe(broken);
  });

  it("asks again from the same cursor when the answer was lost", async () => {
    fixture.proxy.next("poll", { type: "lost" }, 2);
    const step = await fixture.main(await fixture.job());
    await expectWhole(step);
    expect(cursors(step).slice(0, 3)).toEqual([0, 0, 0]);
  });

  it("passes over what a page brings again", async () => {
    fixture.proxy.next("poll", { type: "none" }, 2);
    fixture.proxy.next("poll", { type: "stale" });
    const step = await fixture.main(await fixture.job());
    await expectWhole(step);
    const [before, after] = cursorsAround(step, "stale");
    expect(after).toBe(before);
    expect(step.log).not.toContain("Attempt");
  });

  it("reads again what a page left out", async () => {
    const edit = (body: string): string => {
      const page = JSON.parse(body);
      return JSON.stringify({ ...page, events: page.events.slice(1) });
    };
    fixture.proxy.next("poll", { type: "edited", edit }, 2);
    const step = await fixture.main(await fixture.job());
    await expectWhole(step);
    expect(cursors(step).slice(0, 3)).toEqual([0, 0, 0]);
  });

  it("never goes back behind what it has", async () => {
    for (const type of ["halved", "none", "stale", "reset", "lost", "none", "halved"] as const) {
      fixture.proxy.next("poll", { type });
    }
    const step = await fixture.main(await fixture.job());
    await expectWhole(step);
    expect(cursors(step)).toEqual(cursors(step).toSorted((one, other) => one - other));
  });
});
