// The error of a step whose inputs are wrong.

import { StepError } from "../job/step-error.ts";

/** One or more inputs are wrong: one line each in `problems`. */
export class InputError extends StepError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super("invalid_input", problems.join("\n"));
    this.problems = problems;
  }
}
