// The subject of an approval, by which two requests are the same one. Pure.

import { hash } from "node:crypto";
import { assertNever } from "../../../base/assert-never.ts";
import type { ApprovalAction } from "./approval.ts";

export function subjectOf(action: ApprovalAction): string {
  switch (action.kind) {
    case "confirm_schedule":
      return scheduleSubject(action.scheduleId);
    case "activate_workflow":
      return activationSubject(action.workflowId, action.version);
    case "run_workflow": {
      const input = action.input === null ? "" : `:${hash("sha256", action.input)}`;
      return `run:${action.workflowId}:${action.version}${input}`;
    }
    case "grant_writes":
      return grantSubject(action.server);
    case "accept_changeset": {
      const { changesetId, expectedRevisionId, resolvedRevisionId } = action;
      return `changeset:${changesetId}:${expectedRevisionId}:${resolvedRevisionId ?? ""}`;
    }
    default:
      return assertNever(action);
  }
}

export function scheduleSubject(scheduleId: string): string {
  return `schedule:${scheduleId}`;
}

export function activationSubject(workflowId: string, version: number): string {
  return `activation:${workflowId}:${version}`;
}

/** One for all tools of a server: that is what is granted. */
export function grantSubject(server: string): string {
  return `writes:${server}`;
}
