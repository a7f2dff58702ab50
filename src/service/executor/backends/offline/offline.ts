// The backend without a model and without a network: it reads the repository and writes a briefing of it.

import type { Backend } from "../../backend.ts";
import { briefingSections, noRepositoryText } from "./briefing.ts";
import { sendMessage, takeStep } from "./stream.ts";
import { surveyRepository } from "./survey.ts";

/** Writes a repository briefing in Markdown, one section a delta. The same checkout gives the same briefing. */
export const offlineBackend: Backend = {
  name: "offline",
  needsCheckout: true,
  async run(task, checkout) {
    if (task.repository === null) {
      await sendMessage(task, [noRepositoryText(task)]);
      return { stopReason: "end_turn" };
    }
    const survey = await surveyRepository({ task, checkout });
    await takeStep(task, {
      name: "Write the briefing",
      work: () => sendMessage(task, briefingSections(task, survey)),
    });
    return { stopReason: "end_turn" };
  },
};
