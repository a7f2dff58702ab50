// The service inside the job: settings, a model, a sandbox. Pure.

import { joinWords } from "../base/join-words.ts";
import { exampleModel, federatingTitles, modelProviders } from "../contract/models/providers.ts";
import type { DoctorCheck, DoctorFix, Observation } from "../report/doctor-page.ts";
import { type DoctorFace, type EmbeddedReadiness, found, worstOf } from "./examination.ts";

const HEADING = { id: "embedded", title: "Without a server" };

type EmbeddedPlace = {
  readonly face: DoctorFace;
  /** False on somebody's own machine. */
  readonly isJob: boolean;
};

export function checkEmbedded(readiness: EmbeddedReadiness, { face, isJob }: EmbeddedPlace): DoctorCheck {
  const { settings, model, agent, sandbox, notes } = readiness;
  const place = { face, isJob };
  if (settings.length > 0) {
    return found(HEADING, {
      state: "fault",
      found: `Settings are wrong: ${settings.join(" ")}`,
      fixes: [{ text: "Correct each of them; nothing else was looked at." }],
    });
  }
  const observations = [
    ...modelObservations(model, face),
    ...agentObservations(agent, face),
    ...sandboxObservations(readiness, place),
  ];
  return found(HEADING, {
    state: worstOf(observations.map(({ state }) => state)),
    found: [
      isJob
        ? "No service is named, so that the agent works inside the job."
        : "No service is named, so that the agent works on this machine, in the checkout of this folder.",
      ...observations.map((one) => one.found),
    ].join(" "),
    facts: {
      model: model ?? "none",
      agent: agent?.title,
      program: agent?.program,
      sandbox: sandbox ?? "none",
      notes: notes.join(" "),
    },
    fixes: observations.flatMap(({ fixes }) => fixes),
  });
}

function modelObservations(model: string | null, face: DoctorFace): Observation[] {
  if (model !== null) return [];
  const { provider, name } = exampleModel;
  const { title, keyVariable } = modelProviders[provider];
  return [
    {
      state: "warning",
      found: "It has no model, and can only brief on the repository.",
      fixes: [
        {
          text: `Name one, for instance of ${title}, with its key from a secret:`,
          code:
            face === "action"
              ? `with:\n  model: ${name}\n  model-provider: ${provider}\n  model-api-key: \${{ secrets.${keyVariable} }}`
              : `export MODEL=${name}\nexport MODEL_PROVIDER=${provider}\nexport MODEL_API_KEY=…`,
        },
        {
          text: `A CI job can do without a key: docs/keyless-models.md shows how for ${joinWords(federatingTitles())}.`,
        },
      ],
    },
  ];
}

function agentObservations(agent: EmbeddedReadiness["agent"], face: DoctorFace): Observation[] {
  if (agent === null || agent.program !== null) return [];
  const { title, install } = agent;
  return [
    {
      state: "fault",
      found: `${title} is not installed: its program is not in PATH.`,
      fixes: [
        {
          text: face === "action" ? "Add a step before this one:" : "Install it:",
          code: face === "action" ? `- run: ${install}` : install,
        },
      ],
    },
  ];
}

type SandboxState = Pick<EmbeddedReadiness, "agent" | "sandbox" | "blockers" | "notes">;

function sandboxObservations(readiness: SandboxState, { isJob, face }: EmbeddedPlace): Observation[] {
  const { agent, sandbox, blockers, notes } = readiness;
  const whatIsMissing = blockers.map((blocker) => blockerTexts[blocker]).join(" ");
  const fixes = fixesOf(readiness, face);
  if (sandbox === null) {
    const last = fixes.length > 0 ? fixes : [{ text: notes.at(-1) ?? "Choose another SANDBOX." }];
    const found = `The sandbox that SANDBOX asks for does not work here. ${whatIsMissing}`.trim();
    return [{ state: "fault", found, fixes: last }];
  }
  if (agent?.needsSandbox === true && sandbox !== "bubblewrap") {
    const last = fixes.length > 0 ? fixes : [{ text: notes.at(-1) ?? "Install bubblewrap." }];
    const found = `${agent.title} is not started without bubblewrap. ${whatIsMissing}`.trim();
    return [{ state: "fault", found, fixes: last }];
  }
  if (sandbox !== "none") return [];
  const what = isJob
    ? "There is no sandbox: commands are executed for trusted jobs alone."
    : "There is no sandbox: commands are executed as your user, beside your files.";
  return [
    {
      state: "warning",
      found: `${what} ${whatIsMissing}`.trim(),
      fixes: fixes.length > 0 ? fixes : [{ text: notes.at(-1) ?? "Install bubblewrap." }],
    },
  ];
}

const blockerTexts: Readonly<Record<EmbeddedReadiness["blockers"][number], string>> = {
  no_bubblewrap: "bubblewrap is not installed.",
  no_prlimit: "prlimit is not installed.",
  no_user_namespaces: "The kernel's user namespaces are off.",
  apparmor: "AppArmor restricts user namespaces.",
};

const INSTALL = "sudo apt-get update && sudo apt-get install --yes bubblewrap";
const APPARMOR = [
  "if [ -e /proc/sys/kernel/apparmor_restrict_unprivileged_userns ]; then",
  "  sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  "fi",
];

/** For a job all of it in one step; elsewhere what is missing. */
function fixesOf({ blockers }: SandboxState, face: DoctorFace): DoctorFix[] {
  const lacks = (...wanted: EmbeddedReadiness["blockers"]) => wanted.some((one) => blockers.includes(one));
  if (face === "action" && lacks("no_bubblewrap", "apparmor")) {
    const step = ["- run: |", ...[INSTALL, ...APPARMOR].map((line) => `    ${line}`)];
    return [{ text: "Add a step before this one:", code: step.join("\n") }];
  }
  return [
    ...(lacks("no_bubblewrap") ? [{ text: "Install bubblewrap, 0.8 or newer:", code: INSTALL }] : []),
    ...(lacks("no_prlimit")
      ? [{ text: "Install prlimit:", code: "sudo apt-get install --yes util-linux" }]
      : []),
    ...(lacks("no_user_namespaces")
      ? [{ text: "Allow user namespaces:", code: "sudo sysctl -w user.max_user_namespaces=10000" }]
      : []),
    ...(lacks("apparmor")
      ? [{ text: "Let bubblewrap make user namespaces:", code: APPARMOR[1]?.trim() }]
      : []),
  ];
}
