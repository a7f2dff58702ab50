// The findings of earlier reviews after this one: its word on each, as far as the files agree.

import type { EarlierVerdict } from "../../report/earlier-verdicts.ts";
import type { FileHistory } from "./file-history.ts";
import type { StandingFinding } from "./standing-findings.ts";

export type JudgedFinding = StandingFinding & {
  /** Why it is withdrawn; "" for every other. Untrusted. */
  readonly reason: string;
};

type Judging = {
  readonly verdicts: ReadonlyMap<string, EarlierVerdict>;
  readonly headSha: string;
  readonly files: FileHistory;
  readonly onNote: (note: string) => void;
};

/** A finding without an answer stays as it is. Rejects only with the signal's reason. Safe to repeat. */
export async function judgeEarlier(
  standing: readonly StandingFinding[],
  judging: Judging,
): Promise<readonly JudgedFinding[]> {
  const judged: JudgedFinding[] = [];
  for (const finding of standing) {
    const answer = judging.verdicts.get(finding.id);
    judged.push(answer === undefined ? { ...finding, reason: "" } : await judge(finding, answer, judging));
  }
  return judged;
}

async function judge(
  finding: StandingFinding,
  { verdict, reason }: EarlierVerdict,
  judging: Judging,
): Promise<JudgedFinding> {
  const { id, state, hasChanged } = finding;
  const asItIs = { ...finding, reason: "" };
  // A person has decided.
  if (state === "declined") return asItIs;
  switch (verdict) {
    case "still_there":
      return state === "fixed" && hasChanged ? { ...asItIs, state: "open" } : asItIs;
    case "withdrawn":
      return state === "open" ? { ...finding, state: "withdrawn", reason } : asItIs;
    case "fixed": {
      if (state !== "open") return asItIs;
      if (hasChanged || (await isFileChanged(finding, judging))) return { ...asItIs, state: "fixed" };
      judging.onNote(
        `The review says that finding ${id} is fixed, but nothing has changed in its file: it stays open.`,
      );
      return asItIs;
    }
  }
}

/** Since the finding was published. False where that cannot be told. */
async function isFileChanged(
  { finding }: StandingFinding,
  { headSha, files }: Pick<Judging, "headSha" | "files">,
): Promise<boolean> {
  if (finding.sha === headSha) return false;
  const versions = await files.versions(finding.path, finding.sha);
  return versions !== null && versions.before !== versions.after;
}
