// Answers that the document declares and that the test of every route does not bring about: why not, and which test shows
// them. Why: docs/decisions/121-what-the-document-declares-is-answered.md

import type { SeenAnswers } from "../document-checker.ts";

export type NamedAnswer = {
  /** "*" for every operation that declares it. */
  readonly operations: "*" | readonly string[];
  readonly status: number;
  readonly because: string;
  /** The test that shows it. */
  readonly file: string;
};

export const namedAnswers: readonly NamedAnswer[] = [
  {
    operations: "*",
    status: 500,
    because: "A fault of the service, and none is known.",
    file: "test/service/api/http/app.test.ts",
  },
  {
    operations: ["accountMembersUpdate", "accountMembersRemove", "invitationsAccept"],
    status: 409,
    because: "The last owner, and somebody who is a member already.",
    file: "test/service/core/members/members.test.ts",
  },
  {
    operations: ["ciReportDelivery"],
    status: 410,
    because: "The run's events are not kept any more, which takes days.",
    file: "test/service/core/runs/report-delivery.test.ts",
  },
  {
    operations: ["agUiRun"],
    status: 402,
    because: "It is refused as a submission is.",
    file: "test/service/core/runs/submit-run-payment.test.ts",
  },
  {
    operations: ["agUiRun"],
    status: 409,
    because: "Needs a run that is parked, and so a model that asks.",
    file: "test/service/api/http/ag-ui/ag-ui.test.ts",
  },
  {
    operations: ["agUiRun", "agUiFollow"],
    status: 410,
    because: "The run's events are not kept any more, which takes days.",
    file: "test/service/api/http/ag-ui/stream.test.ts",
  },
  ...[
    ["commitsFind", 200],
    ["commitsFind", 402],
    ["commitsSend", 201],
    ["commitsSend", 402],
    ["commitsSend", 413],
    ["commitsSend", 422],
  ].map(([operation, status]) => ({
    operations: [String(operation)],
    status: Number(status),
    because: "Needs a service that keeps commits, and a pack of git.",
    file: "test/service/commits/commit-api.test.ts",
  })),
  ...[101, 401, 403].map((status) => ({
    operations: ["sessionsFollow"],
    status,
    because: "Answers a WebSocket handshake, which a plain request is not.",
    file: "test/service/api/socket/socket-api.test.ts",
  })),
  ...[202, 402].map((status) => ({
    operations: ["runsResume"],
    status,
    because: "Needs a run that is parked, and so a model that asks.",
    file: "test/service/parked-runs.test.ts",
  })),
  {
    operations: ["runsFork"],
    status: 202,
    because: "Needs a run of a model, whose turns are kept.",
    file: "test/service/forked-runs.test.ts",
  },
  {
    operations: ["runsFork"],
    status: 402,
    because: "Needs the same. It is refused as a submission is.",
    file: "test/service/core/runs/submit-run-payment.test.ts",
  },
  {
    operations: ["runsFork"],
    status: 422,
    because: "Needs the same.",
    file: "test/contract/keyed-operations.test.ts",
  },
  {
    operations: ["ciExchange"],
    status: 403,
    because: "A policy refuses the job's token, and here every text is taken for one.",
    file: "test/suite/ci-policy.test.ts",
  },
  {
    operations: ["operationReadiness"],
    status: 503,
    because: "The store is away.",
    file: "test/service/nodes/lost-nodes.test.ts",
  },
  {
    operations: ["downloadsGet"],
    status: 403,
    because: "The operator has closed the files of workspaces.",
    file: "test/service/core/workspaces/admission.test.ts",
  },
  {
    operations: ["runsSubmit", "workflowsExecute"],
    status: 409,
    because: "Needs a repository whose commits a service keeps.",
    file: "test/service/commits/account-runs.test.ts",
  },
  {
    operations: ["schedulesCreate"],
    status: 409,
    because:
      "A request with the same key is at work: shown of workspaces, whose keys are kept in the same way.",
    file: "test/suite/workspaces/workspaces.test.ts",
  },
  {
    operations: ["copiesDelete"],
    status: 409,
    because: "A run is at work in the copy.",
    file: "test/service/core/workspaces/copies/delete-copy.test.ts",
  },
  {
    operations: ["adoptionCancel"],
    status: 200,
    because: "Needs an adoption that is at work.",
    file: "test/service/core/workspaces/adoption/adopt-storage.test.ts",
  },
  {
    operations: ["inboundEmailGet"],
    status: 200,
    because:
      "The specification's answer of a service that receives e-mail. This one never does: 404 inbound_email_off.",
    file: "test/suite/workspaces/consumers.test.ts",
  },
];

type Missing = ReturnType<SeenAnswers["missing"]>;

/** What is missing and not named, and what is named and not missing. */
export function compareNamed(missing: Missing): { readonly unnamed: string[]; readonly needless: string[] } {
  const names = (named: NamedAnswer, { operationId, status }: Missing[number]) =>
    named.status === status && (named.operations === "*" || named.operations.includes(operationId));
  const unnamed = missing.filter((one) => !namedAnswers.some((named) => names(named, one)));
  const needless = namedAnswers.flatMap((named) =>
    named.operations === "*"
      ? []
      : named.operations
          .filter(
            (id) => !missing.some(({ operationId, status }) => operationId === id && status === named.status),
          )
          .map((id) => `${id} ${named.status}`),
  );
  return {
    unnamed: unnamed.map(({ operationId, status, type }) => `${operationId} ${status} ${type}`),
    needless,
  };
}
