// Inputs that were given and have no effect, by the mode of the step and the service that it uses. Pure.

import type { CloneMode } from "../job/job-settings.ts";
import type { ReadInput } from "./input-source.ts";
import { modelInputNames } from "./model-input-names.ts";

type Chosen = {
  readonly mode: string;
  readonly clone: CloneMode;
  /** One that somebody runs, with or without the job's own model, or one inside the job. */
  readonly service:
    | { readonly type: "remote"; readonly model: object | null }
    | { readonly type: "embedded" };
  /** The names of inputs that only a new run has. */
  readonly newRunInputs: readonly string[];
};

/** Of inputs that have a value where the workflow gives none. */
const defaults: Readonly<Record<string, string>> = { "best-of": "1" };

/** A sentence for each reason why inputs that were given have no effect. */
export function ignoredInputs(
  { mode, clone, service, newRunInputs }: Chosen,
  read: ReadInput,
): readonly string[] {
  const given = (names: readonly string[]) =>
    names.filter((name) => !["", defaults[name]].includes(read(name).trim()));
  const reasons: readonly (readonly [readonly string[], string])[] = [
    ...(mode === "run" ? [] : [[given(newRunInputs), `with "mode: ${mode}", which starts no run`] as const]),
    ...ignoredByService(service, given),
    ...(service.type === "embedded" && clone === "push" ? [[["clone"], WITHOUT_SERVICE] as const] : []),
  ];
  return reasons.flatMap(([names, why]) =>
    names.length === 0
      ? []
      : [
          `${names.map((name) => `"${name}"`).join(", ")} ${names.length === 1 ? "has" : "have"} no effect ${why}.`,
        ],
  );
}

const WITHOUT_SERVICE = 'without a "base-url": the service runs inside this job';

/** A service that is given a model for a run is told its name and how to reach it. */
function ignoredByService(
  service: Chosen["service"],
  given: (names: readonly string[]) => readonly string[],
): readonly (readonly [readonly string[], string])[] {
  if (service.type === "embedded") return [[given(["audience", "account"]), WITHOUT_SERVICE]];
  if (service.model !== null)
    return [
      [
        given(["fallback-model", "explore-model", "effort", "model-price"]),
        'with this "base-url": the service decides them',
      ],
    ];
  const names = given(modelInputNames);
  return [[names, 'with this "base-url": the service has models of its own']];
}
