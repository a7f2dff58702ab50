// The page of a comment. Pure.

/** By its id. */
export type CommentUrl = (comment: { readonly id: number }) => string;

/** `url` is the page of the pull request. */
export function commentUrls(url: string): CommentUrl {
  return ({ id }) => `${url}#comment-${id}`;
}
