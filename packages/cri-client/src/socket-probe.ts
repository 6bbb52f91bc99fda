/** What a look at a socket's path found. */
export type SocketFinding =
  /** Nothing is there. `missingFolder` names the first folder on the way that does not exist either. */
  | { readonly kind: 'missing'; readonly missingFolder?: string | undefined }
  /** The socket, or a folder on the way to it, may not be used by this process. `owner` describes the socket if it can be seen. */
  | { readonly kind: 'permission-denied'; readonly owner?: string | undefined }
  /** Something else has that name: `a directory`, `a regular file`, … */
  | { readonly kind: 'not-a-socket'; readonly what: string }
  /** The socket is there and nobody listens on it. */
  | { readonly kind: 'refused' }
  /** It accepts connections and closes them before a word was said. */
  | { readonly kind: 'closed' }
  /** It accepts connections and says nothing. */
  | { readonly kind: 'silent' }
  /** It answers, but not as an HTTP/2 server does. */
  | { readonly kind: 'foreign' }
  /** It answers as an HTTP/2 server does, thus as a gRPC server may. */
  | { readonly kind: 'answers' }
  /** Any other error of the operating system. */
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Looks at a socket after a connection failed. The gRPC library reports every such failure as one and the same status; what a person has to do about
 * it is only seen by looking. The default is {@link createNodeSocketProbe}.
 */
export interface SocketProbe {
  /** Never rejects; an abort of `signal` ends it early with any finding. */
  examine(path: string, signal: AbortSignal): Promise<SocketFinding>;
}
