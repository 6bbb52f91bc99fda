import type { EndpointResponse } from '@rxlet/agent-api/http';
import type { ApiRequest, UpgradeConnection } from '../request/api-request.ts';

/** Answers a request; `undefined` when it has answered through the request's response itself. */
export type RouteHandler = (
  request: ApiRequest,
) => EndpointResponse | undefined | Promise<EndpointResponse | undefined>;

/** A path with one meaning, whatever the method. */
export interface HandlerRoute {
  /** `/healthz`; with a slash at the end all paths below it too. */
  readonly pattern: string;
  readonly handle: RouteHandler;
  readonly isOnReadOnlyPort?: boolean;
}

/** Paths below a root, with the methods that each of them has. */
export interface ServiceRoute {
  /** `/exec`; with a slash at the end the path without it is redirected. */
  readonly root: string;
  readonly operations: readonly Operation[];
  readonly isOnReadOnlyPort?: boolean;
}

/** A way to use the paths of a {@link ServiceRoute}. */
export interface Operation {
  readonly methods?: readonly string[];
  /** First segments below the root that are fixed. */
  readonly fixed?: readonly string[];
  /** Number of the segments after them. */
  readonly segments: { readonly least: number; readonly most: number };
  /** Media type of the answers, which the client must accept. Absent: the client must accept any. */
  readonly produces?: string;
  readonly handle: RouteHandler;
  /** Takes over the connection of a request for an upgrade. Rejects, before it has written anything, with the error to answer. */
  readonly upgrade?: (request: ApiRequest, connection: UpgradeConnection) => Promise<void>;
}

export type Route = HandlerRoute | ServiceRoute;
