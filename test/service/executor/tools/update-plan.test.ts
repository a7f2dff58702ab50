import { describe, expect, it } from "vitest";
import { updatePlanTool } from "../../../../src/service/executor/tools/update-plan.ts";
import { folderCheckout } from "./folder-checkout.ts";
import { TaskRecorder } from "./task-recorder.ts";

async function planned(...plans: readonly unknown[]) {
  const recorder = new TaskRecorder();
  const tool = updatePlanTool(recorder.task());
  const checkout = await folderCheckout({});
  const texts: string[] = [];
  for (const steps of plans) {
    const { text } = await tool.run({ steps }, { checkout, signal: recorder.controller.signal });
    texts.push(text);
  }
  await checkout.close();
  return { recorder, texts };
}

describe("a plan", () => {
  it("is shown whole each time, and its steps as they begin and end", async () => {
    const { recorder, texts } = await planned(
      [
        { text: "Look\n around", status: "in_progress" },
        { text: "Fix", status: "pending" },
      ],
      [
        { text: "Look\n around", status: "completed" },
        { text: "Fix", status: "in_progress" },
      ],
    );
    expect(texts).toEqual([
      "The plan is shown: 0 of 2 steps are done.",
      "The plan is shown: 1 of 2 steps are done.",
    ]);
    expect(recorder.events).toEqual([
      {
        type: "CUSTOM",
        name: "plan",
        value: {
          steps: [
            { text: "Look around", status: "in_progress" },
            { text: "Fix", status: "pending" },
          ],
        },
      },
      { type: "STEP_STARTED", stepName: "Look around" },
      expect.objectContaining({ name: "plan" }),
      { type: "STEP_FINISHED", stepName: "Look around" },
      { type: "STEP_STARTED", stepName: "Fix" },
    ]);
  });

  it("that says the same again is not repeated", async () => {
    const plan = [{ text: "Look", status: "pending" }];
    const { recorder } = await planned(plan, plan);
    expect(recorder.types()).toEqual(["CUSTOM"]);
  });

  it.each([
    ["without steps", []],
    ["with a status that there is not", [{ text: "Look", status: "done" }]],
    ["with too many steps", Array.from({ length: 31 }, () => ({ text: "Look", status: "pending" }))],
  ])("%s is refused", async (_what, steps) => {
    await expect(planned(steps)).rejects.toMatchObject({ code: "invalid_input" });
  });
});
