/** An error in the page's own code. Svelte may then stop to draw, and what is seen stands still. */
const REQUEST_FAILED = /^(Failed to fetch|Load failed|NetworkError when attempting to fetch resource\.)$/;

/**
 * What went wrong in the code of the page; null if it is no fault of that code. A request that fails is told where its
 * answer is missing, and the browser itself reports errors that no code has made.
 */
export function faultOf(event: object): string | null {
  const { error, reason } = event as Partial<ErrorEvent & PromiseRejectionEvent>;
  const found = (error ?? reason) as unknown;
  if (!(found instanceof Error) || found instanceof DOMException) return null;
  return REQUEST_FAILED.test(found.message) ? null : found.message;
}
