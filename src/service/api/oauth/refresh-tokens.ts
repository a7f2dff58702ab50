// Binds the library's refresh tokens to our rotation: what the library does in two steps, which use one token and keep
// another, is one step, so that a token whose successor was lost on the way gives it again.
// Why: docs/decisions/102-a-used-refresh-token-answers-for-a-minute.md

import Provider, { type AdapterPayload, errors } from "oidc-provider";
import type { Core } from "../../core/core.ts";
import { type RotationRefusal, rotateToken } from "../../core/oauth/rotate-token.ts";
import { artifactOf, grantEnded } from "./artifact-adapter.ts";

/** Fields that the library's types leave out of a token. */
type SavedToken = {
  jti?: string;
  readonly kind: string;
  readonly remainingTTL: number;
  readonly adapter: { upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> };
  generateTokenId(): string;
  getValueAndPayload(): Promise<{ readonly payload: AdapterPayload }>;
};

export function bindRotation(core: Core, model: { readonly prototype: object }): void {
  Object.assign(model.prototype, {
    /** With its successor: `save`. */
    consume: async (): Promise<void> => {},
    async save(this: SavedToken): Promise<string> {
      const id = this.generateTokenId();
      this.jti = id;
      const expiresIn = this.remainingTTL;
      const { payload } = await this.getValueAndPayload();
      const presented = Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti;
      if (presented === undefined) {
        await this.adapter.upsert(id, payload, expiresIn);
        return id;
      }
      const artifact = artifactOf(core, { kind: this.kind, id, payload, expiresIn });
      const { grantId } = artifact;
      if (grantId === null) throw grantEnded();
      const rotated = await rotateToken(core, {
        presented,
        successor: { text: id, artifact: { ...artifact, grantId } },
      });
      if (!rotated.ok) throw new errors.InvalidGrant(detailOf(rotated.refusal));
      this.jti = rotated.value;
      return rotated.value;
    },
  });
}

/** For the log: clients are told the error alone. */
function detailOf({ reason }: RotationRefusal): string {
  switch (reason) {
    case "grant_ended":
      return "the grant has ended";
    case "token_used":
      return "the refresh token was used more than a minute ago";
    case "token_reused":
      return "the refresh token was used again after its successor: the grant has ended";
  }
}
