// The checks of a run as its record has them, and the event that tells of them. Pure.

import * as z from "zod/mini";
import { field, object } from "../field.ts";

export const CHECKS_EVENT = "checks";
const MAX_CHECK_CHARS = 200;

export const checkKinds = ["test", "types", "lint", "build", "check"] as const;
export type CheckKind = (typeof checkKinds)[number];

export const checkResultSchema = object({
  command: field(z.string().check(z.maxLength(MAX_CHECK_CHARS)), "The command, in one line."),
  kind: field(
    z.enum(checkKinds),
    "What it checks: `test`, `types`, `lint`, `build`, or `check`, which is several of them or not known.",
  ),
  exit_code: field(z.nullable(z.int()), "How it ended; null where it was ended at a limit, or by a signal."),
});
export type CheckResult = z.infer<typeof checkResultSchema>;

export const checksStates = ["passed", "failed", "none"] as const;
export type ChecksState = (typeof checksStates)[number];

/**
 * The commands that check, such as tests and builds, which the run executed since its last edit, and how they ended. Facts of the
 * record: what the reply says of them does not count. Of the run's end; absent where nothing was changed or checked.
 */
export const checksEventSchema = object({
  type: field(z.literal("CUSTOM"), "What happened."),
  name: field(z.literal(CHECKS_EVENT), "Which event of this service's own it is."),
  value: field(
    object({
      state: field(
        z.enum(checksStates),
        "`passed`: each of them ended well. `failed`: one did not. `none`: there was none since the last edit.",
      ),
      results: field(z.array(checkResultSchema).check(z.maxLength(20)), "Each command as it ended last."),
    }),
    "What the event says; for `output` the reply as data.",
  ),
});

export type ChecksEvent = z.infer<typeof checksEventSchema>;
