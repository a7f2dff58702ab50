// The workspace of a folder that an editor has open: the one that is named, that of an earlier session there, that which the folder is
// synchronised with, or a new one of the folder's name.

import { readFile, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod/mini";
import { parseJson } from "../../base/json.ts";
import { ApiError, type Client } from "../../client/client.ts";
import { RECORD_FOLDER } from "../workspaces/folder-path.ts";
import { LocalFolder } from "../workspaces/local-folder.ts";
import { readRecord } from "../workspaces/sync-record.ts";
import { findWorkspaceId } from "../workspaces/workspace-name.ts";

const FILE = "editor.json";

const placeSchema = z.object({
  version: z.literal(1),
  url: z.string(),
  workspace_id: z.string(),
  revision_id: z.nullable(z.string()),
});

export type KnownPlace = {
  /** The service's address, without a trailing slash. */
  readonly url: string;
  readonly workspaceId: string;
  /** The newest that was saved of the folder; null: none. */
  readonly revisionId: string | null;
};

type Wanted = {
  readonly root: string;
  readonly url: string;
  /** An id or a name; null: nobody has named one. */
  readonly named: string | null;
};

/** Null where there is none yet. Throws CommandError where the one that is named is not there. */
export async function findPlace(client: Client, { root, url, named }: Wanted): Promise<KnownPlace | null> {
  const earlier = await readKnownPlace(root, url);
  if (named !== null) {
    const workspaceId = await findWorkspaceId(client, named);
    return earlier?.workspaceId === workspaceId ? earlier : { url, workspaceId, revisionId: null };
  }
  if (earlier !== null && (await isThere(client, earlier.workspaceId))) return earlier;
  const synchronised = await readRecord(root).catch(() => null);
  if (synchronised?.place.url !== url) return null;
  const { workspaceId } = synchronised.place;
  return (await isThere(client, workspaceId)) ? { url, workspaceId, revisionId: null } : null;
}

/** Makes a workspace where there is none, and keeps which it is. `agentId` manages it; null: an agent of its own. */
export async function openPlace(
  client: Client,
  wanted: Wanted & { readonly agentId: string | null },
): Promise<KnownPlace> {
  const { root, url, agentId } = wanted;
  const found = await findPlace(client, wanted);
  const place = found ?? {
    url,
    workspaceId: (
      await client.workspaces.create({
        body: { name: basename(root), ...(agentId === null ? {} : { default_manager_agent_id: agentId }) },
      })
    ).id,
    revisionId: null,
  };
  await keepKnownPlace(root, place);
  return place;
}

export async function keepKnownPlace(root: string, place: KnownPlace): Promise<void> {
  const { url, workspaceId, revisionId } = place;
  const path = join(await new LocalFolder(root, []).recordFolder(), FILE);
  const part = `${path}.${process.pid}`;
  const kept = { version: 1, url, workspace_id: workspaceId, revision_id: revisionId };
  await writeFile(part, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
  await rename(part, path);
}

/** Null where there is no such file, or one that nobody can read: then the folder is as new. */
async function readKnownPlace(root: string, url: string): Promise<KnownPlace | null> {
  const text = await readFile(join(root, RECORD_FOLDER, FILE), "utf8").catch(() => "");
  const read = placeSchema.safeParse(parseJson(text));
  if (!read.success || read.data.url !== url) return null;
  return { url, workspaceId: read.data.workspace_id, revisionId: read.data.revision_id };
}

async function isThere(client: Client, workspaceId: string): Promise<boolean> {
  return await client.workspaces.get({ workspaceId }).then(
    ({ storage_state }) => storage_state !== "erasing",
    (cause: unknown) => {
      if (cause instanceof ApiError && cause.status === 404) return false;
      throw cause;
    },
  );
}
