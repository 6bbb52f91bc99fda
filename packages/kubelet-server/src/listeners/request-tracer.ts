/** A request whose route is known. */
export interface TracedRequest {
  readonly method: string;
  /** Path of its route, such as `/exec`; a slash at the end stands for all paths below it. */
  readonly route: string;
}

/** Traces the requests to a server. */
export interface RequestTracer {
  /** Follows a request while it is served. `status` returns the status of its answer once it has been served. */
  trace(request: TracedRequest, serve: () => Promise<void>, status: () => number): Promise<void>;
}
