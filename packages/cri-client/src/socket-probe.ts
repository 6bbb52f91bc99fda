/** Result of examining a socket's path. */
export type SocketFinding =
  /** The path does not exist. `missingFolder` is the first folder of the path that does not exist either. */
  | { readonly kind: 'missing'; readonly missingFolder?: string | undefined }
  /** This process may not use the socket or a folder of its path. `owner` describes the socket if it is visible. */
  | { readonly kind: 'permission-denied'; readonly owner?: string | undefined }
  /** The path is not a socket: `a directory`, `a regular file`, … */
  | { readonly kind: 'not-a-socket'; readonly what: string }
  /** The socket exists, and no process listens on it. */
  | { readonly kind: 'refused' }
  /** It accepts connections and closes them without an answer. */
  | { readonly kind: 'closed' }
  /** It accepts connections and does not answer. */
  | { readonly kind: 'silent' }
  /** It answers, but not like an HTTP/2 server. */
  | { readonly kind: 'foreign' }
  /** It answers like an HTTP/2 server, which gRPC servers are. */
  | { readonly kind: 'answers' }
  /** Any other error of the operating system. */
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Examines a socket after a failed connection, because the gRPC library reports all such failures with the same status. The default is {@link
 * createNodeSocketProbe}.
 */
export interface SocketProbe {
  /** Never rejects; an abort of `signal` ends it early with any finding. */
  examine(path: string, signal: AbortSignal): Promise<SocketFinding>;
}
