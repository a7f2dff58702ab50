// Whether the agent could work without a server: settings, a model, a sandbox. Pure.

import type { DoctorCheck, Observation } from "../report/doctor-page.ts";
import { type EmbeddedReadiness, type Face, found, worstOf } from "./examination.ts";

const HEADING = { id: "embedded", title: "Without a server" };

export type EmbeddedPlace = {
  readonly face: Face;
  /** False on somebody's own machine. */
  readonly isJob: boolean;
};

export function checkEmbedded(readiness: EmbeddedReadiness, { face, isJob }: EmbeddedPlace): DoctorCheck {
  const { settings, model, sandbox, notes } = readiness;
  if (settings.length > 0) {
    return found(HEADING, {
      state: "fault",
      found: `Settings are wrong: ${settings.join(" ")}`,
      fixes: [{ text: "Correct each of them; nothing else was looked at." }],
    });
  }
  const observations = [...modelObservations(model, face), ...sandboxObservations(sandbox, { notes, isJob })];
  return found(HEADING, {
    state: worstOf(observations.map(({ state }) => state)),
    found: [
      isJob
        ? "No service is named, so that the agent works inside the job."
        : "No service is named, so that the agent works on this machine, in the checkout of this folder.",
      ...observations.map((one) => one.found),
    ].join(" "),
    facts: { model: model ?? "none", sandbox: sandbox ?? "none", notes: notes.join(" ") },
    fixes: observations.flatMap(({ fixes }) => fixes),
  });
}

function modelObservations(model: string | null, face: Face): Observation[] {
  if (model !== null) return [];
  return [
    {
      state: "warning",
      found: "It has no model, and can only brief on the repository.",
      fixes: [
        {
          text: "Name one, for instance of Anthropic, with its key from a secret:",
          code:
            face === "action"
              ? // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow, not of ours.
                "with:\n  model: claude-sonnet-5\n  model-provider: anthropic\n  model-api-key: ${{ secrets.ANTHROPIC_API_KEY }}"
              : "export MODEL=claude-sonnet-5\nexport MODEL_PROVIDER=anthropic\nexport MODEL_API_KEY=…",
        },
      ],
    },
  ];
}

function sandboxObservations(
  sandbox: string | null,
  { notes, isJob }: { readonly notes: readonly string[]; readonly isJob: boolean },
): Observation[] {
  if (sandbox === null) {
    const fixes = [{ text: notes.at(-1) ?? "Choose another SANDBOX." }];
    return [{ state: "fault", found: "The sandbox that SANDBOX asks for does not work here.", fixes }];
  }
  if (sandbox !== "none") return [];
  return [
    {
      state: "warning",
      found: isJob
        ? "There is no sandbox: commands are executed for trusted jobs alone."
        : "There is no sandbox: commands are executed as your user, beside your files.",
      fixes: [{ text: notes.at(-1) ?? "Install bubblewrap." }],
    },
  ];
}
