// The built Action of an older version beside the one of now: what both are executed against is the fixture of the Action.

import type { CodeHostJob } from "../../../fakes/code-host/code-host.ts";
import {
  ActionFixture,
  type ActionFixtureOptions,
  openParts,
  type StepOptions,
} from "../fixtures/action-fixture.ts";
import { type OlderAction, olderAction } from "./older-action.ts";

export class OlderActionFixture extends ActionFixture {
  readonly older: OlderAction;

  static override async start(options: ActionFixtureOptions): Promise<OlderActionFixture> {
    const older = olderAction();
    const parts = await openParts(options);
    parts.opened.defer(() => older.remove());
    return new OlderActionFixture(parts, older);
  }

  private constructor(parts: Awaited<ReturnType<typeof openParts>>, older: OlderAction) {
    super(parts);
    this.older = older;
  }

  /** `isNewest`: the Action of now, in place of the older one. */
  override async main(
    job: CodeHostJob,
    { isNewest = false, ...options }: StepOptions & { readonly isNewest?: boolean } = {},
  ) {
    return await super.main(job, { ...(isNewest ? {} : { action: this.older.action }), ...options });
  }
}
