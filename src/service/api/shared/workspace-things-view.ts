// Members, sessions and context items of a workspace as the contract shows them. Pure.

import { contextItemSchema } from "../../../contract/workspaces/context-items.ts";
import { type MemberView, memberSchema } from "../../../contract/workspaces/members.ts";
import { threadSchema } from "../../../contract/workspaces/threads.ts";
import type { ShownMember } from "../../core/workspaces/administration/members.ts";
import type { ContextItem } from "../../core/workspaces/context-items/context-item.ts";
import type { Member } from "../../core/workspaces/members/member.ts";
import type { Thread } from "../../core/workspaces/threads/thread.ts";
import { viewOf } from "./view-of.ts";

const shownMember = viewOf<Member>()(memberSchema);

export function toMember({ member, isManager }: ShownMember): MemberView {
  return shownMember(member, { role: isManager ? "manager" : "worker" });
}

export const toThread = viewOf<Thread>()(threadSchema);

export const toContextItem = viewOf<ContextItem>()(contextItemSchema);
