// agent-service audit: the audit trail, in the store itself.

import { oneOf } from "../base/settings/kinds.ts";
import { auditActions } from "../service/operator/operator.ts";
import { command } from "./command.ts";
import { anyText, switchFlag, valueFlag } from "./flags.ts";
import { operate } from "./operate.ts";
import { minute } from "./print.ts";
import { accountFlag, isoTime, printStoredPage, storedPageFlags } from "./stored-pages.ts";

export const audit = command({
  summary: "Show the audit trail, newest first.",
  notes: [
    "An exchange names the repository of its job, not an account: it is found by --repository. The outcome is ok, or the reason of the refusal.",
    "The person is who did it, or who made the key or allowed the application that did. Acts of CI jobs and of the operator name nobody.",
  ],
  flags: {
    ...storedPageFlags,
    json: switchFlag("Print JSON on standard output, one entry a line."),
    account: accountFlag,
    action: valueFlag({
      kind: oneOf(auditActions),
      fallback: null,
      takes: "<action>",
      description: "Only entries of this action.",
    }),
    repository: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<name>",
      description: "Only entries of the repository that had this name.",
    }),
  },
  examples: ["audit", "audit --action exchange --repository octo/hello", "audit --account <id> --json"],
  run: async ({ flags }) =>
    await operate(flags, async ({ operator }) => {
      const { account: accountId, action, repository: repositoryName, before, limit } = flags;
      const rows = await operator.lists.audit({ accountId, action, repositoryName, before, limit });
      if (flags.json) {
        for (const entry of rows) {
          const line = {
            id: entry.id,
            at: isoTime(entry.at),
            action: entry.action,
            outcome: entry.outcome,
            account_id: entry.accountId ?? null,
            person_id: entry.personId,
            client_id: entry.clientId,
            about_person_id: entry.aboutPersonId ?? null,
            operator_id: entry.operatorId ?? null,
            method: entry.method ?? null,
            issuer: entry.issuer,
            repository_id: entry.repositoryId,
            repository: entry.repositoryName,
            ci_run_id: entry.ciRunId,
            request_id: entry.requestId,
          };
          process.stdout.write(`${JSON.stringify(line)}\n`);
        }
        return 0;
      }
      printStoredPage({
        rows,
        limit,
        none: `There are no such audit entries in ${operator.place}.`,
        head: [
          "AT",
          "ACTION",
          "OUTCOME",
          "ACCOUNT",
          "PERSON",
          "APPLICATION",
          "METHOD",
          "REPOSITORY",
          "REQUEST",
        ],
        cells: (entry) => [
          minute(entry.at),
          entry.action,
          entry.outcome,
          entry.accountId ?? "-",
          entry.personId ?? "-",
          entry.clientId ?? "-",
          entry.method ?? "-",
          entry.repositoryName ?? "-",
          entry.requestId,
        ],
      });
      return 0;
    }),
});
