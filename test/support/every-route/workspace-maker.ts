// What several steps make in a workspace through the API: operations that have ended, copies, changesets.

import { expect } from "vitest";
import type { ManualClock } from "../clocks/manual-clock.ts";
import type { DocumentedApi } from "../documented-api.ts";

/** Of a path, by name. */
export type Params = Readonly<Record<string, string>>;

export class WorkspaceMaker {
  readonly api: DocumentedApi;
  readonly #clock: ManualClock;

  constructor(api: DocumentedApi, clock: ManualClock) {
    this.api = api;
    this.#clock = clock;
  }

  /** The id of what a successful operation made. */
  async ended(w: Params, { id }: { readonly id: string }): Promise<string> {
    const params = { ...w, operationID: id };
    const { status, result } = await this.api.ask("operationsGet", { params, query: "wait=20" });
    expect(status).toBe("succeeded");
    const made = result as unknown as { readonly revision_id?: string; readonly working_copy_id?: string };
    return made.revision_id ?? made.working_copy_id ?? "";
  }

  /** A revision of the canonical files. */
  async checkpoint(w: Params): Promise<string> {
    return await this.ended(w, await this.api.ask("copiesCheckpoint", { params: w, json: {} }));
  }

  /** A copy's id. */
  async copy(w: Params): Promise<string> {
    return await this.ended(w, await this.api.ask("copiesCreate", { params: w, json: {} }));
  }

  /** A changeset of these files; `changesetID` and `workingCopyID` beside the workspace's. */
  async proposed(w: Params, files: Readonly<Record<string, string>>): Promise<Params> {
    const workingCopyID = await this.copy(w);
    for (const [path, content] of Object.entries(files)) {
      const params = { ...w, workingCopyID };
      await this.api.ask("copyFilesWrite", { params, json: { path, content } });
    }
    this.#clock.advance(1);
    const save = { working_copy_id: workingCopyID };
    await this.ended(w, await this.api.ask("copiesCheckpoint", { params: w, json: save }));
    const proposal = { ...save, title: "A change" };
    const { id } = await this.api.ask("changesetsCreate", { params: w, json: proposal });
    return { ...w, changesetID: id, workingCopyID };
  }

  /** What an AI client wants decided waits for the owner: the id of its review action. */
  async refusedToAssistant(params: Params, { json, bearer }: { json: unknown; bearer: string }) {
    const { status, body } = await this.api.answer("changesetsAccept", { params, json, bearer });
    expect(status).toBe(403);
    const { approve_url } = body as { readonly approve_url?: string };
    return approve_url?.split("/").at(-1) ?? "";
  }

  /** The secret of an address of a file. */
  async downloadToken(params: Params, path: string): Promise<string> {
    const { url } = await this.api.ask("filesDownloadUrl", { params, json: { path } });
    return new URL(url, "http://service.example").pathname.split("/").at(-1) ?? "";
  }
}
