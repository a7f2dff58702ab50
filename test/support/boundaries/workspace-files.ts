// Files of workspaces as rounds write, save and compare them.

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { ApiError, type Download, type WorkspaceOperation } from "../../../src/client/client.ts";
import type { BoundaryService } from "./boundary-service.ts";

export type Files = Readonly<Record<string, string>>;

/** Larger than a row may be: a blob. */
export const large = (): string => randomUUID().repeat(3_000);
export const newFiles = (): Files => ({ "d/small.txt": randomUUID(), "d/large.txt": large() });

export type Place = { readonly workspaceId: string; readonly workingCopyId?: string };

/** A workspace with these files, not saved. */
export async function makeWorkspace(service: BoundaryService, files: Files = {}): Promise<string> {
  const { id: workspaceId } = await service.client.workspaces.create({ body: {} });
  await write(service, { workspaceId, files });
  return workspaceId;
}

export async function write(
  service: BoundaryService,
  { files, ...place }: Place & { files: Files },
): Promise<void> {
  const { workspaceId, workingCopyId } = place;
  for (const [path, content] of Object.entries(files)) {
    const body = { path, content };
    const { client } = service;
    await persistOne(service, async () => {
      if (workingCopyId === undefined) await client.files.write({ workspaceId, body });
      else await client.copyFiles.write({ workspaceId, workingCopyId, body });
    });
  }
}

/** Files that are there already. */
export async function replace(
  service: BoundaryService,
  { files, ...place }: Place & { files: Files },
): Promise<void> {
  const { workspaceId, workingCopyId } = place;
  const { client } = service;
  for (const path of Object.keys(files)) {
    const body = { path };
    if (workingCopyId === undefined) await client.files.delete({ workspaceId, body });
    else await client.copyFiles.delete({ workspaceId, workingCopyId, body });
  }
  await write(service, { ...place, files });
}

/** While a round is prepared, a bucket may fail, and nothing is killed; while it is played, the player repeats. */
export async function persistOne(service: BoundaryService, act: () => Promise<void>): Promise<void> {
  if (!(await service.persist(act))) await act();
}

/** The revision's id. */
export async function save(service: BoundaryService, { workspaceId, workingCopyId }: Place): Promise<string> {
  const body = workingCopyId === undefined ? {} : { working_copy_id: workingCopyId };
  const { id: operationId } = await service.client.copies.checkpoint({ workspaceId, body });
  return await revisionOf(service, { workspaceId, operationId });
}

export async function revisionOf(
  service: BoundaryService,
  asked: { readonly workspaceId: string; readonly operationId: string },
): Promise<string> {
  const ended = await operationEnded(service, asked);
  const revisionId = ended.status === "succeeded" ? ended.result.revision_id : undefined;
  if (revisionId === undefined) throw new Error(`There is no revision: ${JSON.stringify(ended)}`);
  return revisionId;
}

export async function operationEnded(
  service: BoundaryService,
  asked: { readonly workspaceId: string; readonly operationId: string },
): Promise<WorkspaceOperation> {
  for (;;) {
    const operation = await service.client.operations.get({ ...asked, query: { wait: 30 } });
    if (operation.status === "succeeded" || operation.status === "failed") return operation;
  }
}

/** The copy's id. */
export async function makeCopy(service: BoundaryService, workspaceId: string): Promise<string> {
  const copy = await service.client.copies.create({ workspaceId });
  const workingCopyId = copy.status === "succeeded" ? copy.result.working_copy_id : undefined;
  if (workingCopyId === undefined) throw new Error("The operation names no copy.");
  return workingCopyId;
}

export async function isThere(
  service: BoundaryService,
  { workspaceId, files }: Place & { files: Files },
): Promise<boolean> {
  const path = Object.keys(files)[0];
  return (await orNull(() => service.client.files.stat({ workspaceId, query: { path } }))) !== null;
}

/** All files have their bytes. Where that was not acknowledged, none of them may be there, too. */
export async function expectFiles(
  service: BoundaryService,
  { workspaceId, workingCopyId, files, isAcknowledged }: Place & { files: Files; isAcknowledged: boolean },
): Promise<void> {
  const found = await readAll(service, files, (path) =>
    workingCopyId === undefined
      ? service.client.files.download({ workspaceId, query: { path } })
      : service.client.copyFiles.download({ workspaceId, workingCopyId, query: { path } }),
  );
  if (!isAcknowledged && found.every((state) => state === "absent")) return;
  expect(found).toEqual(found.map(() => "whole"));
}

export async function expectRevision(
  service: BoundaryService,
  parts: { readonly workspaceId: string; readonly revisionId: string; readonly files: Files },
): Promise<void> {
  const { workspaceId, revisionId, files } = parts;
  const found = await readAll(service, files, (path) =>
    service.client.revisionFiles.download({ workspaceId, revisionId, query: { path } }),
  );
  expect(found).toEqual(found.map(() => "whole"));
}

type FileState = "whole" | "absent" | "changed";

async function readAll(
  service: BoundaryService,
  files: Files,
  download: (path: string) => Promise<Download>,
): Promise<FileState[]> {
  const states: FileState[] = [];
  for (const [path, content] of Object.entries(files)) {
    await persistOne(service, async () => {
      const found = await orNull(() => download(path));
      if (found === null) states.push("absent");
      else {
        const bytes = Buffer.from(await new Response(found.body).arrayBuffer());
        states.push(bytes.equals(Buffer.from(content)) ? "whole" : "changed");
      }
    });
  }
  return states;
}

/** Null for what is not there. */
export async function orNull<Value>(ask: () => Promise<Value>): Promise<Value | null> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof ApiError && cause.status === 404) return null;
    throw cause;
  }
}
