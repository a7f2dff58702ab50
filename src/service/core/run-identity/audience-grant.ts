// The owner's word that an agent's runs may get ID tokens for an audience. Pure.

export type AudienceGrant = {
  readonly audience: string;
  /** Also where others than writers of the repository can have a say in the run. */
  readonly allowsUntrusted: boolean;
  readonly grantedAt: number;
};
