// Accounts of Bitbucket, as it shows them. Types only.

export type FakeAccount = {
  readonly uuid: string;
  /** "app_user" is the account of an access token. */
  readonly type: "user" | "app_user";
  readonly kind?: string;
  readonly display_name: string;
  readonly nickname?: string;
};
